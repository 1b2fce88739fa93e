import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Json, parseJson } from "../../src/core/lib/json.ts";
import { daySeconds } from "../../src/core/lib/time.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { EntryInput } from "../../src/entry/entry.ts";
import { parseSteps } from "../../src/migration/step.ts";
import { newPerson } from "../../src/people/person.ts";
import { maxPlanned } from "../../src/type/type.ts";
import { newView } from "../../src/view/view.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { onEachEngine } from "./engines.ts";

/** Migrations of fields: the schema, entries, working copies and saved tables together, and back. Contract, part four, §30. */

onEachEngine(async (store) => {
  const { entries, staged, types, events, releases } = store;
  const { migrations, views, people } = store.ports;
  let now = 1000;
  const by = (actor = "test") => ({ actor, nowSeconds: now });
  const slug = (id: string) => id as Slug;
  const input = (data: object, fields: EntryInput["fields"] = {}): EntryInput => ({
    ...{ data: JSON.stringify(data), isMergePatch: true, fields },
  });
  const put = (id: string, schema: object, paths = [`${id}/*`]) =>
    types.put(
      id,
      { title: id, description: "", paths, schema: JSON.stringify({ type: "object", ...schema }), mode: "enforce" },
      by(),
    );
  const schemaOf = async (id: string) => JSON.parse((await types.find(id))?.schema ?? "null");
  const create = (id: string, data: object, fields: EntryInput["fields"] = {}) =>
    entries.create(slug(id), input(data, fields), by());
  const stage = (id: string, data: object, release?: string) =>
    staged.stage(slug(id), { ...input(data), release }, by("editor"));
  const find = async (id: string) => entries.find(slug(id));
  const dataOf = async (id: string) => JSON.parse((await find(id))?.data ?? "null");
  const laid = async (id: string) => JSON.parse((await staged.find(slug(id)))?.entry.data ?? "null");
  const copyOf = async (id: string) => (await staged.find(slug(id)))?.copy;
  const steps = (...sent: object[]) => parseSteps(parseJson(JSON.stringify(sent)) as Json);
  const run = (...sent: object[]) => migrations.run(steps(...sent), maxPlanned, by("migrator"));
  const tried = (...sent: object[]) => migrations.try(steps(...sent), maxPlanned);
  const undo = (group: number | null) => migrations.undo(group ?? 0, by("undoer"));
  const last = async () => (await events.listBefore(undefined, 1))[0]?.sequence ?? 0;
  const refused = (write: Promise<unknown>): Promise<Problem> =>
    write.then(
      () => assert.fail("it was not refused"),
      (error) => (error instanceof Problem ? error : Promise.reject(error)),
    );
  const codeOf = async (write: Promise<unknown>) => (await refused(write)).code;

  test("a rename changes schema, entries and working copies in one group, and a second run nothing", async () => {
    await put("book", { required: ["author"], properties: { author: { type: "string" } } });
    const first = await create("book/a", { author: "Ada", n: 1 });
    await create("book/b", { author: "Bob" }, { visibility: "draft" });
    await create("other", { author: "Cy" });
    await stage("book/a", { author: "Eve" });
    await stage("book/b", { n: 2 });
    const sequence = await last();
    const plan = { type: "book", rename: "/author", to: "/writer" };
    const dry = await tried(plan);
    assert.deepEqual(
      [dry.entries, dry.copies, dry.types, dry.steps],
      [...[2, 1, ["book"], [{ entries: 2, copies: 1, failing: 0 }]]],
    );
    assert.equal(await last(), sequence);
    now += 10;
    const { group, ...done } = await run(plan);
    assert.deepEqual(done, dry);
    assert.equal(group, sequence + 1);
    assert.deepEqual(await schemaOf("book"), {
      ...{ type: "object", required: ["writer"], properties: { writer: { type: "string" } } },
    });
    assert.deepEqual(await dataOf("book/a"), { writer: "Ada", n: 1, content: "" });
    assert.deepEqual(await laid("book/a"), { writer: "Eve", n: 1, content: "" });
    assert.deepEqual(await laid("book/b"), { writer: "Bob", n: 2, content: "" });
    assert.deepEqual(await dataOf("other"), { author: "Cy", content: "" });
    const [copy, entry] = [await copyOf("book/a"), await find("book/a")];
    assert.deepEqual(
      [copy?.data, copy?.stagedBy, copy?.revision],
      ['{"writer":"Eve"}', "editor", entry?.stagedRevision],
    );
    assert.deepEqual((await staged.find(slug("book/a")))?.outdated, []);
    assert.deepEqual([entry?.modifiedAt, entry?.uuid], [now, first.uuid]);
    const group1 = await events.listCommitted(sequence, 99);
    assert.deepEqual(
      group1.map(({ kind, subject }) => `${kind} ${subject}`),
      ["type.put book", "entry.update book/a", "entry.update book/b", "entry.stage book/a"],
    );
    assert.deepEqual(new Set(group1.map((event) => event.first)), new Set([group]));
    const before = await store.ports.history.find({ noun: "entry", thing: first.uuid }, first.revision, {
      id: "book/a",
      since: entry?.contentRevision,
    });
    assert.equal(before?.data, '{"author":"Ada","n":1,"content":""}');
    const again = await run(plan);
    assert.deepEqual([again.group, again.entries, again.copies, again.types], [null, 0, 0, []]);
    assert.equal(await last(), (group ?? 0) + 3);
    assert.deepEqual(await store.verify(), []);
  });

  test("an undo gives entries, copies and the schema what they had, once", async () => {
    await put("film", { required: ["author"], properties: { author: { type: "string" } } });
    await create("film/a", { author: "Ada" });
    await create("film/b", { author: "Bob" });
    await stage("film/b", { author: "Eve", n: 1 });
    const [schema, copy] = [await schemaOf("film"), await copyOf("film/b")];
    const { group } = await run(
      { type: "film", rename: "/author", to: "/writer" },
      { type: "film", default: "/n", value: 0 },
    );
    assert.deepEqual(await dataOf("film/b"), { writer: "Bob", content: "", n: 0 });
    assert.deepEqual(await laid("film/b"), { writer: "Eve", content: "", n: 1 });
    await entries.move(slug("film/a"), { newSlug: slug("film/moved") }, by());
    now += 5;
    const sequence = await last();
    const undone = await undo(group);
    assert.deepEqual(undone, { group, entries: 2, copies: 1, types: ["film"], views: 0 });
    const own = await events.listCommitted(sequence, 99);
    assert.deepEqual(new Set(own.map((event) => event.first)), new Set([sequence + 1]));
    assert.deepEqual(await schemaOf("film"), schema);
    assert.deepEqual(await dataOf("film/moved"), { author: "Ada", content: "" });
    assert.deepEqual(await laid("film/b"), { author: "Eve", content: "", n: 1 });
    const { revision: _, ...after } = (await copyOf("film/b")) as NonNullable<typeof copy>;
    const { revision: __, ...before } = copy as NonNullable<typeof copy>;
    assert.deepEqual(after, before);
    assert.deepEqual((await staged.find(slug("film/b")))?.outdated, []);
    assert.equal(await codeOf(undo(group)), "migration_not_found");
    assert.deepEqual(await store.verify(), []);
  });

  test("what cannot be done fails the whole plan, with the entries named", async () => {
    await put("shop", { properties: { price: { type: "string" } } });
    await create("shop/a", { price: "12.50" });
    for (let i = 0; i < 12; i++) await create(`shop/b${i}`, { price: `dear ${i}` });
    await create("shop/c", { price: "3" });
    await stage("shop/c", { price: "soon" });
    const sequence = await last();
    const plan = { type: "shop", convert: "/price", to: "number" };
    const dry = await tried(plan);
    assert.deepEqual([dry.entries, dry.failing, dry.first.length, dry.steps[0]?.failing], [1, 13, 10, 13]);
    assert.deepEqual(dry.first[0], {
      ...{ id: "shop/b0", isStaged: false, step: 0 },
      message: '"/price" was "dear 0"; expected a number, or a text that is exactly one',
    });
    const failure = await refused(run(plan));
    assert.equal(failure.code, "migration_invalid");
    assert.deepEqual(
      failure.entries?.map(({ id }) => id),
      dry.first.map(({ id }) => id),
    );
    assert.match(failure.detail, /13 entries.*"shop\/b0"/);
    assert.deepEqual([await last(), await dataOf("shop/a")], [sequence, { price: "12.50", content: "" }]);
    for (let i = 0; i < 12; i++) await entries.delete(slug(`shop/b${i}`), { to: "nowhere" }, by());
    const copy = await refused(run(plan));
    assert.match(copy.detail, /"shop\/c": its working copy: "\/price" was "soon"/);
    await stage("shop/c", { price: "4" });
    await run(plan);
    assert.deepEqual(
      [await dataOf("shop/c"), await laid("shop/c")],
      [
        { price: 3, content: "" },
        { price: 4, content: "" },
      ],
    );
    await create("shop/d", { price: 5, cost: 5 });
    const taken = await refused(run({ type: "shop", rename: "/price", to: "/cost" }));
    assert.match(taken.detail, /"shop\/d": "\/cost" is taken/);
    assert.equal(await codeOf(run({ type: "none", drop: "/a" })), "type_not_found");
  });

  test("what would no longer fit its type fails, what did not fit before does not", async () => {
    const seo = { type: "object", properties: { title: { type: "string", maxLength: 3 } } };
    await create("page/old", { n: "wrong" });
    await put("page", { required: ["t"], properties: { t: { type: "string" }, n: { type: "integer" }, seo } });
    await create("page/a", { t: "long title" });
    const move = { type: "page", move: "/t", to: "/seo/title" };
    const failure = await refused(run(move));
    assert.match(failure.detail, /"page\/a": it would not fit the type page: "\/seo\/title"/);
    await entries.update(slug("page/a"), input({ t: "yes" }), by());
    await run(move);
    assert.deepEqual(await dataOf("page/a"), { content: "", seo: { title: "yes" } });
    assert.deepEqual(await dataOf("page/old"), { n: "wrong", content: "" });
    assert.deepEqual((await schemaOf("page")).required, ["seo"]);
  });

  test("types that refer to it are looked at, and change with steps of their own", async () => {
    await put("address", { required: ["city"], properties: { city: { type: "string" } } }, ["address/*"]);
    await put("venue", { properties: { address: { $ref: "/types/address" } } });
    await create("venue/hall", { address: { city: "Bonn" } });
    const own = { type: "address", rename: "/city", to: "/town" };
    const failure = await refused(run(own));
    assert.match(failure.detail, /"venue\/hall": it would not fit the type venue: "\/address\/town"/);
    await run(own, { type: "venue", rename: "/address/city", to: "/address/town" });
    assert.deepEqual(await dataOf("venue/hall"), { address: { town: "Bonn" }, content: "" });
  });

  test("entries whose fieldset names the type, and copies that change it, follow", async () => {
    await put("note", { properties: { a: {} } }, []);
    await create("n/one", { fieldset: "note", a: 1 });
    await create("n/two", { fieldset: "else", a: 1 });
    await create("n/three", { a: 1 });
    await stage("n/two", { fieldset: "note" });
    await stage("n/one", { fieldset: "else" });
    const done = await run({ type: "note", rename: "/a", to: "/b" });
    assert.deepEqual([done.entries, done.copies], [1, 2]);
    assert.deepEqual(await dataOf("n/one"), { fieldset: "note", b: 1, content: "" });
    assert.deepEqual(await laid("n/one"), { fieldset: "else", a: 1, content: "" });
    assert.deepEqual(await dataOf("n/two"), { fieldset: "else", a: 1, content: "" });
    assert.deepEqual(await laid("n/two"), { fieldset: "note", b: 1, content: "" });
    assert.deepEqual(await dataOf("n/three"), { a: 1, content: "" });
    await undo(done.group);
    assert.deepEqual(await laid("n/two"), { fieldset: "note", a: 1, content: "" });
    assert.deepEqual(await laid("n/one"), { fieldset: "else", a: 1, content: "" });
    assert.deepEqual(await store.verify(), []);
  });

  test("scheduled copies and those of releases follow, and go live as they are then", async () => {
    await put("news", { properties: { a: { type: "string" }, old: {} } });
    for (const id of ["news/due", "news/in", "news/gone", "news/removes"]) await create(id, { a: "live", old: 1 });
    await stage("news/due", { a: "next" });
    await staged.schedule(slug("news/due"), { atSeconds: now + 100 }, by());
    const release = await releases.create(newRelease("Spring", { ...by(), id: "spring" }), by());
    await stage("news/in", { old: 2 }, release.id);
    await stage("news/gone", { old: 2 });
    await stage("news/removes", { a: null });
    const done = await run({ type: "news", rename: "/a", to: "/b" }, { type: "news", drop: "/old" });
    assert.deepEqual([done.entries, done.copies], [4, 4]);
    const copies = await Promise.all(["news/due", "news/in", "news/gone", "news/removes"].map(copyOf));
    assert.deepEqual(
      copies.map((copy) => copy && [copy.data, copy.removed, copy.publishAtSeconds, copy.release]),
      [['{"b":"next"}', [], now + 100, null], ["{}", [], null, "spring"], undefined, ["{}", ["b"], null, null]],
    );
    assert.deepEqual(await store.verify(), []);
    await undo(done.group);
    assert.deepEqual(await laid("news/gone"), { a: "live", old: 2, content: "" });
    assert.deepEqual(await laid("news/removes"), { old: 1, content: "" });
    assert.deepEqual(await laid("news/in"), { a: "live", old: 2, content: "" });
    const again = await run({ type: "news", rename: "/a", to: "/b" });
    now += 200;
    assert.equal(await staged.publishDue(now), 1);
    assert.deepEqual(await dataOf("news/due"), { b: "next", old: 1, content: "" });
    const changed = await refused(undo(again.group));
    assert.deepEqual([changed.code, changed.entries], ["migration_changed", [{ id: "news/due" }]]);
    assert.deepEqual(await store.verify(), []);
  });

  test("what is outdated stays outdated, and nothing else becomes it", async () => {
    await put("memo", { properties: { a: {}, b: {} } });
    await create("memo/x", { a: 1, b: 1 });
    await stage("memo/x", { a: 2, b: 2 });
    await entries.update(slug("memo/x"), input({ a: 3 }), by());
    const outdated = async () => (await staged.find(slug("memo/x")))?.outdated;
    assert.deepEqual(await outdated(), ["a"]);
    await run({ type: "memo", rename: "/a", to: "/c" }, { type: "memo", rename: "/b", to: "/d" });
    assert.deepEqual(await outdated(), ["c"]);
    await entries.update(slug("memo/x"), input({ d: 9 }), by());
    assert.deepEqual((await outdated())?.toSorted(), ["c", "d"]);
  });

  test("an undo is refused for what changed since, and for what history no longer has", async () => {
    await put("item", { properties: { a: {} } });
    for (const id of ["item/x", "item/y", "item/z"]) await create(id, { a: 1 });
    const plan = { type: "item", rename: "/a", to: "/b" };
    const { group } = await run(plan);
    await entries.update(slug("item/x"), input({ b: 2 }), by());
    await stage("item/y", { b: 3 });
    await entries.delete(slug("item/z"), { to: "trash" }, by());
    await put("item", { properties: { b: { type: "integer" } } });
    const failure = await refused(undo(group));
    assert.deepEqual(
      [failure.code, failure.entries?.map(({ id }) => id).toSorted()],
      [...["migration_changed", ["item/x", "item/y", "item/z"]]],
    );
    assert.match(failure.detail, /the type item/);
    const next = await run({ type: "item", rename: "/b", to: "/c" });
    await store.ports.history.trim({ rows: 0, seconds: 0, bytes: 0 }, now);
    assert.equal(await codeOf(undo(next.group)), "revision_not_found");
    assert.deepEqual(await dataOf("item/x"), { c: 2, content: "" });
    assert.equal(await codeOf(undo(999_999)), "migration_not_found");
  });

  test("what was before is kept for thirty days", async () => {
    await put("kept", { properties: { a: {} } });
    await create("kept/x", { a: 1 });
    const { group } = await run({ type: "kept", drop: "/a" });
    now += 30 * daySeconds;
    await migrations.forget(now - 30 * daySeconds);
    await undo(group);
    assert.deepEqual(await dataOf("kept/x"), { a: 1, content: "" });
    const other = await run({ type: "kept", drop: "/a" });
    now += 30 * daySeconds + 1;
    assert.equal(await codeOf(undo(other.group)), "migration_not_found");
    assert.ok((await migrations.forget(now - 30 * daySeconds)) > 0);
    assert.equal(await migrations.forget(now - 30 * daySeconds), 0);
  });

  test("a plan that would change too much is refused, and changes nothing", async () => {
    await put("many", { properties: { a: {} } });
    for (const id of ["many/x", "many/y"]) await create(id, { a: 1 });
    await create("many/none", { c: 1 });
    await stage("many/x", { a: 2 });
    const plan = steps({ type: "many", rename: "/a", to: "/b" });
    assert.equal(await codeOf(migrations.run(plan, 2, by())), "plan_too_large");
    assert.equal(await codeOf(migrations.try(plan, 2)), "plan_too_large");
    assert.deepEqual(await dataOf("many/x"), { a: 1, content: "" });
    assert.deepEqual((await migrations.run(plan, 3, by())).entries, 2);
  });

  test("saved tables follow, where no other type in them has such a field", async () => {
    const person = await people.create(
      newPerson({ email: "ada@example.org", role: "editor" }, { id: randomUUID(), nowSeconds: now }),
      undefined,
      by(),
    );
    await put("song", { properties: { author: {}, seo_title: {} } });
    await put("poem", { properties: { author: {} } });
    const view = (path: string, more: object) =>
      views.create(
        newView({ title: path || "all", path: path as Path, ...more }, { id: randomUUID(), person: person.id }),
        by(),
      );
    const filter = { conditions: [{ key: "author", operator: "eq", value: "x" }], orderBy: "author" };
    const of = (sent: object) => parseJson(JSON.stringify(sent)) as Json;
    await view("song", { columns: ["title", "author", "seo_title"], sort: "-author", filter: of(filter) });
    await view("", { columns: ["author"], sort: "author" });
    await view("elsewhere", { columns: ["author"] });
    const listed = async () =>
      (await views.list(person.id)).map(({ title, columns, sort, filter }) => [
        title,
        columns,
        sort,
        JSON.parse(filter),
      ]);
    const columns = { "columns:song": ["author", "n"], "columns:elsewhere": ["author"], note: 1 };
    await people.update(person.id, { preferences: JSON.stringify(columns) }, by());
    const chosen = async () => JSON.parse(await people.preferencesOf(person.id));
    const before = await listed();
    const plan = [
      { type: "song", rename: "/author", to: "/writer" },
      { type: "song", move: "/seo_title", to: "/seo/title" },
    ];
    const { group, views: count } = await run(...plan);
    assert.equal(count, 3);
    assert.deepEqual(await chosen(), { ...columns, "columns:song": ["writer", "n"] });
    const other = { conditions: [{ key: "writer", operator: "eq", value: "x" }], orderBy: "writer" };
    assert.deepEqual(await listed(), [
      ["all", ["author", "writer"], "author", {}],
      ["elsewhere", ["author"], "", {}],
      ["song", ["title", "writer", "seo.title"], "-writer", other],
    ]);
    assert.equal((await undo(group)).views, 3);
    assert.deepEqual(await chosen(), columns);
    assert.deepEqual(await listed(), before);
  });
});
