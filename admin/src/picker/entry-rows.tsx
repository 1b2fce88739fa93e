import "./picker.css";
import { ActionIcon, Badge, UnstyledButton } from "@mantine/core";
import { ChevronRight, FileText, Folder } from "lucide-react";
import type { Visibility } from "../api/entry.ts";
import { nameOf } from "../api/path.ts";
import { VisibilityBadge } from "../entry/visibility.tsx";

export type EntryRow = {
  slug: string;
  /** Undefined for a path without an entry. */
  entry: { title: string; visibility: Visibility; publishedAt: number } | undefined;
  /** The title of its type. */
  type?: string | undefined;
  hasChildren?: boolean;
};

type EntryRowsProps = { rows: readonly EntryRow[]; onPick(id: string): void; onOpen?(path: string): void };

/** Entries to choose from. A path without an entry can only be opened. */
export function EntryRows({ rows, onPick, onOpen }: EntryRowsProps) {
  return (
    <ul className="picker-rows" aria-label="Entries">
      {rows.map((row) => (
        <li key={row.slug}>
          <EntryButton row={row} onClick={() => (row.entry ? onPick(row.slug) : onOpen?.(row.slug))} />
          {row.hasChildren && onOpen && (
            <ActionIcon
              size={34}
              data-opens
              aria-label={`Entries below ${row.entry?.title || nameOf(row.slug)}`}
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

function EntryButton({ row: { slug, entry, type }, onClick }: { row: EntryRow; onClick(): void }) {
  const Icon = entry ? FileText : Folder;
  return (
    <UnstyledButton className="picker-row" data-row onClick={onClick}>
      <Icon size={16} strokeWidth={1.7} aria-hidden />
      <span className="name-lines">
        <span dir="auto">{entry?.title || nameOf(slug)}</span>
        <small className="mono">{slug}</small>
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
