/**
 * Payload without a framework: its own REST handler behind node:http. Prints its URL; with NODE_ENV=development it creates
 * the tables of its collection first. Run as a child process: `payload-server.ts INSTALLED sqlite|postgres URL`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";

const [installed = "", engine = "", url = ""] = process.argv.slice(2);
const installedModule = (name: string) => import(join(installed, "node_modules", name, "dist/index.js"));

const indexed = (name: string, type: string): object => ({ name, type, index: true });
const plain = (name: string, type: string): object => ({ name, type });
const anyone = () => true;

/** A column for each field, an index on each that is asked for, and no rules of access. */
const collection = {
  slug: "entries",
  access: { read: anyone, create: anyone, update: anyone, delete: anyone },
  fields: [
    { name: "id", type: "text", required: true },
    indexed("title", "text"),
    indexed("group", "number"),
    indexed("year", "number"),
    indexed("price", "number"),
    plain("isFeatured", "checkbox"),
    plain("tags", "json"),
    { name: "author", type: "group", fields: [indexed("name", "text"), plain("country", "text")] },
    plain("rating", "number"),
    indexed("state", "text"),
    indexed("language", "text"),
    plain("content", "textarea"),
    indexed("published_at", "number"),
  ],
};

const { buildConfig, getPayload, handleEndpoints } = await installedModule("payload");

async function database(): Promise<object> {
  if (engine === "postgres") {
    const { postgresAdapter } = await installedModule("@payloadcms/db-postgres");
    // In a transaction a write waits for a second connection of the pool, and once all have one, for ever. On SQLite it
    // has none by default.
    return postgresAdapter({ pool: { connectionString: url }, transactionOptions: false });
  }
  const { sqliteAdapter } = await installedModule("@payloadcms/db-sqlite");
  return sqliteAdapter({ client: { url }, wal: true, busyTimeout: 5000 });
}

const config = buildConfig({
  secret: "bench",
  db: await database(),
  collections: [collection],
  telemetry: false,
  typescript: { autoGenerate: false },
});
await getPayload({ config });

function toRequest(request: IncomingMessage): Request {
  const { method = "GET", headers } = request;
  const body = method === "GET" ? null : (Readable.toWeb(request) as ReadableStream);
  return new Request(`http://${headers.host}${request.url}`, {
    method,
    headers: headers as Record<string, string>,
    body,
    duplex: "half",
  } as RequestInit);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply: Response = await handleEndpoints({ config, request: toRequest(request) });
  const body = Buffer.from(await reply.arrayBuffer());
  const headers = { ...Object.fromEntries(reply.headers), "Content-Length": body.length };
  response.writeHead(reply.status, headers).end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: Error) => response.destroy(error));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
