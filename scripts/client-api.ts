import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../src/app.ts";
import { readSettings } from "../src/settings.ts";

/**
 * Writes client/src/api.ts, the types of the client's operations, out of the OpenAPI description that the service
 * serves. Part of `npm run docs`; test/client/api.test.ts fails when it was forgotten.
 */

type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: { Problem: Schema } };
};

/** What the client has no words for: second names of the same things, and what is not for programs with a token. */
export const leftOut = /^\/(?:api\/(?:delivery|management|media|openapi|registry\/items)|health|project)\b/;

/** Schemas that get a name of their own, by where one of them stands. */
function namedSchemas(description: OpenApi): [name: string, schema: Schema][] {
  const operations = Object.fromEntries(spoken(description));
  const reply = (name: string): Schema => dataOf(operations[name] as Operation) as Schema;
  const { Problem } = description.components.schemas;
  return [
    ["ProblemCode", Problem.properties?.code as Schema],
    ["ProblemBody", Problem],
    ["EntryObject", reply("POST /api/entries")],
    ["FolderObject", reply("POST /api/folders")],
    ["FileObject", reply("POST /api/files")],
    ["RegistryItem", reply("GET /api/registry")],
    ["Token", reply("PATCH /api/tokens")],
    ["TokenWithSecret", reply("POST /api/tokens")],
    ["Session", reply("GET /api/sessions").items as Schema],
    ["LogEvent", reply("GET /api/events").items as Schema],
    ["Stats", reply("GET /api/stats")],
  ];
}

/** The operations of the description that the client speaks, as `PUT /api/entries/copy`. */
export function spoken({ paths }: OpenApi): [name: string, operation: Operation][] {
  return Object.entries(paths)
    .filter(([path]) => !leftOut.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as [string, Operation],
      ),
    );
}

/** The text of client/src/api.ts. */
export function apiTypes(description: OpenApi): string {
  const named = namedSchemas(description);
  const known = new Map(named.map(([name, schema]) => [JSON.stringify(schema), name]));
  const without = (own: string) => new Map([...known].filter(([, name]) => name !== own));
  const operations = spoken(description).map(([name, operation]) => operationType(name, operation, known));
  return format(
    [
      "// Made by npm run docs out of /api/openapi.json: the types of the operations, without their tokens.",
      ...named.map(([name, schema]) => `${docOf(schema)}export type ${name} = ${typeOf(schema, without(name))};`),
      `/** By method and address: the arguments, and the \`data\` of the reply. */\nexport type Api = {${operations.join("\n")}};`,
    ].join("\n\n"),
  );
}

function operationType(name: string, operation: Operation, known: Map<string, string>): string {
  const data = dataOf(operation);
  return `/** ${operation.summary} */
    ${JSON.stringify(name)}: {
      arguments: ${typeOf(argumentsOf(operation), known)};
      data: ${data ? typeOf(data, known) : "undefined"};
    };`;
}

function dataOf({ responses }: Operation): Schema | undefined {
  return responses[200]?.content?.["application/json"]?.schema?.properties?.data;
}

/** Tokens and other headers are left out: the client has words of its own for them. */
function argumentsOf({ parameters, requestBody }: Operation): Schema {
  if (!requestBody) {
    const sent = (parameters ?? []).filter((parameter) => parameter.in !== "header");
    return {
      properties: Object.fromEntries(sent.map(({ name, schema }) => [name, schema])),
      required: sent.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  const schema = Object.values(requestBody.content)[0]?.schema ?? {};
  const { token: _, access_token: __, ...properties } = schema.properties ?? {};
  return { properties, required: schema.required };
}

/** A schema as a type; those that `known` has a name for by their name. */
function typeOf(schema: Schema, known: Map<string, string>): string {
  const name = known.get(JSON.stringify(schema));
  if (name) return name;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, known)))].join(" | ");
  if (schema.items) return `(${typeOf(schema.items, known)})[]`;
  if (schema.properties && Object.keys(schema.properties).length > 0) return objectType(schema, known);
  if (typeof schema.additionalProperties === "object") {
    return `Record<string, ${typeOf(schema.additionalProperties, known)}>`;
  }
  if (schema.properties) return "Record<never, never>";
  return schema.format === "binary" ? "Blob" : (plain[schema.type ?? ""] ?? "unknown");
}

const plain: Record<string, string> = {
  string: "string",
  integer: "number",
  boolean: "boolean",
  null: "null",
  object: "object",
};

function objectType({ properties, required }: Schema, known: Map<string, string>): string {
  const members = Object.entries(properties ?? {}).map(
    ([name, schema]) => `${docOf(schema)}${name}${required?.includes(name) ? "" : "?"}: ${typeOf(schema, known)};`,
  );
  return `{\n${members.join("\n")}\n}`;
}

const docOf = ({ description }: Schema): string => (description ? `/** ${description} */\n` : "");

function format(text: string): string {
  const biome = new URL("../node_modules/.bin/biome", import.meta.url).pathname;
  return execFileSync(biome, ["format", "--stdin-file-path=client/src/api.ts"], { input: text, encoding: "utf8" });
}

/** The description as a service of this checkout serves it. */
async function fetchDescription(): Promise<OpenApi> {
  const data = mkdtempSync(join(tmpdir(), "octavo-docs-"));
  const app = await build(readSettings({ flags: { port: "0", log: "off", data }, env: {}, file: undefined }));
  try {
    return (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenApi;
  } finally {
    await app.close();
    rmSync(data, { recursive: true });
  }
}

if (import.meta.main) {
  writeFileSync(new URL("../client/src/api.ts", import.meta.url), apiTypes(await fetchDescription()));
}
