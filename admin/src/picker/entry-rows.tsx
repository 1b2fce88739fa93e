import "./picker.css";
import { ActionIcon, Badge, UnstyledButton } from "@mantine/core";
import { ChevronRight, FileText, Folder, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import type { EntryRow } from "../model/entry/entry-row.ts";
import type { EntryMarks } from "../model/entry/excerpt.ts";
import { useMay } from "../session-context.ts";
import { Marked } from "../ui/marked.tsx";
import { VisibilityBadge } from "../ui/visibility.tsx";

type EntryRowsProps = {
  rows: readonly EntryRow[];
  /** How they were found, by id. */
  marks?: Readonly<Record<string, EntryMarks>> | undefined;
  onPick(id: string): void;
  onOpen?(path: string): void;
};

/** Entries to choose from. A path without an entry can only be opened. */
export function EntryRows({ rows, marks, onPick, onOpen }: EntryRowsProps) {
  return (
    <ul className="picker-rows" aria-label={say("Entries")}>
      {rows.map((row) => (
        <li key={row.slug}>
          <EntryButton
            row={row}
            marks={marks?.[row.slug]}
            onClick={() => (row.entry ? onPick(row.slug) : onOpen?.(row.slug))}
          />
          {row.hasChildren && onOpen && (
            <ActionIcon
              size={34}
              data-opens
              aria-label={say("Entries below {title}", { title: row.entry?.title || nameOf(row.slug) })}
              onClick={() => onOpen(row.slug)}
            >
              <ChevronRight size={16} />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  );
}

type EntryButtonProps = { row: EntryRow; marks: EntryMarks | undefined; onClick(): void };

function EntryButton({ row: { slug, entry, type, picture }, marks, onClick }: EntryButtonProps) {
  const Icon = entry ? FileText : Folder;
  return (
    <UnstyledButton className="picker-row" data-row onClick={onClick}>
      <RowPicture path={picture} Icon={Icon} />
      <span className="name-lines">
        <span dir="auto">
          <Marked text={entry?.title || nameOf(slug)} ranges={(entry?.title && marks?.title) || []} />
        </span>
        <small className="mono">{slug}</small>
        {marks?.excerpt && (
          <small className="found-excerpt" dir="auto">
            <Marked {...marks.excerpt} />
          </small>
        )}
      </span>
      {type && (
        <Badge color="gray" maw={120} visibleFrom="xs">
          {type}
        </Badge>
      )}
      {entry && <VisibilityBadge {...entry} />}
    </UnstyledButton>
  );
}

/** The picture of an entry, or an icon. */
export function RowPicture({ path, Icon }: { path: string | undefined; Icon: LucideIcon }) {
  const [isBroken, setBroken] = useState(false);
  const maySee = useMay("files");
  const isShown = path !== undefined && !isBroken && maySee;
  return (
    <span className="picker-icon">
      {isShown ? (
        <img
          src={octavo.imageUrl(path, { w: 28, h: 28, fit: "crop", dpr: 2, fm: "webp" })}
          alt=""
          loading="lazy"
          onError={() => setBroken(true)}
        />
      ) : (
        <Icon size={16} strokeWidth={1.7} aria-hidden />
      )}
    </span>
  );
}
