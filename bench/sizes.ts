/** What a filled store takes on the disk, for each entry. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

/** Smaller parts are in the total only. */
const leastPerEntry = 20;

/** Of the whole file, and of its largest parts, each with its indexes. */
export function sizesOfSqlite(folder: string, count: number): string {
  const database = new DatabaseSync(join(folder, "octavo.db"), { readOnly: true });
  const parts = database
    .prepare(
      `SELECT tbl_name AS name, sum(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name)
       GROUP BY tbl_name ORDER BY bytes DESC`,
    )
    .all() as { name: string; bytes: number }[];
  database.close();
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const each = parts
    .filter(({ bytes }) => bytes >= leastPerEntry * count)
    .map(({ name, bytes }) => `${name} ${perEntry(bytes, count)}`);
  return `${perEntry(total, count)} bytes an entry, with indexes: ${each.join(", ")}`;
}

/** Makes what the planner knows fresh, as autovacuum keeps it. */
export async function makeFresh(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("VACUUM ANALYZE");
  await client.end();
}

/** Of its tables and of their indexes. */
export async function sizesOfPostgres(url: string, count: number): Promise<string> {
  await makeFresh(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string; rows: string; indexes: string }>(
    `SELECT relname AS name, pg_table_size(oid) AS rows, pg_indexes_size(oid) AS indexes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY pg_total_relation_size(oid) DESC`,
  );
  const { rows: fields } = await client.query<{ count: string }>("SELECT count(*) FROM entry_field");
  await client.end();
  const tables = rows.map(({ name, rows, indexes }) => ({ name, own: Number(rows), indexes: Number(indexes) }));
  const total = tables.reduce((sum, { own, indexes }) => sum + own + indexes, 0);
  const each = tables
    .filter(({ own, indexes }) => own + indexes >= leastPerEntry * count)
    .map(({ name, own, indexes }) => `${name} ${perEntry(own, count)} and its indexes ${perEntry(indexes, count)}`);
  const indexRows = (Number(fields[0]?.count) / count).toFixed(1);
  return `${perEntry(total, count)} bytes an entry: ${each.join(", ")}; ${indexRows} index rows an entry`;
}

const perEntry = (bytes: number, count: number): string => Math.round(bytes / count).toLocaleString("en");
