/** Directus with the entries of the scenarios: one collection, a column for each field, indexes for the requests. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
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

export async function fillDirectus({ port }: Server, count: number): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
  };
  const columns = Object.entries(fields).map(([field, column]) => ({ field, schema: {}, meta: {}, ...column }));
  await post("/collections", { collection: "entry", schema: {}, meta: {}, fields: columns });
  for (let from = 0; from < count; from += 500) {
    const some = Array.from({ length: Math.min(500, count - from) }, (_, i) => from + i);
    await post(
      "/items/entry",
      some.map((n) => ({ slug: `e${n}`, ...sample(n, count) })),
    );
  }
}

/** The requests of entries.ts in the API of Directus. */
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
