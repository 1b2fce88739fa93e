import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { beginOctavo, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, until, useWorld } from "../../test/harness.ts";
import {
  type Product,
  productKey,
  serveAlgolia,
  serveMeilisearch,
  serveTypesense,
} from "../../test/search-products.ts";

/** octavo mirror, beside doubles of the products: test/search-products.ts. */

const world = useWorld();
const cwd = temporaryFolder();

const products: [to: string, serve: () => Promise<Product>, more: string[]][] = [
  ["meilisearch", serveMeilisearch, []],
  ["typesense", serveTypesense, []],
  ["algolia", serveAlgolia, ["--application", "ABC123"]],
];

const words = (to: string, product: Product, ...more: string[]) => [
  ...["mirror", "--from", world.app.url, "--to", to, "--url", product.url, "--index", `site-${to}`],
  ...more,
];
const env = () => ({ OCTAVO_TOKEN: world.token.delivery, OCTAVO_MIRROR_KEY: productKey });
const run = (list: string[], more: Record<string, string> = {}) => runOctavo(list, { cwd, env: { ...env(), ...more } });

async function write(method: string, path: string, body: object): Promise<void> {
  const { management, access } = world.token;
  const reply = await world.send(method, path, { body: { token: management, access_token: access, ...body } });
  assert.ok(reply.status < 300, reply.text);
}

/** What the index must hold: the entries that delivery lists, as documents. */
async function expected(): Promise<object[]> {
  const { json } = await world.send("GET", "/api/delivery/changes", { query: { token: world.token.delivery } });
  return (json.data as { entry: Record<string, unknown> }[])
    .map(({ entry: { uuid, slug, title, tags, author } }) => ({ uuid, slug, title, tags, author }))
    .toSorted(bySlug);
}
const held = (product: Product, index: string) =>
  [...product.documents(index).values()]
    .map(({ uuid, slug, title, tags, author }) => ({ uuid, slug, title, tags, author }))
    .toSorted(bySlug);
const bySlug = (a: { slug?: unknown }, b: { slug?: unknown }) => (String(a.slug) < String(b.slug) ? -1 : 1);

for (const [to, serve, more] of products) {
  test(`${to}: all that is public, then what changes, from where it was`, async () => {
    const [product, top] = [await serve(), `first-${to}`];
    const once = (...flags: string[]) => run(words(to, product, ...more, "--once", ...flags));
    const index = `site-${to}`;
    await write("POST", "/api/entries", { id: top, data: { title: "Top", visibility: "visible" } });
    for (const name of ["a", "b", "c"])
      await write("POST", "/api/entries", {
        id: `${top}/${name}`,
        data: { title: `Title ${name}`, tags: [name, "x"], author: { name: "Lem" } },
      });
    await write("POST", "/api/entries", { id: `${top}/draft`, data: { title: "No", visibility: "draft" } });
    await write("POST", "/api/entries", { id: `${top}/hidden`, data: { title: "No", visibility: "hidden" } });
    const first = await once();
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /entries compared: \d+ missing, 0 different, 0 too many; repaired/);
    assert.deepEqual(held(product, index), await expected());
    const [one] = product.documents(index).values();
    const keys = Object.keys(one as object).filter((key) => !["id", "objectID", "octavo_hash"].includes(key));
    assert.ok(
      keys.every((key) => ["title", "content", "tags", "author", "uuid", "slug"].includes(key)),
      `${keys}`,
    );

    await write("PATCH", "/api/entries", { id: `${top}/a`, data: { title: "Changed" } });
    await write("PUT", "/api/entries", { id: `${top}/b`, new_id: `${top}/moved` });
    await write("DELETE", "/api/entries", { id: `${top}/c` });
    await write("POST", "/api/entries", { id: `${top}/new`, data: { title: "New" } });
    const second = await once("--json");
    assert.equal(second.code, 0, second.err);
    assert.deepEqual(JSON.parse(second.out), { put: 3, removed: 1, refused: [] });
    assert.deepEqual(held(product, index), await expected());
    assert.equal((await once()).out, "", "nothing is left");
  });

  test(`${to}: --verify finds what is missing, different and too much, repairs once and ends`, async () => {
    const product = await serve();
    const verify = () => run(words(to, product, ...more, "--verify", "--json"));
    assert.equal((await run(words(to, product, ...more, "--once"))).code, 0);
    const documents = product.documents(`site-${to}`);
    const [first, second] = [...documents.keys()];
    documents.delete(first as string);
    documents.set(second as string, { ...documents.get(second as string), title: "Other", octavo_hash: "0" });
    const stranger = { id: "f00", uuid: "f00", objectID: "f00", title: "Stranger" };
    documents.set("f00", stranger);
    const { code, out, err } = await verify();
    assert.equal(code, 0, err);
    const { entries, ...found } = JSON.parse(out) as { entries: number };
    assert.deepEqual(found, { missing: 1, different: 1, extra: 1, refused: [] });
    assert.equal(entries, documents.size);
    assert.deepEqual(held(product, `site-${to}`), await expected());
    assert.deepEqual(JSON.parse((await verify()).out), { entries, missing: 0, different: 0, extra: 0, refused: [] });
  });

  test(`${to}: a document that is refused keeps out no other, and is named`, async () => {
    const product = await serve();
    await write("POST", "/api/entries", { id: `refused-${to}`, data: { title: "Too much", refused: true } });
    const { code, err } = await run(words(to, product, ...more, "--once"));
    assert.equal(code, 1);
    assert.match(err, /was refused: .*\n.*the index lacks 1 document/);
    const { length } = await expected();
    assert.equal(product.documents(`site-${to}`).size, length - 1);
    assert.equal((await run(words(to, product, ...more, "--verify"))).code, 1, "it is not forgotten");
    await write("DELETE", "/api/entries", { id: `refused-${to}` });
    assert.equal((await run(words(to, product, ...more, "--once"))).code, 0);
  });

  test(`${to}: what has no room is asked again; a wrong key is told and never shown`, async () => {
    const product = await serve();
    product.failures.push(429, 503, 500);
    assert.equal((await run(words(to, product, ...more, "--once"))).code, 0);
    assert.deepEqual(held(product, `site-${to}`), await expected());
    const wrong = "wr0ng-and-secret";
    for (const flags of [["--once"], ["--verify"], []]) {
      const { code, out, err } = await run(words(to, product, ...more, ...flags), { OCTAVO_MIRROR_KEY: wrong });
      assert.equal(code, 1);
      assert.match(err, /answers 40[13]: the key \(OCTAVO_MIRROR_KEY\) is wrong, or may not do this/);
      assert.ok(!`${out}${err}`.includes(wrong));
    }
  });
}

test("the commands of the guide run", async () => {
  const page = readFileSync(new URL("../../docs/mirror.md", import.meta.url), "utf8");
  const lines = [...page.matchAll(/^npx octavo (mirror .+ --to (\w+) .+)$/gm)];
  assert.equal(lines.length, products.length);
  for (const [, line = "", to] of lines) {
    const [, serve, more] = products.find(([name]) => name === to) as (typeof products)[number];
    const product = await serve();
    const isOurs = (word: string) => word === "https://cms.example.org";
    const list = line
      .split(" ")
      .map((word) => (isOurs(word) ? world.app.url : word.startsWith("https:") ? product.url : word));
    const { code, err } = await run([...list, ...more, "--once"]);
    assert.equal(code, 0, err);
    assert.deepEqual(held(product, "site"), await expected());
  }
});

test("it goes on with each change until it is ended, and the next run from there", async () => {
  const product = await serveMeilisearch();
  const list = words("meilisearch", product);
  const running = beginOctavo(list, { cwd, env: env() });
  const index = "site-meilisearch";
  await until(
    async () => product.documents(index).size > 0 && product.documents(`${index}_octavo`).size > 0,
    () => running.output.err,
  );
  await write("POST", "/api/entries", { id: "live", data: { title: "Live" } });
  const has = () => [...product.documents(index).values()].some(({ slug }) => slug === "live");
  await until(has, () => running.output.err);
  running.kill();
  await running.ended;
  await write("PATCH", "/api/entries", { id: "live", data: { title: "Later" } });
  const { out, err } = await run([...list, "--once", "--json"]);
  const { put } = JSON.parse(out) as { put: number };
  // What was put when it was killed may come again.
  assert.ok(put >= 1 && put <= 2, err);
  assert.deepEqual(held(product, index), await expected());
});

test("a cursor that the service does not know begins a comparison", async () => {
  const product = await serveMeilisearch();
  const list = words("meilisearch", product, "--once");
  assert.equal((await run(list)).code, 0);
  product.documents("site-meilisearch_octavo").set("cursor", { id: "cursor", cursor: "made-up" });
  const [first] = product.documents("site-meilisearch").keys();
  product.documents("site-meilisearch").delete(first as string);
  const { code, out, err } = await run(list);
  assert.equal(code, 0, err);
  assert.match(out, /1 missing, 0 different, 0 too many; repaired/);
});

test("what is missing or wrong on the command line is named, without secrets", async () => {
  const product = await serveMeilisearch();
  const all = words("meilisearch", product, "--once");
  const without = (flag: string) => all.filter((_, i) => all[i] !== flag && all[i - 1] !== flag);
  const cases: [list: string[], env: Record<string, string>, says: RegExp][] = [
    [without("--to"), {}, /--to is missing; expected one of meilisearch, typesense, algolia/],
    [[...without("--to"), "--to", "solr"], {}, /--to was "solr"/],
    [without("--from"), {}, /--from is missing/],
    [without("--url"), {}, /--url is missing; expected the address of Meilisearch/],
    [[...without("--index"), "--index", "a/b"], {}, /--index was "a\/b"/],
    [all, { OCTAVO_MIRROR_KEY: "" }, /OCTAVO_MIRROR_KEY is missing; expected a key of Meilisearch/],
    [all, { OCTAVO_TOKEN: "" }, /OCTAVO_TOKEN is missing/],
    [[...without("--to"), "--to", "algolia"], {}, /--application is missing/],
    [[...without("--from"), "--from", "http://u:p4ss@host"], {}, /--from has a name or a password/],
  ];
  for (const [list, more, says] of cases) {
    const { code, out, err } = await run(list, more);
    assert.equal(code, 2, err);
    assert.match(err, says);
    assert.ok(![productKey, world.token.delivery, "p4ss"].some((secret) => `${out}${err}`.includes(secret)));
  }
  const { code, err } = await run(all, { OCTAVO_TOKEN: "wrong-and-secret" });
  assert.equal(code, 1);
  assert.match(err, /OCTAVO_TOKEN is unknown, disabled or expired/);
  assert.ok(!err.includes("wrong-and-secret"));
});
