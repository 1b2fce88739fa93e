/** Type migrations: fields change with their entries. Contract §9, Migrations. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("migration");
const url = "/api/types";
/** Other chapters use the same service: the ids of types are this chapter's own. */
const own = (name: string) => `${world.prefix.replace(/[^a-z0-9_-]/g, "-")}-${name}`;
const send = (method: string, path: string, args: object) =>
  world.send({ method, path, json: { ...world.pair, ...args } });
const put = async (name: string, schema: object) =>
  dataOf(await send("PUT", url, { id: own(name), schema, paths: [world.id(`${name}/*`)] }));
const schemaOf = async (name: string): Promise<Any> =>
  (dataOf(await world.read({ id: own(name) }, undefined, url)) as Any).schema;
const migrate = (name: string, steps: object[], more: object = {}) =>
  send("POST", `${url}/migrate`, { steps: steps.map((step) => ({ type: own(name), ...step })), ...more });
const undo = (group: unknown) => send("POST", `${url}/migrate/undo`, { group });
const stage = (name: string, data: object, more: object = {}) =>
  send("PATCH", "/api/entries/staged", { id: world.id(name), data, ...more });
const staged = async (name: string): Promise<Any> =>
  dataOf(await world.read({ id: world.id(name) }, undefined, "/api/entries/staged"));
const update = (name: string, data: object) => send("PATCH", "/api/entries", { id: world.id(name), data });
const some = (entry: Any, ...keys: string[]) =>
  Object.fromEntries(keys.filter((key) => key in entry).map((key) => [key, entry[key]]));

describe("a migration", () => {
  test("renames, moves, converts, fills and drops fields in one group, and a second run changes nothing", async () => {
    await put("all", {
      type: "object",
      required: ["author", "price"],
      properties: {
        author: { type: "string" },
        seo_title: { type: "string" },
        price: { type: "string" },
        old: { type: "string" },
        items: { type: "array", items: { type: "object", required: ["x"], properties: { x: { type: "integer" } } } },
      },
      "x-octavo-order": ["author", "price", "old"],
    });
    await world.create("all/a", {
      author: "Ada",
      seo_title: "T",
      price: "12.50",
      old: "x",
      items: [{ x: 1 }, { x: 2 }],
    });
    await world.create("all/b", { author: "Bob", price: "7", state: "sold" });
    await stage("all/b", { author: "Eve", price: "8" });
    const steps = [
      { rename: "/author", to: "/writer" },
      { move: "/seo_title", to: "/seo/title" },
      { convert: "/price", to: "number" },
      { default: "/state", value: "new" },
      { drop: "/old" },
      { rename: "/items/*/x", to: "/items/*/y" },
    ];
    const newest = await world.newestEvent();
    const before = await world.entry("all/a");
    const dry = dataOf(await migrate("all", steps, { dry_run: true })) as Any;
    assert.deepEqual([dry.group, dry.entries, dry.copies, dry.failing, dry.first], [null, 2, 1, 0, []]);
    assert.deepEqual(
      dry.steps.map((step: Any) => step.entries),
      [2, 1, 2, 1, 1, 1],
    );
    assert.deepEqual(await world.entry("all/a"), before);
    const done = dataOf(await migrate("all", steps)) as Any;
    const entry = await world.entry("all/a");
    assert.deepEqual(some(entry, "writer", "seo", "price", "state", "items", "author", "seo_title", "old"), {
      ...{ writer: "Ada", seo: { title: "T" }, price: 12.5, state: "new", items: [{ y: 1 }, { y: 2 }] },
    });
    assert.deepEqual(some(await world.entry("all/b"), "writer", "price", "state"), {
      writer: "Bob",
      price: 7,
      state: "sold",
    });
    assert.deepEqual(some(await staged("all/b"), "writer", "price", "author"), { writer: "Eve", price: 8 });
    const schema = await schemaOf("all");
    assert.deepEqual(
      [schema.required, schema["x-octavo-order"]],
      [
        ["writer", "price"],
        ["writer", "price", "seo", "state"],
      ],
    );
    assert.deepEqual(schema.properties.seo, { type: "object", properties: { title: { type: "string" } } });
    assert.deepEqual([schema.properties.price, schema.properties.old], [{ type: "number" }, undefined]);
    assert.deepEqual(schema.properties.items.items, {
      type: "object",
      required: ["y"],
      properties: { y: { type: "integer" } },
    });
    const events = (await world.eventsAfter(newest)).filter(
      ({ subject }: Any) =>
        String(subject).includes(world.prefix.replace(/[^a-z0-9_-]/g, "-")) || String(subject).startsWith(world.prefix),
    );
    assert.equal(events[0].sequence, done.group);
    assert.equal(events.length, 4);
    const again = dataOf(await migrate("all", steps)) as Any;
    assert.deepEqual([again.group, again.entries, again.copies, again.types, again.views], [null, 0, 0, [], 0]);
    // History stays: the content before can be read.
    const [row] = dataOf(await world.read({ id: world.id("all/a") }, undefined, "/api/entries/history")) as Any[];
    assert.ok(row.revision > 0);
    const undone = dataOf(await undo(done.group)) as Any;
    assert.deepEqual([undone.entries, undone.copies, undone.types], [2, 1, [own("all")]]);
    assert.deepEqual(
      some(await world.entry("all/a"), "author", "seo_title", "price", "old", "writer", "seo", "state"),
      {
        ...{ author: "Ada", seo_title: "T", price: "12.50", old: "x" },
      },
    );
    assert.deepEqual((await staged("all/b")).author, "Eve");
    assert.deepEqual((await schemaOf("all")).required, ["author", "price"]);
    refused(await undo(done.group), 404, "migration_not_found");
  });

  test("fails as a whole where a value cannot be converted or a place is taken, and names the entries", async () => {
    await put("fail", { properties: { price: { type: "string" } } });
    await world.create("fail/good", { price: "1" });
    for (let i = 10; i < 22; i++) await world.create(`fail/x${i}`, { price: `dear ${i}` });
    const convert = [{ convert: "/price", to: "integer" }];
    const dry = dataOf(await migrate("fail", convert, { dry_run: true })) as Any;
    assert.deepEqual([dry.entries, dry.failing, dry.first.length], [1, 12, 10]);
    const { id, staged, step, message } = dry.first[0];
    assert.deepEqual([id, staged, step], [world.id("fail/x10"), false, 0]);
    assert.match(message, /"\/price" was "dear 10"; expected an integer/);
    const refusal = refused(await migrate("fail", convert), 422, "migration_invalid", /12 entries/);
    assert.deepEqual(
      refusal.entries.map((entry: Any) => entry.id),
      dry.first.map((entry: Any) => entry.id),
    );
    assert.equal((await world.entry("fail/good")).price, "1");
    await update("fail/good", { cost: 5 });
    const taken = refused(await migrate("fail", [{ rename: "/price", to: "/cost" }]), 422, "migration_invalid");
    assert.match(taken.detail, /fail\/good.*"\/cost" is taken/);
  });

  test("is not undone after a change of what it changed", async () => {
    await put("since", { properties: { a: { type: "string" } } });
    for (const name of ["a", "b", "c"]) await world.create(`since/${name}`, { a: name });
    const { group } = dataOf(await migrate("since", [{ rename: "/a", to: "/b" }])) as Any;
    await update("since/a", { b: "other" });
    await stage("since/b", { b: "next" });
    const refusal = refused(await undo(group), 412, "migration_changed");
    assert.deepEqual(refusal.entries.map((entry: Any) => entry.id).sort(), [world.id("since/a"), world.id("since/b")]);
    assert.equal((await world.entry("since/c")).b, "c");
  });

  test("is done once for an idempotency key, and from a form, whose steps are JSON", async () => {
    await put("once", { properties: { a: { type: "string" } } });
    await world.create("once/a", { a: "1" });
    const steps = [{ type: own("once"), rename: "/a", to: "/b" }];
    const call = () =>
      world.send({
        method: "POST",
        path: `${url}/migrate`,
        json: { ...world.pair, steps },
        headers: { "Idempotency-Key": own("key") },
      });
    const first = await call();
    const again = await call();
    assert.deepEqual(dataOf(again), dataOf(first));
    assert.equal(again.headers["idempotent-replayed"], "true");
    const text = JSON.stringify([{ type: own("once"), convert: "/b", to: "integer" }]);
    assert.equal((dataOf(await send("POST", `${url}/migrate`, { steps: text })) as Any).entries, 1);
    assert.equal((await world.entry("once/a")).b, 1);
  });

  test("refuses steps that are none, types that are not there, and callers without admin", async () => {
    await put("wrong", { properties: { a: { type: "string" } } });
    for (const steps of [[], [{}], [{ drop: "a" }], [{ drop: "/slug" }], [{ drop: "/a", rename: "/b", to: "/c" }]])
      refused(await migrate("wrong", steps), 400, "argument_invalid", /steps/);
    refused(await migrate("wrong", [{ convert: "/a", to: "date" }]), 400, "argument_invalid", /number, integer/);
    refused(await migrate("wrong", [{ drop: "/a", to: "/b" }]), 400, "argument_unknown");
    refused(await migrate("wrong", [{ drop: "/a" }], { dryrun: true }), 400, "argument_unknown", /dry_run/);
    refused(await migrate("none", [{ drop: "/a" }]), 404, "type_not_found");
    refused(await undo(999_999_999), 404, "migration_not_found");
    refused(await undo("x"), 400, "argument_invalid");
    const editor = await world.token({ kind: "management", resources: ["entries"] });
    const steps = [{ type: own("wrong"), drop: "/a" }];
    const pair = { token: editor.token, access_token: world.pair.access_token };
    refused(await send("POST", `${url}/migrate`, { steps, ...pair }), 403, "scope_missing");
    refused(await send("POST", `${url}/migrate/undo`, { group: 1, ...pair }), 403, "scope_missing");
  });
});

allRepliesKeptTheirPromises(world);
