import { randomUUID } from "node:crypto";
import { publicity, type WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { type Path, parentOf, rebase, type Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { copyFieldRows, removeFieldRows } from "../core/sql/index/field-row.ts";
import { moveEntries } from "../core/sql/index/moved.ts";
import { dropUnusedParent, parentNumbers } from "../core/sql/index/parent.ts";
import { hasTextsSql, hasWorkSql, isTextWorkDue, noteDeleted } from "../core/sql/index/text.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { overheadBytes, RowCache } from "../core/sql/row-cache.ts";
import { pastNewestEvent, rowTable } from "../core/sql/rows.ts";
import { findNumber, isWithinSql, numberOf, repeatWhile, type Sql } from "../core/sql/sql.ts";
import { importedEntry, importOutcome, replacedEntry } from "../moving/imported-entry.ts";
import type { Deletion } from "../trash/trash.ts";
import { typesOf } from "../type/cache-store.ts";
import { refuseWrittenFaults, type Types } from "../type/check.ts";
import { freshFor } from "../version/version-store.ts";
import {
  copiedEntry,
  createdEntry,
  type Entry,
  type EntryInput,
  type EntryState,
  type EntryStore,
  type EntryTarget,
  existingEntry,
  type FaultyEntry,
  type PutOutcome,
  rebaseAll,
  refuseIntoItself,
  type UpsertedEntry,
  type UpsertInput,
  updatedEntry,
  type WrittenEntry,
  withFaults,
} from "./entry.ts";
import { continueTexts, goLive, hasDue, indexEntryTexts, liveAfterSeconds, nextScheduled } from "./index-store.ts";
import { listEntries, listQuickly } from "./list-store.ts";
import { changeOf, keptChange, listingOf, publicityOf } from "./listing-rows.ts";
import { EntryLoader } from "./load-store.ts";
import { dataOf } from "./next.ts";
import { noteCopied, noteGone, noteMoved } from "./noted-store.ts";
import { problem } from "./problems.ts";
import { listRecent } from "./recent-store.ts";
import { restoreEntry, restoreSubtree } from "./restore-store.ts";
import { entryRule } from "./row-rules.ts";
import {
  documentOf,
  entryColumns,
  entryTable,
  findEntry,
  findEntrySql,
  insertEntryRows,
  type NewEntry,
  type StoredEntry,
  toEntry,
} from "./rows.ts";
import { insertEntry, ownerOf, saveEntry } from "./save-store.ts";
import { listChildren } from "./tree-store.ts";
import { refuseMovedFaults } from "./type-store.ts";
import { upsertOf } from "./upsert.ts";

export const entryNoun = noun({
  writes: {
    createEntry,
    upsertEntry,
    putEntry,
    updateEntry,
    moveEntry,
    copyEntry,
    deleteEntry,
    restoreEntry,
    restoreSubtree,
    goLive,
    indexEntryTexts,
    continueTexts,
  },
  alone: {
    createEntry: (slug) => slug,
    upsertEntry: (slug) => slug,
    putEntry: (slug) => slug,
    updateEntry: (slug) => slug,
  },
  beside: ["continueTexts"],
  scans: { listEntries },
  quick: { listEntries: listQuickly },
  mayLag: { listEntries: (_query, access) => access.reads === "public" },
  point: {
    text: findEntrySql,
    toValue: toEntry,
    // Beside the data its reply is held, and its parsed form when a filter looked into it.
    cache: (bytes: number) =>
      new RowCache<StoredEntry>(bytes, {
        pathOf: ({ slug }) => slug,
        bytesOf: ({ data }) => overheadBytes + 4 * data.length,
        changedBy: ["entry"],
      }),
  },
  rows: [
    rowTable(entryRule, "slug", {
      loader: (sql) => {
        const loader = new EntryLoader(sql);
        return (rows) => loader.prepare(rows.map((row) => toEntry([0, ...row])));
      },
    }),
  ],
  relations: [
    {
      query: `SELECT entry.slug FROM entry JOIN parent ON parent.id = entry.parent
        WHERE entry.slug NOT LIKE '%/%' AND parent.path <> ''
           OR entry.slug LIKE '%/%' AND substr(entry.slug, 1, length(parent.path) + 1) <> parent.path || '/'
           OR substr(entry.slug, length(parent.path) + 2) LIKE '%/%' AND parent.path <> ''`,
      says: (slug) => `The entry ${slug} has another parent than that of its id`,
    },
    {
      query: "SELECT min(slug), max(slug) FROM entry GROUP BY uuid HAVING count(*) > 1",
      says: (one, other) => `The entries ${one} and ${other} have one uuid`,
    },
    pastNewestEvent("entry", "slug FROM entry"),
  ],
  index: entryTable,
  port: ({ sql, point, writes, scansFor }): EntryStore => {
    /** A store without a text index is not written to. */
    const continueTextsOf = async (id: number) => {
      if (!(await sql.row(hasTextsSql(entryTable)))) return;
      // Each step is a transaction: other writes come between.
      while (await writes.continueTexts(id));
    };
    /** Where this fails, the chore does it later. */
    const continueTextsAfter = (id: number): void => {
      if (isTextWorkDue(id)) void continueTextsOf(id).catch(() => undefined);
    };
    return {
      find: (slug, reader = "management") => (reader === "delivery" ? point.cached(slug) : point.current(slug)),
      findAll: (slugs, reader) => point.all(slugs, reader),
      list: (query, access, asker) => scansFor(asker).listEntries(query, access),
      children: (...rest) => listChildren(sql, ...rest),
      recent: (query) => listRecent(sql, query),
      create: async (...rest) => {
        const created = await writes.createEntry(...rest);
        continueTextsAfter(created.id);
        return created;
      },
      upsert: async (...rest) => {
        const upserted = await writes.upsertEntry(...rest);
        if (upserted.outcome === "created") continueTextsAfter(upserted.id);
        return upserted;
      },
      put: async (...rest) => {
        const { outcome, id } = await writes.putEntry(...rest);
        if (id !== undefined) continueTextsAfter(id);
        return outcome;
      },
      update: writes.updateEntry,
      move: writes.moveEntry,
      copy: writes.copyEntry,
      delete: writes.deleteEntry,
      restore: writes.restoreEntry,
      restoreSubtree: writes.restoreSubtree,
      nextLive: () => findNumber(sql, nextScheduled),
      goLive: (nowSeconds) =>
        repeatWhile(sql, [hasDue, nowSeconds - liveAfterSeconds], () => writes.goLive(nowSeconds)),
      indexTexts: async () => {
        // A store without such entries is not written to.
        while (await sql.row(hasWorkSql(entryTable))) await writes.indexEntryTexts();
      },
      count: () => numberOf(sql, "SELECT count(*) FROM entry"),
    };
  },
});

// Each write below runs in the caller's transaction: an error rolls it back. Rules are in entry/entry.ts.

export async function createEntry(
  on: Writing,
  slug: Slug,
  input: EntryInput,
  context: WriteContext,
): Promise<Entry & { id: number }> {
  const [existing, types] = await allSettled([findEntry(on.sql, slug), typesOf(on)]);
  return insertCreated(on, types, existing, slug, input, context);
}

async function insertCreated(
  on: Writing,
  types: Types | undefined,
  existing: Entry | undefined,
  slug: Slug,
  input: EntryInput,
  context: WriteContext,
): Promise<Entry & { id: number }> {
  const { nowSeconds, ifMatch } = context;
  const written = await createdEntry(existing, slug, input, ifMatch, { nowSeconds, uuid: randomUUID() });
  return insertNew(on, types, written, context);
}

async function insertNew(
  on: Writing,
  types: Types | undefined,
  written: WrittenEntry,
  context: WriteContext,
): Promise<Entry & { id: number }> {
  await refuseWrittenFaults(types, written);
  const { entry, data } = written;
  const listing = listingOf(entry, context.nowSeconds);
  const change = changeOf(undefined, entry, context);
  const revisionOf = () => appendWrite(on, "entry.create", entry.slug, null, 1, context, change);
  return insertEntry(on, entry, data, listing, revisionOf);
}

async function upsertEntry(
  on: Writing,
  slug: Slug,
  input: UpsertInput,
  context: WriteContext,
): Promise<UpsertedEntry & { id: number }> {
  const [found, types] = await allSettled([findEntry(on.sql, slug), typesOf(on)]);
  const current = found as StoredEntry | undefined;
  if (!current) return { ...(await insertCreated(on, types, undefined, slug, input, context)), outcome: "created" };
  const { outcome, change } = await upsertOf(current, input, context);
  const saved = change ? await saveUpdate(on, types, current, change, context) : current;
  return { ...saved, id: current.id, outcome };
}

/** `id` is the number of a new entry. */
async function putEntry(
  on: Writing,
  slug: Slug,
  state: EntryState,
  context: WriteContext,
): Promise<{ outcome: PutOutcome; id?: number }> {
  const [found, types] = await allSettled([findEntry(on.sql, slug), typesOf(on)]);
  const current = found as StoredEntry | undefined;
  if (!current) {
    const written = await importedEntry(slug, state, randomUUID());
    if (state.isDryRun) return refuseWrittenFaults(types, written).then(() => ({ outcome: "created" }));
    const { id } = await insertNew(on, types, written, context);
    return { outcome: "created", id };
  }
  const outcome = importOutcome(current, state);
  if (outcome === "conflict") throw problem("entry_exists", { argument: "id", id: slug });
  if (outcome !== "replaced") return { outcome };
  const written = await replacedEntry(current, state, context);
  if (state.isDryRun) await refuseWrittenFaults(types, written, current);
  else await saveUpdate(on, types, current, written, context);
  return { outcome };
}

async function updateEntry(on: Writing, slug: Slug, input: EntryInput, context: WriteContext): Promise<FaultyEntry> {
  const [found, types] = await allSettled([findEntry(on.sql, slug), typesOf(on)]);
  const current = found as StoredEntry;
  return saveUpdate(on, types, current, await updatedEntry(current, slug, input, context.ifMatch, context), context);
}

async function saveUpdate(
  on: Writing,
  types: Types | undefined,
  current: StoredEntry,
  written: WrittenEntry & { before: JsonObject },
  context: WriteContext,
): Promise<FaultyEntry> {
  const faults = await refuseWrittenFaults(types, written, current, freshFor(on.sql, current));
  const change = changeOf(current, written.entry, context);
  const saved = await saveEntry(on, current, written, context, () =>
    appendWrite(on, "entry.update", current.slug, null, 1, context, change),
  );
  return withFaults(saved, faults);
}

async function moveEntry(
  on: Writing,
  slug: Slug,
  { newSlug, redirected }: EntryTarget,
  context: WriteContext,
): Promise<Entry> {
  const { sql, index } = on;
  const entry = existingEntry(await findEntry(sql, slug), slug, context.ifMatch) as StoredEntry;
  if (slug === newSlug) return entry;
  refuseIntoItself(slug, newSlug);
  const slugs = await subtreeSlugs(sql, slug);
  await refuseTaken(sql, slugs, slug, newSlug, "move");
  await refuseMovedFaults(on, slug, newSlug);
  await on.links.refuseMovedNames(on, entry, newSlug);
  const isOne = slugs.length === 1;
  const change = isOne ? keptChange(entry, context) : undefined;
  const revision = await appendWrite(on, "entry.move", slug, newSlug, slugs.length, context, change);
  if (!isOne) await noteMoved(sql, revision, slug, newSlug, context.nowSeconds);
  const moved = { owner: await ownerOf(index, entry), data: await documentOf(index, entry, await dataOf(entry)) };
  await moveEntries(index, entryTable, moved, { from: slug, to: newSlug, revision });
  if (!redirected) return { ...entry, slug: newSlug, revision };
  const target = { kind: "entry", path: slug, isSubtree: true } as const;
  await on.links.redirectReferences(on, target, newSlug, redirected, context);
  // It may refer to itself.
  return (await findEntry(sql, newSlug)) as Entry;
}

async function copyEntry(
  on: Writing,
  slug: Slug,
  { newSlug }: Pick<EntryTarget, "newSlug">,
  context: WriteContext,
): Promise<Entry> {
  const { sql } = on;
  const entry = existingEntry(await findEntry(sql, slug), slug, context.ifMatch) as StoredEntry;
  if (slug === newSlug) throw problem("entry_exists", { argument: "new_id", id: newSlug });
  refuseIntoItself(slug, newSlug);
  const slugs = await subtreeSlugs(sql, slug);
  await refuseTaken(sql, slugs, slug, newSlug, "copy");
  await refuseMovedFaults(on, slug, newSlug);
  const isOne = slugs.length === 1;
  const { nowSeconds } = context;
  const uuid = randomUUID();
  const isPublic = publicityOf(entry, entry.listing, nowSeconds);
  const change = isOne ? { uuid, wasPublic: publicity.none, isPublic } : undefined;
  const revision = await appendWrite(on, "entry.copy", slug, newSlug, slugs.length, context, change);
  const stamp = { revision, nowSeconds };
  const copy = copiedEntry(entry, newSlug, { ...stamp, uuid });
  await insertEntry(on, copy, await dataOf(copy), entry.listing, async () => revision);
  await copyFieldRows(sql, entryTable, slug, await copyBelow(on, slug, newSlug, stamp));
  await on.links.copyTranslations(on, entry, newSlug, { isOne, revision }, context);
  if (!isOne) await noteCopied(sql, revision, newSlug, nowSeconds);
  return copy;
}

/** Reads this many entries, and writes their copies, at a time. */
const copyBatch = 500;

/** Copies the entries below the entry, without index rows; answers the numbers of sources and copies. */
async function copyBelow(
  { sql, index }: Writing,
  slug: Slug,
  newSlug: Slug,
  stamp: { revision: number; nowSeconds: number },
): Promise<{ from: number; to: number }[]> {
  const page = `SELECT ${entryColumns} FROM entry
    WHERE ${isWithinSql("slug", "?1")} AND slug > ?2 ORDER BY slug LIMIT ${copyBatch}`;
  const parentNumber = parentNumbers(index.sql);
  const copied: { from: number; to: number }[] = [];
  for (let last: string = slug; ; ) {
    const rows = await sql.rows(page, slug, last);
    const ids = await sql.numbers("entry", rows.length);
    const copies: NewEntry[] = [];
    for (const [i, row] of rows.entries()) {
      const original = toEntry(row);
      last = original.slug;
      const entry = copiedEntry(original, rebase(original.slug, slug, newSlug), { ...stamp, uuid: randomUUID() });
      const parent = await parentNumber(parentOf(entry.slug));
      const id = ids[i] as number;
      copies.push({ id, entry, parent, listing: original.listing, lacking: row.at(-1) as number });
      copied.push({ from: original.id, to: id });
    }
    insertEntryRows(sql, copies);
    if (rows.length < copyBatch) return copied;
  }
}

async function deleteEntry(
  on: Writing,
  slug: Slug,
  { to, restricted }: Deletion,
  context: WriteContext,
): Promise<void> {
  const { sql, index } = on;
  const entry = existingEntry(await findEntry(sql, slug), slug, context.ifMatch) as StoredEntry;
  await on.links.refuseReferred(on, { kind: "entry", path: slug, isSubtree: true }, restricted);
  const owner = await ownerOf(index, entry);
  await removeFieldRows(index, entryTable, owner, await documentOf(index, entry, await dataOf(entry)));
  const size = await numberOf(sql, `SELECT count(*) FROM entry WHERE ${isWithinSql("slug", "?1")}`, slug);
  const change = size === 1 ? changeOf(entry, undefined, context) : undefined;
  const revision = await appendWrite(on, "entry.delete", slug, null, size, context, change);
  if (size > 1) await noteGone(sql, revision, slug, context.nowSeconds);
  await on.links.trashEntries(on, { noun: "entry", id: revision, path: slug, count: size, to }, entry, context);
  const below = `SELECT id FROM parent WHERE ${isWithinSql("path", "?1")}`;
  await sql.run(`DELETE FROM entry_field WHERE parent IN (${below})`, slug);
  await sql.run(`DELETE FROM entry WHERE ${isWithinSql("slug", "?1")}`, slug);
  await noteDeleted(index.sql, entryTable, size);
  await sql.run(`DELETE FROM parent WHERE ${isWithinSql("path", "?1")}`, slug);
  await dropUnusedParent(sql, owner.parent);
}

async function subtreeSlugs(sql: Sql, slug: Slug): Promise<Path[]> {
  const rows = await sql.rows(`SELECT slug FROM entry WHERE ${isWithinSql("slug", "?1")} ORDER BY slug`, slug);
  return rows.map((row) => row[0] as Path);
}

/**
 * Refuses when a resulting id exists: outside the moved set for a move, anywhere for a copy. Checks id by id only if
 * the target or something below it exists.
 */
async function refuseTaken(sql: Sql, slugs: Path[], from: Slug, to: Slug, verb: "move" | "copy"): Promise<void> {
  const targets = rebaseAll(slugs, from, to);
  const there = new Set(await subtreeSlugs(sql, to));
  if (verb === "move") for (const slug of slugs) there.delete(slug);
  const taken = targets.find((target) => there.has(target));
  if (taken !== undefined) throw problem("entry_exists", { argument: "new_id", id: taken });
}
