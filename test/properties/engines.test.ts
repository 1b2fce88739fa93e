import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tagOf } from "../../src/core/http/reply.ts";
import { type Reply, startWorld, temporaryFolder, type World } from "../harness.ts";
import { orLong } from "../long.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { type Random, random, seed } from "../random.ts";

/** Random requests on SQLite and PostgreSQL: replies are equal except random values and times. */

const steps = orLong(80, 3000);

type Ask = { method: string; path: string; body?: unknown; query?: Record<string, string>; form?: [string, string] };

const names = ["a", "b", "é", "a-b", "a_", "😀", "zz", "Ab"];
const values: unknown[] = [
  0,
  1,
  -2.5,
  "1",
  "a",
  "é",
  "😀",
  true,
  null,
  ["a", 1, "é"],
  { n: 1 },
  "2020-01-02",
  "x".repeat(300),
];
const fields = ["n", "t", "tags", "o.n", "title", "visibility"];
const expressions = [
  "eq",
  "neq",
  "in",
  "nin",
  "lt",
  "gte",
  "between",
  "starts_with",
  "contains",
  "exists",
  "member_of",
  "regexp",
];

const create: Ask = { method: "POST", path: "/api/entries", body: { id: "a", data: { n: 1 } } };
/** They come first, with what they are answered: one of each status, which the drawn ones might lack. */
const firstAsks: [Ask, number][] = [
  [create, 200],
  [create, 409],
  [{ method: "GET", path: "/api/entries", query: { id: "nowhere" } }, 404],
  [{ method: "DELETE", path: "/api/entries", body: { id: "a" } }, 204],
];

/** `made` are paths where something was made: most paths are among them, or most requests would find nothing. */
function pickAsk(pick: Random, made: readonly string[]): Ask {
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const path = (below = 3) =>
    made.length > 0 && pick(3) > 0 ? one(made) : Array.from({ length: 1 + pick(below) }, () => one(names)).join("/");
  const entry = () => ({
    n: one(values),
    t: one(values),
    ...(pick(2) ? { tags: one(values), o: { n: one(values) } } : {}),
    ...(pick(2) ? { r: pick(2) ? path(2) : [path(2), `${path(1)}/a.txt`] } : {}),
  });
  const asks: (() => Ask)[] = [
    () => ({ method: "POST", path: "/api/entries", body: { id: path(), data: entry() } }),
    () => ({
      method: "POST",
      path: "/api/entries",
      body: { id: path(), data: { ...entry(), visibility: one(["draft", "hidden", "visible"]) } },
    }),
    () => ({ method: "PATCH", path: "/api/entries", body: { id: path(2), data: entry() } }),
    () => ({ method: "PUT", path: "/api/entries", body: { id: path(2), new_id: path() } }),
    () => ({ method: "PUT", path: "/api/entries", body: { id: path(2), new_id: path(), update_references: true } }),
    () => ({ method: "DELETE", path: "/api/entries", body: { id: path(3), restrict: true } }),
    () => ({ method: "GET", path: "/api/entries", query: { id: path(2), include: "r.r.r" } }),
    () => ({ method: "GET", path: "/api/entries", query: { ...collection(pick, ""), include: "r" } }),
    () => ({ method: "GET", path: "/api/entries/references", query: { id: path(1), descendants: "true" } }),
    () => ({ method: "PUT", path: "/api/entries/copy", body: { id: path(1), new_id: path(2) } }),
    () => ({ method: "DELETE", path: "/api/entries", body: { id: path(3) } }),
    () => ({ method: "GET", path: "/api/entries", query: { id: path(2) } }),
    () => ({ method: "GET", path: "/api/entries", query: collection(pick, path(1)) }),
    () => ({ method: "GET", path: "/api/entries", query: collection(pick, "") }),
    () => ({ method: "POST", path: "/api/folders", body: { path: path(2) } }),
    () => ({ method: "PUT", path: "/api/folders", body: { path: path(2), new_path: path(2) } }),
    () => ({ method: "PUT", path: "/api/folders/copy", body: { path: path(1), new_path: path(2) } }),
    () => ({ method: "DELETE", path: "/api/folders", body: { path: path(2) } }),
    () => ({ method: "GET", path: "/api/folders", query: { path: path(1) } }),
    () => ({
      method: "GET",
      path: "/api/folders",
      query: { path: path(1), "options[filter][depth]": "*", "options[collection]": "true" },
    }),
    () => ({ method: "POST", path: "/api/files", form: [path(2), one(["a.txt", "b.txt", "é.txt"])] }),
    () => ({ method: "PUT", path: "/api/files", body: { path: `${path(1)}/a.txt`, new_path: `${path(1)}/b.txt` } }),
    () => ({
      method: "PUT",
      path: "/api/files/copy",
      body: { path: `${path(1)}/a.txt`, new_path: `${path(1)}/a.txt` },
    }),
    () => ({ method: "DELETE", path: "/api/files", body: { path: `${path(2)}/b.txt` } }),
    () => ({
      method: "PATCH",
      path: "/api/files/meta",
      body: { path: `${path(1)}/a.txt`, field: "n", value: one(values) },
    }),
    () => ({ method: "GET", path: "/api/files", query: { path: path(1), "options[collection]": "true" } }),
    () => ({ method: "PUT", path: "/api/registry", body: { id: `k.${one(["a", "b", "a.b"])}`, value: one(values) } }),
    () => ({ method: "DELETE", path: "/api/registry", body: { id: `k.${one(["a", "b"])}` } }),
    () => ({ method: "GET", path: "/api/registry", query: { id: one(["k", "k.a", "k.b"]) } }),
    () => ({ method: "GET", path: "/api/events", query: { since: String(pick(200)), limit: "20" } }),
  ];
  return one(asks)();
}

function collection(pick: Random, id: string): Record<string, string> {
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const value = one(values);
  return {
    id,
    "options[collection]": "true",
    "filter[where][key]": one(fields),
    "filter[where][expr]": one(expressions),
    "filter[where][value]": typeof value === "string" ? value : JSON.stringify(value),
    "filter[depth]": one(["1", "*", ">=0", "2"]),
    "filter[order_by][field]": one(fields),
    "filter[order_by][direction]": one(["asc", "desc"]),
    "filter[limit]": String(1 + pick(10)),
  };
}

async function ask(world: World, { method, path, body, query, form }: Ask): Promise<Reply> {
  const { management, access } = world.token;
  const headers = { Authorization: `Bearer ${management}`, "X-Access-Token": access };
  if (!form) return world.send(method, path, { headers, body, query });
  const data = new FormData();
  data.append("folder", form[0]);
  data.append("file", new Blob([`text of ${form[1]}`]), form[1]);
  const response = await fetch(`${world.app.url}${path}`, { method, headers, body: data });
  return { status: response.status, headers: response.headers, text: await response.text(), json: {} };
}

/** Where a request made something. */
function placesOf({ method, path, body, form }: Ask): string[] {
  if (form) return [form[0]];
  const { id, new_id, path: folder, new_path } = (body ?? {}) as Record<string, string>;
  const place = new_path ?? new_id ?? folder ?? id;
  return place !== undefined && method !== "DELETE" && !/registry|meta/.test(path) ? [place] : [];
}

/** The reply without values that differ between services: uuids, token ids, times, the request id, the URL. */
function shown({ status, headers, text }: Reply, { app }: World): unknown {
  const kept = ["content-type", "cache-control", "x-total-count", "location"].map((name) => headers.get(name));
  // A tag is the revision, perhaps with digests; a collection's is only a digest, and may begin like a number. A
  // compressed reply has its coding at the end.
  const tag = headers.get("etag")?.replace(/^(?:W\/)?"|(?:-(?:br|gzip|zstd))?"$/g, "");
  const revision = tag?.length === tagOf("").length ? "of the text" : tag?.split("-")[0];
  const plain = text
    .replaceAll(app.url, "URL")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/"(\w*_at|uploaded_on|at|calls|uploaded|request_id|dirname|full_path)":("[^"]*"|\d+|null)/g, '"$1":0');
  return { status, revision, kept: kept.map((value) => value?.replaceAll(app.url, "URL")), text: plain };
}

describe("SQLite and PostgreSQL answer the same", { skip: lacksPostgres() ?? false }, () => {
  test(`${steps} random requests`, { timeout: 300_000 }, async (t) => {
    const pick = random(seed);
    const sqlite = await startWorld({ data: temporaryFolder() }, {});
    t.after(() => sqlite.app.close());
    const postgres = await startWorld({ data: temporaryFolder() }, { OCTAVO_POSTGRES_URL: await createDatabase() });
    t.after(() => postgres.app.close());
    const type = {
      id: "any",
      paths: ["**"],
      schema: { properties: { r: { format: "entry", items: { format: "file" } } } },
    };
    for (const world of [sqlite, postgres])
      assert.equal((await ask(world as World, { method: "PUT", path: "/api/types", body: type })).status, 200);
    const made: string[] = [];
    for (let step = 0; step < firstAsks.length + steps; step++) {
      const [request, status] = firstAsks[step] ?? [pickAsk(pick, made)];
      const [one, other] = await Promise.all([ask(sqlite as World, request), ask(postgres as World, request)]);
      const where = `seed ${seed}, step ${step}: ${JSON.stringify(request)}`;
      assert.deepEqual(shown(other, postgres as World), shown(one, sqlite as World), where);
      assert.ok(one.status < 500, where);
      if (status !== undefined) assert.equal(one.status, status, where);
      if (one.status === 200) made.push(...placesOf(request));
    }
    assert.deepEqual(await sqlite.app.stores.verify(), []);
    assert.deepEqual(await postgres.app.stores.verify(), []);
  });
});
