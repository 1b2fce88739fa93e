/** Payload with the entries of the lists: one collection, a column for each field, an index on each that is asked for. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Server, start, stop } from "./rounds.ts";
import { sample } from "./store.ts";

/** Its database: a file of SQLite, or a URL of PostgreSQL. */
export type PayloadStore = { engine: "sqlite" | "postgres"; place: string };

const begin = (installed: string, { engine, place }: PayloadStore, mode: string): Promise<Server> =>
  start("./payload-server.ts", [installed, engine, engine === "sqlite" ? `file:${place}` : place], { NODE_ENV: mode });

export const startPayload = (installed: string, store: PayloadStore): Promise<Server> =>
  begin(installed, store, "production");

/** Creates its tables by its own means, and fills them past its API, by SQL. */
export async function loadPayload(installed: string, store: PayloadStore, count: number): Promise<void> {
  await stop(await begin(installed, store, "development"));
  if (store.engine === "sqlite") loadSqlite(store.place, count);
  else await loadPostgres(store.place, count);
}

/** A row of its table. */
function rowOf(n: number, count: number): Record<string, unknown> {
  const { isFeatured, author, tags, ...others } = sample(n, count) as {
    isFeatured: boolean;
    author: { name: string; country: string };
    tags: string[];
  };
  const moved = { author_name: author.name, author_country: author.country, published_at: 1 + n };
  return { id: `e${n}`, ...others, ...moved, is_featured: isFeatured, tags };
}

const columns = Object.keys(rowOf(0, 20));
const names = columns.map((name) => `"${name}"`).join(", ");

function loadSqlite(file: string, count: number): void {
  const database = new DatabaseSync(file);
  const insert = database.prepare(`INSERT INTO entries (${names}) VALUES (${columns.map(() => "?").join(", ")})`);
  database.exec("BEGIN");
  for (let n = 0; n < count; n++) {
    const row = { ...rowOf(n, count), is_featured: n % 3 === 0 ? 1 : 0 } as Record<string, unknown>;
    insert.run(
      ...columns.map((name) => (name === "tags" ? JSON.stringify(row[name]) : (row[name] as string | number))),
    );
  }
  database.exec("COMMIT; ANALYZE");
  database.close();
}

async function loadPostgres(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let from = 0; from < count; from += 2000) {
    const rows = Array.from({ length: Math.min(2000, count - from) }, (_, i) => rowOf(from + i, count));
    const text = `INSERT INTO entries (${names}) SELECT ${names} FROM json_populate_recordset(NULL::entries, $1::json)`;
    await client.query(text, [JSON.stringify(rows)]);
  }
  await client.query("VACUUM ANALYZE");
  await client.end();
}

/** Gives a field of an item another value. */
export const changePayload = ({ port }: Server, n: number, value: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/api/entries/e${n}?depth=0`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });
