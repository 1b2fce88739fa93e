import type { Access } from "../core/access/access.ts";
import type { Comparison } from "../core/list/find.ts";
import { isWithin, type Path, parentOf, rootPath } from "../core/path.ts";
import { Bound } from "../core/sql/list/bound.ts";
import { partsSql } from "../core/sql/list/scope.ts";
import type { Scanning } from "../core/sql/noun.ts";
import { firstColumn } from "../core/sql/sql.ts";
import { entryTable } from "../entry/rows.ts";

/** Which places a search looks at: the numbers of parents, and of entries in parents that it sees in part. */
export type Places = {
  has(parent: number, entry: number): boolean;
};

const everywhere: Places = { has: () => true };
export const nowhere: Places = { has: () => false };

/** The places below a path, to a depth, that the paths reach; null for all of them. */
export async function placesOf(
  on: Pick<Scanning, "lists" | "sql">,
  { path, depth }: { path: Path; depth: readonly Comparison[] },
  paths: readonly Path[] | null,
  watch: () => void,
): Promise<Places> {
  const isDeep = depth.every(({ comparator, value }) => comparator === ">=" && value <= 1);
  if (path === rootPath && isDeep && paths === null) return everywhere;
  const b = new Bound();
  const text = partsSql(b, entryTable, { path, depth, paths });
  const parents = new Set(firstColumn<number>(await on.lists.rowsWatched(watch, text, ...b.values)));
  if (!paths) return { has: (parent) => parents.has(parent) };
  // The parent of an entry at a path of a token has others, which are not reached.
  const tops = paths.filter((each) => each !== rootPath);
  const isInside = (each: Path) => paths.some((other) => isWithin(parentOf(each), other));
  const found = await on.sql.rowsAll(
    "SELECT id, parent FROM entry WHERE slug = ?1",
    tops.map((each) => [each]),
    ["text"],
  );
  const entries = new Set(found.flat().map(([id]) => id as number));
  const inPart = new Set<number>();
  for (const [i, rows] of found.entries())
    for (const [, parent] of rows) if (!isInside(tops[i] as Path)) inPart.add(parent as number);
  return { has: (parent, entry) => parents.has(parent) && (!inPart.has(parent) || entries.has(entry)) };
}

/** The places where a preview shows more than what is public; undefined where that is the same everywhere. */
export async function openPlaces(
  on: Pick<Scanning, "lists" | "sql">,
  { unpublished }: Access,
  watch: () => void,
): Promise<Places | undefined> {
  return unpublished ? placesOf(on, { path: rootPath, depth: [] }, unpublished, watch) : undefined;
}
