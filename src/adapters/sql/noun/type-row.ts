import type { ContentType, TypeMode } from "../../../domain/type.ts";
import type { Sql } from "../sql.ts";

/** What is read of the rows of types to check data. */

/** Which entries each type has, without the schemas. */
export async function typeRows(sql: Pick<Sql, "rows">): Promise<Pick<ContentType, "id" | "paths" | "mode">[]> {
  const rows = await sql.rows("SELECT id, paths, mode FROM type ORDER BY id");
  return rows.map(([id, paths, mode]) => ({
    id: id as string,
    paths: JSON.parse(paths as string) as string[],
    mode: mode as TypeMode,
  }));
}

export async function findSchema(sql: Pick<Sql, "row">, id: string): Promise<string | undefined> {
  return (await sql.row("SELECT schema FROM type WHERE id = ?1", id))?.[0] as string | undefined;
}
