// Slow: random texts on both engines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { toJson } from "../../src/core/lib/json.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";
import type { Entry } from "../../src/entry/entry.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { plainPages, storePages } from "../plain-collection.ts";
import { engines } from "../ports/engines.ts";

/** The text index never loses a match, whatever is in the texts and wherever an entry stands. Decision 7. */

// Case and normal forms that change the length, join neighbours or depend on them; what JSON and LIKE escape. The service refuses
// NUL and halves of surrogate pairs.
const pieces = [
  ...[
    "İ",
    "ı",
    "I",
    "\u212A",
    "k",
    "K",
    "ß",
    "ẞ",
    "ﬁ",
    "Σ",
    "ς",
    "σ",
    "e\u0301",
    "é",
    "É",
    "\u0301",
    "\u0958",
    "Å",
    "\u212B",
  ],
  ...["😀", "𐐀", "𐐨", '"', "\\", "%", "_", "!", "日", "本", "語"],
  ...["a", "b", "c", "A", "B", "1", "2", ".", "e", "+", "-", " ", "\t", "abc", "Number 12"],
  // Their last character changes with what follows.
  ...["abe\u0301", "abe\u0301", "abΣ", "abΣ", "abΣ"],
];
const text = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((some) => some.join(""));
const number = fc.constantFrom("12345", "1234.5678", "1e21", "-0.00012345", "9007199254740993", "100.00");
const scalar = fc.oneof(
  { weight: 5, arbitrary: text.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: number },
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }).map((items) => `[${items}]`) },
  { weight: 1, arbitrary: scalar.map((inner) => `{"b":${inner}}`) },
  { weight: 1, arbitrary: scalar.map((inner) => `[[${inner}],{"b":${inner}},null,true]`) },
);
const document = fc
  .dictionary(fc.constantFrom("a", "a.b", "tags", "content"), value, { noNullPrototype: true, minKeys: 1, maxKeys: 3 })
  .map((members) => `{${Object.entries(members).map(([key, json]) => `${JSON.stringify(key)}:${json}`)}}`);

/** Where a part of a text is, so that most queries have a match. */
const cut = fc.record({ document: fc.nat(), from: fc.nat(), length: fc.integer({ min: 2, max: 9 }) });
const query = fc.record({
  cut,
  kind: fc.constantFrom(
    ...["contains", "like", "starts_with", "ends_with", "eq", "regexp", "search", "search", "both", "either"],
    ...["anywhere", "one of"],
  ),
  // Mostly the key that has the text.
  key: fc.constantFrom("own", "own", "own", "own", "own", "a", "a.b", "tags.0", "slug", "uuid"),
  // No index has the order of uuids: such a list is scanned, with conditions of the database.
  more: fc.constantFrom(
    {},
    {},
    { limit: "2" },
    { return: "count" },
    { total: "1" },
    { depth: "*" },
    { order_by: { field: "uuid" } },
  ),
  /** How a pattern goes on after the part. */
  rest: fc.constantFrom("", "", "?", "*", "+", "{2}", "$", ".", "\\w", "|x", "(x)?", "[x]?"),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

function argumentsOf({ cut, kind, key, more, rest }: Query, documents: readonly string[]): object {
  const data = JSON.parse(documents[cut.document % documents.length] as string);
  const texts = Object.entries(data).flatMap(([name, held]) =>
    [held].flat(3).map((each) => [name, String(Object(each).b ?? each)] as const),
  );
  const [own, text] = texts[cut.from % Math.max(1, texts.length)] ?? ["a", "abc"];
  const whole = [...text];
  const from = (cut.from >> 3) % Math.max(1, whole.length);
  const part = whole
    .slice(kind === "eq" || kind === "starts_with" ? 0 : from, isToEnd.has(kind) ? undefined : from + cut.length)
    .join("");
  const operator = operatorOf[kind] ?? "contains";
  const value = kind === "regexp" ? part.replace(/[\\.+?$*^|()[\]{}-]/g, "\\$&") + rest : part;
  const condition = { key: key === "own" ? own : key, expr: operator, value };
  if (kind === "search") return { search: part.toUpperCase(), ...more };
  if (kind === "both") return { search: part, where: condition, ...more };
  if (kind === "either") return { or_where: [condition, { key: "a", expr: "contains", value: text }], ...more };
  // In the service's fields, too: all entries have a dash in the uuid, some a 1 after the slash of the slug.
  const inService: Partial<Record<string, string>> = { slug: "/e1", uuid: "-", "a.b": "isibl" };
  if (kind === "anywhere") return { contains: inService[key] ?? part, ...more };
  if (kind === "one of") return { contains: [text, inService[key] ?? part], ...more };
  return { where: condition, ...more };
}

const operatorOf: Partial<Record<string, string>> = {
  ...{ like: "like", starts_with: "starts_with", ends_with: "ends_with", eq: "eq", regexp: "regexp" },
};
const isToEnd = new Set(["eq", "ends_with"]);

const access = accessOf({ kind: "management" }, 2000);
const context = { actor: "test", nowSeconds: 1000 };
/** The first texts and the first queries, which the index answers and which have a match. */
const lettered = Array.from("pqrstu", (letter) => `{"a":"abcdef ${letter.repeat(3)}"}`);
const indexed = (["contains", "search"] as const).map(
  (kind): Query => ({ cut: { document: 0, from: 0, length: 6 }, kind, key: "own", more: {}, rest: "" }),
);

const runs = orLong(12, 300);

for (const { name, skip, open } of engines) {
  test(`${name}: a search by the text index equals a full scan, for any texts`, {
    timeout: 300_000,
    skip,
  }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(document, { minLength: 6, maxLength: 20 }),
        fc.array(query, { minLength: 12, maxLength: 12 }),
        async (documents, queries) => {
          const top = `t${round++}` as Slug;
          const entries = await fill(store, top, documents);
          for (const each of queries) {
            const args = argumentsOf(each, documents);
            const expected = await plainPages(top, args, entries, access);
            assert.deepEqual(await storePages(store, top, args, access), expected, JSON.stringify(args));
            const bounds = { maxLimit: 100, defaultLimit: 100 };
            const { plan } = await store.entries.list(parseCollection(top, toJson(args) as never, bounds), access);
            if (queries !== indexed) continue;
            assert.match(plan ?? "", /^text by index/);
            assert.match(expected.join(), /abcdef/);
          }
        },
      ),
      { numRuns: runs, endOnFailure: true, examples: [[lettered, indexed]] },
    );
    assert.deepEqual(await store.verify(), []);
  });
}

/** Entries in every state of the index: pending, indexed when they were written, changed since, with a number given again. */
async function fill({ entries }: SqlStore, top: Slug, documents: readonly string[]): Promise<Entry[]> {
  const input = (data: string) => ({ data, isMergePatch: false, fields: {} });
  const slugOf = (i: number) => `${top}/e${i}` as Slug;
  const create = (i: number) => entries.create(slugOf(i), input(documents[i] as string), context);
  await entries.create(top, input("{}"), context);
  const third = Math.floor(documents.length / 3);
  for (let i = 0; i < third; i++) await entries.create(slugOf(i), input(documents.at(-1 - i) as string), context);
  await entries.create(slugOf(documents.length), input(`{"a":"${"gone ".repeat(3)}"}`), context);
  await entries.indexTexts();
  await entries.delete(slugOf(documents.length), { to: "trash" }, context);
  for (let i = 0; i < third; i++) {
    const data = `{"a":null,"a.b":null,"tags":null,"content":"",${(documents[i] as string).slice(1)}`;
    const last = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(data))));
    await entries.update(slugOf(i), { ...input(last), isMergePatch: true }, context);
  }
  for (let i = third; i < 2 * third; i++) await create(i);
  await entries.indexTexts();
  for (let i = 2 * third; i < documents.length; i++) await create(i);
  const found = await Promise.all(documents.map((_, i) => entries.find(slugOf(i))));
  return found.filter((entry) => entry !== undefined);
}
