// Slow: a service for each case, and publication dates to come.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { startWorld, temporaryFolder, until } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { random } from "../random.ts";

/** Lists that are requested repeatedly come from a cache, and never show a store that was. Contract §4, decision 38. */

type Node = Awaited<ReturnType<typeof startWorld>>;
type Query = Record<string, string>;

const folder = temporaryFolder();
let folders = 0;

async function startNode(t: TestContext, env: Record<string, string>, flags: Query = {}): Promise<Node> {
  const node = await startWorld({ data: `${folder}/${folders++}`, ...flags }, env);
  t.after(() => node.app.close());
  return node;
}

const isCached = (timing: string | null): boolean => timing === 'list;desc="cached"';
const timingOf = ({ headers }: { headers: Headers }): string | null => headers.get("server-timing");

/** As delivery sees it, with a management token: others are not told how a list was read. */
const read = (node: Node, query: Query, path = "/api/delivery/entries", headers: Query = {}) =>
  node.send("GET", path, { query: { token: node.token.management, ...query }, headers });

/** The reply that comes from the cache. A cached list is good for one second, so one request may miss. */
async function readCached(node: Node, query: Query, path?: string, headers?: Query) {
  let reply = await read(node, query, path, headers);
  await until(async () => {
    reply = await read(node, query, path, headers);
    return isCached(timingOf(reply));
  }, "never from the cache");
  return reply;
}

const write = async (node: Node, method: string, id: string, data?: object, more: object = {}) => {
  const { management: token, access: access_token } = node.token;
  const reply = await node.send(method, "/api/entries", { body: { token, access_token, id, data, ...more } });
  assert.ok(reply.status < 300, reply.text);
};

const seeAll = (node: Node, ids: readonly string[]) =>
  Promise.all(ids.map((id, n) => write(node, "POST", id, { title: `Title ${n}`, text: "long enough ".repeat(50) })));

const engines: Record<string, () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ OCTAVO_POSTGRES_URL: await createDatabase() }),
};

for (const [engine, envOf] of Object.entries(engines)) {
  describe(engine, { skip: engine === "PostgreSQL" ? lacksPostgres() : undefined }, () => {
    test("a cached list equals the list that was read, with all its headers", async (t) => {
      const node = await startNode(t, await envOf());
      await seeAll(node, ["shop", "shop/a", "shop/b", "shop/c"]);
      const query = { id: "shop", "filter[limit]": "2", "filter[total]": "1", "filter[lmit]": "9" };
      const first = await read(node, query);
      const cached = await readCached(node, query);
      assert.equal(cached.text, first.text);
      for (const name of ["etag", "link", "x-total-count", "cache-control", "octavo-ignored", "content-type", "vary"]) {
        assert.equal(cached.headers.get(name), first.headers.get(name), name);
      }
      assert.notEqual(first.headers.get("link"), null);
      const tag = cached.headers.get("etag") as string;
      const known = await read(node, query, undefined, { "If-None-Match": tag });
      assert.equal(known.status, 304);
    });

    test("compressed forms of a cached list have tags of their own and decode to the same text", async (t) => {
      const node = await startNode(t, await envOf());
      await seeAll(node, ["shop", "shop/a", "shop/b"]);
      const query = { id: "shop", filter: "" };
      const plain = await readCached(node, query, undefined, { "Accept-Encoding": "identity" });
      for (const coding of ["gzip", "br"]) {
        for (let round = 0; round < 3; round++) {
          const coded = await read(node, query, undefined, { "Accept-Encoding": coding });
          assert.equal(coded.headers.get("content-encoding"), coding);
          assert.equal(coded.text, plain.text);
          assert.equal(coded.headers.get("etag"), plain.headers.get("etag")?.replace(/"$/, `-${coding}"`));
        }
      }
    });

    test("every write is seen by the list after it", async (t) => {
      const node = await startNode(t, await envOf());
      await seeAll(node, ["shop"]);
      const query = { id: "shop", "filter[limit]": "50", "filter[return]": "all" };
      const ids = ["a", "b", "c", "d", "e"].map((name) => `shop/${name}`);
      const present = new Set<string>();
      const draw = random(7);
      for (let n = 0; n < 60; n++) {
        const id = ids[draw(ids.length)] as string;
        const verb = draw(10) < 3 ? "DELETE" : present.has(id) ? "PATCH" : "POST";
        if (verb === "DELETE" && !present.has(id)) continue;
        await write(node, verb, id, verb === "DELETE" ? undefined : { n });
        if (verb === "DELETE") present.delete(id);
        else present.add(id);
        await read(node, query);
        const repeated = await read(node, query);
        const other = await read(node, { ...query, again: String(n) });
        assert.equal(repeated.text, other.text);
        assert.equal((repeated.json.data as unknown[]).length, present.size);
      }
    });

    test("each kind of access has its own, and so has each base address", async (t) => {
      const node = await startNode(t, await envOf(), { trust_proxy: "127.0.0.1" });
      await seeAll(node, ["shop", "shop/a"]);
      await write(node, "POST", "shop/draft", { visibility: "draft" });
      const query = { id: "shop", filter: "" };
      const header = (secret: string) => ({ Authorization: `Bearer ${secret}` });
      const ask = (secret: string) => node.send("GET", "/api/entries", { query, headers: header(secret) });
      for (let round = 0; round < 4; round++) {
        const counts = [];
        for (const secret of [node.token.delivery, node.token.management]) {
          counts.push(((await ask(secret)).json.data as unknown[]).length);
        }
        assert.deepEqual(counts, [1, 2]);
        assert.equal((await ask("wrong")).status, 401);
      }
      await node.send("POST", "/api/folders", { body: { ...secrets(node), path: "pictures" } });
      for (const host of ["one.example", "two.example", "one.example", "two.example", "one.example"]) {
        const { headers, text } = await read(
          node,
          { path: "", collection: "true", token: node.token.delivery },
          "/api/folders",
          {
            "X-Forwarded-Host": host,
          },
        );
        assert.equal(headers.get("cache-control"), "private, max-age=0, must-revalidate");
        assert.ok(text.includes(`"full_url":"http://${host}/`), text);
      }
    });

    test("an entry is listed from the second on at which it is published", async (t) => {
      const node = await startNode(t, await envOf());
      await seeAll(node, ["shop"]);
      const due = new Date((Math.floor(Date.now() / 1000) + 2) * 1000);
      await write(node, "POST", "shop/soon", { published_at: due.toISOString() });
      const query = { id: "shop", filter: "" };
      await until(async () => {
        const isBefore = Date.now() < due.getTime();
        const { json } = await read(node, query);
        const count = (json.data as unknown[]).length;
        if (count === 1) assert.ok(Date.now() >= due.getTime());
        else assert.ok(isBefore, "still hidden after its time");
        return count === 1;
      }, "never listed");
    });

    test("draws are drawn anew, and nothing is cached where the setting says so", async (t) => {
      const node = await startNode(t, await envOf());
      await seeAll(node, ["shop", ...Array.from({ length: 9 }, (_, n) => `shop/e${n}`)]);
      for (const form of ["random", "shuffle"]) {
        const query = { id: "shop", "filter[return]": form };
        const texts = new Set<string>();
        for (let n = 0; n < 20; n++) texts.add((await read(node, query)).text);
        assert.ok(texts.size > 3, form);
      }
      const bare = await startNode(t, await envOf(), { list_cache_bytes: "0" });
      await seeAll(bare, ["shop", "shop/a"]);
      for (let n = 0; n < 5; n++) {
        const reply = await read(bare, { id: "shop", filter: "" });
        assert.equal(reply.status, 200);
        assert.ok(!isCached(timingOf(reply)));
      }
    });
  });
}

const secrets = (node: Node) => ({ token: node.token.management, access_token: node.token.access });

test("a list shows what another node wrote within two seconds, a management list at once", {
  skip: lacksPostgres() ?? false,
}, async (t) => {
  const env = { OCTAVO_POSTGRES_URL: await createDatabase() };
  const here = await startNode(t, env);
  const there = await startNode(t, env);
  await seeAll(here, ["shop"]);
  const query = { id: "shop", filter: "" };
  for (let n = 0; n < 3; n++) {
    await until(async () => isCached(timingOf(await read(there, query))), "never from the cache");
    await write(here, "POST", `shop/e${n}`, {});
    const wroteMs = performance.now();
    const managed = await read(there, query, "/api/entries");
    assert.equal((managed.json.data as unknown[]).length, n + 1);
    const own = await read(here, query);
    assert.equal((own.json.data as unknown[]).length, n + 1);
    while (((await read(there, query)).json.data as unknown[]).length <= n) {
      assert.ok(performance.now() - wroteMs < 2000, "still the list of before");
    }
  }
});
