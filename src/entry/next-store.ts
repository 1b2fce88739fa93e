import type { EntryChange, WriteContext } from "../core/event.ts";
import { parentOf } from "../core/path.ts";
import type { Fault } from "../core/problem.ts";
import { parentNumbers } from "../core/sql/index/parent.ts";
import { missing } from "../core/sql/index/table.ts";
import type { Writing } from "../core/sql/noun.ts";
import { refuseWrittenFaults, type Types } from "../type/check.ts";
import { freshFor } from "../version/version-store.ts";
import type { ChangedEntry, Entry } from "./entry.ts";
import { changeOf, listingOf } from "./listing-rows.ts";
import { type NextSource, nextVersion } from "./next.ts";
import { insertEntryRows, type NewEntry, type StoredEntry } from "./rows.ts";
import { saveEntry } from "./save-store.ts";

/**
 * How the next version of an entry is checked and written, whatever it is made of. Whoever writes many together checks
 * all first; to hold them all would take the memory of their data, so each is made again when it is written.
 */

/** A next version that may be written: where it does not fit its type all the same, and what the log keeps of it. */
export type CheckedNext = {
  readonly written: ChangedEntry;
  readonly faults: readonly Fault[];
  readonly change: EntryChange;
};

/**
 * Throws what the types of the store refuse: data_invalid, type_too_costly; data_too_large. What comes back may have the
 * faults that it had; what is published is checked as a whole where it was a draft.
 */
export async function checkNext(
  on: Writing,
  types: Types | undefined,
  present: StoredEntry,
  source: NextSource,
  context: WriteContext,
): Promise<CheckedNext> {
  const written = await nextVersion(present, source, context.nowSeconds);
  const change = changeOf(present, written.entry, context);
  if (present.locale !== undefined)
    return { written, faults: await on.links.refuseTranslationFaults(types, present, written), change };
  const faults =
    "patch" in source
      ? await refuseWrittenFaults(types, written, present.visibility === "draft" ? undefined : present)
      : await refuseWrittenFaults(types, written, present, freshFor(on.sql, present));
  return { written, faults, change };
}

/** Writes a next version that was checked, under the revision of its event. */
export async function saveNext(
  on: Writing,
  present: StoredEntry,
  source: NextSource,
  revision: number,
  context: WriteContext,
): Promise<Entry> {
  const written = await nextVersion(present, source, context.nowSeconds);
  return saveEntry(on, present, written, context, async () => revision);
}

/** What the log keeps of one entry that comes back from the trash. No type refuses it: it is as it was. */
export const changeOfReturned = (entry: Entry, context: WriteContext): EntryChange =>
  changeOf(undefined, entry, context);

/**
 * Answers what writes entries that come back from the trash, some at a time, under the revision of their event. They enter
 * the field index later: see core/sql/index/restored.ts.
 */
export function returning({ sql, index }: Writing, revision: number, { nowSeconds }: WriteContext) {
  const parentNumber = parentNumbers(index.sql);
  return async (entries: readonly Entry[]): Promise<void> => {
    const ids = await sql.numbers("entry", entries.length);
    const rows: NewEntry[] = [];
    for (const [i, kept] of entries.entries()) {
      const [id = 0, parent] = [ids[i], await parentNumber(parentOf(kept.slug))];
      const entry = { ...kept, revision };
      rows.push({ id, entry, parent, listing: listingOf(entry, nowSeconds), lacking: missing.all });
    }
    insertEntryRows(sql, rows);
  };
}
