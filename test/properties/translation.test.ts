import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Access, accessOf, asStaged } from "../../src/core/access/access.ts";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { SqlStore } from "../../src/database.ts";
import type { Entry, EntryInput } from "../../src/entry/entry.ts";
import type { Visibility } from "../../src/entry/field.ts";
import { readInLocale } from "../../src/entry/locale-wire.ts";
import { isListed, isReadable } from "../../src/entry/visibility.ts";
import { type Locales, localesOf } from "../../src/translation/locale.ts";
import { sightOf } from "../../src/translation/read-wire.ts";
import { Types } from "../../src/type/check.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { isLong, orLong } from "../long.ts";
import { plainPages, storePages } from "../plain-collection.ts";
import { type Engine, engines } from "../ports/engines.ts";
import { type Random, random, seed } from "../random.ts";
import { type Data, type Item, Model, others, type Reader, type Sight, type State } from "./translation-model.ts";

/** Random writes in four locales agree with a plain model; none changes another locale, or shows what is not public. */

const steps = orLong(300, 10_000);
const slugs = ["p", "p/a", "p/b", "p/a/x", "q", "q/a", "q/b", "r"];
const locales = localesOf({
  locales: ["en", ...others],
  localeFallbacks: ["fr>de"],
}) as Locales;
const { chains } = locales;
const readers: readonly Reader[] = ["public", "management", "staged", "preview"];
const words = ["sun", "moon", "star", "sea", "tree", "stone"];
const names = ["na", "nb", "nc"];
const releases = ["one", "two", "three"];
const [past, future] = [500, 1e9];

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
  const store = await open();
  t.after(() => store.close());
  const pick = random(seed);
  const model = new Model();
  const by = { actor: "test", nowSeconds: 999 };
  await store.types.put("doc", { id: "doc", title: "doc", description: "", paths: [], schema, mode: "enforce" }, by);
  for (const id of releases) {
    model.releases.set(id, { isPublished: false, published: [] });
    await store.releases.create(newRelease(id, { ...by, id }), by);
  }
  for (let step = 0; step < steps; step++) {
    const now = 1000 + step;
    const writing = draw(model, pick, now);
    const said = `seed ${seed}, step ${step}: ${writing.what}`;
    const before = await saidElsewhere(store, writing, now);
    const isShown = () => shownTo(model, writing, now);
    const shownBefore = isShown();
    const written = () => model.items.filter(({ slug }) => slug === writing.slug);
    const answers = await publicAnswers(store, model, written(), now, said);
    await write(store, model, writing, said);
    assert.deepEqual(await saidElsewhere(store, writing, now), before, `${said}: other locales`);
    const isSecret = !shownBefore && !isShown() && writing.isOfOne;
    compareAnswers(answers, await publicAnswers(store, model, written(), now, said), isSecret, said);
    const isWhole = step % 25 === 24;
    if (isWhole) await publicAnswers(store, model, model.items, now, said);
    for (const reader of isWhole ? readers : [readers[pick(4)] as Reader]) {
      for (const own of ["", ...others]) {
        await compare(store, model, sightIn(reader, own, now, pick(3) === 0), said);
        if (isWhole || pick(4) === 0)
          await compareList(store, model, sightIn(reader, own, now, pick(3) === 0), pick, said);
      }
    }
  }
  assert.deepEqual(await store.verify(), []);
}

// ---------------------------------------------------------------------------------------------- writes

type Writing = {
  what: string;
  slug: string;
  locale: string;
  /** It is about what one entry says in one locale alone. */
  isOfOne: boolean;
  /** It never shows at once, whatever it is about. */
  isStaged?: boolean;
  expected: () => void;
  write: (store: SqlStore) => Promise<unknown>;
};

function textOf(change: Data): Pick<EntryInput, "data" | "isMergePatch"> {
  const isMergePatch = [...change.values()].includes(undefined);
  const members = [...change].map(([key, value]) => [key, value === undefined ? null : value]);
  return { data: JSON.stringify(Object.fromEntries(members)), isMergePatch };
}

function drawData(pick: Random, isTyped: boolean, isTranslation: boolean): Data {
  const word = () => words[pick(words.length)] as string;
  const value = () => (pick(6) === 0 ? undefined : word());
  const all: [string, unknown][] = [
    ["title", value()],
    ["text", value()],
  ];
  if (!isTranslation || !isTyped || pick(12) === 0) all.push(["n", pick(4)]);
  return new Map(all.filter(() => pick(3) > 0));
}

function draw(model: Model, pick: Random, now: number): Writing {
  const by = { actor: "test", nowSeconds: now };
  const slug = slugs[pick(slugs.length)] as string;
  const to = slugs[pick(slugs.length)] as string;
  const [id, newSlug] = [slug as Slug, to as Slug];
  const item = model.find(slug);
  const other = others[pick(others.length)] as string;
  const any = pick(3) === 0 ? "" : other;
  const isTyped = item?.isTyped ?? pick(2) === 0;
  const visibility = (["visible", "visible", "hidden", "draft", undefined, undefined] as const)[pick(6)];
  const publishedAt = [undefined, undefined, undefined, past, future, now][pick(6)];
  const fields = { ...(visibility && { visibility }), ...(publishedAt && { publishedAt }) };
  const release = [releases[pick(3)], releases[pick(3)], null, undefined][pick(4)];
  const at = (locale: string) => ({ ...by, locale: locale || undefined });
  const of = (
    what: string,
    locale: string,
    expected: () => void,
    write: Writing["write"],
    isStaged = false,
  ): Writing => ({
    ...{ what: `${what} ${slug} "${locale}"`, slug, locale, isOfOne: true, isStaged, expected, write },
  });
  const wide = (what: string, expected: () => void, write: Writing["write"]): Writing => ({
    ...{ what, slug: "", locale: "", isOfOne: false, expected, write },
  });
  const create = () => {
    const data = new Map([...drawData(pick, isTyped, false)].filter(([, value]) => value !== undefined));
    const typed = isTyped ? new Map([...data, ["fieldset", "doc"]]) : data;
    const state: State = {
      visibility: "visible",
      publishedAt: undefined,
      name: null,
      ...fields,
      data: new Map([...typed, ["content", ""]]),
    };
    const input = { ...textOf(typed), isMergePatch: false, fields };
    return wide(
      `create ${slug}`,
      () => model.create(slug, isTyped, state),
      ({ entries }) => entries.create(id, input, by),
    );
  };
  const update = () => {
    const data = drawData(pick, isTyped, false);
    return of(
      "update",
      "",
      () => model.put(slug, "", data, fields),
      ({ entries }) => entries.update(id, { ...textOf(data), fields }, by),
    );
  };
  const translate = () => {
    const data = drawData(pick, isTyped, true);
    const name = [undefined, undefined, undefined, null, ...names][pick(7)];
    const change = { ...fields, ...(name !== undefined && { name }) };
    return of(
      "translate",
      other,
      () => model.put(slug, other, data, change),
      ({ translations }) => translations.put(id, other, { input: { ...textOf(data), fields }, name }, by),
    );
  };
  const stage = () => {
    const data = drawData(pick, isTyped, any !== "");
    const isForeign = any !== "" && isTyped && data.has("n");
    const change = isForeign ? new Map<string, unknown>() : data;
    const staged: { visibility?: Visibility } = visibility ? { visibility } : {};
    return of(
      "stage",
      any,
      () => model.stage(slug, any, change, visibility, release),
      (store) => store.staged.stage(id, { ...textOf(change), fields: staged, release }, at(any)),
      true,
    );
  };
  const restore = () => {
    const past = item?.past.get(any) ?? [];
    if (past.length === 0) return translate();
    const which = pick(past.length);
    return of(
      "restore",
      any,
      () => model.restore(slug, any, which),
      async ({ entries, history }) => {
        const { uuid } = (await entries.find(id)) as Entry;
        const rows = await history.list({ noun: "entry", thing: uuid, locale: any }, undefined, 100_000);
        assert.equal(rows.length, past.length, `the history of ${slug} "${any}"`);
        return entries.restore(id, { revision: rows.toReversed()[which]?.revision ?? 0 }, at(any));
      },
    );
  };
  const one = releases[pick(3)] as string;
  const everywhere = { paths: null };
  const untrash = () => {
    const trashed = model.trash[pick(model.trash.length)];
    if (!trashed) return create();
    const dropNames = pick(2) === 0;
    const target = { newPath: undefined, extensions: [], dropNames };
    return wide(
      "untrash",
      () => model.untrash(trashed, dropNames),
      ({ trash }) => trash.restore(trashed.id ?? 0, target, by),
    );
  };
  const only = [null, null, ["de"], ["", "fr"], ["de-AT", "fr"]][pick(5)] as string[] | null;
  const draws: [weight: number, () => Writing][] = [
    [item ? 1 : 20, create],
    [5, update],
    [16, translate],
    [12, stage],
    [
      3,
      () =>
        of(
          "discard",
          any,
          () => model.discard(slug, any),
          ({ staged }) => staged.discard(id, {}, at(any)),
          true,
        ),
    ],
    [
      6,
      () =>
        of(
          "publish",
          any,
          () => model.publishOne(slug, any),
          ({ staged }) => staged.publish(id, {}, at(any)),
        ),
    ],
    [4, restore],
    [
      3,
      () =>
        wide(
          "release",
          () => model.publish(one),
          (store) => store.releases.publish(one, everywhere, by),
        ),
    ],
    [
      3,
      () =>
        wide(
          "undo",
          () => model.undo(one),
          (store) => store.releases.undo(one, everywhere, by),
        ),
    ],
    [
      4,
      () =>
        of(
          "trash",
          other,
          () => model.trashOne(slug, other),
          ({ translations }) => translations.delete(id, other, by),
        ),
    ],
    [
      2,
      () =>
        wide(
          `delete ${slug}`,
          () => model.toTrash(slug),
          ({ entries }) => entries.delete(id, { to: "trash" }, by),
        ),
    ],
    [5, untrash],
    [
      3,
      () =>
        wide(
          `move ${slug} ${to}`,
          () => slug === to || model.move(slug, to),
          async ({ entries }) => slug === to || entries.move(id, { newSlug }, by),
        ),
    ],
    [
      3,
      () =>
        wide(
          `copy ${slug} ${to}`,
          () => model.copy(slug, to),
          ({ entries }) => entries.copy(id, { newSlug }, by),
        ),
    ],
    [
      2,
      () =>
        wide(
          `restrict ${slug}`,
          () => model.restrict(slug, only),
          ({ translations }) => translations.restrict(id, only, by),
        ),
    ],
  ];
  let left = pick(draws.reduce((sum, [weight]) => sum + weight, 0));
  const drawn = draws.find(([weight]) => (left -= weight) < 0) as (typeof draws)[number];
  return drawn[1]();
}

/** The code of a refusal, or ok. */
async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    if (typeof error === "string") return error;
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

async function write(store: SqlStore, model: Model, { expected, write }: Writing, said: string): Promise<void> {
  const code = await codeOf(expected);
  assert.equal(await codeOf(() => write(store)), code, said);
  const last = model.trash.at(-1);
  if (!last || last.id !== undefined) return;
  const [item] = await store.trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 });
  assert.deepEqual([item?.path, item?.locale], [last.path, last.locale], said);
  last.id = item?.id as number;
}

/** What the entry of a write says in the locales that it is not about, and what it said there before. */
async function saidElsewhere(store: SqlStore, { slug, locale, isOfOne }: Writing, now: number): Promise<unknown> {
  const found = isOfOne ? await store.translations.find(slug as Slug) : undefined;
  if (!found) return undefined;
  const { stagedRevision: _, translated: __, ...source } = found.entry;
  const states = [
    { ...source, locale: "" },
    ...found.translations.map(({ of: _, ...each }: any) => ({
      ...each,
      slug: "",
      translated: true,
      stagedRevision: null,
      onlyLocales: null,
      wasPublic: each.wasPublic,
    })),
  ];
  const said = states.filter((each) => each.locale !== locale);
  const histories = ["", ...others].filter((each) => each !== locale);
  return [
    locale === ""
      ? said.map(({ data, revision, name, visibility, sources }: any) => ({
          data,
          revision,
          name,
          visibility,
          sources,
        }))
      : said,
    await Promise.all(
      histories.map((each) => store.history.list({ noun: "entry", thing: source.uuid, locale: each }, undefined, 1000)),
    ),
    await Promise.all(histories.map(async (each) => (await store.staged.find(slug as Slug, undefined, each))?.copy)),
    now,
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
