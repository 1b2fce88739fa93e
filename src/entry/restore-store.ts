import { type EntryChange, notedOf, type WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups } from "../core/lib/in-groups.ts";
import { type Path, rootPath, type Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import { numberOf, type Row, type Sql, withinSql } from "../core/sql/sql.ts";
import { insertEventEntries } from "../feed/event-entry-store.ts";
import { typesOf } from "../type/cache-store.ts";
import { entryIn, maxRestoredEntries, type Version } from "../version/version.ts";
import { findVersion, toVersion, versionColumns } from "../version/version-store.ts";
import { type Entry, existingEntry, type FaultyEntry, formatEntry, type RestoredParts, withFaults } from "./entry.ts";
import { restoredEntry } from "./next.ts";
import { checkNext } from "./next-store.ts";
import { problem } from "./problems.ts";
import { findEntries, findEntry, type StoredEntry } from "./rows.ts";
import { savedAtOnce, saveEntry } from "./save-store.ts";
import { checkedTogether } from "./type-store.ts";

/** Entries that get earlier content back. Contract, part two, §11. */

export async function restoreEntry(
  on: Writing,
  slug: Slug,
  { revision, parts = "data" }: { revision: number; parts?: RestoredParts },
  context: WriteContext,
): Promise<FaultyEntry> {
  const { sql } = on;
  const entry = existingEntry(await findEntry(sql, slug), slug, undefined) as StoredEntry;
  const { locale } = context;
  const current = existingEntry(
    await on.links.stateIn(sql, entry, locale ?? "", context.nowSeconds),
    slug,
    context.ifMatch,
  ) as StoredEntry;
  // What is in force already is kept once more, as an update that changes nothing is.
  const thing = { noun: "entry", thing: current.uuid, locale } as const;
  const version = await findVersion(sql, thing, revision, { id: slug, since: current.contentRevision || undefined });
  const { written, faults, change } = await checkNext(on, await typesOf(on), current, { version, parts }, context);
  const saved = await saveEntry(on, current, written, context, () =>
    appendWrite(on, "entry.restore", slug, null, 1, context, change),
  );
  return withFaults(saved, faults);
}

/** An entry that changes, the version that it gets back, and what it will be. */
type Change = { current: StoredEntry; version: Version; entry: Entry };

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
    for await (const group of inGroups(page, ({ entry }) => entry.data.length, savedAtOnce)) {
      const noted = await allSettled(
        group.map(async ({ current, version }) => {
          const source = { version, parts };
          const { written, change } = await checkNext(together, await typesOf(together), current, source, context);
          await saveEntry(together, current, written, context, async () => revision);
          return { slug: current.slug, change };
        }),
      );
      noteRestored(on, revision, noted);
    }
  }
  return slugs.length;
}

/**
 * The newest event up to the time ?2 that replaced a content of an entry; `thing` is SQL for its uuid. A clock that was set
 * back leaves later times on earlier events, so the order of the events decides.
 */
const newestAt = (thing: string): string => `(SELECT earlier.next_revision FROM version AS earlier
  WHERE earlier.noun = 'entry' AND earlier.thing = ${thing} AND earlier.locale = '' AND earlier.replaced_at <= ?2
  ORDER BY earlier.next_revision DESC LIMIT 1)`;

/** The entries that were changed since that time. Throws entry_not_found, subtree_too_large. */
async function changedSince(sql: Sql, path: Path, atSeconds: number): Promise<Slug[]> {
  const within = withinSql("slug", path);
  const count = await numberOf(sql, `SELECT count(*) FROM entry WHERE ${within}`, path);
  if (count === 0 && path !== rootPath) throw problem("entry_not_found", { id: path });
  if (count > maxRestoredEntries) throw problem("subtree_too_large", { id: path, count, limit: maxRestoredEntries });
  const rows = await sql.rows(
    `SELECT slug FROM entry WHERE ${within} AND modified_at > ?2 AND created_at <= ?2
       AND content_revision <> coalesce(${newestAt("entry.uuid")}, -1) ORDER BY slug`,
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
  const entries = await findEntries(sql, slugs);
  // Apart from the entries, as versionsBefore does.
  const versions = await sql.rowsAll(
    `SELECT ${newestAt("?1")}, ${versionColumns} FROM version
     WHERE noun = 'entry' AND thing = ?1 AND locale = '' AND next_revision > coalesce(${newestAt("?1")}, 0)
     ORDER BY next_revision LIMIT 1`,
    entries.map(({ uuid }) => [uuid, atSeconds]),
    ["text", "integer"],
  );
  return slugs.map((slug, i) => {
    const change = changeIn(entries[i] as StoredEntry, versions[i]?.[0], atSeconds, parts, nowSeconds);
    if (!change) throw problem("revision_not_found", { id: slug, at: atSeconds });
    return change;
  });
}

/** Undefined when the state was made after that time, or is not kept. */
function changeIn(
  current: StoredEntry,
  kept: Row | undefined,
  atSeconds: number,
  parts: RestoredParts,
  nowSeconds: number,
): Change | undefined {
  if (!kept) return undefined;
  const [newest = null, ...rest] = kept;
  const version = toVersion(rest);
  if (newest !== version.revision && entryIn(current, version).modifiedAt > atSeconds) return undefined;
  return { current, version, entry: restoredEntry(current, version, parts, nowSeconds) };
}

/** What the log keeps of them: those that were or are public. */
function noteRestored(
  { sql }: Writing,
  revision: number,
  restored: readonly { slug: Slug; change: EntryChange }[],
): void {
  const rows = restored.flatMap(({ slug, change: { uuid, wasPublic: was, isPublic: is } }) => {
    return was || is ? [[revision, uuid, was ? slug : null, is ? slug : null, notedOf(was), notedOf(is)]] : [];
  });
  sql.later(insertEventEntries, rows);
}
