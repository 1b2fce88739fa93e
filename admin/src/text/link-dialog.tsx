import { Text, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Globe } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Entry, titleOf } from "../api/entry.ts";
import { type File, pathOf, searchFiles } from "../api/file.ts";
import { Thumbnail } from "../file/thumbnail.tsx";
import { say } from "../language/say.ts";
import { entryRowsOf } from "../model/entry/entry-row.ts";
import { marksOf } from "../model/entry/excerpt.ts";
import { addressOf, type LinkTarget } from "../model/text/link.ts";
import { EntryLevel } from "../picker/entry-level.tsx";
import { EntryRows } from "../picker/entry-rows.tsx";
import { moveInRows } from "../picker/rows.ts";
import { findEntries } from "../query/find-entries.ts";
import { useTypes } from "../query/types.ts";
import { useMay } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { Failure, Loading } from "../ui/state.tsx";

type LinkDialogProps = {
  onPick(target: LinkTarget): void;
  /** Also called after a choice. */
  onClose(): void;
};

/** Asks where a link goes: to an entry, a file, or an address. */
export function LinkDialog({ onPick, onClose }: LinkDialogProps) {
  const [text, setText] = useState("");
  const typed = text.trim();
  const [settled] = useDebouncedValue(typed, 200);
  const mayEntries = useMay("entries");
  const address = addressOf(typed);
  const pick = (target: LinkTarget): void => {
    onPick(target);
    onClose();
  };
  return (
    <Dialog title={say("Link to")} size="lg" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows move the focus between controls. */}
      <div onKeyDown={moveInRows}>
        <SearchInput
          label={say("Search entries and files, or type an address")}
          placeholder={say("A title, the name of a file, or https://…")}
          value={text}
          onChange={setText}
          data-autofocus
          mb="xs"
        />
        {address !== undefined && (
          <ul className="picker-rows" aria-label={say("Address")}>
            <Row icon={<Globe size={16} strokeWidth={1.7} />} onClick={() => pick({ address })}>
              {address}
            </Row>
          </ul>
        )}
        {settled === "" || typed === "" ? (
          mayEntries && address === undefined && <EntryLevel onPick={(entry) => pick({ entry })} />
        ) : (
          <Found text={settled} hasAddress={address !== undefined} onPick={pick} />
        )}
      </div>
    </Dialog>
  );
}

const foundLimit = 20;

type FoundProps = { text: string; hasAddress: boolean; onPick(target: LinkTarget): void };

function Found({ text, hasAddress, onPick }: FoundProps) {
  const [mayEntries, mayFiles] = [useMay("entries"), useMay("files")];
  const types = useTypes();
  const { data, error, refetch } = useQuery({
    queryKey: ["collection", "link", text],
    queryFn: async ({ signal }) => ({
      found: mayEntries ? await findEntries(text, { limit: foundLimit }, { signal }) : undefined,
      files: mayFiles ? await findFiles(text, signal) : [],
    }),
    placeholderData: (before) => before,
  });
  if (error) return <Failure error={error} title={say("The search failed")} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={4} />;
  const { entries = [], matches = {} } = data.found ?? {};
  const pickEntry = (slug: string): void => onPick(targetOf(entries, slug));
  const isNothing = entries.length + data.files.length === 0;
  return (
    <div className="picker-scroll">
      {isNothing && !hasAddress && (
        <Text size="sm" c="dimmed" role="status">
          {say("Nothing found")}
        </Text>
      )}
      {entries.length > 0 && (
        <EntryRows rows={entryRowsOf(entries, types, [])} marks={marksOf(entries, matches)} onPick={pickEntry} />
      )}
      {data.files.length > 0 && (
        <ul className="picker-rows" aria-label={say("Files")}>
          {data.files.map((file) => (
            <Row
              key={pathOf(file)}
              icon={<Thumbnail file={file} width={28} height={28} />}
              onClick={() => onPick({ file: pathOf(file), title: file.title || file.filename })}
            >
              {file.title || file.filename}
              <small className="mono">{pathOf(file)}</small>
            </Row>
          ))}
        </ul>
      )}
    </div>
  );
}

const targetOf = (entries: readonly Entry[], slug: string): LinkTarget => {
  const found = entries.find((entry) => entry.slug === slug);
  return { entry: slug, ...(found && { title: titleOf(found) }) };
};

const findFiles = async (text: string, signal: AbortSignal): Promise<File[]> =>
  (await searchFiles(text, { limit: foundLimit }, { signal })).items.slice(0, foundLimit);

type RowProps = { icon: ReactNode; onClick(): void; children: ReactNode };

function Row({ icon, onClick, children }: RowProps) {
  return (
    <li>
      <UnstyledButton className="picker-row" data-row onClick={onClick}>
        <span className="picker-icon">{icon}</span>
        <span className="name-lines">{children}</span>
      </UnstyledButton>
    </li>
  );
}
