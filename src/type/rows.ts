import { firstColumn, type Sql } from "../core/sql/sql.ts";
import { Types } from "./check.ts";
import type { ContentType, TypeMode } from "./type.ts";

/** What is read of the rows of types to check data. */

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
