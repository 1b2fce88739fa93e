// Long: it recreates the sample site for each example. Time limit: 900 s.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Check, Errors } from "typebox/schema";
import { type ApiRoute, describeRoute, routeName } from "../../api-docs/api.ts";
import { readRecording } from "../../api-docs/recorded.ts";
import { problemsOf, provocation, unprovoked } from "../../api-docs/refusal.ts";
import { recordRoute, withSite } from "../../scripts/examples.ts";
import type { TSchema } from "../../src/core/lib/json-schema.ts";
import { isOptional } from "../../src/core/lib/json-schema.ts";

/** The API reference is correct: every example is sent, and every reply compared. */

const recording = readRecording();
const routes = await withSite(async ({ app }) => app.api.map(describeRoute));

test("the recorded routes are exactly the routes", () => {
  assert.deepEqual(Object.keys(recording), routes.map(routeName));
});

describe("each example is answered as recorded", { concurrency: 3 }, () => {
  for (const route of routes) {
    test(routeName(route), async () => {
      assert.deepEqual(await recordRoute(route), recording[routeName(route)], "npm run docs records the replies again");
    });
  }
});

const schemaOf = ({ reply, replyForm: { isBare, beside } }: ApiRoute): object =>
  isBare
    ? (reply as object)
    : {
        type: "object",
        required: ["data"],
        properties: { data: reply, ...beside },
        additionalProperties: false,
      };

test("each reply matches the schema of its route", () => {
  for (const route of routes.filter(({ reply }) => reply)) {
    for (const { body } of recording[routeName(route)]?.replies ?? []) {
      const faults = JSON.stringify(Errors(schemaOf(route) as TSchema, body));
      assert.ok(Check(schemaOf(route) as TSchema, body), `${routeName(route)}: ${faults}`);
    }
  }
});

test("each problem of each route is provoked, except a few that the sample site cannot produce", () => {
  for (const route of routes) {
    for (const code of problemsOf(route)) {
      const isShown = recording[routeName(route)]?.refusals[code] !== undefined;
      assert.equal(isShown, provocation(route, code) !== undefined, `${routeName(route)}: ${code}`);
      assert.ok(isShown || unprovoked[code], `${routeName(route)}: no example of ${code}`);
    }
  }
});

test("each example sends arguments of its route, and all required ones", () => {
  for (const route of routes) {
    const required = Object.entries(route.arguments)
      .filter(([, schema]) => !isOptional(schema))
      .map(([name]) => name);
    for (const example of route.examples) {
      const sent = Object.keys({ ...example.arguments, ...(example.file ? { file: "" } : {}) });
      for (const name of sent) assert.ok(name in route.arguments, `${routeName(route)}: ${name}`);
      for (const name of required) assert.ok(sent.includes(name), `${routeName(route)}: ${name}`);
    }
  }
});

type Described = {
  $ref?: string;
  description?: string;
  properties?: Record<string, Described>;
  items?: Described;
  anyOf?: Described[];
};
type Content = Record<string, { schema?: Described; examples?: object }>;
type Operation = {
  parameters?: { name: string; description?: string; schema: Described }[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
  summary: string;
  description?: string;
  tags: string[];
};

/** The fields of a schema without a description; references have their own. */
function silent({ $ref, properties = {}, items, anyOf = [] }: Described): string[] {
  if ($ref) return [];
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description || field.$ref ? [] : [name]),
    ...silent(field),
  ]);
  return [...own, ...(items ? silent(items) : []), ...anyOf.flatMap(silent)];
}

test("every operation, parameter and field has a description", async () => {
  const description = await withSite(async ({ app }) => (await fetch(`${app.url}/api/openapi.json`)).json());
  const { paths, tags, components } = description as {
    paths: Record<string, Record<string, Operation>>;
    tags: { name: string; description: string }[];
    components: {
      schemas: Record<string, Described>;
      responses: Operation["responses"];
      parameters: Record<string, Described>;
    };
  };
  for (const { name, description: text } of tags) assert.ok(text && name !== "Other", name);
  for (const [name, schema] of Object.entries(components.schemas)) {
    assert.ok(schema.description || name.endsWith("Body"), name);
    assert.deepEqual(silent(schema), [], name);
  }
  const speaks = (what: string, content: Content | undefined): void => {
    for (const { schema, examples } of Object.values(content ?? {})) {
      assert.deepEqual(silent(schema ?? {}), [], what);
      assert.ok(Object.keys(examples ?? {}).length > 0, `${what}: no example`);
    }
  };
  for (const [name, { content }] of Object.entries(components.responses)) speaks(name, content);
  for (const [name, { description: text }] of Object.entries(components.parameters)) assert.ok(text, name);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const what = `${method} ${path}`;
      assert.ok(operation.summary && operation.description, what);
      for (const { name, description: text, schema } of (operation.parameters ?? []).filter((one) => "name" in one)) {
        assert.ok(text, `${what}: ${name}`);
        assert.deepEqual(silent(schema), [], `${what}: ${name}`);
      }
      // Those of uploads that resume are in their guide.
      if (/^\/api\/(openapi|uploads)/.test(path)) continue;
      speaks(what, operation.requestBody?.content);
      for (const { content } of Object.values(operation.responses)) speaks(what, content);
    }
  }
});
