import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRoute, routeName } from "../../../api-docs/api.ts";
import { call as callExample, type Site } from "../../../scripts/examples.ts";
import { onUsedSite } from "../../../test/http/used-site.ts";
import { accessOf } from "../access/access.ts";
import { toJson } from "../lib/json.ts";
import { Type } from "../lib/json-schema.ts";
import { Problem } from "../problem.ts";
import type { Call } from "./call.ts";
import { noContent } from "./reply.ts";
import { type Route, route } from "./route.ts";

/** A route uses exactly the arguments that it declares. */

const declared = {
  method: "PUT",
  url: "/test",
  summary: "",
  problems: [],
  arguments: { newId: Type.String(), count: Type.Optional(Type.Integer()) },
  handle: () => noContent,
} as const;
const strict = route({ ...declared, problems: [] });
const lenient = route({ ...declared, problems: [], unknown: "ignored" });

const callWith = (query: object, body: object, method = "PUT"): Call =>
  ({
    method,
    query: toJson(query),
    body: { arguments: toJson(body), isText: false },
    access: accessOf({ kind: "management" }, 0),
  }) as unknown as Call;

function refused(query: object, body: object, one: Route = strict): Problem {
  try {
    one.read(callWith(query, body, one.method));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return assert.fail("it was not refused");
}

test("arguments are snake case on the wire and camel case in the code, tokens separate", () => {
  assert.deepEqual(Object.keys(strict.arguments), ["new_id", "count"]);
  const read = strict.read(callWith({ count: "7", token: "t" }, { new_id: "a", access_token: "b" }));
  assert.deepEqual(read, { newId: "a", count: 7 });
});

test("an unknown argument of query or body is refused with the nearest name", () => {
  const near = refused({}, { new_id: "a", cuont: 7 });
  assert.equal(near.code, "argument_unknown");
  assert.equal(near.argument, "cuont");
  assert.equal(near.detail, '"cuont" is unknown; did you mean "count"?');
  assert.equal(
    refused({ dry_run: "1" }, { new_id: "a" }).detail,
    '"dry_run" is unknown; expected one of new_id, count',
  );
});

test("an argument in a query that is not read is refused, tokens excepted", () => {
  for (const method of ["POST", "PATCH"] as const) {
    const posted = route({ ...declared, problems: [], method });
    const { code, detail } = refused({ count: "7" }, { new_id: "a" }, posted);
    assert.equal(code, "argument_unknown");
    assert.equal(detail, '"count" was sent in the query; expected it where the other arguments are');
    const read = posted.read(callWith({ token: "t", access_token: "b" }, { new_id: "a" }, method));
    assert.deepEqual(read, { newId: "a", count: undefined });
  }
});

test("a route without arguments says so", () => {
  const none = route({ ...declared, problems: [], arguments: {} });
  assert.equal(refused({ count: "7" }, {}, none).detail, '"count" is unknown; expected no arguments');
});

test("of a boolean both values are named as accepted", () => {
  const own = route({
    ...declared,
    problems: [],
    arguments: { dryRun: Type.Boolean({ description: "True: writes nothing." }) },
  });
  assert.throws(() => own.read(callWith({}, { dry_run: "1" })), {
    message: '"dry_run" was "1"; expected true or false',
  });
});

test("the length of a text is that of its characters, as JSON Schema has it", () => {
  const short = route({ ...declared, problems: [], arguments: { title: Type.String({ maxLength: 3 }) } });
  const read = (title: string) => short.read(callWith({}, { title }));
  assert.deepEqual(read("\u{1f600}".repeat(3)), { title: "\u{1f600}".repeat(3) });
  for (const title of ["\u{1f600}".repeat(4), "abcd"]) assert.throws(() => read(title), { code: "argument_invalid" });
});

test("all faults of a call are reported together, each with its argument", () => {
  const { errors } = refused({}, { nwe_id: "a", count: "many" });
  assert.deepEqual(
    errors.map(({ code, argument }) => [code, argument]),
    [
      ["argument_unknown", "nwe_id"],
      ["argument_missing", "new_id"],
      ["argument_invalid", "count"],
    ],
  );
});

test("a route of the specification ignores unknown arguments", () => {
  assert.deepEqual(lenient.read(callWith({ utm: "1" }, { new_id: "a" })), { newId: "a", count: undefined });
});

/** Records the arguments of the route and those that its handler reads. */
function note(one: Route): { known: Set<string>; read: Set<string | symbol> } {
  const { handle } = one;
  const noted = { known: new Set<string>(), read: new Set<string | symbol>() };
  one.handle = (call, args) => {
    for (const property of Object.keys(args)) noted.known.add(property);
    const get = (target: object, property: string | symbol) => {
      noted.read.add(property);
      return Reflect.get(target, property);
    };
    return handle(call, new Proxy(args, { get }));
  };
  return noted;
}

async function unreadOf(site: Site, one: Route, count?: number): Promise<string[]> {
  const { known, read } = note(one);
  const { examples } = describeRoute(one);
  for (const example of examples.slice(0, count)) await callExample(site, one, example);
  assert.equal(known.size, Object.keys(one.arguments).length, `${routeName(one)} was not called`);
  return [...known].filter((property) => !read.has(property)).map((property) => `${routeName(one)} ${property}`);
}

const ofTable = ({ unknown }: Route): boolean => unknown !== "handled";
const isGet = ({ method }: Route): boolean => method === "GET";

test("every argument of every read is used by its handler", async () => {
  await onUsedSite(async (site) => {
    for (const one of site.app.api.filter(ofTable).filter(isGet)) {
      assert.deepEqual(await unreadOf(site, one), []);
    }
  });
});

test("every argument of every write is used by its handler", async () => {
  const writes = await onUsedSite(async ({ app }) => app.api.filter((one) => !isGet(one)).map(routeName));
  assert.ok(writes.length > 20);
  for (const name of writes) {
    await onUsedSite(async (site) => {
      const one = site.app.api.find((other) => routeName(other) === name) as Route;
      assert.deepEqual(await unreadOf(site, one, 1), []);
    });
  }
});
