/** Searches as clients send them. Contract §25. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchMatch } from "../../client/src/api.ts";
import { useWorld } from "../../test/harness.ts";
import { isOptional } from "../core/lib/json-schema.ts";

const world = useWorld({ "search-language": "en" });
const send: typeof world.send = (...args) => world.send(...args);

type Answer = {
  data: Record<string, unknown>[];
  matches: SearchMatch[];
  facets: Record<string, Record<string, number>>;
  total: number;
  dropped: string[];
  partial?: boolean;
};
const write = async (method: string, path: string, body: object) => {
  const { management, access } = world.token;
  const reply = await send(method, path, { body: { token: management, access_token: access, ...body } });
  assert.ok(reply.status < 300, reply.text);
};
const create = (id: string, data: object) => write("POST", "/api/entries", { id, data });
const search = async (q: string, more: Record<string, string> = {}, token = world.token.delivery): Promise<Answer> => {
  const reply = await send("GET", "/api/delivery/entries/search", { query: { token, q, ...more } });
  assert.equal(reply.status, 200, reply.text);
  return reply.json as never;
};
const idsOf = ({ matches }: Answer) => matches.map(({ id }) => id);

test("words are found in any field, in other forms, with typos and as beginnings, the best first", async () => {
  await create("s", { title: "Films", published_at: 1 });
  await create("s/solaris", {
    title: "Solaris",
    content: "A film by **Andrei** Tarkovsky.",
    year: 1972,
    genre: "drama",
    published_at: 2,
  });
  await create("s/lem", {
    title: "Stanisław Lem",
    content: "He wrote Solaris. He was running.",
    genre: "person",
    published_at: 3,
  });
  await create("s/hidden", { title: "Solaris secret", visibility: "draft" });
  const both = await search("solaris", { facets: "genre" });
  assert.deepEqual(idsOf(both), ["s/solaris", "s/lem"]);
  assert.deepEqual(both.facets, { genre: { drama: 1, person: 1 } });
  assert.equal(both.total, 2);
  assert.deepEqual(both.matches[0]?.highlights, { title: [[0, 7]] });
  assert.deepEqual(idsOf(await search("lem")), ["s/lem"]);
  assert.deepEqual(idsOf(await search("stanislaw")), ["s/lem"]);
  assert.deepEqual(idsOf(await search("tarkovksy")), ["s/solaris"]);
  assert.deepEqual(idsOf(await search("runs")), ["s/lem"]);
  assert.deepEqual(idsOf(await search("andr")), ["s/solaris"]);
  assert.deepEqual(idsOf(await search('"andrei tarkovsky"')), ["s/solaris"]);
  assert.deepEqual(idsOf(await search("solaris -wrote")), ["s/solaris"]);
  const dropped = await search("solaris zzzzz");
  assert.deepEqual([idsOf(dropped), dropped.dropped], [["s/solaris", "s/lem"], ["zzzzz"]]);
  assert.deepEqual(idsOf(await search("", { id: "s" })), ["s/lem", "s/solaris"]);
});

test("only the words must be sent", () => {
  const routes = world.app.api.filter(({ url }) => url.endsWith("/search"));
  assert.equal(routes.length, 4);
  for (const { url, arguments: schemas } of routes) {
    const required = Object.entries(schemas).filter(([, schema]) => !isOptional(schema));
    assert.deepEqual(
      required.map(([name]) => name),
      ["q"],
      url,
    );
  }
});

test("a limit and an offset that are refused are told their range", async () => {
  for (const [name, value, range] of [
    ["limit", "0", "from 1 to 100"],
    ["offset", "-1", "from 0 to 1000"],
  ] as const) {
    const query = { token: world.token.management, q: "", [name]: value };
    const { status, json } = await send("GET", "/api/entries/search", { query });
    assert.deepEqual([status, json.code], [400, "argument_invalid"]);
    assert.match(String(json.detail), new RegExp(`${range}\\b`));
  }
});

test("without locales a search passes over the arguments of languages and says so", async () => {
  const { management } = world.token;
  for (const path of ["/api/delivery/entries/search", "/api/entries/search", "/api/entries/staged/search"]) {
    const query = { token: management, q: "", locale: "de", locale_fallback: "off" };
    const reply = await send("GET", path, { query });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get("octavo-ignored"), "locale, locale_fallback");
  }
  const reply = await send("GET", "/api/files/search", { query: { token: management, q: "", locale: "de" } });
  assert.equal(reply.headers.get("octavo-ignored"), "locale");
});
