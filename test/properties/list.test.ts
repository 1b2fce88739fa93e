import assert from "node:assert/strict";
import { test } from "node:test";
import { type Access, accessOf, asStaged, reaches } from "../../src/core/access/access.ts";
import { isWithin, type Path, type Slug } from "../../src/core/path.ts";
import type { Entry } from "../../src/entry/entry.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { plainPages, storePages } from "../plain-collection.ts";
import { engines } from "../ports/engines.ts";
import { conditionsOn } from "./query.ts";

/**
 * A list of many entries is that of the domain, whatever its shape: more matches than are read at once, created in another
 * order than any that is asked for, at several depths, by several kinds of tokens.
 */

const nowSeconds = 2000;
const count = 120;
const tree = ["", "a/", "a/b/", "Z/", "a-/"];
const words = ["sun", "Moon", "moonlight", "Äpfel", "apple", "news 2", "News 10", "STAR", "sunrise"];

/** Spreads the numbers: neighbours are made far apart. */
const spread = (n: number): number => (n * 37) % count;

function dataOf(n: number): string {
  const word = words[n % words.length] as string;
  const value = [n, String(n % 7), word, n % 2 === 0, null, [n % 5, word], { b: n % 4 }, `${"l".repeat(250)}${n % 9}`];
  const v = value[n % value.length];
  return JSON.stringify({
    n,
    g: n % 10,
    same: 1,
    word,
    text: `${word} number ${n % 13}`,
    v,
    ...(n % 3 === 0 ? { rare: n % 6 } : {}),
  });
}

const keys = ["n", "g", "same", "word", "text", "v", "v.b", "rare", "nothing", "published_at", "visibility", "slug"];
const operands = [
  "0",
  "1",
  "2",
  "5",
  "60",
  "true",
  "sun",
  "moon",
  "Moon",
  "APPLE",
  "apfel",
  "news 2",
  "number 1",
  "1000",
  "visible",
  "draft",
  "l",
  `${"l".repeat(250)}4`,
];
const orders = fc.array(fc.record({ field: fc.constantFrom(...keys), direction: fc.constantFrom("asc", "desc") }), {
  minLength: 1,
  maxLength: 2,
});
const finds = fc.record(
  {
    where: conditionsOn(keys, operands),
    and_where: fc.array(conditionsOn(keys, operands), { maxLength: 2 }),
    or_where: fc.array(conditionsOn(keys, operands), { maxLength: 2 }),
    search: fc.constantFrom("sun", "moon", "number apple", "news"),
    contains: fc.constantFrom("sun", "oonlig", "number 1", "/^news/m"),
    depth: fc.constantFrom("0", "1", "2", "*", "<=1", "<1", ">=0", ">=2", "!=1"),
    order_by: orders,
    sort_by: fc.constantFrom("mtime", "ctime"),
    total: fc.constant("1"),
  },
  { requiredKeys: [] },
);
const shows = fc.oneof(
  fc.record({ limit: fc.constantFrom("3", "17", "40"), offset: fc.constantFrom("0", "2", "25") }),
  fc.record({ limit: fc.constantFrom("7", "50") }),
  fc.record({
    return: fc.constantFrom("first", "last", "next", "exists", "count"),
    offset: fc.constantFrom("0", "1", "20"),
  }),
  fc.constant({}),
);
const queries = fc.tuple(finds, shows).map(([find, show]) => ({ only: "n", ...find, ...show }));

const management = accessOf({ kind: "management" }, nowSeconds);
const readers: readonly [name: string, access: Access][] = [
  ["management", management],
  ["delivery", accessOf({ kind: "delivery" }, nowSeconds)],
  ["management of some paths", { ...management, paths: ["t/a", "t/Z/e8"] as Path[] }],
  ["delivery of some paths", { ...accessOf({ kind: "delivery" }, nowSeconds), paths: ["t/a", "t/Z"] as Path[] }],
  ["staged", asStaged(management)],
];

for (const { name, skip, open } of engines) {
  test(`${name}: lists of many entries are those of the domain`, { timeout: 240_000, skip }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    const entries: Entry[] = [];
    for (let i = 0; i < count; i++) {
      const n = spread(i);
      const visibility = n % 11 === 0 ? "draft" : n % 13 === 0 ? "hidden" : "visible";
      // Read at 2000: some fell due since they were written, some are not due yet.
      const fields = { visibility, publishedAt: n % 17 === 0 ? 1500 : n % 19 === 0 ? 3000 : 500 + (n % 23) } as const;
      const slug = `t/${tree[n % tree.length]}e${n}` as Slug;
      const context = { actor: "test", nowSeconds: 1000 + (n % 5) };
      entries.push(await store.entries.create(slug, { data: dataOf(n), isMergePatch: false, fields }, context));
    }
    entries.push(
      await store.entries.create(
        "t" as Slug,
        { data: '{"n":-1}', isMergePatch: false, fields: {} },
        { actor: "test", nowSeconds: 1000 },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        queries,
        fc.constantFrom(...readers),
        fc.constantFrom("t", "t/a", "t/Z", ""),
        async (args, [who, access], top) => {
          const seen = entries.filter(({ slug }) => isWithin(slug, top as Path) && reaches(access, slug));
          const expected = await plainPages(top as Slug, args, seen, access, 12);
          const found = await storePages(store, top as Slug, args, access, 12);
          assert.deepEqual(found, expected, `${who} below "${top}": ${JSON.stringify(args)}`);
        },
      ),
      { numRuns: orLong(300, 5000) },
    );
  });
}
