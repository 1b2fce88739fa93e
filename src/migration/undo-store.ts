import type { EntryChange, WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups, pagesBy } from "../core/lib/in-groups.ts";
import { isSameJson, parseJson } from "../core/lib/json.ts";
import { daySeconds } from "../core/lib/time.ts";
import type { Slug } from "../core/path.ts";
import type { NamedEntry } from "../core/problem.ts";
import { appendChanges } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import { findNumber, type ReadSql, type Row, type Sql, updateRows, type Value } from "../core/sql/sql.ts";
import { changeOf } from "../entry/listing-rows.ts";
import { saveNext } from "../entry/next-store.ts";
import { entryColumns, type StoredEntry, toEntry } from "../entry/rows.ts";
import { savedAtOnce } from "../entry/save-store.ts";
import { stateIn } from "../translation/rows.ts";
import { findType, putType } from "../type/store.ts";
import type { StoredType } from "../type/type.ts";
import type { Version } from "../version/version.ts";
import { toVersion, versionColumns } from "../version/version-store.ts";
import { withCopy } from "../working-copy/copy-store.ts";
import { copyColumns, isStagedOf, saveCopy, toCopy } from "../working-copy/staged-rows.ts";
import { itemColumns, type KeptItem, parseCopyRow, placeOf, toItem } from "./kept-rows.ts";
import { keepDays, type UndonePlan } from "./migration.ts";
import { problem } from "./problems.ts";
import { undoTables } from "./table-store.ts";

/** Undoes migrations: what has not changed since gets back what it had. */

/** Throws migration_not_found, migration_changed, revision_not_found. */
export async function undoMigration(on: Writing, group: number, given: WriteContext): Promise<UndonePlan> {
  const { sql } = on;
  const context: WriteContext = { ...given, ifMatch: undefined };
  const at = await findNumber(sql, "SELECT at FROM migration WHERE id = ?1", group);
  if (at === undefined || at < context.nowSeconds - keepDays * daySeconds)
    throw problem("migration_not_found", { group });
  const types = await keptTypes(sql, group);
  await findMoved(sql, group);
  const changes = await changesOf(sql, group, types, at, context);
  for (const { item, type } of types)
    await putType(on, item.thing, { ...(type as StoredType), schema: item.before as string }, context);
  const tables = [...(await itemsOf(sql, group, "view")), ...(await itemsOf(sql, group, "person"))];
  const views = await undoTables(on, tables, context);
  const revisions = await appendUpdates(on, changes, context);
  const copies = await undoEntries(on, group, revisions, context);
  await forgetMigration(on, group);
  return { group, entries: changes.length, copies, types: types.map(({ item }) => item.thing), views };
}

/** Forgets what was before a migration. */
export async function forgetMigration({ sql }: Writing, group: number): Promise<void> {
  await sql.run("DELETE FROM migration_item WHERE migration = ?1", group);
  await sql.run("DELETE FROM migration WHERE id = ?1", group);
}

/** Items are read this many at a time: an entry may be large. */
const pageItems = 100;

const findItems = `SELECT ${itemColumns.join(", ")} FROM migration_item WHERE migration = ?1 AND noun = ?2 ORDER BY thing`;
const itemsOf = async (sql: ReadSql, group: number, noun: KeptItem["noun"]): Promise<KeptItem[]> =>
  (await sql.rows(findItems, group, noun)).map(toItem);

type KeptType = { item: KeptItem; type: StoredType | undefined };

async function keptTypes(sql: Sql, group: number): Promise<KeptType[]> {
  const kept: KeptType[] = [];
  for (const item of await itemsOf(sql, group, "type")) kept.push({ item, type: await findType(sql, item.thing) });
  return kept;
}

// ---------------------------------------------------------------------------------------------- entries

/** An entry that the migration changed, as it is now, and what it was. */
type KeptEntry = { item: KeptItem; entry: StoredEntry | undefined; version: Version | undefined };

/** Names alone are short: this many are read at a time. */
const pageNames = 1000;

/** Notes where the entries are that were moved since: there is no index of their uuids. */
async function findMoved(sql: Sql, group: number): Promise<void> {
  const items = await sql.rows("SELECT name, thing FROM migration_item WHERE migration = ?1 AND noun = 'entry'", group);
  if (!(await isAnyMissing(sql, items))) return;
  const things = Map.groupBy(items, ([, thing]) => placeOf(thing as string).uuid);
  const moved: Value[][] = [];
  const text = `SELECT slug, uuid FROM entry WHERE slug > ?1 ORDER BY slug LIMIT ${pageNames}`;
  for await (const rows of pagesBy(pageNames, (last?: Row) => sql.rows(text, last?.[0] ?? "")))
    for (const [slug, uuid] of rows as [slug: string, uuid: string][])
      for (const [name, thing] of things.get(uuid) ?? []) if (name !== slug) moved.push([group, thing as string, slug]);
  await sql.runAll(nameItem, moved);
}

async function isAnyMissing(sql: ReadSql, items: readonly Row[]): Promise<boolean> {
  for (let at = 0; at < items.length; at += pageNames) {
    const page = items.slice(at, at + pageNames) as [name: string, thing: string][];
    const keys = page.map(([name, thing]) => [name, placeOf(thing).uuid]);
    const found = await sql.rowsAll("SELECT 1 FROM entry WHERE slug = ?1 AND uuid = ?2", keys, ["text", "text"]);
    if (found.some((rows) => rows.length === 0)) return true;
  }
  return false;
}

const nameItem = updateRows("migration_item", "name = ?3", "migration = ?1 AND noun = 'entry' AND thing = ?2", [
  "integer",
  "text",
  "text",
]);

const pageOfItems = `SELECT ${itemColumns.join(", ")} FROM migration_item
  WHERE migration = ?1 AND noun = 'entry' AND thing > ?2 ORDER BY thing LIMIT ${pageItems}`;
const findAt = `SELECT ${entryColumns} FROM entry WHERE slug = ?1 AND uuid = ?2`;
const findVersion = `SELECT ${versionColumns} FROM version
  WHERE noun = 'entry' AND thing = ?1 AND locale = ?3 AND next_revision = ?2`;

/** Each page by its keys: no planner knows how large a table is that was filled just now. */
async function* entriesOf(sql: ReadSql, group: number): AsyncGenerator<KeptEntry> {
  for (let last = ""; ; ) {
    const items = (await sql.rows(pageOfItems, group, last)).map(toItem);
    if (items.length === 0) return;
    const of = items.map(({ thing }) => placeOf(thing));
    const places = items.map(({ name }, i) => [name, of[i]?.uuid ?? ""]);
    const revisions = items.map(({ revision }, i) => [of[i]?.uuid ?? "", revision, of[i]?.locale ?? ""]);
    const entries = await sql.rowsAll(findAt, places, ["text", "text"]);
    const versions = await sql.rowsAll(findVersion, revisions, ["text", "integer", "text"]);
    for (const [i, item] of items.entries()) {
      const [entry, version] = [entries[i]?.[0], versions[i]?.[0]];
      const state = entry && (await stateOf(sql, toEntry(entry), of[i]?.locale ?? ""));
      yield { item, entry: state, version: version && toVersion(version) };
    }
    last = (items.at(-1) as KeptItem).thing;
  }
}

/** What the entry says in that locale, with the revision of its copy there. */
const stateOf = async (sql: ReadSql, entry: StoredEntry, locale: string): Promise<StoredEntry> =>
  locale === "" ? entry : (await withCopy(sql, await stateIn(sql, entry, locale, 0))).entry;

type Change = { slug: Slug; locale: string | undefined; change: EntryChange };

/** The entries that get earlier data back. Throws migration_changed, revision_not_found. */
async function changesOf(
  sql: Sql,
  group: number,
  types: readonly KeptType[],
  at: number,
  context: WriteContext,
): Promise<Change[]> {
  const others = types.filter((one) => !hasSameSchema(one)).map(({ item }) => item.thing);
  const changes: Change[] = [];
  const changed: NamedEntry[] = [];
  let lost: string | undefined;
  for await (const { item, entry, version } of entriesOf(sql, group)) {
    const isSame = entry?.contentRevision === item.revision && entry.stagedRevision === item.stagedRevision;
    if (!entry || !isSame) changed.push({ id: entry?.slug ?? item.name });
    else if (item.isChanged && !version) lost ??= entry.slug;
    else if (item.isChanged)
      changes.push({ slug: entry.slug, locale: entry.locale, change: changeOf(entry, entry, context) });
  }
  if (changed.length + others.length > 0)
    throw problem("migration_changed", { group, types: others, entries: changed });
  if (lost !== undefined) throw problem("revision_not_found", { id: lost, at });
  return changes;
}

const hasSameSchema = ({ item, type }: KeptType): boolean =>
  type !== undefined && isSameJson(parseJson(type.schema), parseJson(item.after as string));

/** This many events are appended by one statement. */
export const eventsAtOnce = 1000;

export async function appendUpdates(on: Writing, changes: readonly Change[], context: WriteContext): Promise<number[]> {
  const revisions: number[] = [];
  for (let at = 0; at < changes.length; at += eventsAtOnce)
    revisions.push(...(await appendChanges(on, "entry.update", changes.slice(at, at + eventsAtOnce), context)));
  return revisions;
}

/** Writes entries and copies as they were; answers how many copies. */
async function undoEntries(
  on: Writing,
  group: number,
  revisions: readonly number[],
  context: WriteContext,
): Promise<number> {
  let [at, copies] = [0, 0];
  for await (const some of inGroups(entriesOf(on.sql, group), sizeOf, savedAtOnce)) {
    const saved = await allSettled(
      some.map(async ({ item, entry, version }) => {
        const revision = item.isChanged ? revisions[at++] : undefined;
        return revision === undefined
          ? undefined
          : saveNext(on, entry as StoredEntry, { version, parts: "data" }, revision, context);
      }),
    );
    for (const [i, { item, entry }] of some.entries()) {
      if (item.before === null) continue;
      await undoCopy(on, { ...(entry as StoredEntry), ...saved[i] }, item.before, context);
      copies++;
    }
  }
  return copies;
}

const sizeOf = ({ entry, version, item }: KeptEntry): number =>
  (entry?.data.length ?? 0) + (version?.data.length ?? 0) + (item.before?.length ?? 0);

/** What the copy says comes back; when it is published, and with which release, stays. */
async function undoCopy(on: Writing, entry: StoredEntry, before: string, context: WriteContext): Promise<void> {
  const row = await on.sql.row(
    `SELECT ${copyColumns} FROM working_copy WHERE ${isStagedOf}`,
    entry.uuid,
    entry.locale ?? "",
  );
  const copy = parseCopyRow(before);
  const { publishAtSeconds, scheduledBy, release } = row ? toCopy(row) : copy;
  await saveCopy(on, "entry.stage", entry, { ...copy, publishAtSeconds, scheduledBy, release }, context);
}
