/** For any filter, all forms of the same request agree. Contract §4, Collections. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { orLong } from "../long.ts";
import { type Random, random, seed } from "../random.ts";
import type { Arguments, ArgumentValue, Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("property");
const { delivery, management } = world.tokens;

const of = <T>(pick: Random, list: readonly T[]): T => list[pick(list.length)] as T;

const scalars = [
  0,
  1,
  2,
  -1,
  1.5,
  10,
  "1",
  "10",
  "a",
  "A",
  "ab",
  "b",
  "",
  "é",
  "😀",
  "null",
  "true",
  true,
  false,
  null,
];
const texts = ["0", "1", "2", "-1", "1.5", "10", "1.0", "a", "A", "ab", "b", "", "é", "null", "true", "false", "x"];
const keys = [
  "v",
  "w",
  "o.p",
  "list",
  "list.0",
  "visibility",
  "routable",
  "slug",
  "published_at",
  "nothing",
  "content",
];

const entries = (pick: Random, count: number): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const data: Record<string, unknown> = { n };
      if (pick(5) > 0) data.v = of(pick, scalars);
      if (pick(3) > 0) data.w = of(pick, scalars);
      if (pick(2) > 0) data.o = { p: of(pick, scalars) };
      if (pick(2) > 0) data.list = Array.from({ length: pick(4) }, () => of(pick, scalars));
      if (pick(4) === 0) data.visibility = of(pick, ["draft", "hidden"]);
      if (pick(8) === 0) data.published_at = 4_000_000_000;
      const place = pick(4) === 0 ? `${pick(9)}/${n}` : `e${n}`;
      return [place, data];
    }),
  );

// One set that fits into a store's first small batch, one that does not.
const sets = { few: 40, many: 320 };
for (const [set, count] of Object.entries(sets)) {
  const planted = Object.entries(entries(random(seed), count)).map(([name, data]) => [`${set}/${name}`, data] as const);
  for (let at = 0; at < planted.length; at += 40) await world.plant(Object.fromEntries(planted.slice(at, at + 40)));
}

const single = [
  "eq",
  "neq",
  "lt",
  "lte",
  "gt",
  "gte",
  "contains",
  "ncontains",
  "member_of",
  "starts_with",
  "ends_with",
  "regexp",
  "nregexp",
];
const lists = ["in", "nin"];
const patterns = ["a", "^1", "[0-9]$", "(?i)A", "^$"];
/** Each entry matches exactly one of each pair. */
const opposites = [
  ["eq", "neq"],
  ["contains", "ncontains"],
  ["in", "nin"],
  ["exists", "exists"],
] as const;

/** Values of conditions: of a time those that it can be compared with. Others are refused: see query.test.ts. */
const textOf = (pick: Random, key: string): string => of(pick, key === "published_at" ? times : texts);
const times = ["0", "1", "-1", "1.5", "1.0", "2000-01-01", "2090-01-01"];

function condition(pick: Random): Arguments {
  const key = of(pick, keys);
  const kind = pick(10);
  if (kind === 0) return { key, expr: "exists", value: of(pick, ["true", "false"]) };
  if (kind === 1)
    return { key, expr: of(pick, ["between", "nbetween"]), value: [textOf(pick, key), textOf(pick, key)] };
  if (kind === 2)
    return { key, expr: of(pick, lists), value: Array.from({ length: 1 + pick(3) }, () => textOf(pick, key)) };
  if (kind === 3) return { key, expr: of(pick, ["newer", "older"]), value: of(pick, ["2000-01-01", "2090-01-01"]) };
  const expr = of(pick, single);
  return {
    key,
    expr,
    value: expr.endsWith("regexp") ? of(pick, patterns) : textOf(pick, key),
  };
}

function filterOf(pick: Random): Arguments {
  const filter: Arguments = { depth: of<ArgumentValue>(pick, ["1", ">0", ">1", "<=2", [">0", "<3"]]) };
  if (pick(4) > 0) filter.where = condition(pick);
  if (pick(3) === 0 && filter.where) filter.and_where = [condition(pick)];
  if (pick(3) === 0 && filter.where) filter.or_where = [condition(pick)];
  if (pick(2) === 0) {
    const one = () => ({ field: of(pick, keys), direction: of(pick, ["asc", "desc"]) });
    filter.order_by = pick(2) === 0 ? one() : [one(), one()];
  }
  return filter;
}

const ask = (set: string, filter: Arguments, token: string): Promise<Reply> =>
  world.read({ id: world.id(set), filter }, token);
const slugs = (data: Any): string[] => data.map((entry: Any) => entry.slug);

async function walk(set: string, filter: Arguments, token: string): Promise<string[]> {
  const seen: string[] = [];
  let reply = await ask(set, filter, token);
  for (;;) {
    seen.push(...slugs(dataOf(reply)));
    const next = /<[^?>]*\?([^>]*)>/.exec(String(reply.headers.link ?? ""))?.[1];
    if (next === undefined) return seen;
    assert.ok(seen.length < 2000, "the walk ends");
    reply = await world.send({ path: "/api/entries", query: `${next}&token=${token}` });
  }
}

for (const set of Object.keys(sets)) {
  describe(`${set} entries, seed ${seed}`, () => {
    for (let run = 0; run < orLong(12, 40); run++) {
      const pick = random(seed * 1000 + run);
      const filter = filterOf(pick);
      const limit = 1 + pick(set === "few" ? 9 : 70);
      const offset = pick(8);

      test(`${JSON.stringify(filter)}`, async () => {
        for (const token of [management, delivery]) {
          const whole = await ask(set, { ...filter, total: "true" }, token);
          const all = dataOf(whole);
          const ids = slugs(all);
          assert.equal(new Set(ids).size, ids.length, "nothing twice");
          assert.equal(whole.headers["x-total-count"], String(all.length), "total");
          assert.equal(dataOf(await ask(set, { ...filter, return: "count" }, token)), all.length, "count");
          assert.equal(dataOf(await ask(set, { ...filter, return: "exists" }, token)), all.length > 0, "exists");
          assert.deepEqual(dataOf(await ask(set, { ...filter, return: "first" }, token)), all[0] ?? null, "first");
          assert.deepEqual(dataOf(await ask(set, { ...filter, return: "next" }, token)), all[1] ?? null, "next");
          assert.deepEqual(dataOf(await ask(set, { ...filter, return: "last" }, token)), all.at(-1) ?? null, "last");
          const shuffled = slugs(dataOf(await ask(set, { ...filter, return: "shuffle" }, token)));
          assert.deepEqual(shuffled.sort(), [...ids].sort(), "shuffle");
          const page = slugs(dataOf(await ask(set, { ...filter, limit, offset }, token)));
          assert.deepEqual(page, ids.slice(offset, offset + limit), "limit and offset");
          assert.deepEqual(await walk(set, { ...filter, limit }, token), ids, "the walk");
          assert.deepEqual(
            await walk(set, { ...filter, limit, offset }, token),
            ids.slice(offset),
            "the walk from an offset",
          );
          const only = dataOf(await ask(set, { ...filter, only: ["slug"] }, token));
          assert.deepEqual(slugs(only), ids, "only");
          if (token === delivery) {
            const managed = dataOf(await ask(set, filter, management));
            const listed = managed.filter(
              (entry: Any) => entry.visibility === "visible" && entry.published_at < 2_000_000_000,
            );
            assert.deepEqual(ids, slugs(listed), "delivery sees exactly the listed entries of management's reply");
          }
        }
      });
    }

    for (const [n, [expr, opposite]] of opposites.entries()) {
      const pick = random(seed * 1000 + n);
      const one = of(pick, texts);
      const value = expr === "in" ? [one, of(pick, texts)] : expr === "exists" ? "true" : one;
      const where = { key: of(pick, keys), expr, value };
      const other = { ...where, expr: opposite, ...(expr === "exists" ? { value: "false" } : {}) };
      test(`${JSON.stringify(where)} and its opposite partition all entries`, async () => {
        const [yes, no, all] = await Promise.all([
          ask(set, { depth: ">0", where }, management),
          ask(set, { depth: ">0", where: other }, management),
          ask(set, { depth: ">0" }, management),
        ]);
        assert.deepEqual([...slugs(dataOf(yes)), ...slugs(dataOf(no))].sort(), slugs(dataOf(all)).sort());
      });
    }
  });
}

/** What is wrong for most arguments, and right for some. */
const odd: readonly ArgumentValue[] = [
  "",
  "0",
  "1",
  "-1",
  "true",
  "x",
  "a.b",
  "*",
  ">1",
  ["a", "b"],
  [],
  { key: "v" },
  "999999",
  "1e9",
  "9007199254740993",
  "%",
  "__proto__",
  "é\u0301",
  "2020-01-01",
  "html",
];
/** Reads of collections, with the argument that names the parent. */
const collections = [
  ["/api/entries", "id"],
  ["/api/delivery/entries", "id"],
  ["/api/management/entries", "id"],
  ["/api/entries/staged", "id"],
  ["/api/folders", "path"],
  ["/api/files", "path"],
  ["/api/media/files", "id"],
] as const;

test("any combination of arguments is answered or refused, never a 500", async () => {
  const pick = random(seed);
  const names = [
    "where",
    "and_where",
    "or_where",
    "order_by",
    "sort_by",
    "limit",
    "offset",
    "set_max_result",
    "set_first_result",
    "limit_value",
    "set_first_result_value",
    "slice_offset_value",
    "slice_limit_value",
    "return",
    "random",
    "random_value",
    "only",
    "except",
    "depth",
    "group_by",
    "search",
    "total",
    "cursor",
    "date",
    "size",
    "exclude",
    "contains",
    "not_contains",
    "path",
    "unknown",
  ];
  const returns = [
    "all",
    "first",
    "last",
    "next",
    "random",
    "shuffle",
    "limit",
    "slice",
    "set_first_result",
    "exists",
    "count",
  ];
  for (let n = 0; n < orLong(160, 800); n++) {
    const filter: Arguments = { depth: "1" };
    for (let m = pick(3); m > 0; m--) filter[of(pick, names)] = of(pick, odd);
    if (pick(2) === 0) filter.return = of(pick, returns);
    if (pick(2) === 0) filter.group_by = of(pick, keys);
    const find = pick(2) === 0 ? filter : "";
    const query: Arguments = pick(2) === 0 ? { filter } : { options: { collection: "true", filter, find } };
    for (const name of ["include", "render", "revision", "cursor", "strict", "collection"])
      if (pick(16) === 0) query[name] = of(pick, odd);
    const [path, parent] = pick(2) === 0 ? collections[0] : of(pick, collections);
    const isOpen = !/management|staged/.test(path);
    const place = path.includes("entries") ? world.id("few") : "";
    const reply = await world.read({ [parent]: place, ...query }, isOpen && pick(2) ? delivery : management, path);
    if (reply.status !== 200) refused(reply, [400, 503]);
  }
});

test("so are those of the lists that only management reads, and of a check of a type", async () => {
  const pick = random(seed);
  const lists = [
    ...["/api/entries/references", "/api/files/references", "/api/trash", "/api/types", "/api/entries/staged/list"],
    ...["/api/entries/history", "/api/files/history", "/api/files/history/state", "/api/registry/history"],
    ...["/api/events", "/api/sessions", "/api/management/entries/children"],
  ];
  const names = ["limit", "cursor", "descendants", "noun", "search", "since", "before", "newest", "revision", "after"];
  for (let n = 0; n < orLong(120, 800); n++) {
    const path = of(pick, lists);
    const query: Arguments = {};
    const place = pick(4) > 0 ? world.id("few") : of(pick, odd);
    if (/files/.test(path)) query.path = place;
    else if (/history|references|children/.test(path)) query.id = place;
    for (let m = pick(3); m > 0; m--) query[of(pick, names)] = of(pick, odd);
    const reply = await world.read(query, management, path);
    if (reply.status !== 200) refused(reply, [400, 404]);
  }
  const keywords = ["type", "properties", "items", "enum", "pattern", "$ref", "$id", "format", "required", "maxLength"];
  for (let n = 0; n < orLong(40, 400); n++) {
    const schema: Arguments = {};
    for (let m = pick(3); m >= 0; m--) schema[of(pick, keywords)] = of(pick, odd);
    const check = { id: "any", paths: pick(4) > 0 ? ["**"] : of(pick, odd), schema };
    const reply = await world.write("POST", check, "/api/types/check");
    if (reply.status !== 200) refused(reply, [400, 503]);
  }
});

allRepliesKeptTheirPromises(world);
