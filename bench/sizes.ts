/** What a filled store takes on the disk, for each entry. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

/** Of the whole file, and of its largest parts. No process has it open. */
export function sizesOfSqlite(folder: string, count: number): string {
  const file = join(folder, "octavo.db");
  const database = new DatabaseSync(file, { readOnly: true });
  const parts = database
    .prepare(
      `SELECT tbl_name AS name, sum(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name)
       GROUP BY tbl_name HAVING bytes > ? ORDER BY bytes DESC`,
    )
    .all(count) as { name: string; bytes: number }[];
  database.close();
  const each = parts.map(({ name, bytes }) => `${name} ${perEntry(bytes, count)}`);
  return `${perEntry(statSync(file).size, count)} bytes an entry, with indexes: ${each.join(", ")}`;
}

/** Of its tables and of their indexes. Makes the statistics fresh, as autovacuum keeps them. */
export async function sizesOfPostgres(url: string, count: number): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("VACUUM ANALYZE");
  const { rows } = await client.query<{ name: string; rows: string; indexes: string }>(
    `SELECT relname AS name, pg_table_size(oid) AS rows, pg_indexes_size(oid) AS indexes FROM pg_class
     WHERE relkind = 'r' AND pg_total_relation_size(oid) > $1 AND relnamespace = 'public'::regnamespace
     ORDER BY pg_total_relation_size(oid) DESC`,
    [count],
  );
  const { rows: fields } = await client.query<{ count: string }>("SELECT count(*) FROM entry_field");
  await client.end();
  const total = rows.reduce((sum, { rows, indexes }) => sum + Number(rows) + Number(indexes), 0);
  const each = rows.map(
    ({ name, rows, indexes }) =>
      `${name} ${perEntry(Number(rows), count)} and its indexes ${perEntry(Number(indexes), count)}`,
  );
  const indexRows = (Number(fields[0]?.count) / count).toFixed(1);
  return `${perEntry(total, count)} bytes an entry: ${each.join(", ")}; ${indexRows} index rows an entry`;
}

const perEntry = (bytes: number, count: number): string => Math.round(bytes / count).toLocaleString("en");
