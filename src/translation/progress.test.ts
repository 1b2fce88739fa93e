import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../../test/harness.ts";
import { memo } from "../core/lib/memo.ts";

/** How far entries are translated: lists, counts and a filter. Contract §24. */

const world = useWorld({ locales: "en,de,fr" });

type Row = { id: string; title: string; locale: string; exists: boolean; staged: string[] };
type Counts = Record<string, { entries: number }>;
const url = "/api/entries/translations";

const write = async (method: string, path: string, body: object) => {
  const { management, access } = world.token;
  const reply = await world.send(method, path, { body: { token: management, access_token: access, ...body } });
  assert.ok(reply.status < 300, reply.text);
  return reply.json?.data as { token: string };
};
const create = (id: string, data: object = {}) => write("POST", "/api/entries", { id, data });
const translate = (id: string, locale: string, data: object) => write("PATCH", url, { id, locale, data });
const read = (path: string, query: Record<string, string>, token = world.token.management) =>
  world.send("GET", path, { query: { token, ...query } });
const rows = async (query: Record<string, string>) => {
  const reply = await read(`${url}/list`, query);
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data as Row[];
};
const places = async (query: Record<string, string>) => (await rows(query)).map(({ id, locale }) => `${id} ${locale}`);

/** The entries of these tests. */
const made = memo(async () => {
  await create("p", { title: "Top" });
  await create("p/a", { title: "A" });
  await create("p/a/deep", { title: "Deep" });
  await create("p/b", { title: "B" });
  await create("p/c", { title: "C" });
  await translate("p", "de", { title: "Oben" });
  await translate("p/a", "de", { title: "Ah" });
  await translate("p/b", "de", { title: "Be" });
  await translate("p/b", "fr", { title: "Bé" });
  await write("PATCH", "/api/entries", { id: "p/b", data: { title: "B, changed" } });
  await translate("p/b", "fr", { title: "Bé changé" });
  await write("PATCH", "/api/entries/staged", { id: "p/c", locale: "fr", data: { title: "Cé" } });
});

test("rows are of entry and locale, in path order, and a state selects them", async () => {
  await made();
  assert.deepEqual(await places({ id: "p" }), [
    ...["p de", "p fr", "p/a de", "p/a fr", "p/a/deep de", "p/a/deep fr"],
    ...["p/b de", "p/b fr", "p/c de", "p/c fr"],
  ]);
  assert.deepEqual(await places({ id: "p", locale: "de", state: "missing" }), ["p/a/deep de", "p/c de"]);
  assert.deepEqual(await places({ id: "p", state: "outdated" }), ["p/b de"]);
  assert.deepEqual(await places({ id: "p", state: "done" }), ["p de", "p/a de", "p/b fr"]);
  assert.deepEqual(await places({ id: "p", state: "staged" }), ["p/c fr"]);
  assert.deepEqual(await places({ id: "p", locale: "de", depth: "1" }), ["p/a de", "p/b de", "p/c de"]);
  assert.deepEqual(await places({ id: "p", locale: "de", depth: "2" }), ["p/a de", "p/a/deep de", "p/b de", "p/c de"]);
  assert.deepEqual(await places({ id: "", locale: "fr", depth: "1" }), ["p fr"]);
  assert.deepEqual((await read(`${url}/list`, { id: "p", limit: "1" })).json.locales, ["en", "de", "fr"]);
  const [row] = await rows({ id: "p/c", locale: "fr" });
  assert.deepEqual([row?.title, row?.exists, row?.staged], ["C", false, ["title"]]);
});

test("pages follow each other also between the locales of an entry", async () => {
  await made();
  const all = await places({ id: "p" });
  for (const limit of ["1", "3", "100"]) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const reply = await read(`${url}/list`, { id: "p", limit, ...(cursor && { cursor }) });
      found.push(...(reply.json.data as Row[]).map(({ id, locale }) => `${id} ${locale}`));
      cursor = /cursor=([^&>]+)/.exec(reply.headers.get("link") ?? "")?.[1];
    } while (cursor);
    assert.deepEqual(found, all, limit);
  }
});

test("a summary counts each locale", async () => {
  await made();
  const reply = await read(`${url}/summary`, { id: "p" });
  assert.deepEqual(reply.json.data, {
    de: { entries: 5, done: 2, outdated: 1, missing: 2 },
    fr: { entries: 5, done: 1, outdated: 0, missing: 4 },
  });
  const below = await read(`${url}/summary`, { id: "p", depth: "1" });
  assert.deepEqual((below.json.data as Counts).de, { entries: 3, done: 1, outdated: 1, missing: 1 });
});

test("a token of a part sees that part alone, and what is not there is not found", async () => {
  await made();
  const token = await write("POST", "/api/tokens", {
    kind: "management",
    resources: ["entries"],
    label: "part",
    paths: ["p/a"],
  });
  const part = (path: string, id: string) => read(`${url}/${path}`, { id }, token.token);
  const listed = (await part("list", "p")).json.data as Row[];
  assert.deepEqual([...new Set(listed.map(({ id }) => id))], ["p/a", "p/a/deep"]);
  assert.equal(((await part("summary", "")).json.data as Counts).de?.entries, 2);
  for (const path of ["list", "summary"]) {
    assert.equal((await part(path, "p/b")).json.code, "entry_not_found");
    assert.equal((await read(`${url}/${path}`, { id: "nowhere" })).json.code, "entry_not_found");
    assert.equal((await read(`${url}/${path}`, { id: "p" }, world.token.delivery)).status, 403);
  }
  assert.equal((await read(`${url}/list`, { id: "p", locale: "en" })).json.code, "argument_invalid");
});

test("a list of management has what is in a state, with its conditions, orders and counts", async () => {
  await made();
  const list = (more: Record<string, string>, token?: string) =>
    read("/api/management/entries", { id: "p", ...more }, token);
  const titles = async (more: Record<string, string>) => {
    const reply = await list(more);
    assert.equal(reply.status, 200, reply.text);
    return (reply.json.data as Row[]).map(({ title }) => title);
  };
  const state = (name: string) => ({ "filter[translation]": name, "filter[depth]": ">=0" });
  assert.deepEqual(await titles({ ...state("missing"), locale: "de" }), ["Deep", "C"]);
  assert.deepEqual(await titles({ "filter[translation]": "missing", locale: "de" }), ["C"]);
  assert.deepEqual(await titles({ ...state("outdated"), locale: "de" }), ["Be"]);
  assert.deepEqual(await titles({ ...state("done"), locale: "de" }), ["Oben", "Ah"]);
  assert.deepEqual(await titles({ ...state("done"), locale: "fr" }), ["Bé changé"]);
  const missing = { ...state("missing"), locale: "fr", "filter[total]": "1" };
  const last = await list({ ...missing, "filter[order_by][field]": "title", "filter[limit]": "2" });
  assert.deepEqual(
    (last.json.data as Row[]).map(({ title }) => title),
    ["A", "C"],
  );
  assert.equal(last.headers.get("x-total-count"), "4");
  const count = await list({ ...state("missing"), locale: "fr", "filter[return]": "count" });
  assert.equal(count.json.data, 4);
  const options = await list({ "options[filter][translation]": "missing", "options[collection]": "1", locale: "de" });
  assert.deepEqual(
    (options.json.data as Row[]).map(({ title }) => title),
    ["C"],
  );
  for (const query of [{ locale: "de", ...state("new") }, state("missing"), { ...state("missing"), locale: "en" }])
    assert.equal((await list(query)).json.code, "filter_invalid", JSON.stringify(query));
  const delivered = await read("/api/entries", { id: "p", locale: "de", ...state("missing") }, world.token.delivery);
  assert.deepEqual([delivered.status, delivered.json.code], [400, "filter_invalid"]);
  const strict = await list({ ...state("done"), locale: "de", strict: "1" });
  assert.equal(strict.status, 200, strict.text);
});

test("where the copy of a translation is laid over, its keys count", async () => {
  await made();
  const query = { id: "p", locale: "fr", "filter[translation]": "done" };
  const reply = await read("/api/entries/staged", query);
  assert.deepEqual(
    (reply.json.data as Row[]).map(({ title }) => title),
    ["Bé changé", "Cé"],
  );
});
