// Long: it fills the sample site once for each write that may be interrupted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { closing } from "../test/ending.ts";
import { temporaryFolder } from "../test/harness.ts";
import { hashSecret } from "./core/access/token.ts";
import { noRoom } from "./core/list/query.ts";
import { parsePathBelowRoot, rootPath } from "./core/path.ts";
import { type DemoTokens, demoLocales, fillDemo, sampleSite } from "./demo.ts";
import { readSettings } from "./settings.ts";
import { openStores, type Stores } from "./stores.ts";
import type { TranslationState } from "./translation/state.ts";

const now = Math.floor(Date.now() / 1000);
const open = () =>
  openStores(
    readSettings({ flags: { data: temporaryFolder(), locales: demoLocales.join() }, env: {}, file: undefined }),
  );
const asker = { client: "test", signal: new AbortController().signal, makeRoom: noRoom };
const slugOf = (id: string) => parsePathBelowRoot("id", id);
const unexpected = () => assert.fail("secrets were shown");

/** The stores with numbered writes: write `failAt` and all later ones fail. */
function cutOff(stores: Stores, failAt: number): Stores {
  let writes = 0;
  const guard = <T extends object>(port: T, names: string[]): T =>
    new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        if (!names.includes(String(name))) return method;
        return async (...args: unknown[]) => {
          if (++writes >= failAt) throw new Error("power loss");
          return method.apply(target, args);
        };
      },
    });
  return {
    ...stores,
    entries: guard(stores.entries, ["create", "update"]),
    translations: guard(stores.translations, ["put"]),
    staged: guard(stores.staged, ["stage"]),
    ledger: guard(stores.ledger, ["keep"]),
    blobs: guard(stores.blobs, ["put"]),
    files: guard(stores.files, ["put", "change"]),
    registry: guard(stores.registry, ["put", "delete"]),
    tokens: guard(stores.tokens, ["create", "revoke"]),
    types: guard(stores.types, ["put"]),
  };
}

test("an empty store is filled once, and its four tokens work", async (t) => {
  const stores = await open();
  t.after(() => stores.close());
  const shown: DemoTokens[] = [];
  assert.equal(await fillDemo(stores, now, (tokens) => shown.push(tokens)), true);
  assert.equal(shown.length, 1);
  assert.ok((await stores.entries.count()) >= 10);
  assert.deepEqual(Object.keys(shown[0] ?? {}).sort(), ["access", "delivery", "images", "management"]);
  for (const [kind, secret] of Object.entries(shown[0] ?? {})) {
    assert.equal((await stores.tokens.findByHash(hashSecret(secret)))?.kind, kind);
  }
  assert.ok(
    !(await stores.registry.list()).some(({ key }) => key.startsWith("demo.")),
    "the marker of the fill is removed",
  );
  assert.equal(await fillDemo(stores, now, unexpected), false);
});

test("its entries fit their types", async (t) => {
  const stores = await open();
  t.after(() => stores.close());
  await fillDemo(stores, now, () => undefined);
  const types = await stores.types.list(undefined, 10);
  assert.deepEqual(
    types.map(({ id }) => id),
    ["article", "author", "movie"],
  );
  for (const type of types) {
    const { checked, failing } = await stores.types.check(type, { paths: null });
    assert.ok(checked >= 3, type.id);
    assert.equal(failing, 0, type.id);
  }
});

test("it shows blocks, references, choices with labels, a draft and a schedule", async (t) => {
  const stores = await open();
  t.after(() => stores.close());
  await fillDemo(stores, now, () => undefined);
  const find = async (id: string) => stores.entries.find(parsePathBelowRoot("id", id));
  const blocks = JSON.parse((await find("articles/silent-cities"))?.data ?? "{}").blocks;
  assert.deepEqual(
    blocks.map(({ kind }: { kind: string }) => kind),
    ["picture", "quote", "film"],
  );
  assert.equal((await find("articles/unfinished"))?.visibility, "draft");
  const scheduled = await find("articles/next-week");
  assert.deepEqual([scheduled?.visibility, scheduled?.publishedAt], ["visible", now + 7 * 86_400]);
  const article = await stores.types.find("article");
  assert.match(article?.schema ?? "", /"oneOf":\[\{"const":"essay","title":"Essay"\}/);
});

/** By entry the state of its translation. */
async function germanOf({ progress }: Stores): Promise<Record<string, string>> {
  const query = { path: rootPath, depth: undefined, paths: null, locales: ["de"], state: undefined, after: undefined };
  const { rows } = await progress.list({ ...query, limit: 100 }, asker);
  const stateOf = ({ exists, outdated, staged }: TranslationState) =>
    staged.length > 0 ? "staged" : outdated.length > 0 ? "outdated" : exists ? "done" : "missing";
  return Object.fromEntries(rows.map((row) => [row.id, stateOf(row)]));
}

const german = Object.fromEntries(
  sampleSite()
    .entries.map((id) => [id, "done"])
    .toSorted(),
);
Object.assign(german, { "movies/arrival": "outdated", "movies/stalker": "staged" });
for (const id of ["articles/unfinished", "authors/stanislaw-lem", "authors/ted-chiang"]) german[id] = "missing";

test("it is in German, too, where the store has both locales: one outdated, one staged, some missing", async (t) => {
  const stores = await open();
  t.after(() => stores.close());
  await fillDemo(stores, now, () => undefined, demoLocales);
  assert.deepEqual(await germanOf(stores), german);
  const access = {
    ...({ reads: "public", paths: null, writes: "none", nowSeconds: now } as const),
    locale: { own: "de", chain: ["de"], isStrict: false },
  };
  assert.equal(await stores.translations.resolve("artikel/stille-staedte", access), "articles/silent-cities");
  const arrival = await stores.entries.find(slugOf("movies/arrival"));
  assert.match(arrival?.data ?? "", /learns to read/);
  const file = await stores.files.find(parsePathBelowRoot("path", "movies/solaris.jpg"));
  assert.ok(file);
  const [inGerman] = await stores.fileTranslations.laidOver([file], ["de"]);
  assert.deepEqual([inGerman?.title, JSON.parse(inGerman?.meta ?? "").alt?.length > 10], ["Über dem Ozean", true]);
});

test("a store without the two locales has the entries alone", async (t) => {
  for (const locales of [[], ["de", "en"], ["en", "fr"]]) {
    const stores = await open();
    t.after(() => stores.close());
    await fillDemo(stores, now, () => undefined, locales);
    assert.ok(!Object.values(await germanOf(stores)).some((state) => state !== "missing"), locales.join());
    const file = await stores.files.find(parsePathBelowRoot("path", "movies/solaris.jpg"));
    assert.equal(file?.title, "Over the ocean");
  }
});

test("a fill interrupted at any write is completed by the next start, with printed tokens", async () => {
  let isWhole = false;
  for (let failAt = 1; !isWhole; failAt++) {
    assert.ok(failAt < 100, "the fill never ends");
    isWhole = await closing(open(), async (stores) => {
      const first = await fillDemo(cutOff(stores, failAt), now, () => undefined, demoLocales).catch(() => undefined);
      const shown: DemoTokens[] = [];
      const again = await fillDemo(stores, now, (tokens) => shown.push(tokens), demoLocales);
      assert.equal(again, first !== true, `after a cut at write ${failAt}`);
      assert.equal((await stores.tokens.list()).length, 4, `after a cut at write ${failAt}`);
      assert.ok((await stores.entries.count()) >= 10);
      assert.equal(await stores.files.count(), 2, `after a cut at write ${failAt}`);
      assert.equal((await stores.types.list(undefined, 10)).length, 3, `after a cut at write ${failAt}`);
      assert.deepEqual(await germanOf(stores), german, `after a cut at write ${failAt}`);
      assert.deepEqual(await stores.verify(), []);
      for (const { delivery } of shown) assert.ok(await stores.tokens.findByHash(hashSecret(delivery)));
      return first === true;
    });
  }
});

test("a store with an entry or a token is not changed", async (t) => {
  for (const part of ["entries", "tokens"] as const) {
    const stores = await open();
    t.after(() => stores.close());
    const other = await open();
    t.after(() => other.close());
    await fillDemo(other, now, () => undefined);
    if (part === "tokens") {
      const [token] = await other.tokens.list();
      assert.ok(token);
      await stores.tokens.create(token, { hash: "0".repeat(64) }, { actor: "test" });
    } else {
      const context = { actor: "test", nowSeconds: now };
      await stores.entries.create(
        parsePathBelowRoot("id", "a"),
        { data: "{}", isMergePatch: false, fields: {} },
        context,
      );
    }
    const before = [await stores.entries.count(), (await stores.tokens.list()).length];
    assert.equal(await fillDemo(stores, now, unexpected), false);
    assert.deepEqual([await stores.entries.count(), (await stores.tokens.list()).length], before);
  }
});
