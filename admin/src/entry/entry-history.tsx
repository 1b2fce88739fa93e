import { readEntry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { entryAt, entryHistory, restoreEntry } from "../api/history.ts";
import type { Json } from "../api/json.ts";
import { compareFields } from "../history/difference.ts";
import { FieldDifferences, type FieldWords } from "../history/difference-view.tsx";
import { HistoryDialog } from "../history/history-dialog.tsx";
import type { HistorySource, Present } from "../history/timeline.ts";
import { formatMoment } from "../ui/format.ts";
import { type Draft, draftOf } from "./draft.ts";
import { rereadEntries } from "./query.ts";
import type { Editing } from "./use-draft.ts";

const visibilities: Record<string, string> = { visible: "Visible", hidden: "Hidden", draft: "Draft" };

/** As the form names them. */
const words: FieldWords = {
  title: { label: "Title" },
  content: { label: "Content" },
  visibility: { label: "Visibility", show: (value) => visibilities[String(value)] ?? String(value) },
  published_at: { label: "Publish date", show: (value) => formatMoment(Number(value)) },
  published_by: { label: "Published by" },
  created_by: { label: "Created by" },
  routable: { label: "Has a page of its own", show: (value: Json) => (value === true ? "Yes" : "No") },
};

type EntryPresent = Present<Draft> & { read: TaggedEntry };

const presentOf = (read: TaggedEntry): EntryPresent => ({
  content: draftOf(read.entry),
  tag: read.tag,
  at: read.entry.modified_at,
  read,
});

/** The history of an entry. */
export function EntryHistory({ editing, onClose }: { editing: Editing; onClose(): void }) {
  const { slug } = editing.base;
  const source: HistorySource<Draft, EntryPresent> = {
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
        <FieldDifferences fields={compareFields(before.content, after.content)} words={words} />
      )}
      onRestored={({ read }) => {
        editing.take(read);
        return rereadEntries();
      }}
      obstacle={editing.isDirty ? "Save your changes first, or discard them." : undefined}
      onClose={onClose}
    />
  );
}
