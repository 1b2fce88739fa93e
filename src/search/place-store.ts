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
  // The parent of what a path names has others, which are not reached unless a path is above them all.
  const tops = paths.filter((each) => each !== rootPath).map((each) => [each]);
  const above = tops
    .map(([each]) => parentOf(each as Path))
    .filter((each) => !paths.some((other) => isWithin(each, other)));
  const parts = await on.sql.rowsAll(
    "SELECT id FROM parent WHERE path = ?1",
    above.map((each) => [each]),
    ["text"],
  );
  const inPart = new Set(firstColumn<number>(parts.flat()));
  const found = await on.sql.rowsAll("SELECT id FROM entry WHERE slug = ?1", tops, ["text"]);
  const entries = new Set(firstColumn<number>(found.flat()));
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
