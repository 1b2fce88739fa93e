import { isJsonObject, type Json, type JsonObject, NumberText } from "../core/lib/json.ts";
import { holders, localizedKeyword, searchKeyword } from "./walk.ts";

/**
 * The schema as the validator gets it: without annotations and unknown keywords, and with the values of `enum` and `const`
 * as texts. The library looks for `$id`, `$anchor`, `$schema` and `$vocabulary` in any object of a schema, also in data: a
 * default could switch off the dialect for all types. What is left out is no schema, so no reference leads there.
 */
export function documentOf(schema: Json): unknown {
  if (!isJsonObject(schema)) return typeof schema === "boolean" ? schema : null;
  const document: Record<string, unknown> = {};
  for (const [keyword, value] of schema) {
    const part = partOf(keyword, value);
    if (part !== undefined) document[keyword] = part;
  }
  return document;
}

/** The keywords of the dialect without subschemas, and how deep the lists and objects in their values are. */
const depths: ReadonlyMap<string, number> = new Map([
  ...["$schema", "$id", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef", "$comment"].map(
    (name) => [name, 0] as const,
  ),
  ...["minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf"].map(
    (name) => [name, 0] as const,
  ),
  ...["exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems"].map((name) => [name, 0] as const),
  ...["minContains", "maxContains", "minProperties", "maxProperties", "examples"].map((name) => [name, 0] as const),
  ...["title", "description", "deprecated", "readOnly", "writeOnly"].map((name) => [name, 0] as const),
  ...["contentMediaType", "contentEncoding", localizedKeyword, searchKeyword].map((name) => [name, 0] as const),
  ...["type", "required"].map((name) => [name, 1] as const),
  ["dependentRequired", 2],
]);

/** Undefined for what is left out. What has the wrong shape keeps it, for the dialect to refuse. */
function partOf(keyword: string, value: Json): unknown {
  const kind = holders.get(keyword);
  if (kind === "one") return documentOf(value);
  if (kind === "list" && Array.isArray(value)) return value.map(documentOf);
  if (kind === "map" && isJsonObject(value)) return mapped(value, documentOf);
  if (keyword === "const") return sealed(value);
  if (keyword === "enum" && Array.isArray(value)) return value.map(sealed);
  const depth = kind || keyword === "enum" ? 0 : depths.get(keyword);
  return depth === undefined ? undefined : plain(value, depth);
}

function mapped(object: JsonObject, to: (value: Json) => unknown): unknown {
  return Object.fromEntries([...object].map(([key, value]) => [key, to(value)]));
}

/** The value, with lists and objects below the depth emptied. */
function plain(value: Json, depth: number): unknown {
  if (Array.isArray(value)) return depth > 0 ? value.map((each) => plain(each, depth - 1)) : [];
  // A text under `$id` would be an identifier; no keyword has an object of texts.
  if (isJsonObject(value))
    return depth > 0 ? mapped(value, (each) => (Array.isArray(each) ? plain(each, depth - 1) : null)) : {};
  return value instanceof NumberText ? Number(value.text) : value;
}

/** No schema and no data has U+0000. */
const seal = "\0";

/** A list or an object as a text; other values as they are. */
const sealed = (value: Json): unknown =>
  Array.isArray(value) || isJsonObject(value) ? seal + canonical(value) : plain(value, 0);

/** What a compiled `enum` or `const` compares with: the JSON text of a value. */
export function unsealed(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === "string" && value.startsWith(seal) ? value.slice(seal.length) : text;
}

/** The JSON text of a value as the validator writes it: its keys in order. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(plain(value, 0));
  const members = [...value.keys()].sort().map((key) => `${JSON.stringify(key)}:${canonical(value.get(key) as Json)}`);
  return `{${members.join(",")}}`;
}
