import { isObject, type Json, type JsonObject } from "../api/json.ts";

/** Kinds of fields, and the keywords of JSON Schema that make them. Contract, part two, §9. */

type KindInfo = {
  label: string;
  /** The keywords of a new field of this kind. */
  schema: JsonObject;
  /** Keywords of its own that stay when a field gets another kind which has them, too. */
  keeps: readonly string[];
};

const lengths = ["minLength", "maxLength"];
const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const text = (label: string, more: JsonObject = {}, keeps: readonly string[] = []): KindInfo => ({
  label,
  schema: { type: "string", ...more },
  keeps,
});

export const kinds = {
  text: text("Text", {}, [...lengths, "pattern"]),
  long: text("Long text", { contentMediaType: "text/plain" }, lengths),
  markdown: text("Markdown", { contentMediaType: "text/markdown" }, lengths),
  html: text("HTML", { contentMediaType: "text/html" }, lengths),
  number: { label: "Number", schema: { type: "number" }, keeps: bounds },
  integer: { label: "Whole number", schema: { type: "integer" }, keeps: bounds },
  boolean: { label: "Yes or no", schema: { type: "boolean" }, keeps: [] },
  date: text("Date", { format: "date" }),
  time: text("Time", { format: "time" }),
  moment: text("Date and time", { format: "date-time" }),
  color: text("Colour", { format: "color" }),
  choice: text("Choice", { enum: ["one", "two"] }, ["enum"]),
  link: text("Link", { format: "uri" }),
  email: text("E-mail", { format: "email" }),
  entry: text("Entry", { format: "entry" }, ["x-octavo-types"]),
  file: text("File", { format: "file" }, ["x-octavo-media"]),
  group: { label: "Group of fields", schema: { type: "object", properties: {} }, keeps: ["properties", "required"] },
} as const satisfies Record<string, KindInfo>;
export type Kind = keyof typeof kinds;

/** A field of a kind, or a list of such values. */
export type FieldKind = { kind: Kind; isList: boolean };

/** Keywords that combine schemas: a field with one of them is edited as JSON. */
const combining = [
  ...["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "const", "prefixItems", "contains"],
  "patternProperties",
];

/** The kind of a field; undefined for a schema that is edited as JSON. */
export const kindOf = (schema: Json | undefined): FieldKind | undefined =>
  isObject(schema) ? kindOfObject(schema) : undefined;

function kindOfObject(schema: JsonObject): FieldKind | undefined {
  if (schema.type !== "array") return single(schema);
  const item = isObject(schema.items) ? single(schema.items) : undefined;
  return item && !isCombined(schema) && !("enum" in schema) ? { ...item, isList: true } : undefined;
}

const isCombined = (schema: JsonObject): boolean => combining.some((keyword) => keyword in schema);

function single(schema: JsonObject): FieldKind | undefined {
  if (isCombined(schema)) return undefined;
  const kind = kindOfValue(schema);
  return kind && { kind, isList: false };
}

function kindOfValue({ type, enum: words, ...schema }: JsonObject): Kind | undefined {
  if (words !== undefined) return type === "string" && isTexts(words) ? "choice" : undefined;
  if (type === "string") return kindOfText(schema);
  if (type === "object") return hasFields(schema) ? "group" : undefined;
  return type === "number" || type === "integer" || type === "boolean" ? type : undefined;
}

const byFormat: Readonly<Record<string, Kind>> = {
  ...{ date: "date", time: "time", "date-time": "moment", color: "color", uri: "link", email: "email" },
  ...{ entry: "entry", file: "file" },
};
const byMedia: Readonly<Record<string, Kind>> = {
  "text/plain": "long",
  "text/markdown": "markdown",
  "text/html": "html",
};

const kindOfText = ({ format, contentMediaType: media }: JsonObject): Kind =>
  of(byFormat, format) ?? of(byMedia, media) ?? "text";

const of = (all: Readonly<Record<string, Kind>>, name: Json | undefined): Kind | undefined =>
  typeof name === "string" && Object.hasOwn(all, name) ? all[name] : undefined;

export const isTexts = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** True for a schema of an object whose fields can be listed. */
export const hasFields = (schema: JsonObject): boolean =>
  (schema.properties === undefined || isObject(schema.properties)) &&
  (schema.required === undefined || isTexts(schema.required));

/** Keywords that say what a value is; all others stay when the kind is changed. */
const valueKeywords = new Set<string>([
  ...["type", "format", "contentMediaType", "enum", "pattern", "properties", "required", "additionalProperties"],
  ...["x-octavo-types", "x-octavo-media", ...lengths, ...bounds],
]);
const listKeywords = new Set(["type", "items", "minItems", "maxItems", "uniqueItems"]);

/** The schema with another kind. Title, help and unknown keywords stay, as does what both kinds have; a default does not. */
export function withKind(schema: JsonObject, { kind, isList }: FieldKind): JsonObject {
  const before = kindOf(schema);
  const value = before?.isList ? (schema.items as JsonObject) : schema;
  const isSame = before?.kind === kind;
  const { keeps, schema: own }: KindInfo = kinds[kind];
  const kept = (name: string): boolean => (isSame ? valueKeywords.has(name) : keeps.includes(name));
  const changed = { ...own, ...pick(value, kept) };
  if (isList === (before?.isList ?? false) && isList)
    return { ...schema, items: { ...pick(value, (name) => !valueKeywords.has(name)), ...changed } };
  const frame = before?.isList ? listKeywords : valueKeywords;
  const around = pick(schema, (name) => !frame.has(name) && name !== "default");
  // What the items of the list had beside their kind, goes with it.
  const inner = before?.isList ? pick(value, (name) => !valueKeywords.has(name) && name !== "default") : {};
  return isList ? { type: "array", ...around, items: changed } : { ...changed, ...inner, ...around };
}

const pick = (object: JsonObject, isKept: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => isKept(name)));

/** The kind in words. */
export function labelOf(schema: Json): string {
  const kind = kindOf(schema);
  if (!kind) return "JSON";
  return kind.isList ? `List: ${kinds[kind.kind].label}` : kinds[kind.kind].label;
}
