import type { WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { parentOf } from "../core/path.ts";
import { type FieldIndex, indexItems, type RowOwner, replaceFieldRows, rowsOf } from "../core/sql/index/field-row.ts";
import { ensureParent } from "../core/sql/index/parent.ts";
import { changeTexts, moveTexts } from "../core/sql/index/text.ts";
import type { Writing } from "../core/sql/noun.ts";
import { typesOf } from "../type/cache-store.ts";
import { refuseShared } from "../type/check.ts";
import { entryVersion } from "../version/version.ts";
import { noteVersion } from "../version/version-store.ts";
import type { ChangedEntry, Entry, UnsavedEntry } from "./entry.ts";
import { isUndated } from "./field.ts";
import { listingOf } from "./listing-rows.ts";
import { documentOf, entryTable, insertEntryRows, type StoredEntry, updateEntryRow } from "./rows.ts";
import { isPublic } from "./visibility.ts";

/** How one entry is written, with its index rows and its history. */

/** Inserts the entry; asks for the revision last. */
export async function insertEntry(
  { sql, index, parentNumber, entryNumber }: Writing,
  entry: UnsavedEntry,
  data: JsonObject,
  listing: number,
  revisionOf: () => Promise<number>,
): Promise<Entry & { id: number }> {
  const { rows, lacking } = rowsOf(data, entryTable, index);
  const [id, parent] = await allSettled([entryNumber(), parentNumber(parentOf(entry.slug))]);
  await indexItems(index, entryTable, [{ owner: { item: id, parent, listing }, rows }]);
  const revision = await revisionOf();
  const inserted = { ...entry, revision, contentRevision: revision };
  insertEntryRows(sql, [{ id, entry: inserted, parent, listing, lacking }]);
  return { ...inserted, id };
}

/** Refuses a change of what all locales have to who writes in some. Throws scope_missing. */
export async function refuseSharedChange(
  on: Writing,
  current: Entry,
  { entry, before, data }: ChangedEntry,
  { isLocal }: WriteContext,
): Promise<void> {
  if (isLocal) await refuseShared(await typesOf(on), { ...current, data: before }, { ...entry, data });
}

/**
 * Gives the entry new content; keeps the content before it in the history, and that the public saw it. Asks for the revision
 * last.
 */
export async function saveEntry(
  on: Writing,
  current: StoredEntry,
  { entry, before, data }: ChangedEntry,
  context: WriteContext,
  revisionOf: () => Promise<number>,
): Promise<Entry> {
  if (current.locale !== undefined)
    return on.links.saveTranslation(on, current, { entry, before, data }, context, revisionOf);
  await refuseSharedChange(on, current, { entry, before, data }, context);
  const { sql, index, parentNumber, atEnd } = on;
  const { id, slug, listing, isUnindexed, uuid } = current;
  const owner = { item: id, parent: await parentNumber(parentOf(slug)), listing, isUnindexed };
  const next = listingOf(entry, context.nowSeconds);
  const [was, will] = [await documentOf(index, current, before), await documentOf(index, current, data)];
  const after = { owner: { ...owner, listing: next, isUnindexed: false }, data: will };
  const lacking = await replaceFieldRows(index, entryTable, { owner, data: was }, after);
  if (await changeTexts(index.sql, entryTable, id, was, will)) atEnd(() => moveTexts(sql, entryTable));
  const revision = await revisionOf();
  noteVersion(on, { noun: "entry", thing: uuid }, entryVersion(current), revision, context);
  const wasPublic = hasBeenPublic(current, entry, context.nowSeconds);
  const written = { ...entry, wasPublic, revision, contentRevision: revision };
  updateEntryRow(sql, { id, entry: written, lacking, listing: next });
  return written;
}

/** What is noted of an entry after a write. With its date a draft loses that it was public: the next publish dates it again. */
function hasBeenPublic(current: StoredEntry, next: UnsavedEntry, nowSeconds: number): boolean {
  if (isUndated(next) && next.publishedAt !== current.publishedAt) return false;
  return current.wasPublic === true || isPublic(current, nowSeconds);
}

/** Entries that are saved at once, so that on a server few round trips save many; large ones take much memory. */
export const savedAtOnce = { items: 50, size: 1024 * 1024 };

export const ownerOf = async (
  index: FieldIndex,
  { id, slug, listing, isUnindexed }: StoredEntry,
): Promise<RowOwner> => ({ item: id, parent: await ensureParent(index.sql, parentOf(slug)), listing, isUnindexed });
