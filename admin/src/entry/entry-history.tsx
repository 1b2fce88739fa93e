import { readEntry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { entryAt, entryHistory, restoreEntry } from "../api/history.ts";
import { openEntry } from "../api/staged.ts";
import { compareFields } from "../history/difference.ts";
import { FieldDifferences } from "../history/difference-view.tsx";
import { HistoryDialog } from "../history/history-dialog.tsx";
import type { HistorySource, Present } from "../history/timeline.ts";
import { type Draft, draftOf } from "./draft.ts";
import { fieldWords } from "./field-words.ts";
import { rereadEntries } from "./query.ts";
import type { Editing } from "./use-draft.ts";

const presentOf = ({ entry, tag }: TaggedEntry): Present<Draft> => ({
  content: draftOf(entry),
  tag,
  at: entry.modified_at,
});

/** The history of an entry. */
export function EntryHistory({ editing, onClose }: { editing: Editing; onClose(): void }) {
  const { slug } = editing.base;
  const source: HistorySource<Draft> = {
    key: ["entry", slug],
    list: (cursor) => entryHistory(slug, cursor),
    present: async () => presentOf(await readEntry(slug)),
    at: async (revision) => draftOf(await entryAt(slug, revision)),
    restore: async (revision, tag) => presentOf(await restoreEntry(slug, revision, tag)),
  };
  return (
    <HistoryDialog
      source={source}
      name={titleOf(editing.base)}
      compare={(before, after) => (
        <FieldDifferences fields={compareFields(before.content, after.content)} words={fieldWords} />
      )}
      onRestored={async () => {
        editing.take(await openEntry(slug));
        return rereadEntries();
      }}
      obstacle={editing.isDirty ? "Save your changes first, or discard them." : undefined}
      onClose={onClose}
    />
  );
}
