/** Types that are applied as a whole, and another id of a type. Contract §9, Model as code. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, tagOf } from "./world.ts";

const world = await enter("type-apply");
const { management } = world.tokens;
const url = "/api/types";
/** Other chapters use the same service: the ids of types and of entries are this chapter's own. */
const own = (name: string) => `${world.prefix.replace(/[^a-z0-9_-]/g, "-")}-${name}`;

const send = (method: string, path: string, args: object, headers: Record<string, string> = {}) =>
  world.send({ method, path, json: { ...world.pair, ...args }, headers });
const apply = (types: unknown, more: object = {}) => send("POST", `${url}/apply`, { types, ...more });
const rename = (name: string, to: string, headers = {}) =>
  send("PATCH", url, { id: own(name), new_id: own(to) }, headers);
const read = (name: string) => world.read({ id: own(name) }, management, url);
const create = (name: string, data: object) => send("POST", "/api/entries", { id: world.id(name), data });
const type = (name: string, schema: unknown, more: object = {}) => ({ id: own(name), schema, ...more });

describe("types as a model", () => {
  test("a dry run answers what an apply does, and stores nothing; what says the same is not written", async () => {
    const one = type("one", { properties: { two: { $ref: `/types/${own("two")}` }, n: { type: "integer" } } });
    const two = type("two", { properties: { one: { $ref: `/types/${own("one")}#/properties/n` } } }, { title: "Two" });
    const added = [one, two].map(({ id }) => ({ id, change: "added", differences: [] }));
    const tried = dataOf(await apply([two, one], { dry_run: true })) as Any;
    assert.deepEqual([tried.dry_run, tried.changes], [true, added]);
    refused(await read("one"), 404, "type_not_found");
    const applied = dataOf(await apply([two, one])) as Any;
    assert.deepEqual(applied, { ...tried, dry_run: false });
    const tag = tagOf(await read("one"));
    const again = dataOf(await apply([one, two])) as Any;
    assert.deepEqual([again.changes, tagOf(await read("one"))], [[], tag]);
    const [before] = (await world.eventsAfter(0)).slice(-1);
    const schema = { properties: { n: { type: "number", minimum: 0 } }, required: ["n"] };
    const changed = dataOf(await apply([type("one", schema, { mode: "off" }), type("two", {})])) as Any;
    assert.deepEqual(changed.changes[0].differences, [
      { pointer: "/mode", change: "changed", before: "enforce", after: "off" },
      { pointer: "/schema/properties/two", change: "removed", before: { $ref: `/types/${own("two")}` } },
      { pointer: "/schema/properties/n/type", change: "changed", before: "integer", after: "number" },
      { pointer: "/schema/properties/n/minimum", change: "added", after: 0 },
      { pointer: "/schema/required", change: "added", after: ["n"] },
    ]);
    const events = (await world.eventsAfter(before.sequence)).filter(({ subject }) => subject.startsWith(own("")));
    assert.deepEqual(
      events.map(({ kind, subject }) => `${kind} ${subject}`),
      [`type.put ${own("one")}`, `type.put ${own("two")}`],
    );
    const pruned = dataOf(await apply([], { prune: true, dry_run: true })) as Any;
    const mine = pruned.changes.filter(({ id }: Any) => id.startsWith(own("")));
    assert.deepEqual(
      mine.map(({ id, change }: Any) => [id, change]),
      [
        [own("one"), "removed"],
        [own("two"), "removed"],
      ],
    );
    assert.equal((await read("two")).status, 200);
  });

  test("sent again with its idempotency key, an apply answers the same, whatever came between", async () => {
    const headers = { "Idempotency-Key": own("key") };
    const sent = { types: [type("once", {}, { title: "One" })] };
    const first = await send("POST", `${url}/apply`, sent, headers);
    dataOf(await apply([type("once", {}, { title: "Two" })]));
    const again = await send("POST", `${url}/apply`, sent, headers);
    assert.deepEqual([again.text, again.headers["idempotent-replayed"]], [first.text, "true"]);
    assert.equal((dataOf(await read("once")) as Any).title, "Two");
    refused(await send("POST", `${url}/apply`, { ...sent, prune: false }, headers), 422, "idempotency_mismatch");
  });

  test("entries that would have a new fault are named, and nothing is applied", async () => {
    dataOf(await create("songs", {}));
    dataOf(await create("songs/good", { year: 1990 }));
    dataOf(await create("songs/bad", { year: "soon" }));
    dataOf(await create("songs/draft", { visibility: "draft" }));
    const year = { required: ["year"], properties: { year: { type: "integer" } } };
    const song = type("song", year, { paths: [world.id("songs/*")] });
    for (const more of [{ dry_run: true }, {}]) {
      const { entries } = refused(await apply([type("three", {}), song], more), 422, "types_refused");
      assert.deepEqual(
        entries.map(({ id, code, faults }: Any) => [id, code, faults[0].pointer]),
        [[world.id("songs/bad"), "data_invalid", "/year"]],
      );
      refused(await read("three"), 404, "type_not_found");
    }
    dataOf(await send("PATCH", "/api/entries", { id: world.id("songs/bad"), data: { year: 1 } }));
    dataOf(await apply([type("three", {}), song]));
    refused(await create("songs/late", {}), 422, "data_invalid");
  });

  test("what is no list of types is refused by its place", async () => {
    for (const [types, code, argument] of [
      [undefined, "argument_missing", "types"],
      [{}, "argument_invalid", "types"],
      [[7], "argument_invalid", "types[0]"],
      [[type("a", true), { id: "B", schema: true }], "argument_invalid", "types[1][id]"],
      [[{ id: own("a") }], "argument_missing", "types[0][schema]"],
      [[type("a", true, { mdoe: "off" })], "argument_unknown", "types[0][mdoe]"],
      [[type("a", true, { mode: "warn" })], "argument_invalid", "types[0][mode]"],
      [[type("a", true, { paths: ["x*"] })], "argument_invalid", "types[0][paths]"],
      [[type("a", true), type("a", true)], "argument_invalid", "types[1][id]"],
      [Array(1001).fill(type("a", true)), "argument_invalid", "types"],
    ] as const) {
      const { detail } = refused(await apply(types), 400, code);
      assert.ok(detail.startsWith(`"${argument}" `), detail);
    }
    const { detail } = refused(await apply([type("a", true), type("b", { type: "x" })]), 400, "schema_invalid");
    assert.ok(detail.includes(own("b")), detail);
    refused(await apply([type("a", true), type("b", { $ref: "/types/nowhere" })]), 400, "schema_invalid");
    refused(await read("a"), 404, "type_not_found");
  });
});

describe("another id", () => {
  test("entries, copies and types that name the type follow, and it keeps all else", async () => {
    const movie = type("movie", { properties: { year: { type: "integer" } } }, { title: "Movie", mode: "enforce" });
    const list = type("list", { properties: { of: { items: { $ref: `/types/${own("movie")}` } } } });
    dataOf(await apply([movie, list]));
    dataOf(await create("alien", { fieldset: own("movie"), year: 1979 }));
    dataOf(await create("brazil", { fieldset: "other", year: 1985 }));
    const staged = { id: world.id("brazil"), data: { fieldset: own("movie") } };
    dataOf(await send("PATCH", "/api/entries/staged", staged));
    refused(await rename("movie", "film", { "If-Match": '"0"' }), 412, "revision_mismatch");
    const before = await world.newestEvent();
    const renamed = await rename("movie", "film", { "If-Match": tagOf(await read("movie")) });
    const expected = { ...movie, id: own("film"), description: "", paths: [] };
    assert.deepEqual(dataOf(renamed), expected);
    assert.deepEqual([dataOf(await read("film")), tagOf(await read("film"))], [expected, tagOf(renamed)]);
    refused(await read("movie"), 404, "type_not_found");
    assert.equal((await world.entry("alien")).fieldset, own("film"));
    const view = await world.read({ id: world.id("brazil") }, management, "/api/entries/staged");
    assert.equal((dataOf(view) as Any).fieldset, own("film"));
    assert.deepEqual((dataOf(await read("list")) as Any).schema.properties.of.items, { $ref: `/types/${own("film")}` });
    refused(await send("PATCH", "/api/entries", { id: world.id("alien"), data: { year: "x" } }), 422, "data_invalid");
    const kinds = (await world.eventsAfter(before))
      .filter(({ subject }) => subject.startsWith(own("")) || subject.startsWith(world.prefix))
      .map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ["entry.stage", "entry.update", "type.delete", "type.put", "type.put"]);
    refused(await rename("movie", "film"), 404, "type_not_found");
    refused(await rename("film", "list"), 409, "type_exists");
    refused(await send("PATCH", url, { id: own("film"), new_id: "Film" }), 400, "argument_invalid");
    assert.equal(tagOf(await rename("film", "film")), tagOf(renamed));
  });
});

test("this chapter's types are removed", async () => {
  const all = dataOf(await world.read({ limit: 1000 }, management, url)) as Any[];
  const ids = all.map(({ id }) => id).filter((id) => id.startsWith(own("")));
  for (const id of ids) dataOf(await apply([{ id, schema: true }]));
  for (const id of ids) assert.equal((await send("DELETE", url, { id })).status, 204);
});

allRepliesKeptTheirPromises(world);
