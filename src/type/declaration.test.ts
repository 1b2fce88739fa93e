// Long: it runs compilers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/harness.ts";
import { declarationsOf } from "./declaration.ts";
import { compileSchema } from "./schema.ts";
import type { ContentType } from "./type.ts";

/** Declarations of content types: what they say, and that compilers accept them whatever a schema has. */

const root = new URL("../../", import.meta.url).pathname;
const compilers = ["node_modules", "generators/node_modules"].map((folder) => join(root, folder, ".bin", "tsc"));
const flags = "--strict --noEmit --module nodenext --target es2022".split(" ");

const typeOf = (id: string, schema: unknown, paths: string[] = [`${id}s/*`]): ContentType => ({
  ...{ id, title: "", description: "", paths, mode: "enforce" },
  schema: JSON.stringify(schema),
});

/** The output of both compilers for a folder of modules; empty when they accept all. */
function compile(modules: ReadonlyMap<string, string>): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  for (const [name, text] of modules) writeFileSync(join(folder, name), text);
  const run = (compiler: string): string => {
    try {
      return execFileSync(compiler, [...flags, ...modules.keys()], { cwd: folder, encoding: "utf8" });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  return compilers.map(run).join("");
}

const suite = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12";
const isMissing = !existsSync(suite) && "libtest-json-schema-acceptance-perl is not installed";

test("the schemas of the official suite that a type may have compile", { skip: isMissing }, async (t) => {
  const modules = new Map<string, string>();
  const schemas = globSync(`${suite}/*.json`).flatMap((file) =>
    (JSON.parse(readFileSync(file, "utf8")) as { schema: unknown }[]).map(({ schema }) => schema),
  );
  for (const schema of schemas) {
    const type = typeOf("t", schema);
    const isRefused = await compileSchema("t", { schemaOf: (id) => (id === "t" ? type.schema : undefined) }).then(
      () => false,
      () => true,
    );
    if (!isRefused) modules.set(`t${modules.size}.d.ts`, declarationsOf([type]));
  }
  t.diagnostic(`${modules.size} of ${schemas.length} schemas`);
  assert.ok(modules.size > 300, `${modules.size}`);
  assert.equal(compile(modules), "");
});

const person = typeOf("person", { properties: { name: { type: "string" } } }, ["people/*"]);
const movie: ContentType = {
  ...typeOf(
    "movie",
    {
      required: ["title", "cut"],
      properties: {
        title: { type: "string", description: "As on the poster." },
        cut: { enum: ["short", "long", 3, null] },
        director: { type: "string", format: "entry", "x-octavo-types": ["person"] },
        picture: { type: "string", format: "file" },
        related: { type: "array", items: { format: "entry" } },
        cast: { type: "array", items: { properties: { actor: { format: "entry", "x-octavo-types": ["person"] } } } },
        size: { prefixItems: [{ type: "integer" }, { type: ["number", "null"] }], items: false, minItems: 1 },
        parts: { $ref: "#/$defs/part" },
        slug: { type: "number" },
      },
      $defs: { part: { type: "object", additionalProperties: { anyOf: [{ $ref: "#/$defs/part" }, { const: 1 }] } } },
    },
    ["movies/*", "films/**"],
  ),
  title: "Movie",
};

const expected = `// Made by \`octavo types generate\` out of the content types of a store. Do not edit.

/** Movie */
export type Movie = {
  /** As on the poster. */
  title: string;
  cut: "short" | "long" | 3 | null;
  director?: PersonId;
  picture?: string;
  related?: string[];
  cast?: {
    actor?: PersonId;
  }[];
  size?: [number, (number | null)?];
  parts?: MoviePart;
};
export type MovieId = \`movies/\${string}\` | \`films\` | \`films/\${string}\`;

export type Person = {
  name?: string;
};
export type PersonId = \`people/\${string}\`;

export type MoviePart = {
  [name: string]: MoviePart | 1;
};

/** The content types of the store: \`createClient<Schema>()\`. */
export interface Schema {
  entries: {
    movie: {
      id: MovieId;
      data: Movie;
      references: {
        director: "person";
        picture: never;
        related: string;
        "cast.actor": "person";
      };
    };
    person: {
      id: PersonId;
      data: Person;
      references: object;
    };
  };
}
`;

test("types are declared by their fields, ids and references, in the same text for the same types", () => {
  assert.equal(declarationsOf([movie, person]), expected);
  assert.equal(declarationsOf([person, movie]), expected);
});

test("the keys that each locale may have are a member of their type, also those of parts", () => {
  const text = { type: "string", "x-octavo-localized": true };
  const $defs = { head: { properties: { "sub, title": { "x-octavo-localized": "required" } } }, text };
  const schema = {
    allOf: [{ $ref: "#/$defs/head" }],
    properties: { title: text, body: { $ref: "#/$defs/text" }, n: {} },
  };
  assert.match(declarationsOf([typeOf("page", { ...schema, $defs })]), /localized: "title" \| "body" \| "sub, title";/);
  assert.doesNotMatch(declarationsOf([person]), /localized/);
});

test("choices with labels are their values, and blocks one of their shapes", () => {
  const block = (kind: string, properties: object) => ({
    ...{ type: "object", title: kind, required: ["kind"], properties: { kind: { const: kind }, ...properties } },
  });
  const size = { type: "string", oneOf: [{ const: "s", title: "Small" }, { const: "l" }] };
  const film = { type: "string", format: "entry", "x-octavo-types": ["page"] };
  const schema = {
    type: "object",
    properties: {
      size,
      sizes: { type: "array", uniqueItems: true, items: size },
      blocks: {
        type: "array",
        items: { oneOf: [block("text", { text: { type: "string" } }), block("film", { film })] },
      },
    },
  };
  const text = declarationsOf([
    { id: "page", title: "", description: "", paths: ["pages/*"], mode: "enforce", schema: JSON.stringify(schema) },
  ]).replace(/\s+/g, " ");
  for (const part of [
    'size?: "s" | "l";',
    'sizes?: ("s" | "l")[];',
    'blocks?: ({ kind: "text"; text?: string; } | { kind: "film"; film?: PageId; })[];',
    'references: { "blocks.film": "page"; };',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
});

test("no name or text of a type leaves its comment, string or name", () => {
  const place = `\${1}`;
  const hostile = `*/ export const x = 1; /* @ts-ignore\n@ts-expect-error\u2028*/ \`${place}\` " \\ \u202e`;
  const schema = {
    description: hostile,
    required: [hostile],
    properties: { [hostile]: { enum: [hostile], description: hostile, title: "x" }, "1a": true, class: true },
  };
  const modules = new Map<string, string>();
  const ids = ["a-b", "a_b", "-", "schema", "string", "a-b-id", "3d"];
  const types = ids.map((id) => typeOf(id, schema, [`a\`b/${place}/\\/*`, "**", "x/**/y/**", "a/**/**/**/**/b"]));
  modules.set("hostile.d.ts", declarationsOf(types.map((type) => ({ ...type, title: hostile, description: hostile }))));
  modules.set("none.d.ts", declarationsOf([]));
  modules.set("any.d.ts", declarationsOf([typeOf("any", true), typeOf("none", false)]));
  assert.equal(compile(modules), "");
  const code = (modules.get("hostile.d.ts") as string).replace(/\/\*[\s\S]*?\*\/|"(\\.|[^"])*"|`(\\.|[^`])*`/g, "");
  assert.doesNotMatch(code, /const|ts-/);
  assert.doesNotMatch(modules.get("hostile.d.ts") as string, /[\u2028\u202e]/);
});

test("references to other types and circles between types compile", () => {
  const a = typeOf("a", { properties: { b: { $ref: "/types/b" }, list: { items: { $ref: "#" } } } });
  const b = typeOf("b", { properties: { a: { $ref: "/types/a" }, part: { $ref: "/types/a#/properties/list" } } });
  const text = declarationsOf([a, b]);
  assert.match(text, /b\?: B;\n {2}list\?: A\[\];/);
  assert.match(text, /a\?: A;\n {2}part\?: AList;/);
  assert.equal(compile(new Map([["circle.d.ts", text]])), "");
});
