import { readEntry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { entryAt, entryHistory, restoreEntry } from "../api/history.ts";
import { openEntry } from "../api/staged.ts";
import { FieldDifferences } from "../history/difference-view.tsx";
import { HistoryDialog } from "../history/history-dialog.tsx";
import type { HistorySource, Present, StateOf } from "../history/timeline.ts";
import { compareFields } from "../model/difference.ts";
import { type Draft, draftOf, withOwnFields } from "../model/draft/draft.ts";
import type { SaveState, StoredState } from "../model/draft/editing.ts";
import { fieldWords, stateLabel } from "../model/entry/field-words.ts";
import { rereadEntries } from "../query/entry.ts";

const presentOf = ({ entry, tag }: TaggedEntry): Present<Draft> => ({
  content: draftOf(entry),
  tag,
  at: entry.modified_at,
});

const entryState: StateOf<Draft> = {
  label: stateLabel,
  without: (content, present) => withOwnFields(present, content),
  effect: (content, present, restored) => {
    const changed = compareFields(present, restored).map(({ key }) => key);
    const kept = compareFields(content, present)
      .map(({ key }) => key)
      .filter((key) => !changed.includes(key));
    const will =
      changed.length === 0
        ? "Restore will change nothing."
        : `Restore will change ${listed(changed, present, restored)}.`;
    return kept.length === 0 ? will : `${will} It leaves as it is now: ${listed(kept, present, present)}.`;
  },
};

/** The names of fields; of those about publishing with their values. */
function listed(keys: readonly string[], before: Draft, after: Draft): string {
  const name = (key: string): string => {
    const { label = key, show } = fieldWords[key] ?? {};
    const [from, to] = [before[key], after[key]].map((value) => (show && value !== undefined ? show(value) : ""));
    if (!from || !to) return label;
    return from === to ? `${label} (${to})` : `${label} (from ${from} to ${to})`;
  };
  return names.format(keys.map(name));
}

const names = new Intl.ListFormat("en", { type: "conjunction" });

/** The history of an entry. */
export function EntryHistory({ editing, onClose }: { editing: StoredState & SaveState; onClose(): void }) {
  const { slug } = editing.base;
  const source: HistorySource<Draft> = {
    key: ["entry", slug],
    list: (cursor) => entryHistory(slug, cursor),
    present: async () => presentOf(await readEntry(slug)),
    at: async (revision) => draftOf(await entryAt(slug, revision)),
    restore: async (revision, ifMatch, { state }) => presentOf(await restoreEntry(slug, revision, { ifMatch, state })),
    state: entryState,
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
