import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, parseJson } from "../../src/core/lib/json.ts";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { EntryInput } from "../../src/entry/entry.ts";
import { parseSteps } from "../../src/migration/step.ts";
import { statesOf } from "../../src/translation/state.ts";
import { maxPlanned } from "../../src/type/type.ts";
import { onEachEngine } from "./engines.ts";

/** Migrations of fields take translations and their working copies along, and back. Contract §24. */

onEachEngine(async (store) => {
  const { entries, staged, types, events } = store;
  const { migrations, translations } = store.ports;
  let now = 1000;
  const by = (locale?: string) => ({ actor: "test", nowSeconds: now, locale });
  const slug = (id: string) => id as Slug;
  const input = (data: object): EntryInput => ({ data: JSON.stringify(data), isMergePatch: false, fields: {} });
  const localized = (schema: object = { type: "string" }) => ({ ...schema, "x-octavo-localized": true });
  const put = (id: string, properties: object) =>
    types.put(
      id,
      {
        title: id,
        description: "",
        paths: [`${id}/*`],
        schema: JSON.stringify({ type: "object", properties }),
        mode: "enforce",
      },
      by(),
    );
  const create = (id: string, data: object) => entries.create(slug(id), input(data), by());
  const translate = (id: string, locale: string, data: object) =>
    translations.put(slug(id), locale, { input: input(data), name: `${locale}-name` }, by());
  const stage = (id: string, locale: string, data: object) => staged.stage(slug(id), input(data), by(locale));
  const found = async (id: string) => {
    const all = await translations.find(slug(id));
    assert.ok(all);
    return all;
  };
  const dataOf = async (id: string, locale: string) => {
    const one = (await found(id)).translations.find((each) => each.locale === locale);
    return one && JSON.parse(one.data);
  };
  const outdated = async (id: string, locale: string) => {
    const [state] = await statesOf([locale], await found(id), undefined);
    return state?.outdated;
  };
  const copyOf = async (id: string, locale: string) => (await staged.find(slug(id), undefined, locale))?.copy;
  const laid = async (id: string, locale: string) =>
    JSON.parse((await staged.find(slug(id), undefined, locale))?.entry.data ?? "null");
  const steps = (...sent: object[]) => parseSteps(parseJson(JSON.stringify(sent)) as Json);
  const run = (...sent: object[]) => migrations.run(steps(...sent), maxPlanned, by());
  const tried = (...sent: object[]) => migrations.try(steps(...sent), maxPlanned);
  const undo = (group: number | null) => migrations.undo(group ?? 0, by());
  const last = async () => (await events.listBefore(undefined, 1))[0]?.sequence ?? 0;
  const state = async (id: string) => {
    const { entry, translations: all } = await found(id);
    const said = all.map(({ locale, data, sources, name, visibility }) => ({
      locale,
      data,
      sources,
      name,
      visibility,
    }));
    const copies = await Promise.all(["de", "fr"].map((locale) => copyOf(id, locale)));
    return [entry.data, said, copies.map((copy) => copy && { ...copy, revision: 0 })];
  };

  test("a rename takes translations, live and staged, along in one group, and an undo brings all back", async () => {
    await put("book", { author: localized(), n: { type: "number" } });
    await create("book/a", { author: "Ada", n: 1 });
    await create("book/b", { author: "Bob" });
    await translate("book/a", "de", { author: "Ada auf Deutsch" });
    await translate("book/a", "fr", { author: "Ada en français" });
    await stage("book/a", "de", { author: "Gestuft" });
    await stage("book/b", "fr", { author: "Jamais publié" });
    await entries.update(slug("book/a"), input({ author: "Ada 2" }), by());
    await translate("book/a", "fr", { author: "Ada 2 en français" });
    assert.deepEqual([await outdated("book/a", "de"), await outdated("book/a", "fr")], [["author"], []]);
    const before = [await state("book/a"), await state("book/b")];
    const [plan, sequence] = [{ type: "book", rename: "/author", to: "/writer" }, await last()];
    const dry = await tried(plan);
    assert.deepEqual([dry.entries, dry.copies, dry.failing], [4, 2, 0]);
    now += 10;
    const { group, ...done } = await run(plan);
    assert.deepEqual([done, group], [dry, sequence + 1]);
    assert.deepEqual(await dataOf("book/a", "de"), { writer: "Ada auf Deutsch" });
    assert.deepEqual(await dataOf("book/a", "fr"), { writer: "Ada 2 en français" });
    assert.deepEqual(await laid("book/a", "de"), { writer: "Gestuft" });
    assert.deepEqual(await laid("book/b", "fr"), { writer: "Jamais publié" });
    assert.equal((await found("book/b")).translations.length, 0);
    assert.deepEqual([await outdated("book/a", "de"), await outdated("book/a", "fr")], [["writer"], []]);
    assert.deepEqual((await staged.find(slug("book/a"), undefined, "de"))?.outdated, []);
    const written = await events.listCommitted(sequence, 99);
    assert.deepEqual(
      written.map(({ kind, subject, locale }) => [kind, subject, locale].filter(Boolean).join(" ")),
      [
        "type.put book",
        "entry.update book/a",
        "entry.update book/a de",
        "entry.update book/a fr",
        "entry.update book/b",
        "entry.stage book/a de",
        "entry.stage book/b fr",
      ],
    );
    assert.deepEqual(new Set(written.map((event) => event.first)), new Set([group]));
    assert.equal((await run(plan)).group, null);
    await staged.publish(slug("book/a"), {}, by("de"));
    const refusal = await undo(group).catch((error: unknown) => error);
    assert.ok(refusal instanceof Problem && refusal.code === "migration_changed", String(refusal));
    assert.deepEqual(await store.verify(), []);
    assert.equal(before.length, 2);
  });

  test("an undo gives translations, what they were written against and their copies back, also where the entry moved", async () => {
    await put("film", { title: localized(), price: localized(), seo: localized({ type: "object" }) });
    await create("film/a", { title: "One", price: "3", seo: { description: "About" } });
    await translate("film/a", "de", { title: "Eins", price: "4" });
    await translate("film/a", "fr", { price: "5" });
    await stage("film/a", "fr", { title: "Un", price: "6" });
    await entries.update(slug("film/a"), input({ title: "One more" }), by());
    const before = await state("film/a");
    const { group } = await run(
      { type: "film", convert: "/price", to: "number" },
      { type: "film", move: "/title", to: "/seo/title" },
      { type: "film", default: "/extra", value: 1 },
    );
    assert.deepEqual(await dataOf("film/a", "de"), { price: 4, seo: { description: "About", title: "Eins" } });
    assert.deepEqual(await dataOf("film/a", "fr"), { price: 5 });
    assert.deepEqual(await laid("film/a", "fr"), { price: 6, seo: { description: "About", title: "Un" } });
    assert.deepEqual([await outdated("film/a", "de"), await outdated("film/a", "fr")], [["seo"], []]);
    await entries.move(slug("film/a"), { newSlug: slug("film/moved") }, by());
    const sequence = await last();
    const undone = await undo(group);
    assert.deepEqual([undone.entries, undone.copies], [3, 1]);
    assert.deepEqual(await state("film/moved"), before);
    const own = await events.listCommitted(sequence, 99);
    assert.deepEqual(
      own.filter(({ kind }) => kind.startsWith("entry")).map(({ kind, locale }) => [kind, locale]),
      [
        ["entry.update", undefined],
        ["entry.update", "de"],
        ["entry.update", "fr"],
        ["entry.stage", "fr"],
      ],
    );
    assert.deepEqual(await store.verify(), []);
  });

  test("what cannot be done with a translation fails the whole plan, with its locale", async () => {
    await put("shop", { price: localized(), note: localized(), seo: { type: "object" } });
    await create("shop/a", { price: "1", note: "n" });
    await translate("shop/a", "de", { price: "teuer" });
    await stage("shop/a", "fr", { price: "cher" });
    const dry = await tried({ type: "shop", convert: "/price", to: "number" });
    assert.deepEqual(
      dry.first.map(({ id, isStaged, step, message }) => [id, isStaged, step, message.slice(0, 14)]),
      [["shop/a", false, 0, 'in de: "/price']],
    );
    const foreign = await tried({ type: "shop", move: "/price", to: "/seo/price" });
    assert.match(foreign.first[0]?.message ?? "", /^in de: "\/seo" would be the same in all locales/);
    const refusal = await run({ type: "shop", convert: "/price", to: "number" }).catch((error: unknown) => error);
    assert.ok(refusal instanceof Problem && refusal.code === "migration_invalid", String(refusal));
    assert.deepEqual(await dataOf("shop/a", "de"), { price: "teuer" });
    const { group, entries: changed } = await run({ type: "shop", drop: "/price" });
    assert.deepEqual([changed, await dataOf("shop/a", "de"), await laid("shop/a", "fr")], [2, {}, {}]);
    await undo(group);
    assert.deepEqual(
      [await dataOf("shop/a", "de"), await laid("shop/a", "fr")],
      [{ price: "teuer" }, { price: "cher" }],
    );
    assert.deepEqual(await store.verify(), []);
  });
});
