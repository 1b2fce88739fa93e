import { readEntry, type TaggedEntry } from "../api/entry.ts";
import { entryAt, entryHistory, restoreEntry } from "../api/history.ts";
import { copyKey, openEntry, openedTitle } from "../api/staged.ts";
import { FieldDifferences } from "../history/difference-view.tsx";
import { HistoryDialog } from "../history/history-dialog.tsx";
import type { HistorySource, Present, StateOf } from "../history/timeline.ts";
import { language } from "../language/language.ts";
import { say } from "../language/say.ts";
import { compareFields } from "../model/difference.ts";
import { type Draft, draftOf, withOwnFields } from "../model/draft/draft.ts";
import type { SaveState, StoredState } from "../model/draft/editing.ts";
import { fieldWords, stateLabel } from "../model/entry/field-words.ts";
import { nameIn } from "../model/form/named.ts";
import type { Shape } from "../model/form/schema.ts";
import { languageName } from "../model/locale.ts";
import { rereadEntries } from "../query/entry.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { refresh } from "../ui/query.ts";

const presentOf = ({ entry, tag }: TaggedEntry): Present<Draft> => ({
  content: draftOf(entry),
  tag,
  at: entry.modified_at,
});

const entryState = (shape: Shape | undefined): StateOf<Draft> => ({
  label: stateLabel,
  without: (content, present) => withOwnFields(present, content),
  effect: (content, present, restored) => {
    const changed = compareFields(present, restored).map(({ key }) => key);
    const kept = compareFields(content, present)
      .map(({ key }) => key)
      .filter((key) => !changed.includes(key));
    const will =
      changed.length === 0
        ? say("Restore will change nothing.")
        : say("Restore will change {changed}.", { changed: listed(changed, present, restored, shape) });
    return kept.length === 0
      ? will
      : say("{will} It leaves as it is now: {kept}.", { will, kept: listed(kept, present, present, shape) });
  },
});

/** The names of fields; of those about publishing with their values. */
function listed(keys: readonly string[], before: Draft, after: Draft, shape: Shape | undefined): string {
  const name = (key: string): string => {
    const { label: own = key, show } = fieldWords[key] ?? {};
    const label = nameIn(shape, key) ?? own;
    const [from, to] = [before[key], after[key]].map((value) => (show && value !== undefined ? show(value) : ""));
    if (!from || !to) return label;
    return from === to ? `${label} (${to})` : say("{label} (from {from} to {to})", { label, from, to });
  };
  return names.format(keys.map(name));
}

const names = new Intl.ListFormat(language, { type: "conjunction" });

/** The history of an entry, or of what it says in another locale. */
export function EntryHistory({ editing, onClose }: { editing: StoredState & SaveState; onClose(): void }) {
  const { base, translation, isDirty, take } = editing;
  const { slug } = base;
  const locale = translation?.locale;
  const shape = useEntryShape(base);
  const source: HistorySource<Draft> = {
    key: ["entry", copyKey({ id: slug, ...(locale && { locale }) })],
    list: (cursor) => entryHistory(slug, cursor, locale),
    present: async () => presentOf(await readEntry(slug, locale)),
    at: async (revision) => draftOf(await entryAt(slug, revision, locale)),
    restore: async (revision, ifMatch, { state }) =>
      presentOf(await restoreEntry(slug, revision, { ifMatch, state, locale })),
    ...(translation ? { locale } : { state: entryState(shape) }),
  };
  return (
    <HistoryDialog
      source={source}
      name={
        locale
          ? say("{title} in {language}", { title: openedTitle(base, translation), language: languageName(locale) })
          : openedTitle(base, translation)
      }
      compare={(before, after) => (
        <FieldDifferences fields={compareFields(before.content, after.content)} words={fieldWords} shape={shape} />
      )}
      onRestored={async () => {
        take(await openEntry(slug, locale));
        await Promise.all([rereadEntries(), translation && refresh("translations")]);
      }}
      obstacle={isDirty ? say("Save your changes first, or discard them.") : undefined}
      onClose={onClose}
    />
  );
}
