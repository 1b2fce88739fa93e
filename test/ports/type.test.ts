import assert from "node:assert/strict";
import { test } from "node:test";
import type { BackupRow } from "../../src/backup/backup.ts";
import { accessOf } from "../../src/core/access/access.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Asker } from "../../src/core/list/query.ts";
import type { Slug } from "../../src/core/path.ts";
import { type Fault, isProblem, Problem } from "../../src/core/problem.ts";
import { formatRevision } from "../../src/core/revision.ts";
import type { EntryInput } from "../../src/entry/entry.ts";
import type { ContentType, TriedType } from "../../src/type/type.ts";
import { type CostlyType, costlyTypes } from "../fixtures/costly-types.ts";
import { onEachEngine } from "./engines.ts";

/** Content types, and the data that writes may store. Contract, part two, §9. */

/** Takes all the time that a check may take. */
const [{ schema, data }] = costlyTypes as [CostlyType];
/** Deeper than a check goes, which is known at once: 60 levels of data, each behind ten references. */
const chain = Array.from({ length: 10 }, (_, i) => [`r${i}`, { $ref: `#/$defs/r${i + 1}` }]);
const deep = {
  schema: {
    $ref: "#/$defs/r0",
    $defs: { ...Object.fromEntries(chain), r10: { properties: { a: { $ref: "#/$defs/r0" } } } },
  },
  data: Array.from({ length: 60 }).reduce<object>((value) => ({ a: value }), {}),
};

onEachEngine(async (store, engine) => {
  const { entries, staged, trash, types } = store;
  const by = (nowSeconds = 1000) => ({ actor: "test", nowSeconds });
  const slug = (id: string) => id as Slug;
  const input = (data: object, fields: EntryInput["fields"] = {}, isMergePatch = false): EntryInput => ({
    ...{ data: JSON.stringify(data), isMergePatch, fields },
  });
  const type = (id: string, schema: object, paths: string[] = [], more: Partial<ContentType> = {}): ContentType => ({
    ...{ id, title: id, description: "", paths, schema: JSON.stringify(schema), mode: "enforce", ...more },
  });
  const put = (...args: Parameters<typeof type>) => types.put(args[0], type(...args), by());
  const create = (id: string, data: object, fields: EntryInput["fields"] = {}) =>
    entries.create(slug(id), input(data, fields), by());
  const update = (id: string, data: object, fields: EntryInput["fields"] = {}) =>
    entries.update(slug(id), input(data, fields, true), by());
  const find = async (id: string) => entries.find(slug(id));
  const move = (id: string, to: string) => entries.move(slug(id), { newSlug: slug(to) }, by());
  const copy = (id: string, to: string) => entries.copy(slug(id), { newSlug: slug(to) }, by());
  const newest = async () => (await store.events.listBefore(undefined, 1))[0];

  /** The code of the refusal; of data_invalid the faults as `pointer rule`. */
  const refused = async (write: Promise<unknown>): Promise<string> => {
    try {
      await write;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code !== "data_invalid") return error.code;
      return (error.faults as Fault[]).map(({ pointer, rule }) => `${pointer} ${rule}`).join(", ");
    }
    return "accepted";
  };

  const film = {
    type: "object",
    required: ["title"],
    properties: {
      title: { type: "string", minLength: 2 },
      year: { type: "integer" },
      tags: { items: { type: "string" } },
    },
  };

  test("a type is put, found, listed, replaced by revision and deleted, with an event each", async () => {
    const made = await put("note", film, ["notes/*"]);
    const event = await newest();
    assert.deepEqual([event?.kind, event?.subject, event?.sequence], ["type.put", "note", made.revision]);
    assert.deepEqual(await types.find("note"), made);
    const again = await types.put("note", type("note", {}), { ...by(), ifMatch: `"${formatRevision(made.revision)}"` });
    assert.equal(
      await refused(types.put("note", type("note", {}), { ...by(), ifMatch: `"${formatRevision(made.revision)}"` })),
      "revision_mismatch",
    );
    assert.equal(await refused(types.put("none", type("none", {}), { ...by(), ifMatch: '"1"' })), "type_not_found");
    await put("a", {});
    assert.deepEqual(
      (await types.list(undefined, 5)).map(({ id }) => id),
      ["a", "note"],
    );
    assert.deepEqual(await types.list("a", 5), [again]);
    assert.equal(await refused(types.delete("note", { ...by(), ifMatch: '"1"' })), "revision_mismatch");
    await types.delete("note", by());
    await types.delete("a", by());
    assert.deepEqual([(await newest())?.kind, await types.list(undefined, 5)], ["type.delete", []]);
    assert.equal(await refused(types.delete("note", by())), "type_not_found");
  });

  test("a create that does not fit is refused with all its faults, and nothing is stored", async () => {
    await put("film", film, ["films/*"]);
    const faults = await refused(create("films/one", { year: "1979", tags: ["a", 1] }));
    assert.equal(faults, "/title required, /year type, /tags/1 type");
    assert.equal(await find("films/one"), undefined);
    assert.equal(await refused(create("films/one", { title: "One", fieldset: "anything", content: "" })), "accepted");
    assert.equal(await refused(create("films/one/part", {})), "accepted");
  });

  test("creates of one group are checked each by itself", async () => {
    const ids = ["films/g1", "films/g2", "films/g3", "films/g4"];
    const done = await Promise.all(ids.map((id, i) => refused(create(id, i % 2 ? { title: "ok" } : { title: 1 }))));
    assert.deepEqual(done, ["/title type", "accepted", "/title type", "accepted"]);
  });

  test("an update is refused for the faults that it brings, not for those that the entry had", async () => {
    await create("old", { title: 5, year: 1 });
    await put("old", film, ["old"]);
    assert.equal(await refused(update("old", { year: 2 })), "accepted");
    assert.equal(await refused(update("old", { title: 6 })), "accepted");
    assert.equal(await refused(update("old", { year: "x" })), "/year type");
    assert.equal(await refused(update("old", { title: null })), "/title required");
    assert.equal(await refused(update("old", { title: "Fits" })), "accepted");
    assert.equal(await refused(update("old", { title: 6 })), "/title type");
  });

  test("drafts may lack what is required; what becomes visible may not", async () => {
    assert.equal(await refused(create("films/draft", { year: "x" }, { visibility: "draft" })), "/year type");
    await create("films/draft", { title: "" }, { visibility: "draft" });
    assert.equal(await refused(update("films/draft", {}, { visibility: "visible" })), "/title minLength");
    assert.equal(await refused(update("films/draft", {}, { visibility: "hidden" })), "/title minLength");
    assert.equal(await refused(create("films/later", {}, { publishedAt: 9999 })), "/title required");
    assert.equal(await refused(staged.publish(slug("films/draft"), {}, by())), "/title minLength");
  });

  test("below not and if also a draft is checked whole", async () => {
    await put(
      "strict",
      JSON.parse('{"not":{"required":["a"]},"if":{"required":["b"]},"then":{"properties":{"c":{"type":"null"}}}}'),
      ["strict/*"],
    );
    const draft = (id: string, data: object) => refused(create(`strict/${id}`, data, { visibility: "draft" }));
    assert.equal(await draft("1", {}), "accepted");
    assert.equal(await draft("2", { a: 1 }), " not");
    assert.equal(await draft("3", { b: 1, c: 1 }), "/c type");
    assert.equal(await draft("4", { c: 1 }), "accepted");
  });

  test("a draft and a working copy may have an unfinished block; a publish names the field that it lacks", async () => {
    const block = (kind: string, field: string) => ({
      ...{ type: "object", required: ["kind", field] },
      properties: { kind: { const: kind }, [field]: { type: "string", minLength: 1 } },
    });
    const blocks = { items: { oneOf: [block("text", "text"), { $ref: "/types/picture" }] } };
    await put("picture", block("picture", "src"));
    await put("page", { properties: { blocks } }, ["pages/*"]);
    const data = { blocks: [{ kind: "text", text: "Hello" }, { kind: "picture" }] };
    const unfinished = "/blocks/1/src required";
    assert.equal(await refused(create("pages/1", data)), unfinished);
    assert.equal(await refused(create("pages/1", data, { visibility: "draft" })), "accepted");
    const bad = [{ kind: "picture", src: 5 }, { kind: "vidoe" }];
    assert.equal(await refused(update("pages/1", { blocks: bad })), "/blocks/0/src type, /blocks/1/kind enum");
    assert.equal(await refused(update("pages/1", {}, { visibility: "hidden" })), unfinished);
    assert.equal(await refused(staged.publish(slug("pages/1"), {}, by())), unfinished);
    await update("pages/1", { blocks: [] }, { visibility: "visible" });
    const stage = (blocks: object) => staged.stage(slug("pages/1"), input({ blocks }), by());
    assert.equal(await refused(stage(bad)), "/blocks/0/src type, /blocks/1/kind enum");
    assert.equal(await refused(stage(data.blocks)), "accepted");
    assert.equal(await refused(staged.publish(slug("pages/1"), {}, by())), unfinished);
    assert.equal(await refused(stage([{ kind: "picture", src: "a" }])), "accepted");
    assert.equal(await refused(staged.publish(slug("pages/1"), {}, by())), "accepted");
  });

  test("a move or a copy into another type checks every entry; within a type it checks nothing", async () => {
    await create("loose", { title: "Top" });
    await create("loose/a", { year: 1 });
    await put("part", film, ["parts/**"]);
    assert.equal(await refused(move("loose", "parts/x")), "/title required");
    assert.equal(await refused(copy("loose", "parts/x")), "/title required");
    assert.deepEqual([await find("parts/x"), (await find("loose/a"))?.slug], [undefined, "loose/a"]);
    await update("loose/a", { title: "Now" });
    assert.equal(await refused(copy("loose", "parts/x")), "accepted");
    await types.put("part", type("part", { ...film, required: ["never"] }, ["parts/**"]), by());
    assert.equal(await refused(move("parts/x", "parts/y")), "accepted");
    assert.equal(await refused(move("loose", "parts/z")), "/never required");
  });

  test("fieldset names a type without paths, or one whose paths match", async () => {
    await put("named", { required: ["n"] });
    await put("placed", { required: ["p"] }, ["placed/*"]);
    assert.equal(await refused(create("free/1", { fieldset: "named" })), "/n required");
    assert.equal(await refused(create("free/2", { fieldset: "placed" })), "accepted");
    assert.equal(await refused(create("films/3", { fieldset: "named", title: "no" })), "/n required");
    assert.equal(await refused(create("films/4", { fieldset: "placed", title: "ok" })), "accepted");
    assert.equal(await refused(update("films/4", { fieldset: "named" })), "/n required");
  });

  test("a working copy is checked as a draft, its publish whole", async () => {
    await create("films/copy", { title: "Live" });
    const stage = (data: object) => refused(staged.stage(slug("films/copy"), input(data, {}, true), by()));
    assert.equal(await stage({ year: "x" }), "/year type");
    assert.equal(await stage({ title: null }), "accepted");
    assert.equal(await refused(staged.publish(slug("films/copy"), {}, by())), "/title required");
    assert.equal((await find("films/copy"))?.data, '{"title":"Live","content":""}');
    await staged.schedule(slug("films/copy"), { atSeconds: 2000 }, by());
    assert.equal(await staged.publishDue(2001), 0);
    const event = await newest();
    assert.deepEqual([event?.kind, event?.subject], ["entry.publish_failed", "films/copy"]);
    assert.equal((await staged.find(slug("films/copy")))?.copy?.publishAtSeconds, null);
    assert.equal(await stage({ title: "Again" }), "accepted");
    assert.equal(await refused(staged.publish(slug("films/copy"), {}, by())), "accepted");
  });

  test("a draft or a working copy takes what the entry had before its type changed, and says what does not fit", async () => {
    const before = { properties: { price: {}, tags: {}, size: {} } };
    const after = {
      properties: { price: { type: "number" }, tags: { items: { type: "string" } }, size: { enum: ["s", "l"] } },
      not: { required: ["price", "tags", "size"], properties: { size: { const: "x" } } },
    };
    await put("ware", before, ["wares/*"]);
    const old = { price: "9 €", tags: [1, 2], size: "x" };
    const all = ["/price", "/tags/0", "/tags/1", "/size", ""];
    const told = (faults: readonly Fault[] = []) => faults.map(({ pointer }) => pointer);
    const stage = (id: string, data: object) => staged.stage(slug(id), input(data, {}, true), by());
    const made = new Map<string, number>();
    for (const [id, visibility] of [
      ["wares/draft", "draft"],
      ["wares/live", "visible"],
    ] as const) {
      made.set(id, (await create(id, old, { visibility })).revision);
      await update(id, { price: 9, tags: ["a"], size: "s" });
    }
    await put("ware", after, ["wares/*"]);
    const restore = (id: string) => entries.restore(slug(id), { revision: made.get(id) as number }, by());

    assert.deepEqual(told((await restore("wares/draft")).faults), all);
    assert.deepEqual(told((await update("wares/draft", { note: 1 })).faults), all);
    assert.match(await refused(staged.publish(slug("wares/draft"), {}, by())), /price type/);
    assert.match(await refused(update("wares/draft", {}, { visibility: "visible" })), /price type/);
    assert.deepEqual(told((await update("wares/draft", { price: 1, tags: [], size: "l" })).faults), []);
    assert.equal(await refused(update("wares/draft", { price: "10 €" })), "/price type", "what it never had");
    assert.equal((await update("wares/draft", { price: "9 €" })).faults?.length, 1, "one key of it");

    assert.match(await refused(restore("wares/live")), /price type/, "what is live has to fit");
    assert.equal(await refused(stage("wares/live", { price: "10 €" })), "/price type");
    assert.deepEqual(told((await stage("wares/live", { price: "9 €" })).faults), ["/price"]);
    assert.equal((await stage("wares/live", old)).faults?.length, 5);
    assert.equal((await stage("wares/live", { note: 1 })).faults?.length, 5, "its faults are known then");
    assert.match(await refused(staged.publish(slug("wares/live"), {}, by())), /price type/);
    await stage("wares/live", { price: 2, tags: ["b"], size: "s" });
    assert.deepEqual(told((await stage("wares/live", {})).faults), []);
    await staged.publish(slug("wares/live"), {}, by());

    assert.equal(
      await refused(create("wares/new", { price: "9 €" }, { visibility: "draft" })),
      "/price type",
      "a new one had nothing before",
    );
  });

  test("a live entry keeps the faults that it has, and says so", async () => {
    await create("aged", { title: 5 });
    await put("aged", film, ["aged"]);
    assert.deepEqual(
      (await update("aged", { year: 2 })).faults?.map(({ pointer }) => pointer),
      ["/title"],
    );
    assert.equal((await update("aged", { title: "Fits" })).faults, undefined);
    assert.deepEqual((await staged.stage(slug("aged"), input({ title: 5 }, {}, true), by())).faults?.length, 1);
  });

  test("a restore is refused for the faults that it brings; what comes out of the trash is not checked", async () => {
    const first = await create("past", { title: 5 });
    await update("past", { title: "Good" });
    await put("past", film, ["past"]);
    assert.equal(await refused(entries.restore(slug("past"), { revision: first.revision }, by())), "/title type");
    await update("past", { title: "Better" });
    await types.delete("past", by());
    await update("past", { title: 7 });
    await put("past", film, ["past"]);
    assert.equal(await refused(entries.restore(slug("past"), { revision: first.revision }, by())), "accepted");
    await entries.delete(slug("past"), { to: "trash" }, by());
    const { sequence } = (await newest()) as { sequence: number };
    assert.equal(
      await refused(trash.restore(sequence, { newPath: undefined, extensions: ["entries"] as never }, by())),
      "accepted",
    );
  });

  test("a type may refer to another, which may then not lose what is referred to", async () => {
    await put("author", { $defs: { name: { type: "string" } }, properties: { name: { $ref: "#/$defs/name" } } });
    await put("book", { properties: { by: { $ref: "/types/author" }, n: { $ref: "/types/author#/$defs/name" } } }, [
      "b/*",
    ]);
    assert.equal(await refused(create("b/1", { by: { name: 1 }, n: 2 })), "/by/name type, /n type");
    assert.equal(await refused(types.delete("author", by())), "type_in_use");
    assert.equal(await refused(put("author", { properties: { name: { type: "integer" } } })), "type_in_use");
    await put("author", { $defs: { name: { type: "integer" } } });
    assert.equal(await refused(create("b/2", { by: { name: 1 }, n: 2 })), "accepted");
    assert.equal(await refused(put("alone", { $ref: "/types/nobody" })), "schema_invalid");
  });

  test("a type that is off checks nothing, and a check tells what would fail", async () => {
    await create("try/a", { title: "Fine" });
    await create("try/b", { title: 1 });
    await create("try/c", {}, { visibility: "draft" });
    const tried = { id: "tried", paths: ["try/*"], schema: JSON.stringify(film) };
    const { checked, failing, first } = await types.check(tried, { paths: null });
    assert.deepEqual([checked, failing, first.map(({ id }) => id)], [3, 1, ["try/b"]]);
    assert.deepEqual(
      first[0]?.errors.map(({ pointer, rule }) => [pointer, rule]),
      [["/title", "type"]],
    );
    assert.equal(await types.find("tried"), undefined);
    assert.equal(await refused(types.check({ ...tried, schema: '{"type":"x"}' }, { paths: null })), "schema_invalid");
    await put("tried", film, ["try/*"], { mode: "off" });
    assert.equal(await refused(create("try/d", { title: 2 })), "accepted");
  });

  test("data takes the client's keys alone; numbers are checked as the nearest double", async () => {
    const closed = { additionalProperties: false, properties: { n: { type: "integer", maximum: 9007199254740992 } } };
    await put("closed", closed, ["closed/*"]);
    const raw = (id: string, data: string) =>
      entries.create(slug(`closed/${id}`), { data, isMergePatch: false, fields: {} }, by());
    assert.equal(await refused(raw("1", '{"n":9007199254740993,"fieldset":"x"}')), "accepted");
    assert.equal(await refused(raw("2", '{"n":1.0,"content":""}')), "accepted");
    assert.equal(await refused(raw("3", '{"n":1.5}')), "/n type");
    assert.equal(await refused(raw("4", '{"content":"text"}')), "/content additionalProperties");
    assert.equal(await refused(raw("5", '{"toString":1}')), "/toString additionalProperties");
  });

  test("a field named as one of the service is refused", async () => {
    const schema = { properties: { slug: { type: "string" } }, required: ["slug"] };
    await assert.rejects(put("own", schema), /"\/properties\/slug".*"short_name"/);
    await assert.rejects(types.check(type("own", schema), { paths: null }), /"\/properties\/slug".*"short_name"/);
    assert.equal(await types.find("own"), undefined);
    await put("shape", { $defs: { link: schema } });
    assert.equal(await refused(put("own", { $ref: "/types/shape#/$defs/link" })), "schema_invalid");
    assert.equal(await refused(put("own", { properties: { link: { $ref: "/types/shape#/$defs/link" } } })), "accepted");
  });

  test("a type of an earlier version that names a field of the service stays, and is told", async () => {
    await put("early", { properties: { slug1: { type: "string" } }, required: ["slug1"] }, ["early/*"]);
    await put("nested", { properties: { link: { required: ["slug1"] } } });
    const earlier = await engine.open();
    test.after(() => earlier.close());
    const rename = (row: BackupRow) => ({ ...row, schema: String(row.schema).replaceAll("slug1", "slug") });
    await store.rows.snapshot(async (rows) => {
      const rowNouns = [...store.rows.rules.keys()];
      const counts: Record<string, number> = {};
      for (const noun of rowNouns) counts[noun] = await rows.count(noun);
      const batches = async function* () {
        for (const noun of rowNouns)
          for await (const batch of rows.rows(noun)) yield { noun, rows: noun === "type" ? batch.map(rename) : batch };
      };
      const blobs = { ...(await rows.blobTotals()), sha256: "" };
      await earlier.rows.load(batches(), { counts, rows_sha256: "", blobs });
    });
    const type = await earlier.types.find("early");
    assert.equal(type?.fault?.pointer, "/properties/slug");
    assert.match(String(type?.fault?.message), /"short_name"/);
    const faulty = (await earlier.types.list(undefined, 100)).filter(({ fault }) => fault);
    assert.deepEqual(faulty, [type]);
    const made = earlier.entries.create(slug("early/1"), input({}), by());
    assert.equal(await refused(made), "/slug required");
    assert.equal(
      await refused(earlier.types.put((type as ContentType).id, { ...(type as ContentType), title: "New" }, by())),
      "schema_invalid",
    );
    await earlier.types.put("early", { ...(type as ContentType), schema: "{}" }, by());
    assert.equal((await earlier.types.find("early"))?.fault, undefined);
  });

  // Which schemas cost too much: src/type/type.test.ts.
  test("a write whose check costs too much is refused, and stores nothing", async () => {
    await create("free/costly", deep.data);
    await create("costly/old", deep.data);
    await put("costly", deep.schema, ["costly/**"]);
    const before = await newest();
    for (const write of [
      () => create("costly/1", deep.data),
      () => update("costly/old", { more: 1 }),
      () => move("free/costly", "costly/2"),
      () => copy("free/costly", "costly/2"),
    ])
      assert.equal(await refused(write()), "type_too_costly");
    assert.deepEqual([await newest(), await find("costly/1"), await find("costly/2")], [before, undefined, undefined]);
    const tried = { id: "costly", paths: ["costly/*"], schema: JSON.stringify(deep.schema) };
    const found = await types.check(tried, { paths: null });
    assert.deepEqual([found.checked, found.failing, found.first[0]?.errors[0]?.rule], [1, 1, "cost"]);
    await types.delete("costly", by());
    for (const id of ["free/costly", "costly/old"]) await entries.delete(slug(id), { to: "trash" }, by());
  });
});

const tried: TriedType = { id: "slow", paths: ["slow/*"], schema: JSON.stringify(schema) };
const asker = (client: string, signal = new AbortController().signal): Asker => ({
  client,
  signal,
  makeRoom: () => undefined,
});

onEachEngine(
  async ({ entries, types }) => {
    const count = 3;
    const ids = Array.from({ length: count }, (_, n) => `slow/${String(n).padStart(2, "0")}` as Slug);
    test.before(async () => {
      for (const id of ids)
        await entries.create(
          id,
          { data: JSON.stringify(data), isMergePatch: false, fields: {} },
          { actor: "test", nowSeconds: 1 },
        );
    });

    test("a check ends at its time, and goes on behind the entry that it came to", async () => {
      let [checked, last, rounds] = [0, undefined as Slug | undefined, 0];
      do {
        const found = await types.check(tried, { paths: null, after: last });
        checked += found.checked;
        ({ last } = found);
        rounds++;
      } while (last !== undefined);
      assert.equal(checked, count);
      assert.ok(rounds > 1);
      assert.equal((await types.check(tried, { paths: [ids[2] as Slug], after: ids[1] })).checked, 1);
    });

    // That they run apart from lists, so that none waits for them, is tested in scan-queue.test.ts without a clock.
    test("three checks of a client are answered, and the list of another one beside them", async () => {
      const order: string[] = [];
      const note = (name: string, work: Promise<unknown>) =>
        work.then(
          () => void order.push(name),
          (error) => void order.push(`${name} ${error.code}`),
        );
      const checks = [1, 2, 3].map((n) => note(`check ${n}`, types.check(tried, { paths: null, asker: asker("a") })));
      const query = parseCollection(
        "slow" as Slug,
        new Map([
          [
            "where",
            new Map([
              ["key", "x"],
              ["expr", "nlike"],
              ["value", "y"],
            ]),
          ],
        ]) as never,
        { maxLimit: 100, defaultLimit: 100 },
      );
      const list = entries.list(query, accessOf({ kind: "delivery" }, 10), asker("b"));
      await Promise.all([...checks, note("list", list)]);
      assert.deepEqual(order.sort(), ["check 1", "check 2", "check 3", "list"]);
    });

    test("a client that has left is not checked for", async () => {
      const left = new AbortController();
      left.abort();
      await assert.rejects(types.check(tried, { paths: null, asker: asker("c", left.signal) }), (error) =>
        isProblem(error, "busy"),
      );
    });
  },
  { scanBudgetMs: { delivery: 20_000, management: 120 }, maxCheckMs: 100 },
);
