import { type Access, laysOver, reachedBelow } from "../../../domain/access.ts";
import { type CollectionQuery, depthRange } from "../../../domain/collection.ts";
import { type Path, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { isDueSql, listing, listingsOf } from "../index/listing.ts";
import { inScopeSql, isInScope, isSubtree, parentsIn, type Scope } from "../index/scope.ts";
import { isBelowSql, withinAny } from "../sql.ts";
import { isListedSql, isReadableSql } from "./entry-access.ts";
import { entryTable, type StoredEntry } from "./entry-row.ts";
import { type Budget, type Frame, readVisible, type Source } from "./plan.ts";

/** What a list of entries needs to know first. */

/**
 * The frame; undefined when there are more parents or extras than the budget has. Throws entry_not_found when the
 * caller can see neither the entry nor anything below it. The root always exists.
 */
export async function frameOf(
  source: Source<StoredEntry>,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<Frame<StoredEntry> | undefined> {
  const { path } = query;
  const some = reachedBelow(access, path);
  if (some) return refuseEmpty(source, path, some, access);
  const depth = depthRange(query);
  const scope = { path, depth, listings: listingsOf(access, query.filter) };
  const facts = await factsOf(source, scope, access);
  if (!facts) throw problem("entry_not_found", { id: path });
  const [size, parent, hasPartial, nextDue, hasStaged] = facts;
  const parents = isSubtree(scope)
    ? await parentsIn(source, scope, budget.parents)
    : [parent].filter((id) => typeof id === "number").map((id) => ({ id, path }));
  const hasDue = typeof nextDue === "number" && nextDue <= access.nowSeconds;
  const mayHaveExtras = hasPartial || hasDue || hasStaged || depth.min === 0;
  const extras = mayHaveExtras ? await readExtras(source, scope, query, access, budget) : [];
  return extras && { scope, parents, extras, size: size ?? 0 };
}

/**
 * Of a path with a caller's paths below it only those are read, which takes no frame. Throws entry_not_found when the
 * caller can see nothing there.
 */
async function refuseEmpty(
  { sql }: Source<StoredEntry>,
  path: Path,
  paths: readonly Path[],
  access: Access,
): Promise<undefined> {
  if (path === rootPath) return undefined;
  const within = withinAny("slug", paths, 3);
  const seen = `SELECT 1 FROM entry WHERE ${within.sql} AND ${isListedSql(access)} AND CAST(?1 AS TEXT) IS NOT NULL LIMIT 1`;
  if (!(await sql.row(seen, path, access.nowSeconds, ...within.values))) throw problem("entry_not_found", { id: path });
}

/** Undefined when nothing is there yet. What is there at one time is there later: the time changes nothing. */
function factsOf({ sql, known }: Source<StoredEntry>, scope: Scope, access: Access) {
  const { path, listings = [] } = scope;
  const name = `entry ${access.reads} ${isSubtree(scope)} ${listings.join()} ${path}`;
  return known(name, async () => {
    const row = await sql.row(frameSql(scope, access), path, access.nowSeconds);
    const [exists, ...facts] = row as (number | null)[];
    return exists ? facts : undefined;
  });
}

/** One statement, because on a server each is a round trip. ?1 is the path, ?2 the time. */
function frameSql(scope: Scope, access: Access): string {
  const any = (rest: string) => `(SELECT count(*) FROM (SELECT 1 FROM entry WHERE ${rest} LIMIT 1) AS found)`;
  const exists =
    scope.path === rootPath
      ? "1"
      : `CASE WHEN ${any(`slug = ?1 AND ${isReadableSql(access)}`)} = 1 THEN 1
           ELSE ${any(`${isBelowSql("slug", "?1")} AND ${isListedSql(access)}`)} END`;
  const due = `(SELECT min(published_at) FROM entry WHERE listing = ${listing.scheduled})`;
  return `SELECT ${exists}, (SELECT max(id) FROM entry), (SELECT id FROM parent WHERE path = ?1),
    ${any(`index_partial > 0 AND ${inScopeSql(entryTable, scope)}`)}, ${access.reads === "public" ? due : "NULL"},
    ${laysOver(access) ? any(stagedSql(scope)) : "0"}
    WHERE CAST(?2 AS BIGINT) IS NOT NULL`;
}

async function readExtras(
  source: Source<StoredEntry>,
  scope: Scope,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<StoredEntry[] | undefined> {
  const { sql } = source;
  const { path, depth } = scope;
  const limit = budget.parents + 1;
  const [partial, due, staged, own] = await Promise.all([
    sql.rows(`SELECT id FROM entry WHERE index_partial > 0 AND ${inScopeSql(entryTable, scope)} LIMIT ?2`, path, limit),
    access.reads === "public" ? sql.rows(dueSql, access.nowSeconds, limit) : [],
    laysOver(access) ? sql.rows(`SELECT id FROM entry WHERE ${stagedSql(scope)} LIMIT ?2`, path, limit) : [],
    depth.min === 0 && path !== rootPath ? sql.rows("SELECT id FROM entry WHERE slug = ?1", path) : [],
  ]);
  const ids = new Set([...partial, ...due, ...staged, ...own].map(([id]) => id as number));
  if (ids.size >= limit) return undefined;
  const extras = await readVisible(source, query, ids, budget.bytes);
  return extras?.filter(({ slug }) => isInScope(slug, scope));
}

/** SQL for the entries with a working copy, under whatever listing: the copy may change it. ?1 is the path. */
const stagedSql = ({ listings: _, ...scope }: Scope): string =>
  `staged_revision IS NOT NULL AND ${inScopeSql(entryTable, scope)}`;

const dueSql = `SELECT id FROM entry WHERE ${isDueSql("?1")} LIMIT ?2`;
