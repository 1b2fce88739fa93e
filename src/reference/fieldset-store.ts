import type { WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups, pagesBy } from "../core/lib/in-groups.ts";
import type { Json, JsonObject } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import { appendChanges } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import { likeSql, numberOf, partPattern, type Sql } from "../core/sql/sql.ts";
import { changeOf } from "../entry/listing-rows.ts";
import { dataOf } from "../entry/next.ts";
import { entryColumns, type StoredEntry, toEntry } from "../entry/rows.ts";
import { savedAtOnce, saveEntry } from "../entry/save-store.ts";
import { problem } from "../type/problems.ts";
import { maxPlanned } from "../type/type.ts";
import type { WorkingCopy } from "../working-copy/staged.ts";
import { movedCopy, objectOf } from "../working-copy/staged-base.ts";
import { copyColumns, entriesOfCopies, saveCopy, toCopy } from "../working-copy/staged-rows.ts";
import { redirectedEntry } from "./reference.ts";

/** Entries and working copies that name their type in `fieldset`, and follow it when it gets another id. */

const fieldset = "fieldset";

/** Gives them the new name: an update of each entry, a write of each copy, which stays who made it. Throws plan_too_large. */
export async function followRenamedType(on: Writing, from: string, to: string, context: WriteContext): Promise<void> {
  const named = partPattern(`"${fieldset}":"${from}"`);
  const entries = await numberOf(on.sql, `SELECT count(*) FROM entry WHERE ${likeSql("data", 1)}`, named);
  const copies = await numberOf(on.sql, `SELECT count(*) FROM working_copy WHERE ${isNamedSql}`, named);
  const count = entries + copies;
  if (count > maxPlanned) throw problem("plan_too_large", { limit: maxPlanned });
  // Before the entries: what is outdated of a copy is judged by them as they were.
  for await (const { entry, copy } of copiesOf(on.sql)) await followInCopy(on, { entry, copy }, from, to, context);
  for await (const group of inGroups(entriesOf(on.sql, named), ({ data }) => data.length, savedAtOnce))
    await followInEntries(on, group, from, to, context);
}

/** Entries may be large: this many are read at a time. */
const pageEntries = 50;

async function* entriesOf(sql: Sql, named: string): AsyncGenerator<StoredEntry> {
  const text = `SELECT ${entryColumns} FROM entry WHERE slug > ?2 AND ${likeSql("data", 1)} ORDER BY slug LIMIT ${pageEntries}`;
  const read = async (last?: StoredEntry) => (await sql.rows(text, named, last?.slug ?? "")).map(toEntry);
  for await (const entries of pagesBy(pageEntries, read)) yield* entries;
}

async function followInEntries(
  on: Writing,
  group: readonly StoredEntry[],
  from: string,
  to: string,
  context: WriteContext,
): Promise<void> {
  const updates = [];
  for (const current of group) {
    const before = await dataOf(current);
    // A part of the data may have such a key, too.
    if (before.get(fieldset) !== from) continue;
    const data = withFieldset(before, to);
    const { revision: _, contentRevision: __, ...unchanged } = current;
    const entry = redirectedEntry(unchanged, await formatJsonLater(data), context.nowSeconds);
    updates.push({
      slug: current.slug,
      current,
      written: { entry, before, data },
      change: changeOf(current, entry, context),
    });
  }
  const revisions = await appendChanges(on, "entry.update", updates, context);
  await allSettled(
    updates.map(({ current, written }, i) =>
      saveEntry(on, current, written, context, async () => revisions[i] as number),
    ),
  );
}

/** In its place. */
const withFieldset = (data: JsonObject, type: string): JsonObject => new Map(data).set(fieldset, type);

// ---------------------------------------------------------------------------------------------- working copies

/** SQL that is true for a staged copy whose data names the type in the pattern ?1. */
const isNamedSql = `published_revision = 0 AND locale = '' AND ${likeSql("data", 1)}`;

type StagedCopy = { entry: StoredEntry; copy: WorkingCopy };

/** Those that change `fieldset`, also to another type: what it was is kept with them. What is in the trash has no entry. */
async function* copiesOf(sql: Sql): AsyncGenerator<StagedCopy> {
  const text = `SELECT ${copyColumns} FROM working_copy WHERE published_revision = 0 AND locale = '' AND uuid > ?1
    AND (data LIKE '%"${fieldset}"%' OR removed LIKE '%"${fieldset}"%') ORDER BY uuid LIMIT ${pageEntries}`;
  const read = async (last?: WorkingCopy) => (await sql.rows(text, last?.uuid ?? "")).map(toCopy);
  for await (const copies of pagesBy(pageEntries, read)) {
    const entries = await entriesOfCopies(sql, copies);
    for (const [i, copy] of copies.entries()) {
      const entry = entries[i];
      if (entry) yield { entry, copy };
    }
  }
}

async function followInCopy(
  on: Writing,
  { entry, copy }: StagedCopy,
  from: string,
  to: string,
  context: WriteContext,
): Promise<void> {
  const live = await dataOf(entry);
  const own = (await objectOf(copy.data)).get(fieldset);
  const isLive = live.get(fieldset) === from;
  const isBased = isLive && (own !== undefined || copy.removed.includes(fieldset));
  if (own !== from && !isBased) return;
  const values = new Map<string, Json | undefined>([[fieldset, own === from ? to : own]]);
  const moved = await movedCopy(entry, copy, values, isLive ? withFieldset(live, to) : live);
  await saveCopy(on, "entry.stage", entry, moved, context);
}
