import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Access, accessOf, asStaged } from "../../src/core/access/access.ts";
import type { Slug } from "../../src/core/path.ts";
import type { Problem } from "../../src/core/problem.ts";
import { chainItems } from "../../src/core/sql/index/layer.ts";
import type { SqlStore } from "../../src/database.ts";
import type { Entry } from "../../src/entry/entry.ts";
import { readInLocale } from "../../src/entry/locale-wire.ts";
import { isListed, isReadable } from "../../src/entry/visibility.ts";
import { chainsOf, type Locales, localesOf } from "../../src/translation/locale.ts";
import { sightOf } from "../../src/translation/read-wire.ts";
import { Types } from "../../src/type/check.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { isLong, orLong } from "../long.ts";
import { plainPages, storePages } from "../plain-collection.ts";
import { type Engine, engines } from "../ports/engines.ts";
import { type Random, random, seed } from "../random.ts";
import { type Data, type Item, Model, others, type Reader, type Sight } from "./translation-model.ts";
import { draw, releases, type Writing, words, write } from "./translation-writes.ts";

/** Random writes in four locales agree with a plain model; none changes another locale, or shows what is not public. */

const steps = orLong(300, 10_000);
const settings = {
  locales: ["en", ...others],
  localeFallbacks: ["fr>de"],
};
const locales = localesOf(settings) as Locales;
const { chains } = locales;
const readers: readonly Reader[] = ["public", "management", "staged", "preview"];

const property = { type: "string", "x-octavo-localized": true };
const schema = JSON.stringify({
  type: "object",
  properties: { title: { ...property, "x-octavo-localized": "required" }, text: property, n: {} },
});
const types = new Types([{ id: "doc", paths: [], mode: "enforce" }], { schemaOf: () => schema });

function accessIn({ reader, own, isStrict, now }: Sight): Access {
  const kind = reader === "public" ? "delivery" : reader === "preview" ? "preview" : "management";
  const access = accessOf({ kind }, now);
  return { ...(reader === "staged" ? asStaged(access) : access), locale: sightOf(locales, own, isStrict) };
}
const sightIn = (reader: Reader, own: string, now: number, isStrict = false): Sight => ({
  ...{ reader, own, now, chain: chains.get(own) ?? [], isStrict: isStrict && own !== "" },
});

/** In long runs PostgreSQL, too. */
for (const engine of engines)
  test(
    `${engine.name}: ${steps} random writes in four locales`,
    {
      skip: engine.skip ?? (engine.name !== "SQLite" && !isLong),
      timeout: orLong(60_000, 1_800_000),
    },
    (t) => run(t, engine),
  );

async function run(t: TestContext, { open }: Engine): Promise<void> {
  const store = await open({ indexKeys: ["*", ...chainItems(chainsOf(settings))] });
  t.after(() => store.close());
  const pick = random(seed);
  const model = new Model();
  const by = { actor: "test", nowSeconds: 999 };
  await store.types.put("doc", { title: "doc", description: "", paths: [], schema, mode: "enforce" }, by);
  for (const id of releases) {
    model.releases.set(id, { isPublished: false, published: [] });
    await store.releases.create(newRelease(id, { ...by, id }), by);
  }
  for (let step = 0; step < steps; step++) {
    const now = 1000 + step;
    const writing = draw(model, pick, now);
    const said = `seed ${seed}, step ${step}: ${writing.what}`;
    const before = await saidElsewhere(store, writing);
    const isShown = () => shownTo(model, writing, now);
    const shownBefore = isShown();
    const written = () => model.items.filter(({ slug }) => slug === writing.slug);
    const answers = await publicAnswers(store, model, written(), now, said);
    await write(store, model, writing, said);
    assert.deepEqual(await saidElsewhere(store, writing), before, `${said}: other locales`);
    const isSecret = !shownBefore && !isShown() && writing.isOfOne;
    compareAnswers(answers, await publicAnswers(store, model, written(), now, said), isSecret, said);
    const isWhole = step % 25 === 24;
    if (isWhole) await publicAnswers(store, model, model.items, now, said);
    for (const reader of isWhole ? readers : [readers[pick(4)] as Reader]) {
      for (const own of isWhole ? ["", ...others] : [writing.locale, others[pick(3)] as string]) {
        await compare(store, model, sightIn(reader, own, now, pick(3) === 0), said);
        if (isWhole || pick(4) === 0)
          await compareList(store, model, sightIn(reader, own, now, pick(3) === 0), pick, said);
      }
    }
  }
  assert.deepEqual(await store.verify(), []);
}

/** What the entry of a write says in the locales that it is not about, with its history and its working copies there. */
async function saidElsewhere(store: SqlStore, { slug, locale, isOfOne }: Writing): Promise<unknown> {
  const found = isOfOne ? await store.translations.find(slug as Slug) : undefined;
  if (!found) return undefined;
  const stateOf = ({ revision, contentRevision, data, visibility, publishedAt, modifiedAt }: Entry) => ({
    ...{ revision, contentRevision, data, visibility, publishedAt, modifiedAt },
  });
  const source = { locale: "", ...stateOf(found.entry) };
  const translations = found.translations.map(({ locale, name, sources, modifiedBy, createdAt, ...rest }) => ({
    ...{ locale, name, sources, modifiedBy, createdAt, ...stateOf(rest as Entry) },
  }));
  const elsewhere = ["", ...others].filter((each) => each !== locale);
  const thing = { noun: "entry", thing: found.entry.uuid } as const;
  return [
    [source, ...translations].filter((each) => each.locale !== locale),
    await Promise.all(elsewhere.map((each) => store.history.list({ ...thing, locale: each }, undefined, 1000))),
    await Promise.all(elsewhere.map(async (each) => (await store.staged.find(slug as Slug, undefined, each))?.copy)),
  ];
}

// ---------------------------------------------------------------------------------------------- reads

const plain = ({ data, visibility }: { data: Data; visibility: string }) => ({
  data: Object.fromEntries(data),
  visibility,
});

async function entriesIn(store: SqlStore, model: Model, sight: Sight, byId: boolean): Promise<Map<Item, Entry>> {
  const access = accessIn(sight);
  const found = await store.translations.findAll(
    model.items.map(({ slug }) => slug as Slug),
    access,
    byId,
  );
  const pairs = model.items.map((item, i) => [item, found[i]] as const);
  return new Map(pairs.filter((pair): pair is [Item, Entry] => pair[1] !== undefined && isReadable(pair[1], access)));
}

async function compare(store: SqlStore, model: Model, sight: Sight, said: string): Promise<void> {
  for (const byId of [true, false]) {
    const found = await entriesIn(store, model, sight, byId);
    for (const item of model.items) {
      const expected = model.answer(item, sight, byId);
      const entry = found.get(item);
      const answer = entry && { data: JSON.parse(entry.data), visibility: entry.visibility };
      assert.deepEqual(answer, expected && plain(expected), `${said}; ${item.slug} ${JSON.stringify(sight)}`);
    }
  }
}

/** A list has what is answered one by one, as conditions, orders and searches find it there. */
async function compareList(store: SqlStore, model: Model, sight: Sight, pick: Random, said: string): Promise<void> {
  const one = <T>(of: readonly T[]): T => of[pick(of.length)] as T;
  const key = () => one(["title", "text", "n", "visibility"]);
  const condition = () => ({
    key: key(),
    expr: one(["eq", "neq", "like", "gt"]),
    value: one([...words, "1", "draft"]),
  });
  const args = {
    depth: "*",
    only: "title",
    ...(pick(2) === 0 && { where: condition() }),
    ...(pick(4) === 0 && { or_where: [condition()] }),
    ...(pick(3) === 0 && { search: one(words) }),
    ...(pick(2) === 0 && { order_by: { field: key(), direction: one(["asc", "desc"]) } }),
    ...one<object>([
      { limit: "2", total: "1" },
      { return: "count" },
      { group_by: "title", only: undefined },
      { return: "exists" },
      {},
    ]),
  };
  const top = one(["", "p"]) as Slug;
  const entries = [...(await entriesIn(store, model, sight, false)).values()];
  const access = accessIn(sight);
  const isBelow = ({ slug }: Entry) => top === ("" as Slug) || slug === top || slug.startsWith(`${top}/`);
  const seen = entries.filter(isBelow);
  const list = storePages(store, top, args, access, 20).catch((error: Problem) => error.code);
  const found = await list;
  if (found === "entry_not_found") return assert.ok(!seen.some((entry) => isListed(entry, access)), said);
  assert.deepEqual(
    found,
    await plainPages(top, args, seen, access, 20),
    `${said}; list of "${top}" ${JSON.stringify({ sight, args })}`,
  );
}

/** True where the public sees what the write is about, or would if it were public. */
function shownTo(model: Model, { slug, locale, isStaged }: Writing, now: number): boolean {
  const state = model.find(slug)?.says.get(locale);
  if (!state || isStaged) return false;
  return state.visibility !== "draft" && (state.publishedAt ?? 0) <= now;
}

type Answered = { text: string; tag: string };

/** What the public is answered of these entries in each locale, with its ETag; the headers are those of the model. */
async function publicAnswers(
  store: SqlStore,
  model: Model,
  items: readonly Item[],
  now: number,
  said: string,
): Promise<Map<string, Answered>> {
  const answers = new Map<string, Answered>();
  for (const own of ["", ...others]) {
    const sight = sightIn("public", own, now);
    for (const item of items) {
      if (!model.answer(item, sight, true)) continue;
      const { entry, tag, headers } = await readInLocale(store, options, item.slug as Slug, accessIn(sight));
      const names = headers.filter((_, i) => i % 2 === 0);
      const sent = Object.fromEntries(names.map((name, i) => [name, headers[2 * i + 1]]));
      const fallback = sent["Octavo-Fallback"]?.split(", ") ?? [];
      const where = `${said}; the headers of ${item.slug} in "${own}"`;
      assert.deepEqual({ ...sent, "Octavo-Fallback": fallback }, model.facts(item, sight, chains), where);
      const { data, visibility, modifiedAt } = entry;
      answers.set(`${item.slug} "${own}"`, { tag, text: JSON.stringify([data, visibility, modifiedAt, headers]) });
    }
  }
  return answers;
}

const options = { locales, renderer: { current: () => ({ types }) } };

/** Another answer has another ETag; a write of what the public never saw changes neither. */
function compareAnswers(before: Map<string, Answered>, after: Map<string, Answered>, isSecret: boolean, said: string) {
  if (isSecret) return assert.deepEqual(after, before, `${said}: the public learns of it`);
  for (const [where, { text, tag }] of after) {
    const had = before.get(where);
    if (had && had.text !== text) assert.notEqual(tag, had.tag, `${said}: ${where} has another ETag`);
  }
}
