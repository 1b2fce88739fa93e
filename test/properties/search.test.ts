import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Access, accessOf, asStaged } from "../../src/core/access/access.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { chainItems } from "../../src/core/sql/index/layer.ts";
import type { SqlStore } from "../../src/database.ts";
import type { Visibility } from "../../src/entry/field.ts";
import { loadStemmers } from "../../src/search/stem.ts";
import { languagesOf, wayOf } from "../../src/search/way.ts";
import { chainsOf, type Locales, localesOf } from "../../src/translation/locale.ts";
import { sightOf } from "../../src/translation/read-wire.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { orLong } from "../long.ts";
import { type Engine, engines } from "../ports/engines.ts";
import { type Random, random, seed } from "../random.ts";
import { codeOf } from "./code-of.ts";
import { type Ask, type Lists, Searched, storeSearch, type Told, type TypeDefinition } from "./search-model.ts";
import { Model, others } from "./translation-model.ts";
import { draw, releases, write } from "./translation-writes.ts";

/**
 * A search answers what looking at each entry of the reader's list answers, whatever was written before, right after it and
 * when it is indexed, and the same on both engines.
 */

const rounds = orLong(25, 400);
const asksARound = 8;

const settings = { locales: ["en", ...others], localeFallbacks: ["fr>de"] };
const locales = localesOf(settings) as Locales;
const way = wayOf(locales, "");
const by = (nowSeconds: number) => ({ actor: "test", nowSeconds });

const lists: Lists = {
  en: {
    stop_words: ["the"],
    synonyms: [
      ["moon", "luna"],
      ["sea", "blue water"],
    ],
  },
  de: { stop_words: ["und"], synonyms: [["Haus", "Gebäude"]] },
};
const texts = [
  ...["Solaris", "The running moon", "He runs to the sea", "films about the sea", "a film of moonlight"],
  ...["Häuser und Haus", "Der Läufer läuft zum Haus", "chevaux sur la mer", "un cheval et la lune", "luna"],
  ...["the blue water", "Tarkovsky's **Solaris**", "東京の海", "the", "moon sea moon", "sea 1972"],
];
const words = [
  ...["solaris", "moon", "running", "run", "sea", "film", "films", "moonlight", "haus", "häuser", "läuft", "laufen"],
  ...[
    "cheval",
    "chevaux",
    "lune",
    "luna",
    "the",
    "und",
    "1972",
    "tarkovsky",
    "海",
    "gebäude",
    "water",
    "unknown",
    "zz",
  ],
];

const localized = { type: "string", "x-octavo-localized": true };
/** Of the types by path, which the crowd alone has; `doc` is that of the other model, which knows what it marks. */
function drawType(pick: Random, id = one(pick, ["doc", "post", "news"])): TypeDefinition {
  const weighed = (property: object) => {
    const weight = [undefined, undefined, 0, 3, 7][pick(5)];
    return weight === undefined ? property : { ...property, "x-octavo-search": weight };
  };
  const isDoc = id === "doc";
  const properties = {
    title: weighed({ ...localized, ...(isDoc && { "x-octavo-localized": "required" }) }),
    ...{ text: weighed(localized), tags: weighed({}), meta: weighed({}) },
    n: isDoc ? {} : { "x-octavo-localized": true },
  };
  const paths = [[], ["c/**"], ["c/*"], ["c/a/**", "c/b"], ["c/b/**"]][isDoc ? 0 : pick(5)] as string[];
  return { id, paths, schema: JSON.stringify({ type: "object", properties }) };
}

const one = <T>(pick: Random, of: readonly T[]): T => of[pick(of.length)] as T;

function drawQuery(pick: Random): string {
  const word = (): string => {
    const own = one(pick, words);
    const at = 1 + pick(own.length);
    return one(pick, [
      ...[own, own, own, own.toUpperCase(), own.slice(0, at)],
      own.slice(0, at) + own.slice(at + 1),
      `${own.slice(0, at)}x${own.slice(at + 1)}`,
      own.slice(0, at) + (own[at + 1] ?? "") + (own[at] ?? "") + own.slice(at + 2),
    ]);
  };
  const phrase = (): string => {
    const all = one(pick, texts).split(" ");
    const from = pick(all.length);
    return `"${all.slice(from, from + 1 + pick(3)).join(" ")}"`;
  };
  const part = () => one(pick, [word, word, word, word, phrase, () => `-${word()}`, () => `-${phrase()}`])();
  return Array.from({ length: one(pick, [0, 1, 1, 2, 2, 3, 4]) }, part).join(" ");
}

function drawAsk(pick: Random): Ask {
  const conditions = [
    { where: { key: "n", expr: one(pick, ["eq", "gt"]), value: String(pick(4)) } },
    { where: { key: "title", expr: "contains", value: "o" } },
    { or_where: [{ key: "visibility", expr: "eq", value: "visible" }] },
  ];
  return {
    q: drawQuery(pick),
    prefix: pick(4) > 0,
    facets: pick(3) === 0 ? ["title", "n", "tags"] : [],
    top: one(pick, ["", "", "", "p", "c", "c/a", "q"]) as Path,
    args: {
      ...(pick(4) === 0 && { depth: one(pick, ["1", "2", ">1", "<=2"]) }),
      ...(pick(4) === 0 && one(pick, conditions)),
    },
    ...(pick(3) === 0 ? { limit: 3, offset: pick(4) } : { limit: 100, offset: 0 }),
  };
}

const paths = ["p/a", "c/a", "c/b/e2", "q"] as Path[];
const readers: ((now: number) => Access)[] = [
  (now) => accessOf({ kind: "delivery" }, now),
  (now) => accessOf({ kind: "delivery", paths }, now),
  (now) => accessOf({ kind: "management" }, now),
  (now) => accessOf({ kind: "management", paths }, now),
  (now) => asStaged(accessOf({ kind: "management" }, now)),
  (now) => asStaged(accessOf({ kind: "management", paths }, now)),
  (now) => accessOf({ kind: "preview" }, now),
  (now) => accessOf({ kind: "preview", paths }, now),
  (now) => accessOf({ kind: "preview", paths: ["p"] as Path[], makerPaths: ["p", "c/b"] as Path[] }, now),
  (now) => accessOf({ kind: "preview", release: "one" }, now),
];

function drawAccess(pick: Random, now: number): Access {
  const access = one(pick, readers)(now);
  const own = one(pick, ["", ...others]);
  return pick(4) === 0 ? access : { ...access, locale: sightOf(locales, own, pick(4) === 0) };
}

// ---------------------------------------------------------------------------------------------- the crowd

const crowd = ["c", "c/a", "c/a/e1", "c/a/e1/deep", "c/b", "c/b/e2", "c/b/e3", "c/e4", "c/e5", "c/e6"] as Slug[];

const crowdData = (pick: Random) => ({
  title: one(pick, texts),
  n: pick(4),
  ...(pick(3) === 0 && { fieldset: one(pick, ["post", "news"]) }),
  ...(pick(2) && { tags: [one(pick, texts), pick(3), one(pick, texts)] }),
  ...(pick(2) && { meta: { note: one(pick, texts), deep: [{ of: one(pick, texts) }] } }),
  ...(pick(3) === 0 && { text: `${one(pick, texts)} <b class="moon">${one(pick, texts)}</b>` }),
});

/** A write of entries with lists and objects, some due a little later, in a part of the tree that has types by path. */
async function writeCrowd({ entries, translations }: SqlStore, pick: Random, now: number): Promise<void> {
  const [slug, newSlug] = [one(pick, crowd), one(pick, crowd)];
  const fields = {
    visibility: one<Visibility>(pick, ["visible", "visible", "visible", "hidden", "draft"]),
    ...(pick(2) && { publishedAt: one(pick, [10, 10, now, now + 2, now + 5, 1e9]) }),
  };
  const input = { data: JSON.stringify(crowdData(pick)), isMergePatch: false, fields };
  const locale = one(pick, others);
  await codeOf(() =>
    one<() => Promise<unknown>>(pick, [
      () => entries.create(slug, input, by(now)),
      () => entries.create(slug, input, by(now)),
      () => entries.update(slug, input, by(now)),
      () => translations.put(slug, locale, { input: { ...input, fields: {} }, name: undefined }, by(now)),
      () => entries.move(slug, { newSlug }, by(now)),
      () => entries.copy(slug, { newSlug }, by(now)),
      () => entries.delete(slug, { to: "trash" }, by(now)),
    ])(),
  );
}

// ---------------------------------------------------------------------------------------------- the test

/** What the engine before was told. */
let told: Told[] | undefined;

for (const engine of engines)
  test(
    `${engine.name}: ${rounds * asksARound} random searches between writes`,
    { skip: engine.skip, timeout: orLong(120_000, 1_800_000) },
    (t) => run(t, engine),
  );

async function run(t: TestContext, { open }: Engine): Promise<void> {
  const store = await open({ indexKeys: ["*", ...chainItems(chainsOf(settings))] });
  t.after(() => store.close());
  await loadStemmers(languagesOf(way));
  const pick = random(seed);
  const model = new Model();
  const types = new Map<string, TypeDefinition>();
  const putType = async (type: TypeDefinition, now: number) => {
    const { paths, schema } = type;
    await store.types.put(type.id, { title: type.id, description: "", paths, schema, mode: "enforce" }, by(now));
    types.set(type.id, type);
  };
  for (const [locale, items] of Object.entries(lists))
    for (const [kind, value] of Object.entries(items))
      await store.registry.put(`search.${kind}.${locale}`, { value: JSON.stringify(value) }, by(999));
  for (const id of releases) {
    model.releases.set(id, { isPublished: false, published: [] });
    await store.releases.create(newRelease(id, { ...by(999), id }), by(999));
  }
  await putType(drawType(pick, "doc"), 999);
  for (const slug of crowd)
    await store.entries.create(
      slug,
      { data: JSON.stringify(crowdData(pick)), isMergePatch: false, fields: {} },
      by(999),
    );
  await store.searches.index(way);
  const own: Told[] = [];
  for (let round = 0; round < rounds; round++) {
    const now = 1000 + round;
    const said = `seed ${seed}, round ${round}`;
    if (pick(6) === 0) await putType(drawType(pick), now);
    for (let left = pick(4); left > 0; left--) await writeCrowd(store, pick, now);
    for (let left = round < 10 ? 6 : 2; left > 0; left--) {
      const writing = draw(model, pick, now, texts);
      await write(store, model, writing, `${said}: ${writing.what}`);
    }
    const searched = new Searched(
      store,
      way,
      lists,
      [...types.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    for (let i = 0; i < asksARound; i++) {
      // The first ones meet what was just written.
      if (i === 2 || round % 8 === 7) await store.searches.index(way);
      const ask = drawAsk(pick);
      const access = drawAccess(pick, now);
      const found = await storeSearch(store, ask, access, way);
      assert.deepEqual(found, await searched.told(ask, access), `${said}.${i}: ${JSON.stringify({ ask, access })}`);
      own.push(found);
    }
  }
  assert.ok(own.some((each) => typeof each !== "string" && each.ids.length > 1));
  told ??= own;
  assert.deepEqual(own, told);
  assert.deepEqual(await store.verify(), []);
}
