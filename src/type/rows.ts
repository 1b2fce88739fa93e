import { formatJson } from "../core/lib/json.ts";
import { insertOf, namesOf } from "../core/sql/rows.ts";
import { deleteRows, firstColumn, type Row, type Sql, type TransactionSql, type Value } from "../core/sql/sql.ts";
import { Types } from "./check.ts";
import { typeRule } from "./row-rules.ts";
import type { ContentType, StoredType, TypeMode } from "./type.ts";

/** Conversions between a type and its row, and what is read of the rows to check data. */

export const typeColumns = namesOf(typeRule).join(", ");
export const insertType = insertOf(typeRule);

type TypeRow = readonly [
  id: string,
  title: string,
  description: string,
  paths: string,
  schema: string,
  mode: TypeMode,
  revision: number,
];

export function toType(row: Row): StoredType {
  const [id, title, description, paths, schema, mode, revision] = row as TypeRow;
  return { id, title, description, paths: JSON.parse(paths), schema, mode, revision };
}

/** The values of `insertType`. */
export const valuesOf = ({ id, title, description, paths, schema, mode, revision }: StoredType): Value[] => [
  id,
  title,
  description,
  formatJson([...paths]),
  schema,
  mode,
  revision,
];

const deleteTypes = deleteRows("type", "id = ?1", ["text"]);

/** Removes the types with these ids, then stores others. */
export async function replaceTypes(
  sql: TransactionSql,
  ids: readonly string[],
  types: readonly StoredType[],
): Promise<void> {
  await sql.runAll(
    deleteTypes,
    ids.map((id) => [id]),
  );
  sql.later(insertType, types.map(valuesOf));
}

/** All types by id, in the order of the ids. */
export async function allTypes(sql: Pick<Sql, "rows">): Promise<Map<string, StoredType>> {
  const rows = await sql.rows(`SELECT ${typeColumns} FROM type ORDER BY id`);
  return new Map(rows.map(toType).map((type) => [type.id, type]));
}

/**
 * What names a state of the types: how many there are and the newest revision. A put makes a new revision, and while that
 * stays, a delete makes them fewer.
 */
export const typeState = "SELECT count(*), coalesce(max(revision), 0) FROM type";

/** The types of this state, compiled when they are first needed; undefined when there are none. */
export async function readTypes(sql: Pick<Sql, "rows">, state: string): Promise<Types | undefined> {
  if (state.startsWith("0,")) return undefined;
  return new Types(await typeRows(sql), { schemaOf: (id) => findSchema(sql, id) });
}

/** The types as a reader finds them that keeps none. */
export const presentTypes = async (sql: Pick<Sql, "row" | "rows">): Promise<Types | undefined> =>
  readTypes(sql, String(await sql.row(typeState)));

/** Which entries each type has, without the schemas. */
export async function typeRows(sql: Pick<Sql, "rows">): Promise<Pick<ContentType, "id" | "paths" | "mode">[]> {
  const rows = await sql.rows("SELECT id, paths, mode FROM type ORDER BY id");
  return (rows as [id: string, paths: string, TypeMode][]).map(([id, paths, mode]) => ({
    id,
    paths: JSON.parse(paths) as string[],
    mode,
  }));
}

export async function findSchema(sql: Pick<Sql, "rows">, id: string): Promise<string | undefined> {
  const [schema] = firstColumn<string>(await sql.rows("SELECT schema FROM type WHERE id = ?1", id));
  return schema;
}
