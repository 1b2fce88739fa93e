import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOf } from "../../../test/xliff-entry.ts";
import { formatJson, type JsonObject, parseJson } from "../../core/lib/json.ts";
import { Problem } from "../../core/problem.ts";
import { applyUnits, type XliffChange } from "./apply.ts";
import { readXliff } from "./read.ts";
import type { TranslatedEntry } from "./unit.ts";
import { writeXliff, type XliffVersion } from "./write.ts";

async function write(version: XliffVersion, entry: TranslatedEntry): Promise<string> {
  return (await Array.fromAsync(writeXliff({ version, sourceLocale: "en", targetLocale: "de" }, [entry]))).join("");
}

/** Exports an entry, lets a translator work at the file, and applies it to the entry as it is by then. */
async function change(
  exported: TranslatedEntry,
  work: (file: string) => string,
  now = exported,
  version: XliffVersion = "2.1",
): Promise<XliffChange> {
  return applyUnits(now, (await readXliff([work(await write(version, exported))], 1e6)).units);
}

/** Gives each source that has none a target, in capitals; of codes nothing changes. */
const translate = (file: string): string =>
  file.replace(
    /<source>((?:(?!<\/source>).)*)<\/source>(?!\s*<target)/gs,
    (all, text: string) =>
      `${all}<target>${text.replace(/(<[^>]*>)|([^<]+)/g, (_, tag?: string, words = "") => tag ?? words.toUpperCase())}</target>`,
  );

const dataOf = ({ data }: XliffChange): unknown => JSON.parse(formatJson(data));
const clean = { unchanged: 0, outdated: [], partial: [], unknown: [] };

const list = [
  { key: "a", text: "one", size: 1 },
  { key: "b", text: "two", size: 2 },
];

test("a nested text without a translation has the rest of its value from the source", async () => {
  const result = await change(entryOf({ l: list, n: 1, o: { a: ["x", 2] } }), translate);
  assert.deepEqual(dataOf(result), {
    l: [
      { key: "a", text: "ONE", size: 1 },
      { key: "b", text: "TWO", size: 2 },
    ],
    o: { a: ["X", 2] },
  });
  assert.equal(result.applied, 3);
});

test("one with a translation has it from there: a moved item keeps its own, further ones stay, new ones come", async () => {
  const target = {
    l: [
      { key: "z", text: "zet" },
      { key: "b", text: "zwei", size: 9 },
    ],
    o: { extra: 1, p: "pe" },
  };
  const source = { l: [...list, { key: "c", text: "three" }], o: { p: "P", q: "q", r: 5 } };
  const result = await change(entryOf(source, target), translate);
  assert.deepEqual(dataOf(result), {
    l: [
      { key: "a", text: "ONE", size: 1 },
      { key: "b", text: "zwei", size: 9 },
      { key: "c", text: "THREE" },
      { key: "z", text: "zet" },
    ],
    o: { extra: 1, p: "pe", q: "Q", r: 5 },
  });
  assert.deepEqual([result.applied, result.unchanged], [3, 2]);
});

test("items that were moved since the export are found by their names, others at their places", async () => {
  const now = entryOf({ l: list.toReversed(), m: ["x", "y"] }, { l: [{ key: "b", text: "zwei" }] });
  const { data, ...counts } = await change(entryOf({ l: list, m: ["x", "z"] }), translate, now);
  assert.deepEqual(counts, { ...clean, applied: 3, outdated: ["/m/1"] });
  assert.deepEqual(JSON.parse(formatJson(data)), {
    l: [
      { key: "b", text: "TWO", size: 2 },
      { key: "a", text: "ONE", size: 1 },
    ],
    m: ["X", "y"],
  });
});

test("numbers of the translation stay as they are written, and no key changes without a text", async () => {
  const entry = {
    ...entryOf({ o: { a: "x" }, p: "y" }, { p: "Y" }),
    source: parseJson('{"o":{"a":"x","n":1.0}}') as JsonObject,
  };
  assert.equal(formatJson((await change(entry, translate)).data), '{"o":{"a":"X","n":1.0}}');
});

for (const version of ["2.1", "1.2"] as const) {
  const long = "# Head\n\nSome `code` here.\n\n* last";

  test(`${version}: units of another source are reported and not applied, others are; nothing without a target`, async () => {
    const before = entryOf({ a: "one", b: "two", c: long, d: "four" });
    const now = entryOf({ a: "one", b: "other", c: long.replace("code", "other"), e: "new" });
    const result = await change(before, translate, now, version);
    assert.deepEqual(dataOf(result), { a: "ONE" });
    const unknown = ["uuid#/d"];
    assert.deepEqual({ ...result, data: 0 }, { ...clean, data: 0, applied: 1, outdated: ["/b", "/c"], unknown });
    const nothing = await change(before, (file) => file, now, version);
    assert.deepEqual({ ...nothing, data: 0 }, { ...clean, data: 0, applied: 0, unknown });
  });

  test(`${version}: a source that was changed and changed back is the same`, async () => {
    const file = await write(version, entryOf({ a: long }));
    const { units } = await readXliff([translate(file)], 1e6);
    assert.equal(applyUnits(entryOf({ a: long }), units).applied, 1);
    assert.deepEqual(applyUnits(entryOf({ a: `${long}\n\nAdded` }), units).outdated, ["/a"]);
    assert.deepEqual(applyUnits(entryOf({ a: long.slice(0, -8) }), units).outdated, ["/a"]);
  });

  test(`${version}: a lone surrogate or U+0000 of a file becomes no text`, async () => {
    const hex = version === "2.1" ? '<cp hex="D800"/>' : '<x id="cp-D800"/>';
    const refused = change(entryOf({ a: "one" }), (file) => translate(file).replace("ONE", hex), undefined, version);
    await assert.rejects(refused, (error) => error instanceof Problem && error.code === "text_invalid");
  });
}

const text = "First `a`.\n\nSecond.\n\nThird.";
const done = "Erstens `a`.\n\nZweitens.\n\nDrittens.";

test("2.1: a unit whose segments are not all translated keeps the others, where its translation has as many", async () => {
  const only = (file: string): string => file.replace("<target>Zweitens.</target>", "").replace("Drittens", "Zuletzt");
  const result = await change(entryOf({ a: text }, { a: done }), only);
  assert.deepEqual(dataOf(result), { a: done.replace("Drittens", "Zuletzt") });
  assert.deepEqual((await change(entryOf({ a: text }, { a: done }, ["a"]), only)).partial, ["/a"]);
  const none = (file: string) => file.replace("<source>Third.</source>", "$&<target>Drittens.</target>");
  assert.deepEqual((await change(entryOf({ a: text }), none)).partial, ["/a"]);
});

test("1.2: a unit whose marked segments are not all translated is partial; none of them is none", async () => {
  const one = (file: string): string => file.replace(/(<mrk mtype="seg" mid="2">)Zweitens\./, "$1");
  assert.deepEqual((await change(entryOf({ a: text }, { a: done }), one, undefined, "1.2")).partial, ["/a"]);
  const all = (file: string): string =>
    file.replace(/(<target.*)/s, (part) => part.replace(/(<mrk[^>]*>).*?<\/mrk>/gs, "$1</mrk>"));
  assert.deepEqual(
    { ...(await change(entryOf({ a: text }, { a: done }), all, undefined, "1.2")), data: 0 },
    { ...clean, data: 0, applied: 0 },
  );
});

test("segments that a tool joined, split or put in another order are the translation that it says", async () => {
  const joined = (file: string): string =>
    file
      .replace(
        /<segment.*<\/segment>/s,
        `<segment><source>First <ph id="x" dataRef="d"/>.\n\nSecond.\n\nThird.</source><target>Alles.</target></segment>`,
      )
      .replace(/<originalData>/, `$&<data id="d">\`a\`</data>`);
  assert.deepEqual(dataOf(await change(entryOf({ a: text }), joined)), { a: "Alles." });
  const swapped = (file: string): string =>
    translate(file)
      .replace("<target>SECOND.", '<target order="5">SECOND.')
      .replace("<target>THIRD.", '<target order="3">THIRD.');
  assert.deepEqual(dataOf(await change(entryOf({ a: text }), swapped)), { a: "FIRST `a`.\n\nTHIRD.\n\nSECOND." });
});

test("codes may be left out, copied, moved and added", async () => {
  const work = (file: string): string => {
    const [ph = ""] = /<ph id="c[^>]*>/.exec(file.slice(file.indexOf("First"))) ?? [];
    const id = /id="([^"]*)"/.exec(ph)?.[1];
    const copy = `<ph id="n1" copyOf="${id}"/>`;
    return file
      .replace(
        `First ${ph}.</source>`,
        `$&<target>${ph} <mrk id="m" type="term">erst</mrk> ${copy}<pc id="p" dataRefStart="s">fett</pc></target>`,
      )
      .replace("</originalData>", '<data id="s">**</data>$&');
  };
  assert.deepEqual(dataOf(await change(entryOf({ a: "First `a`." }), work)), { a: "`a` erst `a`**fett" });
});

test("of units with the same name the last is taken, and further namespaces and notes are passed over", async () => {
  const twice = (file: string): string => {
    const unit = /<unit.*<\/unit>\n/s.exec(translate(file))?.[0] ?? "";
    const matches = `<m:matches xmlns:m="urn:m"><m:match><source>x</source><target>y</target></m:match></m:matches><notes><note>note</note></notes>`;
    return file.replace(
      /<unit.*<\/unit>\n/s,
      unit + unit.replace("ONE", "Eins").replace(/<unit[^>]*>/, `$&${matches}`),
    );
  };
  assert.deepEqual(dataOf(await change(entryOf({ a: "one" }), twice)), { a: "Eins" });
});

test("2.1: segments that a tool dropped stay as they are, or the unit is partial; the same text twice is two segments", async () => {
  const source = "Same.\n\nSame.\n\nOther.";
  const drop = (file: string): string =>
    translate(file.replace(/<segment id="s3".*?<\/segment>\n/s, ""))
      .replace("Eins", "Erstens")
      .replace("Zwei", "Zweitens");
  const result = await change(entryOf({ a: source }, { a: "Eins.\n\nZwei.\n\nDrei." }), drop);
  assert.deepEqual(dataOf(result), { a: "Erstens.\n\nZweitens.\n\nDrei." });
  assert.deepEqual((await change(entryOf({ a: source }), drop)).partial, ["/a"]);
  const now = entryOf({ a: "Same.\n\nSame." }, { a: "Eins.\n\nZwei." });
  assert.deepEqual((await change(entryOf({ a: source }), drop, now)).outdated, ["/a"]);
});
