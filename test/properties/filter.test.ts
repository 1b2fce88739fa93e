import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson, type Json, type JsonObject, parseJson, toJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { Candidate, compileMembership } from "../../src/core/list/candidate.ts";
import { type Operator, operators } from "../../src/core/list/filter.ts";
import {
  answerCollection,
  type CollectionItem,
  type CollectionQuery,
  parseCollection,
} from "../../src/core/list/list.ts";
import { compareRanks, type SortKey, sortValues } from "../../src/core/list/order.ts";
import { TimeBudget } from "../../src/core/list/regexp.ts";
import type { Path } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";
import { fraction, seed } from "../random.ts";

const bounds = { maxLimit: 1000, defaultLimit: 1000 };
const options = {
  arrival: "any" as const,
  pageBytes: 1 << 24,
  regexpBudgetMs: 10_000,
  random: fraction(seed),
  nowSeconds: 1e9,
};

// ------------------------------------------------------------------------------------------------ parsing arguments

const names = [
  ...[
    "where",
    "and_where",
    "or_where",
    "key",
    "expr",
    "operator",
    "value",
    "order_by",
    "sort_by",
    "field",
    "direction",
  ],
  ...["limit", "set_max_result", "limit_value", "offset", "slice_offset_value", "return", "random", "only", "except"],
  ...["depth", "recursive", "group_by", "search", "date", "size", "exclude", "contains", "path", "total", "cursor"],
];
const leaves = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "1",
    "-1",
    "eq",
    "regexp",
    "(",
    "a{1000}{1000}",
    "asc",
    "mtime",
    "first",
    "random",
    "*",
    ">=1",
  ),
  fc.constantFrom(...operators),
  fc.string(),
);
const trees = fc.letrec<{ tree: Json; object: JsonObject }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, leaves, fc.array(tie("tree"), { maxLength: 4 }), tie("object")),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), tie("tree")), { maxLength: 5 })
    .map((pairs) => new Map(pairs)),
}));

test("any arguments give a valid query or a problem", async () => {
  const item: CollectionItem = {
    path: "a" as Path,
    json: '{"a":1}',
    modifiedAt: 0,
    createdAt: 0,
    size: 1,
    serviceKeys: new Set(),
  };
  await fc.assert(
    fc.asyncProperty(trees.object, async (args) => {
      try {
        const query = parseCollection("" as Path, args, bounds);
        JSON.parse(wholeText((await answerCollection(structuredClone(query), "management", [[item]], options)).json));
      } catch (error) {
        assert.ok(error instanceof Problem, String((error as Error).stack));
        assert.ok(error.kind === "invalid" || error.kind === "busy");
      }
    }),
    { numRuns: orLong(1000, 10_000) },
  );
});

// ------------------------------------------------------------------------------------------------ data and queries

const scalars = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, 2, "", "1", "1.0", "2", "a", "b", "ab", "\u{1f600}", "\ufffd"),
  fc.constantFrom("9007199254740993", "1.50", "1e300").map((text) => parseJson(text)),
);
const values = fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), fc.constant<Json>(new Map([["x", 1]])));
const objects: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom("f", "g", "h"), values)
  .map((object) => new Map(Object.entries(object)));
const paths = fc
  .array(fc.constantFrom("a", "b", "c", "-", "é", "\u{1f600}"), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/") as Path);
const collections = fc
  .uniqueArray(fc.tuple(paths, objects), { selector: ([path]) => path, maxLength: 30 })
  .map((pairs) => pairs.map(([path, object]) => toItem(path, object)));

function toItem(path: Path, object: JsonObject): CollectionItem {
  const json = formatJson(new Map([...object, ["slug", path]]));
  return { path, json, modifiedAt: path.length, createdAt: object.size, size: json.length, serviceKeys: new Set() };
}

const texts = fc.constantFrom("1", "2.0", "a", "ab", "true", "null", "0", "9007199254740992");
const pairOperators = new Set<Operator>(["between", "nbetween"]);
const conditions = fc.constantFrom(...operators).chain((operator) => {
  const first =
    operator === "exists" ? fc.constantFrom("true", "0") : operator.endsWith("er") ? fc.constant("1") : texts;
  return fc.record({
    key: fc.constantFrom("f", "g", "h.x", "f.0", "slug"),
    operator: fc.constant(operator),
    value: pairOperators.has(operator) ? fc.tuple(texts, texts) : first,
  });
});
const orders = fc.array(
  fc.record({ field: fc.constantFrom("f", "g", "h.x"), direction: fc.constantFrom("asc", "desc") }),
  { maxLength: 3 },
);
const queries = fc
  .record({
    where: fc.array(conditions, { maxLength: 2 }),
    or_where: fc.array(conditions, { maxLength: 1 }),
    order_by: orders,
    depth: fc.constantFrom("*", "1", "<=2", "0"),
  })
  .map((args) => toJson(args) as JsonObject);

const query = (args: JsonObject, more: Record<string, string> = {}): CollectionQuery =>
  parseCollection("" as Path, new Map([...args, ...Object.entries(more)]), bounds);

const slugs = (json: string): string[] => (JSON.parse(json) as { slug: string }[]).map(({ slug }) => slug);

/** True when the item is in the collection, whatever the page. */
function isMember(query: CollectionQuery, item: CollectionItem): boolean {
  const context = { budget: new TimeBudget(options.regexpBudgetMs), nowSeconds: options.nowSeconds };
  return compileMembership(query, context)(new Candidate(item));
}

/** The specification: each item is matched alone, then all matches are sorted. */
function plainly(query: CollectionQuery, items: CollectionItem[]): string[] {
  const ranked = items
    .filter((item) => isMember(query, item))
    .map((item) => ({
      path: item.path,
      values: sortValues(query.order, item, () => parseJson(item.json) as JsonObject),
    }));
  return ranked.sort(compareRanks(query.order)).map(({ path }) => path);
}

/** The items in the order of the query, in batches of up to three. */
function inOrderOf(query: CollectionQuery, items: CollectionItem[]): CollectionItem[][] {
  const rankOf = (item: CollectionItem) => new Candidate(item).rank(query.order);
  const compare = compareRanks(query.order);
  const ordered = [...items].sort((a, b) => compare(rankOf(a), rankOf(b)));
  const batches: CollectionItem[][] = [];
  for (let at = 0; at < ordered.length; at += 3) batches.push(ordered.slice(at, at + 3));
  return batches;
}

test("paging by cursor gives every match exactly once, in order", async () => {
  const pages = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    offset: fc.integer({ min: 0, max: 3 }),
    pageBytes: fc.constantFrom(30, 100, 1 << 20),
    isSorted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(collections, queries, pages, async (items, args, { limit, offset, pageBytes, isSorted }) => {
      const sent = { limit: String(limit), offset: String(offset) };
      const candidates = isSorted ? inOrderOf(query(args), items) : [items];
      const walked: string[] = [];
      let cursor: string | undefined = "";
      while (cursor !== undefined) {
        const page = query(args, { ...sent, cursor });
        const answer = await answerCollection(page, "management", candidates, {
          ...options,
          pageBytes: isSorted ? pageBytes : Math.max(pageBytes, 4096),
          arrival: isSorted ? "ordered" : "any",
        });
        const found = slugs(wholeText(answer.json));
        assert.ok(found.length <= limit && (found.length > 0 || answer.next === undefined));
        walked.push(...found);
        cursor = answer.next;
      }
      assert.deepEqual(walked, plainly(query(args), items).slice(offset));
    }),
    { numRuns: orLong(1000, 10_000) },
  );
});

test("a collection is the same for every order of candidates", async () => {
  await fc.assert(
    fc.asyncProperty(collections, queries, async (items, args) => {
      const expected = plainly(query(args), items);
      const ask = async (more: Record<string, string>) =>
        wholeText((await answerCollection(query(args, more), "management", [items], options)).json);
      assert.deepEqual(slugs(await ask({})), expected);
      assert.equal(await ask({ return: "count" }), String(expected.length));
      assert.equal(await ask({ return: "exists" }), String(expected.length > 0));
      for (const [which, at] of [
        ["first", 0],
        ["next", 1],
        ["last", -1],
      ] as const) {
        const one = JSON.parse(await ask({ return: which })) as { slug: string } | null;
        assert.equal(one?.slug, expected.at(which === "next" && expected.length < 2 ? expected.length : at));
      }
      const reversed = { ...options, arrival: "reversed" as const };
      const fromEnd = inOrderOf(query(args), items)
        .map((batch) => batch.reverse())
        .reverse();
      const last = await answerCollection(query(args, { return: "last" }), "management", fromEnd, reversed);
      assert.equal((JSON.parse(wholeText(last.json)) as { slug: string } | null)?.slug, expected.at(-1));
      assert.deepEqual(slugs(await ask({ return: "shuffle" })).sort(), [...expected].sort());
    }),
    { numRuns: orLong(200, 1000) },
  );
});

test("negative operators negate the positive ones wherever the field exists", () => {
  const opposites: [Operator, Operator][] = [
    ["eq", "neq"],
    ["in", "nin"],
    ["contains", "ncontains"],
    ["between", "nbetween"],
    ["regexp", "nregexp"],
  ];
  fc.assert(
    fc.property(objects, fc.constantFrom(...opposites), texts, texts, (object, [operator, opposite], a, b) => {
      const item = toItem("a" as Path, object);
      const value: Json = operator === "between" ? [a, b] : a;
      const ask = (expr: string) => {
        const where = new Map<string, Json>([
          ["key", "f"],
          ["expr", expr],
          ["value", value],
        ]);
        return isMember(query(new Map([["where", where]])), item);
      };
      if (object.has("f")) assert.notEqual(ask(operator), ask(opposite));
      else assert.equal(ask(operator), false);
    }),
  );
});

test("the order of a collection is total: antisymmetric and transitive", () => {
  const keys = fc.array(
    fc.record<SortKey>({
      source: fc.constantFrom("field", "modified", "created"),
      key: fc.constantFrom("f", "g"),
      isDescending: fc.boolean(),
    }),
    { maxLength: 3 },
  );
  const ranked = fc.tuple(paths, objects);
  fc.assert(
    fc.property(keys, ranked, ranked, ranked, (order, ...three) => {
      const [a, b, c] = three.map(([path, object]) => {
        const item = toItem(path, object);
        return { path, values: sortValues(order, item, () => object) };
      }) as [never, never, never];
      const compare = compareRanks(order);
      assert.equal(Math.sign(compare(a, b)) + Math.sign(compare(b, a)), 0);
      assert.equal(compare(a, a), 0);
      if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.ok(compare(a, c) <= 0);
    }),
    { numRuns: orLong(1000, 10_000) },
  );
});
