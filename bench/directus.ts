/** Directus with the entries of the scenarios: one collection, a column for each field, indexes for the requests. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../test/free-port.ts";
import { type Asked, get, random, type Server, start } from "./rounds.ts";
import { sample } from "./store.ts";

const token = "bench".padEnd(32, "-");
const runId = Date.now().toString(36);
const cli = (installed: string): string => join(installed, "node_modules/directus/cli.js");

const envOf = (url: string): Record<string, string> => ({
  ...{ DB_CLIENT: "pg", DB_CONNECTION_STRING: url, HOST: "127.0.0.1", SECRET: token, KEY: "bench" },
  ...{ ADMIN_EMAIL: "bench@example.com", ADMIN_PASSWORD: token, ADMIN_TOKEN: token },
  ...{ NODE_ENV: "production", LOG_STYLE: "raw", TELEMETRY: "false" },
  // Otherwise it refuses requests while other work holds up its event loop.
  PRESSURE_LIMITER_ENABLED: "false",
});

/** Creates its tables and its administrator. */
export function bootstrapDirectus(installed: string, url: string): void {
  const env = { ...process.env, ...envOf(url) };
  execFileSync(process.execPath, [cli(installed), "bootstrap"], { env, stdio: ["ignore", "ignore", "inherit"] });
}

export async function startDirectus(installed: string, url: string, more: Record<string, string>): Promise<Server> {
  return start(cli(installed), ["start"], { ...envOf(url), PORT: String(await freePort()), ...more });
}

const string = { type: "string" };
const integer = { type: "integer" };
const json = { type: "json" };
const fields: Record<string, object> = {
  slug: { ...string, schema: { is_primary_key: true } },
  title: string,
  group: { ...integer, schema: { is_indexed: true } },
  year: integer,
  price: { type: "float" },
  isFeatured: { type: "boolean" },
  tags: json,
  author: json,
  rating: integer,
  state: string,
  language: string,
  content: { type: "text" },
};

/** Creates the collection and posts its items. */
export async function fillDirectus(server: Server, count: number): Promise<void> {
  await createCollection(server, fields);
  for (let from = 0; from < count; from += 500) {
    const some = Array.from({ length: Math.min(500, count - from) }, (_, i) => from + i);
    await post(
      server,
      "/items/entry",
      some.map((n) => ({ slug: `e${n}`, ...sample(n, count) })),
    );
  }
}

/**
 * The same with the items of `itemOf`, past its API: inserted by SQL, with an index on each of the columns.
 */
export async function loadDirectus(
  server: Server,
  url: string,
  count: number,
  itemOf: (n: number) => object,
  indexed: readonly string[],
): Promise<void> {
  const { group: _, ...others } = fields;
  await createCollection(server, { ...others, group: integer, published_at: integer, author_name: string });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let from = 0; from < count; from += 2000) {
    const items = Array.from({ length: Math.min(2000, count - from) }, (_, i) => itemOf(from + i));
    const text = "INSERT INTO entry SELECT * FROM json_populate_recordset(NULL::entry, $1::json)";
    await client.query(text, [JSON.stringify(items)]);
  }
  for (const column of indexed) await client.query(`CREATE INDEX ON entry ("${column}")`);
  await client.query("VACUUM ANALYZE");
  await client.end();
}

async function createCollection(server: Server, fields: Record<string, object>): Promise<void> {
  const columns = Object.entries(fields).map(([field, column]) => ({ field, schema: {}, meta: {}, ...column }));
  await post(server, "/collections", { collection: "entry", schema: {}, meta: {}, fields: columns });
}

async function post({ port }: Server, path: string, body: object): Promise<void> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
}

/** Gives a field of an item another value. */
export const changeDirectus = ({ port }: Server, n: number, value: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${directusPath(`/e${n}`, "")}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });

/** The path of an item, or of the items that the query finds; its arguments begin with `&`. */
export const directusPath = (item: string, query: string): string =>
  `/items/entry${item}?access_token=${token}${query}`;

/** The requests of entries.ts, in its own words. */
export function directusAsked(keys: number, count: number): Record<"one" | "filtered" | "create", Asked> {
  const reads = Array.from({ length: keys }, (_, n) => get(`/items/entry/e${n}?access_token=${token}`));
  const groups = Array.from({ length: 500 }, () => {
    const filter = `filter[group][_eq]=${random(count / 20)}&filter[year][_gte]=1955&filter[language][_in]=en`;
    return get(`/items/entry?${filter}&access_token=${token}`);
  });
  const body = JSON.stringify({ slug: `${runId}-{n}`, ...sample(7, 100) });
  const head = "HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n";
  return {
    one: { connections: 64, requests: reads.sort(() => Math.random() - 0.5) },
    filtered: { connections: 16, requests: groups },
    create: { connections: 16, requests: [`POST /items/entry?access_token=${token} ${head}${body}`] },
  };
}
