import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { atEnd } from "./ending.ts";

/**
 * Doubles of Meilisearch, Typesense and Algolia, none of which npm brings: real HTTP servers with the rules of their
 * documented APIs, as far as a mirror uses these. Tasks are done later, in order; a batch of Algolia is atomic; an import of
 * Typesense answers a line a document; an index is made by the first write, or must be made; keys are checked first.
 */

export type Fields = Record<string, unknown>;
export type Product = {
  url: string;
  /** The documents of an index by their ids. */
  documents(index: string): Map<string, Fields>;
  /** Requests that were answered, as method and path. */
  readonly asked: string[];
  /** What the next requests are answered in place of it. */
  readonly failures: number[];
};
type Asked = { method: string; url: URL; headers: IncomingMessage["headers"]; body: string };
type Answer = { status?: number; json?: unknown; lines?: unknown[] };
type Indexes = Map<string, Map<string, Fields>>;

export const productKey = "k3y-of-the-product";

/** What a document may be, as text: a longer one is refused, as Algolia does. */
const maxRecord = 10_000;

async function serve(
  answer: (asked: Asked, indexes: Indexes) => Answer,
  isAllowed: (asked: Asked) => boolean,
  forbidden: Answer,
): Promise<Product> {
  const indexes: Indexes = new Map();
  const asked: string[] = [];
  const failures: number[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://product");
    const one = { method: request.method ?? "", url, headers: request.headers, body: await textOf(request) };
    const failure = failures.shift();
    asked.push(`${one.method} ${url.pathname}`);
    if (failure) return reply(response, { status: failure, json: { message: "later" } }, { "Retry-After": "0" });
    return reply(response, isAllowed(one) ? answer(one, indexes) : forbidden);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  const documents = (index: string) => indexes.get(index) ?? new Map<string, Fields>();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, documents, asked, failures };
}

function reply(response: ServerResponse, { status = 200, json, lines }: Answer, headers: Record<string, string> = {}) {
  const type = lines ? "application/octet-stream" : "application/json";
  const body = lines ? lines.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(json);
  response.writeHead(status, { "Content-Type": type, ...headers }).end(body);
}

const partOf = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

function indexIn(indexes: Indexes, name: string): Map<string, Fields> {
  const index = indexes.get(name) ?? new Map<string, Fields>();
  indexes.set(name, index);
  return index;
}

// ---------------------------------------------------------------------------------------------- Meilisearch

type Task = { status: string; error: { message: string; type: string } | null };

/** Ids are letters, digits, - and _; a task with a document that has none fails as a whole. */
export function serveMeilisearch(): Promise<Product> {
  const tasks: Task[] = [];
  let waiting: (() => void)[] = [];
  const later = (work: () => void): Answer => {
    const task: Task = { status: "enqueued", error: null };
    const taskUid = tasks.push(task) - 1;
    waiting.push(() => {
      task.status = "succeeded";
      try {
        work();
      } catch (error) {
        Object.assign(task, {
          status: "failed",
          error: { message: (error as Error).message, type: "invalid_request" },
        });
      }
    });
    return { status: 202, json: { taskUid, status: "enqueued" } };
  };
  const answer = ({ method, url, body }: Asked, indexes: Indexes): Answer => {
    const task = /^\/tasks\/(\d+)$/.exec(url.pathname);
    if (task) {
      // It is done between two looks at it.
      const json = structuredClone(tasks[Number(task[1])]);
      for (const work of waiting) work();
      waiting = [];
      return { json };
    }
    const [, name = "", rest = ""] = /^\/indexes\/([\w-]+)\/documents(.*)$/.exec(url.pathname) ?? [];
    const index = indexes.get(name);
    if (method === "POST" && rest === "/delete-batch")
      return later(() => {
        for (const id of JSON.parse(body) as string[]) indexes.get(name)?.delete(id);
      });
    if (method === "POST" && rest === "")
      return later(() => {
        const key = url.searchParams.get("primaryKey") as string;
        const all = JSON.parse(body) as Fields[];
        for (const fields of all) {
          if (!/^[\w-]+$/.test(String(fields[key]))) throw new Error(`\`${fields[key]}\` is no document identifier`);
          if (fields.refused) throw new Error("a document is refused");
        }
        for (const fields of all) indexIn(indexes, name).set(String(fields[key]), fields);
      });
    if (!index) return { status: 404, json: { message: `Index \`${name}\` not found.`, code: "index_not_found" } };
    if (rest !== "") {
      const found = index.get(rest.slice(1));
      return found ? { json: found } : { status: 404, json: { message: "not found", code: "document_not_found" } };
    }
    const [offset, limit] = [Number(url.searchParams.get("offset")), Number(url.searchParams.get("limit") ?? 20)];
    const fields = url.searchParams.get("fields")?.split(",") ?? [];
    const results = [...index.values()].slice(offset, offset + limit).map((each) => partOf(each, fields));
    return { json: { results, offset, limit, total: index.size } };
  };
  return serve(answer, ({ headers }) => headers.authorization === `Bearer ${productKey}`, {
    status: 403,
    json: { message: "The provided API key is invalid.", code: "invalid_api_key" },
  });
}

// ---------------------------------------------------------------------------------------------- Typesense

/** A collection must be made first; the lines of an import are answered each by itself. */
export function serveTypesense(): Promise<Product> {
  const missing: Answer = { status: 404, json: { message: "Not Found" } };
  const answer = ({ method, url, body }: Asked, indexes: Indexes): Answer => {
    if (method === "POST" && url.pathname === "/collections") {
      const { name } = JSON.parse(body) as { name: string };
      if (indexes.has(name)) return { status: 409, json: { message: "A collection with this name exists" } };
      indexes.set(name, new Map());
      return { status: 201, json: { name } };
    }
    const [, name = "", rest = ""] = /^\/collections\/([\w-]+)(.*)$/.exec(url.pathname) ?? [];
    const index = indexes.get(name);
    if (!index) return missing;
    if (rest === "") return { json: { name, num_documents: index.size } };
    if (rest === "/documents/import")
      return {
        lines: body.split("\n").map((line) => {
          const fields = JSON.parse(line) as Fields;
          if (fields.refused) return { success: false, error: "a document is refused", code: 400 };
          index.set(String(fields.id), fields);
          return { success: true };
        }),
      };
    if (rest === "/documents/export") {
      const names = url.searchParams.get("include_fields")?.split(",") ?? [];
      return { lines: [...index.values()].map((fields) => partOf(fields, names)) };
    }
    if (rest === "/documents" && method === "DELETE") {
      const ids = /^id:\[(.*)\]$/.exec(url.searchParams.get("filter_by") ?? "")?.[1]?.split(",") ?? [];
      return { json: { num_deleted: ids.filter((id) => index.delete(id)).length } };
    }
    if (rest === "/documents" && method === "POST") {
      const fields = JSON.parse(body) as Fields;
      index.set(String(fields.id), fields);
      return { status: 201, json: fields };
    }
    const found = index.get(rest.slice("/documents/".length));
    return found ? { json: found } : missing;
  };
  return serve(answer, ({ headers }) => headers["x-typesense-api-key"] === productKey, {
    status: 401,
    json: { message: "Forbidden - a valid `x-typesense-api-key` header must be sent." },
  });
}

// ---------------------------------------------------------------------------------------------- Algolia

type Action = { action: string; body: Fields };

/** A record that is too big refuses its whole batch; settings are of an index, and asked with the key's own words. */
export function serveAlgolia(): Promise<Product> {
  const settings = new Map<string, Fields>();
  let looks = 0;
  const answer = ({ method, url, body }: Asked, indexes: Indexes): Answer => {
    const [, name = "", rest = ""] = /^\/1\/indexes\/([\w-]+)\/(.*)$/.exec(url.pathname) ?? [];
    if (rest === "batch") {
      const { requests } = JSON.parse(body) as { requests: Action[] };
      const big = requests.findIndex(({ body }) => body.refused || JSON.stringify(body).length > maxRecord);
      if (big >= 0) return { status: 400, json: { message: `Record at the position ${big} is too big`, status: 400 } };
      const index = indexIn(indexes, name);
      for (const { action, body } of requests)
        if (action === "deleteObject") index.delete(String(body.objectID));
        else index.set(String(body.objectID), body);
      return { json: { taskID: 1, objectIDs: requests.map(({ body }) => body.objectID) } };
    }
    if (rest === "settings" && method === "PUT") {
      indexIn(indexes, name);
      settings.set(name, { ...settings.get(name), ...(JSON.parse(body) as Fields) });
      return { json: { taskID: 2, updatedAt: "2026-01-01T00:00:00Z" } };
    }
    if (rest.startsWith("task/")) return { json: { status: looks++ % 2 === 0 ? "notPublished" : "published" } };
    const index = indexes.get(name);
    if (!index) return { status: 404, json: { message: `Index ${name} does not exist`, status: 404 } };
    if (rest === "settings") return { json: { hitsPerPage: 20, ...settings.get(name) } };
    const sent = JSON.parse(body) as { cursor?: string; hitsPerPage?: number };
    const from = Number(sent.cursor ?? 0);
    const all = [...index.values()].map((fields) => partOf(fields, ["objectID", "octavo_hash"]));
    const to = from + 1000;
    return { json: { hits: all.slice(from, to), ...(to < all.length && { cursor: String(to) }) } };
  };
  const isAllowed = ({ headers }: Asked) =>
    headers["x-algolia-api-key"] === productKey && headers["x-algolia-application-id"] === "ABC123";
  return serve(answer, isAllowed, {
    status: 403,
    json: { message: "Invalid Application-ID or API key", status: 403 },
  });
}
