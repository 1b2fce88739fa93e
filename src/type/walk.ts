import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { schemaPattern } from "../core/list/regexp.ts";
import type { Problem } from "../core/problem.ts";
import { problem } from "./problems.ts";

/**
 * A look at a schema before the validator gets it: what it may not have, and its size. A schema is an administrator's;
 * still none may hang or crash the service. Contract, part two, §9.
 */

export const maxSubschemas = 1000;
const maxPatternBytes = 10_000;
export const dialect = "https://json-schema.org/draft/2020-12/schema";

/** How a keyword holds subschemas. */
export const holders: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => [name, "list"] as const),
  ...["properties", "patternProperties", "$defs", "dependentSchemas"].map((name) => [name, "map"] as const),
  ...["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"].map(
    (name) => [name, "one"] as const,
  ),
  ...["contains", "propertyNames", "not", "if", "then", "else", "contentSchema"].map((name) => [name, "one"] as const),
]);

/** A segment of a JSON pointer. RFC 6901 §3. */
export const segmentOf = (key: string | number): string =>
  `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Marks a member of the data whose value each locale may have: true, or "required" where a public translation has it. */
export const localizedKeyword = "x-octavo-localized";

/** Weighs the texts of a place for searches: an integer from 0, not searched, to 10. */
export const searchKeyword = "x-octavo-search";

export const schemaInvalid = (pointer: string, rule: string): Problem => problem("schema_invalid", { pointer, rule });

/** What is wrong with a reference. */
export const nowhere = "it refers to nothing in the schema, nor to another type";

/** The path of a type as a schema refers to it. */
const typePath = /^\/types\/([a-z0-9_-]{1,64})(?:#.*)?$/;

/** What a schema has: how many subschemas, the types that it refers to, and its references with their places. */
export type Walked = {
  readonly subschemas: number;
  readonly types: ReadonlySet<string>;
  readonly references: readonly { readonly pointer: string; readonly to: string }[];
};

/** Throws schema_invalid for what no schema here may have. */
export function walkSchema(schema: Json): Walked {
  const seen: Seen = { subschemas: 0, patternBytes: 0, types: new Set(), references: [] };
  // By hand: a schema may be nested deeper than a stack.
  const left: { schema: Json; pointer: string }[] = [{ schema, pointer: "" }];
  for (let next = left.pop(); next; next = left.pop()) {
    if (++seen.subschemas > maxSubschemas)
      throw schemaInvalid(next.pointer, `a schema has at most ${maxSubschemas} subschemas`);
    if (!isJsonObject(next.schema)) continue;
    checkKeywords(next.schema, next.pointer, seen);
    left.push(...subschemas(next.schema, next.pointer));
  }
  return seen;
}

/**
 * The schema as it refers to a type that has another id: in `$ref`, `$dynamicRef` and `x-octavo-types` of each subschema.
 * Changes the value itself; answers whether it did.
 */
export function renameInSchema(schema: Json, from: string, to: string): boolean {
  let isChanged = false;
  const left: Json[] = [schema];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!isJsonObject(next)) continue;
    for (const [keyword, value] of next) {
      const renamed = renamedIn(keyword, value, from, to);
      if (renamed === value) continue;
      next.set(keyword, renamed);
      isChanged = true;
    }
    for (const { schema: inner } of subschemas(next, "")) left.push(inner);
  }
  return isChanged;
}

/** The value of a keyword; the same where it does not name the type. */
function renamedIn(keyword: string, value: Json, from: string, to: string): Json {
  if (keyword === "$ref" || keyword === "$dynamicRef") {
    if (typeof value !== "string" || typePath.exec(value)?.[1] !== from) return value;
    return `/types/${to}${value.slice(`/types/${from}`.length)}`;
  }
  if (keyword !== "x-octavo-types") return value;
  if (!Array.isArray(value)) return value === from ? to : value;
  return value.includes(from) ? value.map((each) => (each === from ? to : each)) : value;
}

function* subschemas(schema: JsonObject, pointer: string): Generator<{ schema: Json; pointer: string }> {
  for (const [keyword, value] of schema) {
    const kind = holders.get(keyword);
    const at = `${pointer}${segmentOf(keyword)}`;
    if (kind === "one") yield { schema: value, pointer: at };
    else if (kind === "list" && Array.isArray(value))
      for (const [i, each] of value.entries()) yield { schema: each, pointer: `${at}/${i}` };
    else if (kind === "map" && isJsonObject(value))
      for (const [key, each] of value) yield { schema: each, pointer: `${at}${segmentOf(key)}` };
  }
}

type Seen = {
  subschemas: number;
  patternBytes: number;
  types: Set<string>;
  references: { pointer: string; to: string }[];
};

function checkKeywords(schema: JsonObject, pointer: string, seen: Seen): void {
  const used = schema.get("$schema");
  if (used !== undefined && used !== dialect && used !== `${dialect}#`)
    throw schemaInvalid(`${pointer}/$schema`, `the dialect is ${dialect}`);
  // A vocabulary would change the dialect of other schemas.
  if (schema.has("$vocabulary")) throw schemaInvalid(`${pointer}/$vocabulary`, "a schema declares no vocabulary");
  const pattern = schema.get("pattern");
  if (typeof pattern === "string") checkPattern(pattern, `${pointer}/pattern`, seen);
  const byPattern = schema.get("patternProperties");
  if (isJsonObject(byPattern))
    for (const key of byPattern.keys()) checkPattern(key, `${pointer}/patternProperties${segmentOf(key)}`, seen);
  for (const keyword of ["$ref", "$dynamicRef"]) {
    const to = schema.get(keyword);
    if (typeof to !== "string") continue;
    // The library looks anchors up in an object, where `toString` is always found.
    if (String(to.split("#")[1]) in Object.prototype) throw schemaInvalid(`${pointer}/${keyword}`, nowhere);
    seen.references.push({ pointer: `${pointer}/${keyword}`, to });
    const type = typePath.exec(to)?.[1];
    if (type) seen.types.add(type);
  }
}

/** Compiling takes time: the bytes of all patterns of a schema are bounded. */
function checkPattern(source: string, pointer: string, seen: Seen): void {
  seen.patternBytes += Buffer.byteLength(source);
  if (seen.patternBytes > maxPatternBytes)
    throw schemaInvalid(pointer, `the patterns of a schema have at most ${maxPatternBytes} bytes`);
  schemaPattern(source, (reason) => {
    throw schemaInvalid(pointer, reason);
  });
}
