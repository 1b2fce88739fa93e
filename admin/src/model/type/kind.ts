import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { isOfChoices } from "./choices.ts";
import { hasFields, isTexts } from "./fields.ts";
import { firstShapes, isOfShapes } from "./shapes.ts";

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
  text: text(say("Text"), {}, [...lengths, "pattern"]),
  long: text(say("Long text"), { contentMediaType: "text/plain" }, lengths),
  markdown: text("Markdown", { contentMediaType: "text/markdown" }, lengths),
  html: text("HTML", { contentMediaType: "text/html" }, lengths),
  number: { label: say("Number"), schema: { type: "number" }, keeps: bounds },
  integer: { label: say("Whole number"), schema: { type: "integer" }, keeps: bounds },
  boolean: { label: say("Yes or no"), schema: { type: "boolean" }, keeps: [] },
  date: text(say("Date"), { format: "date" }),
  time: text(say("Time"), { format: "time" }),
  moment: text(say("Date and time"), { format: "date-time" }),
  color: text(say("Colour"), { format: "color" }),
  choice: text(say("Choice"), {
    oneOf: [
      { const: "one", title: say("One") },
      { const: "two", title: say("Two") },
    ],
  }),
  link: text(say("Link"), { format: "uri" }),
  email: text(say("E-mail"), { format: "email" }),
  entry: text(say("Entry"), { format: "entry" }, ["x-octavo-types"]),
  picture: text(say("Picture"), { format: "file", "x-octavo-media": ["image/*"] }),
  file: text(say("File"), { format: "file" }),
  group: {
    label: say("Group of fields"),
    schema: { type: "object", properties: {} },
    keeps: ["properties", "required"],
  },
  shapes: { label: say("One of several shapes"), schema: { oneOf: firstShapes }, keeps: [] },
} as const satisfies Record<string, KindInfo>;
export type Kind = keyof typeof kinds;

/** A field of a kind, or a list of such values. */
export type FieldKind = { kind: Kind; isList: boolean };

/** Lists that have a name of their own. */
const lists = {
  tags: { label: say("Tags"), kind: "text", frame: { uniqueItems: true } },
  entries: { label: say("Entries"), kind: "entry", frame: {} },
  blocks: { label: say("List of blocks"), kind: "shapes", frame: {} },
} as const satisfies Record<string, { label: string; kind: Kind; frame: JsonObject }>;
type List = keyof typeof lists;

/** What the editor of a type offers. */
export type Offer = Kind | List;

export const offers: readonly { value: Offer; label: string }[] = (
  [
    ...["text", "long", "markdown", "html", "number", "integer", "boolean", "date", "time", "moment", "color"],
    ...["choice", "tags", "link", "email", "entry", "entries", "picture", "file", "group", "shapes", "blocks"],
  ] as Offer[]
).map((value) => ({ value, label: (isListOffer(value) ? lists[value] : kinds[value]).label }));

function isListOffer(offer: Offer): offer is List {
  return Object.hasOwn(lists, offer);
}

/** The offer that a field has been made by. */
export function offerOf(schema: JsonObject, { kind, isList }: FieldKind): Offer {
  const list = isList && Object.entries(lists).find(([, of]) => of.kind === kind && isPartOf(of.frame, schema))?.[0];
  return (list || kind) as Offer;
}

const isPartOf = (part: JsonObject, schema: JsonObject): boolean =>
  Object.entries(part).every(([keyword, value]) => schema[keyword] === value);

/** The schema made into what is offered. A list stays one, unless its offer was a list by itself. */
export function withOffer(schema: JsonObject, offer: Offer): JsonObject {
  if (isListOffer(offer)) {
    const { kind, frame } = lists[offer];
    return { ...withKind(schema, { kind, isList: true }), ...frame };
  }
  const before = kindOf(schema);
  const isList = before?.isList === true && !isListOffer(offerOf(schema, before));
  return withKind(schema, { kind: offer, isList });
}

/** Keywords that combine schemas: a field with one of them is edited as JSON, except a `oneOf` of choices or shapes. */
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

function single({ oneOf, ...schema }: JsonObject): FieldKind | undefined {
  if (isCombined(schema)) return undefined;
  if (oneOf !== undefined) return kindOfAlternatives(oneOf, schema);
  const kind = kindOfValue(schema);
  return kind && { kind, isList: false };
}

/** Beside the alternatives nothing else says what a value is. */
function kindOfAlternatives(oneOf: Json, { type, ...schema }: JsonObject): FieldKind | undefined {
  if ("enum" in schema || "properties" in schema || "items" in schema) return undefined;
  if ((type === "string" || type === undefined) && isOfChoices(oneOf)) return { kind: "choice", isList: false };
  const isAny = type === "object" || type === undefined;
  return isAny && isOfShapes(oneOf) ? { kind: "shapes", isList: false } : undefined;
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

function kindOfText({ format, contentMediaType: media, "x-octavo-media": files }: JsonObject): Kind {
  if (format === "file" && isTexts(files) && files.join() === "image/*") return "picture";
  return of(byFormat, format) ?? of(byMedia, media) ?? "text";
}

const of = (all: Readonly<Record<string, Kind>>, name: Json | undefined): Kind | undefined =>
  typeof name === "string" && Object.hasOwn(all, name) ? all[name] : undefined;

/** Keywords that say what a value is; all others stay when the kind is changed. */
const valueKeywords = new Set<string>([
  ...["type", "format", "contentMediaType", "enum", "oneOf", "pattern", "properties", "required"],
  "additionalProperties",
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
  // A choice of another client may be an `enum`: what it is made of here is not put beside it.
  const changed = isSame ? pick(value, kept) : { ...own, ...pick(value, kept) };
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
  const offer = offerOf(schema as JsonObject, kind);
  if (isListOffer(offer)) return lists[offer].label;
  return kind.isList ? say("List: {label}", { label: kinds[offer].label }) : kinds[offer].label;
}
