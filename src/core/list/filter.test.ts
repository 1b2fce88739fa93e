import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUrlEncoded } from "../lib/brackets.ts";
import { type JsonObject, parseJson } from "../lib/json.ts";
import { Problem } from "../problem.ts";
import { type Condition, compileFilter, type Filter, type Operator, parseConditions } from "./filter.ts";
import { TimeBudget } from "./regexp.ts";

const caps = { maxPairs: 1000, maxDepth: 8, maxItems: 1000 };
/** The conditions of a query string, without its `filter[…]`: `where[key]=title&…`. */
const conditions = (query: string): Filter => parseConditions(parseUrlEncoded(query, caps));
const nowSeconds = Date.UTC(2024, 4, 10, 12) / 1000;
const context = (ms = 1000) => ({ budget: new TimeBudget(ms), nowSeconds });
const filterOf = (...all: Condition[]): Filter => ({ all, any: [] });
const object = (json: string) => parseJson(json) as JsonObject;
const matches = (json: string, filter: Filter) => compileFilter(filter, context())(object(json));

// ------------------------------------------------------------------------------------------------ parsing the arguments

const spellings: [string, Operator][] = [
  ["eq", "eq"],
  ["=", "eq"],
  ["is", "eq"],
  ["neq", "neq"],
  ["!=", "neq"],
  ["<>", "neq"],
  ["lt", "lt"],
  ["<", "lt"],
  ["lte", "lte"],
  ["<=", "lte"],
  ["gt", "gt"],
  [">", "gt"],
  ["gte", "gte"],
  [">=", "gte"],
  ["contains", "contains"],
  ["like", "contains"],
  ["ncontains", "ncontains"],
  ["nlike", "ncontains"],
  ["member_of", "member_of"],
  ["start_with", "starts_with"],
  ["starts_with", "starts_with"],
  ["ends_with", "ends_with"],
  ["regexp", "regexp"],
  ["nregexp", "nregexp"],
];
for (const [spelling, operator] of spellings) {
  test(`"${spelling}" in any letter case means ${operator}`, () => {
    for (const sent of [spelling, spelling.toUpperCase()]) {
      const filter = conditions(`where[key]=a&where[expr]=${encodeURIComponent(sent)}&where[value]=x`);
      assert.deepEqual(filter, filterOf({ key: "a", operator, value: "x" }));
    }
  });
}

const values: [operator: Operator, query: string, value: string | string[]][] = [
  ["in", "where[value][]=x&where[value][]=y", ["x", "y"]],
  ["nin", "where[value][]=x&where[value][]=y", ["x", "y"]],
  ["nin", "where[value]=x,y", ["x,y"]],
  ["between", "where[value][]=1&where[value][]=2", ["1", "2"]],
  ["nbetween", "where[value][]=1&where[value][]=2", ["1", "2"]],
  ["newer", "where[value]=yesterday", "yesterday"],
  ["older", "where[value]=1714521600", "1714521600"],
  ...["true", "false", "1", "0"].map((word): [Operator, string, string] => ["exists", `where[value]=${word}`, word]),
];
for (const [operator, query, value] of values) {
  test(`${operator} takes ${query}, under either name of the operator or both`, () => {
    for (const name of [
      `expr]=${operator}`,
      `operator]=${operator}`,
      `expr]=${operator}&where[operator]=${operator}`,
    ]) {
      const filter = conditions(`where[key]=a&where[${name}&${query}`);
      assert.deepEqual(filter, filterOf({ key: "a", operator, value }));
    }
  });
}

test("one condition, and_where and or_where are read as (where AND and_where) OR or_where", () => {
  const query =
    "where[key]=a&where[expr]=eq&where[value]=1" +
    "&and_where[0][key]=b&and_where[0][expr]=eq&and_where[0][value]=2" +
    "&or_where[0][key]=c&or_where[0][operator]=eq&or_where[0][value]=3";
  const filter = conditions(query);
  assert.equal(filter.all.length, 2);
  assert.equal(filter.any.length, 1);
  assert.equal(matches('{"a":"1","b":"2","c":"x"}', filter), true);
  assert.equal(matches('{"a":"1","b":"x","c":"x"}', filter), false);
  assert.equal(matches('{"a":"x","b":"x","c":"3"}', filter), true);
});

test("where as a list is ANDed, and or_where alone is ORed", () => {
  const pair = (name: string) =>
    `${name}[0][key]=a&${name}[0][operator]=eq&${name}[0][value]=1&${name}[1][key]=b&${name}[1][operator]=eq&${name}[1][value]=2`;
  assert.equal(matches('{"a":"1","b":"x"}', conditions(pair("where"))), false);
  assert.equal(matches('{"a":"1","b":"x"}', conditions(pair("or_where"))), true);
  assert.equal(matches('{"a":"x","b":"x"}', conditions(pair("or_where"))), false);
});

test("no condition matches everything", () => assert.equal(matches("{}", conditions("x=y")), true));

test("in with one text is a list of one, not split at commas", () => {
  const filter = conditions("where[key]=a&where[expr]=in&where[value]=x,y");
  assert.equal(matches('{"a":"x"}', filter), false);
  assert.equal(matches('{"a":"x,y"}', filter), true);
});

const refused: [query: string, argument: string, code?: string][] = [
  ["where=x", "filter[where]"],
  ["where[]=x", "filter[where][0]"],
  ["where[expr]=eq&where[value]=1", "filter[where][key]"],
  ["where[key]=&where[expr]=eq&where[value]=1", "filter[where][key]"],
  ["where[key][]=a&where[expr]=eq&where[value]=1", "filter[where][key]"],
  ["where[key]=a&where[value]=1", "filter[where][expr]"],
  ["where[key]=a&where[expr]=near&where[value]=1", "filter[where][expr]"],
  ["where[0][key]=a&where[0][operator]=near&where[0][value]=1", "filter[where][0][operator]"],
  ["where[key]=a&where[expr]=eq", "filter[where][value]"],
  ["where[key]=a&where[expr]=eq&where[value][]=1", "filter[where][value]"],
  ["and_where[1][key]=a&and_where[1][expr]=eq", "filter[and_where][0][value]"],
  ["or_where[0][key]=a&or_where[0][value]=1", "filter[or_where][0][expr]"],
  ["where[key]=a&where[expr]=in", "filter[where][value]"],
  ["where[key]=a&where[expr]=in&where[value][x]=1", "filter[where][value]"],
  ["where[key]=a&where[expr]=in&where[value][][x]=1", "filter[where][value]"],
  ["where[key]=a&where[expr]=between&where[value]=1", "filter[where][value]"],
  ["where[key]=a&where[expr]=between&where[value]=12", "filter[where][value]"],
  ["where[key]=a&where[expr]=between&where[value][0]=1&where[value][1][x]=2", "filter[where][value]"],
  ["where[key]=a&where[expr]=between&where[value][]=1", "filter[where][value]"],
  ["where[key]=a&where[expr]=nbetween&where[value][]=1&where[value][]=2&where[value][]=3", "filter[where][value]"],
  ["where[key]=a&where[expr]=exists&where[value]=maybe", "filter[where][value]"],
  ["where[key]=a&where[expr]=exists", "filter[where][value]"],
  ["where[key]=a&where[expr]=newer&where[value]=soon", "filter[where][value]"],
  ["where[key]=a&where[expr]=older&where[value]=soon", "filter[where][value]"],
  ["where[key]=a&where[expr]=regexp&where[value]=(", "filter[where][value]"],
  ["where[key]=a&where[expr]=regexp&where[value]=(%3F%3Da)", "filter[where][value]"],
  ["where[key]=a&where[expr]=regexp&where[value]=(%3F<%3Da)b", "filter[where][value]"],
  ["where[key]=a&where[expr]=regexp&where[value]=(a)\\1", "filter[where][value]"],
  ["where[key]=a&where[expr]=regexp&where[value]=(a{1000}){1000}", "filter[where][value]"],
  ["where[key]=a&where[expr]=nregexp&where[value]=(.{1,1000}){0,1}x", "filter[where][value]", "filter_too_complex"],
  ["where[key]=a&where[expr]=eq&where[operator]=neq&where[value]=1", "filter[where][expr]", "argument_conflict"],
];
for (const [query, argument, code = "filter_invalid"] of refused) {
  test(`${query.slice(0, 90)} is refused by name`, () => {
    assert.throws(
      () => conditions(query),
      (error) => error instanceof Problem && error.code === code && error.message.includes(`"${argument}"`),
    );
  });
}

test("an unknown operator is refused with the list of operators", () => {
  assert.throws(() => conditions("where[key]=a&where[expr]=near&where[value]=1"), /"near".*eq.*starts_with/);
});

test("more than 50 conditions, 100 values or 1,000 bytes of a regexp are refused", () => {
  const one = (name: string, i: number) => `${name}[${i}][key]=a&${name}[${i}][expr]=eq&${name}[${i}][value]=1`;
  const many = (count: number, name = "and_where") => Array.from({ length: count }, (_, i) => one(name, i)).join("&");
  assert.equal(conditions(many(50)).all.length, 50);
  assert.throws(() => conditions(many(51)), { code: "filter_too_complex" });
  const inAll = (last: number) => conditions([many(1, "where"), many(24), many(last, "or_where")].join("&"));
  assert.equal(inAll(25).any.length, 25);
  assert.throws(() => inAll(26), { code: "filter_too_complex" });
  const values = (count: number) => `where[key]=a&where[expr]=in${"&where[value][]=x".repeat(count)}`;
  assert.equal(conditions(values(100)).all[0]?.value.length, 100);
  assert.throws(() => conditions(values(101)), { code: "filter_too_complex" });
  const regexp = (bytes: number) => `where[key]=a&where[expr]=regexp&where[value]=${"é".repeat(bytes / 2)}`;
  assert.equal(conditions(regexp(1000)).all.length, 1);
  assert.throws(() => conditions(`${regexp(1000)}a`), { code: "filter_too_complex" });
});

// ------------------------------------------------------------------------------------------------ operators

/** stored JSON, operator, value, whether it matches. The field is `a`; undefined stands for no such field. */
const meanings: [stored: string | undefined, operator: Operator, value: string | string[], expected: boolean][] = [
  // One that matches and one that does not, and what depends on parsing; more values: match.test.ts.
  ['"15"', "eq", "15.0", false],
  ['"Abc"', "eq", "abc", false],
  ["15", "eq", "15", true],
  ["0.10", "eq", "0.1", true],
  ["true", "eq", "yes", false],
  // neq is its negation, and matches a missing field.
  ['"x"', "neq", "x", false],
  ['"x"', "neq", "y", true],
  [undefined, "neq", "x", true],
  // in, nin, member_of.
  ['"c"', "in", ["a", "b"], false],
  ["2", "in", ["1", "2.0"], true],
  ['"b"', "nin", ["a", "b"], false],
  ['"c"', "nin", ["a", "b"], true],
  ['""', "in", [], false],
  ['["a"]', "in", [], false],
  [undefined, "in", [], false],
  ['""', "nin", [], true],
  ["[]", "nin", [], true],
  [undefined, "nin", [], true],
  ["[1,2]", "member_of", "1", true],
  ['["x","y"]', "member_of", "z", false],
  // contains and related operators.
  ['"hello world"', "contains", "o w", true],
  ['"hello world"', "contains", "O W", false],
  ["1.50", "contains", ".50", true],
  ['"hello"', "ncontains", "ell", false],
  ["true", "ncontains", "x", true],
  ['"hello"', "starts_with", "he", true],
  ['"hello"', "starts_with", "ello", false],
  ['"hello"', "ends_with", "lo", true],
  ['"hello"', "ends_with", "hel", false],
  [undefined, "starts_with", "", false],
  [undefined, "ends_with", "", false],
  // Order: numbers, text that is a number, other text bytewise, booleans.
  ["9", "lte", "9.0", true],
  ["10", "lte", "9", false],
  ["9", "gt", "x", false],
  ['"9"', "gt", "x", false],
  ['"9 apples"', "lt", "10", true],
  ['"10 apples"', "lt", "9 pears", false],
  ['"1e400"', "gt", "9e399", true],
  ["true", "gte", "1", true],
  ["true", "gt", "0.5", false],
  ["null", "lt", "x", false],
  ["{}", "lt", "x", false],
  [undefined, "gte", "", false],
  ["5", "between", ["1", "5"], true],
  ["5", "between", ["a", "c"], false],
  ["5", "nbetween", ["1", "5"], false],
  ["6", "nbetween", ["1", "5"], true],
  [undefined, "nbetween", ["1", "5"], false],
  // Dates.
  ['"1714521600"', "older", "2024-05-02", true],
  ["1714521600.0", "newer", "2024-04-30", true],
  ['"soon"', "newer", "2024-04-30", false],
  ['"2024-05-10"', "newer", "yesterday", true],
  ['"2024-05-08"', "older", "yesterday", true],
  [undefined, "older", "2024-04-30", false],
  // Regular expressions: unanchored, without case, line by line.
  ['"one\\ntwo"', "regexp", "(?-m)^two$", false],
  ['"hello"', "regexp", "(?i)HELLO", true],
  ['"Ünïcode"', "regexp", "/^\\p{L}+$/u", true],
  ['"ÜN"', "regexp", "/ün/iu", true],
  ['"a/b/c"', "regexp", "/b/", true],
  ["1234", "regexp", "^\\d+$", true],
  ["true", "regexp", ".", false],
  [undefined, "regexp", ".*", false],
  ['"hello"', "nregexp", "L+", false],
  ['"hello"', "nregexp", "(?-i)L+", true],
  [undefined, "nregexp", "x", false],
  // exists.
  ['""', "exists", "true", true],
  ["null", "exists", "1", true],
  ["null", "exists", "false", false],
  [undefined, "exists", "false", true],
];
for (const [stored, operator, value, expected] of meanings) {
  const field = stored ?? "no field";
  test(`${field} ${operator} ${JSON.stringify(value)} ${expected ? "matches" : "does not match"}`, () => {
    const json = stored === undefined ? '{"b":1}' : `{"a":${stored}}`;
    assert.equal(matches(json, filterOf({ key: "a", operator, value })), expected);
  });
}

// ------------------------------------------------------------------------------------------------ time limits of regular expressions

test("the regular expressions of a request share a time limit, above which the filter is too costly", () => {
  let now = 0;
  const budget = new TimeBudget(250, () => {
    now += 20;
    return now;
  });
  const filter = filterOf({ key: "a", operator: "regexp", value: "x" });
  const isMatch = compileFilter(filter, { budget, nowSeconds });
  assert.throws(
    () => {
      for (let i = 0; i < 100; i++) isMatch(object('{"a":"y"}'));
    },
    (error) => error instanceof Problem && error.code === "filter_too_costly" && error.kind === "busy",
  );
});

test("one match of a costly pattern on a huge text is interrupted", () => {
  let text = "";
  for (let i = 0; i < 1 << 20; i++) text += (Math.imul(i * i + 7 * i, 2654435761) >>> 9) & 1 ? "a" : "b";
  const value = "[ab]{500}(a[ab]{300}|b[ab]{100})d";
  // The clock advances a millisecond per read: read 101 exceeds the limit, long before the end.
  let looks = 0;
  const budget = new TimeBudget(100, () => ++looks);
  const isMatch = compileFilter(filterOf({ key: "a", operator: "regexp", value }), { budget, nowSeconds });
  const stored: JsonObject = new Map([["a", `${text}d`]]);
  assert.throws(() => isMatch(stored), { code: "filter_too_costly" });
  assert.equal(looks, 102);
});

// ------------------------------------------------------------------------------------------------ times

const times = new Set(["at"]);
/** operator, value, the seconds that match and those that do not. Noon of 2024-05-10 is now. */
const dated: [operator: Operator, value: string | string[], yes: number[], no: number[]][] = [
  ["eq", "2024-05-01", [1714521600], [1714521599, 1714521601]],
  ["neq", "2024-05-01T00:00:00Z", [1714521601], [1714521600]],
  ["eq", "1714521600.0", [1714521600], []],
  ["lt", "01-05-2024 00:00", [1714521599], [1714521600]],
  ["lte", "2024-05-01", [1714521600], [1714521601]],
  ["gt", "2024-05-01", [1714521601], [1714521600]],
  ["gte", "yesterday", [Date.UTC(2024, 4, 9) / 1000], [Date.UTC(2024, 4, 9) / 1000 - 1]],
  ["gte", "2 hours ago", [nowSeconds - 7200], [nowSeconds - 7201]],
  ["in", ["now", "0"], [nowSeconds, 0], [1]],
  ["nin", ["now", "0"], [1], [nowSeconds, 0]],
  ["between", ["2024-05-01", "2024-05-02"], [1714521600, 1714608000], [1714608001]],
  ["nbetween", ["1714521600", "2024-05-02"], [1714608001], [1714521600]],
];
for (const [operator, value, yes, no] of dated) {
  test(`${operator} ${JSON.stringify(value)} of a time reads dates`, () => {
    const condition: JsonObject = new Map<string, string | string[]>([
      ["key", "at"],
      ["expr", operator],
      ["value", value],
    ]);
    const filter = parseConditions(new Map([["where", condition]]), undefined, times);
    for (const at of yes) assert.ok(matches(`{"at":${at}}`, filter), String(at));
    for (const at of no) assert.ok(!matches(`{"at":${at}}`, filter), String(at));
    assert.deepEqual(structuredClone(filter), filter);
  });
}
test("what is no time is a text, a date too", () => {
  const filter = parseConditions(
    parseUrlEncoded("where[key]=a&where[expr]=eq&where[value]=2024-05-01", caps),
    undefined,
    times,
  );
  assert.ok(matches('{"a":"2024-05-01"}', filter));
  assert.ok(!matches('{"a":1714521600}', filter));
});

test("a filter can be sent to another thread", () => {
  const filter = conditions("where[key]=a&where[expr]=between&where[value][]=1&where[value][]=2");
  assert.deepEqual(structuredClone(filter), filter);
});
