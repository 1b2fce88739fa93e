import assert from "node:assert/strict";
import { test } from "node:test";
import type { Slug } from "../../src/core/path.ts";
import { isProblem, Problem } from "../../src/core/problem.ts";
import type { EntryInput } from "../../src/entry/entry.ts";
import type { ContentType } from "../../src/type/type.ts";
import { onEachEngine } from "./engines.ts";

/** Types that are applied as a whole, and types that get another id. Contract, part four, §30, Model as code. */

onEachEngine(async (store) => {
  const { entries, staged, types, events } = store;
  const by = (nowSeconds = 1000) => ({ actor: "test", nowSeconds });
  const slug = (id: string) => id as Slug;
  const input = (data: object, fields: EntryInput["fields"] = {}): EntryInput => ({
    ...{ data: JSON.stringify(data), isMergePatch: false, fields },
  });
  const type = (id: string, schema: object | boolean, more: Partial<ContentType> = {}): ContentType => ({
    ...{ id, title: "", description: "", paths: [], schema: JSON.stringify(schema), mode: "enforce", ...more },
  });
  const create = (id: string, data: object, fields: EntryInput["fields"] = {}) =>
    entries.create(slug(id), input(data, fields), by());
  const dataOf = async (id: string) => JSON.parse((await entries.find(slug(id)))?.data ?? "null");
  const apply = (all: readonly ContentType[], { prune = false, isDryRun = false } = {}) =>
    types.apply({ types: all, prune }, { isDryRun }, by());
  const summary = async (work: ReturnType<typeof apply>) =>
    (await work).changes.map(({ id, change }) => `${change} ${id}`);
  const all = async () => (await types.list(undefined, 1000)).map(({ id }) => id);
  const clear = () => apply([], { prune: true });
  const newest = async () => (await events.bounds()).newest;
  /** The events since then, with how many groups they are. */
  const since = async (sequence: number) => {
    const found = await events.listCommitted(sequence, 1000);
    return {
      kinds: found.map(({ kind, subject }) => `${kind} ${subject}`),
      groups: new Set(found.map(({ first }) => first)).size,
    };
  };
  const refused = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(error instanceof Problem, String(error));
    return error;
  };

  test("types that refer to each other are applied in any order, in one group of events, and unchanged ones not at all", async () => {
    const one = type("one", { $defs: { a: true }, properties: { two: { $ref: "/types/two#/$defs/b" } } });
    const two = type("two", { $defs: { b: true }, properties: { one: { $ref: "/types/one#/$defs/a" } } });
    const before = await newest();
    assert.deepEqual(await summary(apply([two, one], { isDryRun: true })), ["added one", "added two"]);
    assert.equal(await newest(), before);
    assert.deepEqual(await summary(apply([two, one])), ["added one", "added two"]);
    assert.deepEqual(await since(before), { kinds: ["type.put two", "type.put one"], groups: 1 });
    const [at, revision] = [await newest(), (await types.find("one"))?.revision];
    const reordered = type("one", { properties: { two: { $ref: "/types/two#/$defs/b" } }, $defs: { a: true } });
    assert.deepEqual(await apply([two, reordered]), { changes: [], unchanged: 2 });
    assert.deepEqual([await newest(), (await types.find("one"))?.revision], [at, revision]);
    const changed = await apply([type("one", { $defs: { a: true } }, { title: "One" })], { prune: true });
    assert.deepEqual(
      changed.changes.map(({ id, change, differences }) => [id, change, differences]),
      [
        [
          "one",
          "changed",
          [
            { pointer: "/title", change: "changed", before: '""', after: '"One"' },
            { pointer: "/schema/properties", change: "removed", before: '{"two":{"$ref":"/types/two#/$defs/b"}}' },
          ],
        ],
        ["two", "removed", []],
      ],
    );
    assert.deepEqual(await since(at), { kinds: ["type.put one", "type.delete two"], groups: 1 });
    assert.deepEqual(await all(), ["one"]);
    await clear();
  });

  test("a type that another one refers to is not removed, nor is anything else changed", async () => {
    await apply([type("part", { $defs: { a: true } }), type("user", { $ref: "/types/part#/$defs/a" })]);
    const user = type("user", { $ref: "/types/part#/$defs/a" });
    const pruned = await refused(apply([user, type("new", true)], { prune: true }));
    assert.deepEqual([pruned.code, pruned.params.id, pruned.params.by], ["type_in_use", "part", "user"]);
    const taken = await refused(apply([type("part", {}), type("new", true)]));
    assert.deepEqual([taken.code, taken.params.id, taken.params.by], ["type_in_use", "part", "user"]);
    const invalid = await refused(apply([type("new", true), type("bad", { $ref: "/types/nowhere" })]));
    assert.deepEqual([invalid.code, invalid.params.type], ["schema_invalid", "bad"]);
    const named = await refused(apply([type("new", { required: ["slug"] })]));
    assert.deepEqual([named.code, named.params.type], ["schema_invalid", "new"]);
    assert.deepEqual(await all(), ["part", "user"]);
    assert.deepEqual(await summary(apply([type("user", true)], { prune: true })), ["removed part", "changed user"]);
    await clear();
  });

  const film = (schema: object | boolean, more: Partial<ContentType> = {}) =>
    type("film", schema, { paths: ["films/*"], ...more });

  test("entries are refused for faults that the model brings: by a schema, a part, paths, a mode, a removed type", async () => {
    await create("films/a", { year: "x" });
    await create("films/draft", {}, { visibility: "draft" });
    await create("films/wrong-draft", { year: "x" }, { visibility: "draft" });
    const year = { properties: { year: { type: "integer" } } };
    const named = async (model: readonly ContentType[], options = {}) => {
      const [tried, error] = [
        await refused(apply(model, { ...options, isDryRun: true })),
        await refused(apply(model, options)),
      ];
      assert.deepEqual([tried.code, tried.entries], [error.code, error.entries]);
      assert.equal(error.code, "types_refused");
      return error.entries?.map(
        ({ id, faults }) => `${id} ${faults?.map(({ pointer, rule }) => `${pointer} ${rule}`)}`,
      );
    };
    const both = ["films/a /year type", "films/wrong-draft /year type"];
    assert.deepEqual(await named([film(year)]), both);
    assert.deepEqual(await named([film({ required: ["title"] })]), ["films/a /title required"]);
    await apply([film(year, { mode: "off" })]);
    assert.deepEqual(await named([film(year)]), both);
    await apply([film(year, { paths: [] })]);
    assert.deepEqual(await named([film(year)]), both);
    await apply([film({ $ref: "/types/part" }), type("part", {})]);
    assert.deepEqual(await named([type("part", year)]), both);
    await apply([type("other", year, { paths: ["films/**"] })]);
    assert.deepEqual(await named([type("other", year, { paths: ["films/**"] })], { prune: true }), both);
    assert.deepEqual(await all(), ["film", "other", "part"]);
    // Faults that an entry has already are its own.
    await types.put("film", film(year), by());
    assert.deepEqual(await summary(apply([film({ ...year, title: "Film" })])), ["changed film"]);
    await clear();
    for (const id of ["films/a", "films/draft", "films/wrong-draft"])
      await entries.delete(slug(id), { to: "nowhere" }, by());
  });

  test("an entry that is written while a model is tried is looked at, too", async () => {
    for (let i = 0; i < 120; i++) await create(`films/${i}`, { year: i });
    const model = film({ properties: { year: { type: "integer" } } });
    for (let round = 0; round < 12; round++) {
      let isRunning = true;
      const applied = apply([model]).then(
        () => true,
        (error: unknown) => {
          if (!isProblem(error, "types_refused")) throw error;
          return false;
        },
      );
      const ended = applied.finally(() => {
        isRunning = false;
      });
      const written: Slug[] = [];
      for (let i = 0; isRunning && i < 100; i++) {
        const made = await create(`films/bad-${round}-${i}`, { year: "x" }).catch((error: unknown) => {
          if (!isProblem(error, "data_invalid")) throw error;
        });
        if (made) written.push(made.slug);
      }
      // What was stored before the type was in force has kept it from being applied.
      if (await ended) assert.deepEqual(written, []);
      for (const id of written) await entries.delete(id, { to: "nowhere" }, by());
      await clear();
    }
    for (let i = 0; i < 120; i++) await entries.delete(slug(`films/${i}`), { to: "nowhere" }, by());
  });

  test("two models at once are applied one after the other", async () => {
    const models = [1, 2, 3].map((n) => [film({ title: `${n}` }), type("twin", { title: `${n}` })]);
    await Promise.all(models.map((model) => apply(model)));
    const [one, twin] = [await types.find("film"), await types.find("twin")];
    assert.equal(one?.schema, twin?.schema);
    await clear();
  });

  test("a renamed type keeps its entries and faults; types, entries and copies that name it follow in one group", async () => {
    const movie = type("movie", { $defs: { a: true }, properties: { sequel: { $ref: "/types/movie#/$defs/a" } } });
    const link = { "x-octavo-types": ["person", "movie"], format: "entry", enum: ["movie", { $ref: "/types/movie" }] };
    const person = type("person", { properties: { "/types/movie": { $ref: "/types/movie" }, links: { items: link } } });
    await apply([movie, person, type("other", true)]);
    await create("one", { fieldset: "movie", n: 1 });
    await create("two", { n: 2, fieldset: "movie" });
    await create("none", { fieldset: "movies", nested: { fieldset: "movie" } });
    const stage = (id: string, data: object) => staged.stage(slug(id), { ...input(data), isMergePatch: true }, by());
    await stage("none", { fieldset: "movie" });
    await stage("one", { fieldset: "other" });
    await stage("two", { fieldset: null });
    await create("three", { fieldset: "movie" });
    await stage("three", { n: 3 });
    const before = await newest();
    const renamed = await types.rename("movie", "film", by(2000));
    assert.deepEqual(await since(before).then(({ groups, kinds }) => [groups, kinds.toSorted()]), [
      1,
      [
        "entry.stage none",
        "entry.stage one",
        "entry.stage two",
        "entry.update one",
        "entry.update three",
        "entry.update two",
        "type.delete movie",
        "type.put film",
        "type.put person",
      ],
    ]);
    assert.deepEqual(await types.find("film"), renamed);
    const ref = { $ref: "/types/film#/$defs/a" };
    assert.deepEqual(JSON.parse(renamed.schema).properties, { sequel: ref });
    assert.deepEqual(JSON.parse((await types.find("person"))?.schema ?? "").properties, {
      "/types/movie": { $ref: "/types/film" },
      links: { items: { ...link, "x-octavo-types": ["person", "film"] } },
    });
    assert.deepEqual(Object.entries(await dataOf("two")).slice(0, 2), [
      ["n", 2],
      ["fieldset", "film"],
    ]);
    assert.deepEqual(await dataOf("none"), { fieldset: "movies", nested: { fieldset: "movie" }, content: "" });
    const views: [string, string | undefined][] = [
      ["none", "film"],
      ["one", "other"],
      ["two", undefined],
      ["three", "film"],
    ];
    for (const [id, fieldset] of views) {
      const view = await staged.find(slug(id));
      assert.deepEqual([JSON.parse(view?.entry.data ?? "").fieldset, view?.outdated], [fieldset, []], id);
      assert.equal(view?.copy?.stagedBy, "test");
      await staged.publish(slug(id), {}, by(3000));
      assert.equal((await dataOf(id)).fieldset, fieldset);
    }
    assert.equal((await entries.find(slug("one")))?.modifiedAt, 3000);
    for (const id of ["one", "two", "three", "none"]) await entries.delete(slug(id), { to: "nowhere" }, by());
    await clear();
  });

  test("a rename is refused for an id that is taken, or that another type would lose or win entries by", async () => {
    await apply([film({}), type("genre", {}, { paths: ["*/x"] }), type("zoo", {})]);
    assert.equal((await refused(types.rename("film", "zoo", by()))).code, "type_exists");
    assert.equal((await refused(types.rename("nothing", "zoo", by()))).code, "type_not_found");
    assert.equal(
      (await refused(types.rename("film", "movie", { ...by(), ifMatch: '"zz"' }))).code,
      "revision_mismatch",
    );
    const at = await newest();
    assert.deepEqual(await types.rename("film", "film", by()), await types.find("film"));
    assert.equal(await newest(), at);
    await types.rename("film", "movie", by());
    await types.rename("movie", "film", by());
    await create("films/x", {});
    const lost = await refused(types.rename("film", "movie", by()));
    assert.deepEqual([lost.code, /before "genre"/.test(lost.message)], ["argument_invalid", true], lost.message);
    await types.rename("film", "early", by());
    await entries.delete(slug("films/x"), { to: "nowhere" }, by());
    await clear();
  });
});

const budget = { scanBudgetMs: { delivery: 20_000, management: 1 } };

onEachEngine(async (store) => {
  test("a model whose check takes longer than a scan may is tried by several, and applied", async () => {
    const { entries, types } = store;
    const by = { actor: "test", nowSeconds: 1000 };
    const create = (id: string, data: object) =>
      entries.create(id as Slug, { data: JSON.stringify(data), isMergePatch: false, fields: {} }, by);
    await Promise.all(Array.from({ length: 300 }, (_, i) => create(`many/${i}`, { n: i })));
    const apply = (schema: object, isDryRun = false) => {
      const rest = { title: "", description: "", paths: ["many/*"], mode: "enforce" } as const;
      const model = { types: [{ id: "many", schema: JSON.stringify(schema), ...rest }], prune: false };
      return types.apply(model, { isDryRun }, by);
    };
    const error: unknown = await apply({ properties: { n: { maximum: 298 } } }).catch((error: unknown) => error);
    assert.ok(isProblem(error, "types_refused"), String(error));
    assert.deepEqual([error.params.failing, error.entries?.map(({ id }) => id)], [1, ["many/299"]]);
    const all: unknown = await apply({ required: ["title"] }, true).catch((error: unknown) => error);
    assert.ok(isProblem(all, "types_refused"), String(all));
    assert.deepEqual([all.params.failing, all.entries?.length], [300, 100]);
    assert.equal((await apply({ properties: { n: { maximum: 299 } } })).changes.length, 1);
  });
}, budget);
