import type { WriteContext } from "../core/event.ts";
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
