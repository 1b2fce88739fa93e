import type { WriteContext } from "../core/event.ts";
import { pagesBy } from "../core/lib/in-groups.ts";
import type { Path } from "../core/path.ts";
import { namesOf, type Refusal } from "../core/sql/rows.ts";
import type { Row, Sql, Value } from "../core/sql/sql.ts";
import type { Deletion, TrashItem, TrashNoun } from "./trash.ts";
import { trashItemRule } from "./trash-row-rules.ts";

/** Conversions between an item of the trash and its row. */

const names = namesOf(trashItemRule);
export const itemColumns = names.filter((column) => column !== "is_purged").join(", ");

type ItemRow = readonly [
  id: number,
  noun: TrashNoun,
  path: Path,
  count: number,
  bytes: number,
  deletedAt: number,
  deletedBy: string,
  locale: string,
];

export function toItem(row: Row): TrashItem {
  const [id, noun, path, count, bytes, deletedAtSeconds, deletedBy, locale] = row as ItemRow;
  return { id, noun, path, count, bytes, deletedAtSeconds, deletedBy, ...(locale !== "" && { locale }) };
}

/** What a DELETE takes away, whose event has the sequence `id`. To nowhere: it is purged from the start. */
export type Removal = Pick<TrashItem, "noun" | "id" | "path" | "count" | "locale"> & Pick<Deletion, "to">;

/** Why the database refuses a row of an item. */
export const noItem: Refusal = [
  "there is no such item",
  "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM trash_item WHERE id = ?1)",
  "item",
];

/** Adds the item of a DELETE. `bytes` is SQL for the size of what is deleted, with the path as ?2 and `values` from ?9 on. */
export async function insertItem(
  sql: Sql,
  { noun, id, path, count, to, locale = "" }: Removal,
  bytes: string,
  { actor, nowSeconds }: WriteContext,
  ...values: Value[]
): Promise<void> {
  await sql.run(
    `INSERT INTO trash_item (${names.join(", ")})
     SELECT ?1, ?3, ?2, ?4, coalesce((${bytes}), 0), ?5, ?6, ?7, ?8`,
    id,
    path,
    noun,
    count,
    nowSeconds,
    actor,
    Number(to === "nowhere"),
    locale,
    ...values,
  );
}

/** The path of a row below the item's path ?2, as it is below the target ?3. */
export const movedSql = (column: string): string => `?3 || substr(${column}, length(?2) + 1)`;

/** Rows may be large: this many are read at a time. */
const pageRows = 100;

/** The rows of a statement about the item ?1, in the order of these columns, which are the first that it selects. */
export function pagesOf(sql: Sql, text: string, keys: readonly string[], item: number): AsyncGenerator<readonly Row[]> {
  const first = keys.map(() => "");
  const order = keys.join(", ");
  const page = `${text} AND (${order}) > (${keys.map((_, i) => `?${i + 2}`).join(", ")}) ORDER BY ${order} LIMIT ${pageRows}`;
  return pagesBy(pageRows, (last?: Row) => sql.rows(page, item, ...(last?.slice(0, keys.length) ?? first)));
}

/** The columns that name a place in an item. */
export const placeKeys = { entry: ["slug"], file: ["folder", "name"] } as const;

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
