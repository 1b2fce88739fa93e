import { pagesBy } from "../core/lib/in-groups.ts";
import type { Row, Sql } from "../core/sql/sql.ts";
import { versionsBefore } from "../version/version-store.ts";

/** What an item of the trash keeps: places, and the versions of what was there. */

/** Rows may be large: this many are read at a time. */
const pageRows = 100;

/** The rows of a statement about the item ?1, in the order of these columns, which are the first that it selects. */
function pagesOf(sql: Sql, text: string, keys: readonly string[], item: number): AsyncGenerator<readonly Row[]> {
  const first = keys.map(() => "");
  const order = keys.join(", ");
  const page = `${text} AND (${order}) > (${keys.map((_, i) => `?${i + 2}`).join(", ")}) ORDER BY ${order} LIMIT ${pageRows}`;
  return pagesBy(pageRows, (last?: Row) => sql.rows(page, item, ...(last?.slice(0, keys.length) ?? first)));
}

/** The columns that name a place in an item. */
export const placeKeys = { entry: ["slug"], file: ["folder", "name"] } as const;

/** The things of an item, a page at a time: these columns of their places, after the uuid, then what they said. */
export async function* keptThings(
  sql: Sql,
  noun: "entry" | "file",
  columns: readonly string[],
  item: number,
): AsyncGenerator<readonly Row[]> {
  const keys = placeKeys[noun];
  const text = `SELECT ${[...keys, "uuid", ...columns].join(", ")} FROM trash_${noun} WHERE item = ?1`;
  for await (const places of pagesOf(sql, text, keys, item)) {
    const things = places.map((place) => place[keys.length] as string);
    const versions = await versionsBefore(sql, noun, things, item);
    yield places.flatMap((place, i) => (versions[i] ? [[...place, ...versions[i]]] : []));
  }
}

/** Removes the places of an item that is restored, and the versions that live again. */
export async function removeKept(sql: Sql, noun: "entry" | "file", item: number): Promise<void> {
  const keys = placeKeys[noun];
  const text = `SELECT ${keys.join(", ")}, uuid FROM trash_${noun} WHERE item = ?1`;
  for await (const places of pagesOf(sql, text, keys, item)) {
    // One by one, as versionsBefore does.
    await sql.runAll(
      `DELETE FROM version WHERE noun = '${noun}' AND thing = ?1 AND next_revision = ?2`,
      places.map((place) => [place.at(-1) as string, item]),
    );
  }
  await sql.run(`DELETE FROM trash_${noun} WHERE item = ?1`, item);
}
