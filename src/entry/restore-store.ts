import { publicity, type WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups } from "../core/lib/in-groups.ts";
import { type Path, rootPath, type Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import { columnsOf, numberOf, type Row, type Sql, withinSql } from "../core/sql/sql.ts";
import { insertEventEntries } from "../feed/event-entry-store.ts";
import { typesOf } from "../type/cache-store.ts";
import { refuseWrittenFaults } from "../type/check.ts";
import { entryIn, maxRestoredEntries, restoredEntry, type State } from "../version/history.ts";
import { findState, freshFor } from "../version/history-store.ts";
import { type Entry, existingEntry, type FaultyEntry, formatEntry, type RestoredParts, withFaults } from "./entry.ts";
import { changeOf } from "./listing-rows.ts";
import { problem } from "./problems.ts";
import { entryNames, findEntry, type StoredEntry, toEntry } from "./rows.ts";
import { dataOf, savedAtOnce, saveEntry } from "./save-store.ts";
import { checkedTogether } from "./type-store.ts";

/** Entries that get earlier content back. Contract, part two, §11. */

export async function restoreEntry(
  on: Writing,
  slug: Slug,
  { revision, parts = "data" }: { revision: number; parts?: RestoredParts },
  context: WriteContext,
): Promise<FaultyEntry> {
  const { sql } = on;
  const current = existingEntry(await findEntry(sql, slug), slug, context.ifMatch) as StoredEntry;
  // What is in force already is kept once more, as an update that changes nothing is.
  const thing = { noun: "entry", thing: current.uuid } as const;
  const state = await findState(sql, thing, revision, { id: slug, since: current.contentRevision });
  const entry = state ? restoredEntry(current, state, parts, context.nowSeconds) : current;
  const change = changeOf(current, entry, context);
  return restoreOne(on, current, entry, context, () =>
    appendWrite(on, "entry.restore", slug, null, 1, context, change),
  );
}

async function restoreOne(
  on: Writing,
  current: StoredEntry,
  entry: Entry,
  context: WriteContext,
  revisionOf: () => Promise<number>,
): Promise<FaultyEntry> {
  const written = { entry, before: await dataOf(current), data: await dataOf(entry) };
  const faults = await refuseWrittenFaults(await typesOf(on), written, current, freshFor(on.sql, current));
  return withFaults(await saveEntry(on, current, written, context, revisionOf), faults);
}

/** An entry that changes, and the state that it gets back. */
type Change = { current: StoredEntry; entry: Entry };

/** False where another write has brought the content back already. */
const isChange = ({ current, entry }: Change): boolean =>
  formatEntry({ ...current, modifiedAt: 0 }) !== formatEntry({ ...entry, modifiedAt: 0 });

/** Entries may be large: this many are read at a time. */
const pageEntries = 100;

function* pagesOf(slugs: readonly Slug[]): Generator<Slug[]> {
  for (let at = 0; at < slugs.length; at += pageEntries) yield slugs.slice(at, at + pageEntries);
}

export async function restoreSubtree(
  on: Writing,
  path: Path,
  { atSeconds, parts = "data" }: { atSeconds: number; parts?: RestoredParts },
  context: WriteContext,
): Promise<number> {
  const { sql } = on;
  const { ifMatch } = context;
  if (ifMatch !== undefined) existingEntry(await findEntry(sql, path), path, ifMatch);
  const slugs: Slug[] = [];
  for (const page of pagesOf(await changedSince(sql, path, atSeconds))) {
    const changes = await statesAt(sql, page, atSeconds, parts, context);
    slugs.push(...changes.filter(isChange).map(({ entry }) => entry.slug));
  }
  if (slugs.length === 0) return 0;
  const revision = await appendWrite(on, "entry.restore", path, null, slugs.length, context);
  const together = checkedTogether(on);
  for (const some of pagesOf(slugs)) {
    const page = await statesAt(sql, some, atSeconds, parts, context);
    for await (const group of inGroups(page, ({ entry }) => entry.data.length, savedAtOnce))
      await allSettled(
        group.map(({ current, entry }) => restoreOne(together, current, entry, context, async () => revision)),
      );
    noteRestored(on, revision, page, context);
  }
  return slugs.length;
}

/**
 * The newest event up to the time ?2 that replaced a content of the entry. A clock that was set back leaves later times
 * on earlier events, so the order of the events decides.
 */
const newestAt = `(SELECT earlier.next_revision FROM history AS earlier
  WHERE earlier.noun = 'entry' AND earlier.thing = entry.uuid AND earlier.replaced_at <= ?2
  ORDER BY earlier.next_revision DESC LIMIT 1)`;

/** The entries that were changed since that time. Throws entry_not_found, subtree_too_large. */
async function changedSince(sql: Sql, path: Path, atSeconds: number): Promise<Slug[]> {
  const within = withinSql("slug", path);
  const count = await numberOf(sql, `SELECT count(*) FROM entry WHERE ${within}`, path);
  if (count === 0 && path !== rootPath) throw problem("entry_not_found", { id: path });
  if (count > maxRestoredEntries) throw problem("subtree_too_large", { id: path, count, limit: maxRestoredEntries });
  const rows = await sql.rows(
    `SELECT slug FROM entry WHERE ${within} AND modified_at > ?2 AND created_at <= ?2
       AND content_revision <> coalesce(${newestAt}, -1) ORDER BY slug`,
    path,
    atSeconds,
  );
  return rows.map(([slug]) => slug as Slug);
}

/** Throws revision_not_found for an entry whose content of that time is not kept. */
async function statesAt(
  sql: Sql,
  slugs: readonly Slug[],
  atSeconds: number,
  parts: RestoredParts,
  { nowSeconds }: WriteContext,
): Promise<Change[]> {
  const sets = slugs.map((slug) => [slug, atSeconds]);
  const found = await sql.rowsAll(
    `SELECT ${columnsOf("entry", entryNames)},
       ${newestAt}, history.revision, history.fields, history.data
     FROM entry JOIN history ON history.noun = 'entry' AND history.thing = entry.uuid
     WHERE entry.slug = ?1 AND history.next_revision > coalesce(${newestAt}, 0)
     ORDER BY history.next_revision LIMIT 1`,
    sets,
    ["text", "integer"],
  );
  return slugs.map((slug, i) => {
    const row = found[i]?.[0];
    const change = row && changeIn(row, atSeconds, parts, nowSeconds);
    if (!change) throw problem("revision_not_found", { id: slug, at: atSeconds });
    return change;
  });
}

/** Undefined when the state was made after that time. */
function changeIn(row: Row, atSeconds: number, parts: RestoredParts, nowSeconds: number): Change | undefined {
  const current = toEntry(row);
  const [newest, revision, fields, data] = row.slice(-4);
  const state = { revision, fields, data, blob: null } as State;
  if (newest !== revision && entryIn(current, state).modifiedAt > atSeconds) return undefined;
  return { current, entry: restoredEntry(current, state, parts, nowSeconds) };
}

/** What the log keeps of them: those that were or are public. */
function noteRestored({ sql }: Writing, revision: number, page: readonly Change[], context: WriteContext): void {
  const rows = page.flatMap(({ current, entry }) => {
    const { uuid, wasPublic: was, isPublic: is } = changeOf(current, entry, context);
    const listed = [was, is].map((each) => Number(each === publicity.listed));
    return was || is ? [[revision, uuid, was ? entry.slug : null, is ? entry.slug : null, ...listed]] : [];
  });
  sql.later(insertEventEntries, rows);
}
