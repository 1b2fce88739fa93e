import { formatJson, isNumber, isObject, isSame, type Json, type JsonObject } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { ownOf } from "./pointer.ts";
import { type Located, resolve, type SchemaOf } from "./reference.ts";

/**
 * Reads a JSON Schema into what a form shows. A shape is read when it is shown, so recursion costs nothing; what a form
 * cannot show is `json`. Contract, part two, §9.
 */

export type Option = { readonly value: Json; readonly label: string };
export type Field = {
  readonly name: string;
  readonly isRequired: boolean;
  /** Of one of several variants, which a constant may tell apart. */
  readonly isOfVariant?: boolean;
  shape(): Shape;
};
/** One of several forms of a value; constants of its own, if it has any, tell it apart. */
export type Variant = { readonly label: string; shape(): Shape };

/** What every shape has. */
type Common = {
  readonly title: string | undefined;
  readonly help: string | undefined;
  readonly default: Json | undefined;
  readonly example: string | undefined;
  readonly isReadOnly: boolean;
  readonly isNullable: boolean;
  /** Translated by itself: it may be, or must be where the translation is public. */
  readonly localized: boolean | "required";
};

export type TextInput = "text" | "email" | "url" | "link" | "date" | "time" | "date-time" | "color" | "entry" | "file";
export type Bounds = {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly step: number | undefined;
};

type Kind =
  | { kind: "text"; input: TextInput; isLong: boolean; isPlain: boolean; narrowed: readonly string[] }
  | { kind: "prose"; language: "markdown" | "html" }
  | { kind: "number"; isInteger: boolean; bounds: Bounds }
  | { kind: "switch" }
  | { kind: "choice"; options: readonly Option[] }
  | { kind: "checks"; options: readonly Option[] }
  | { kind: "object"; fields: readonly Field[]; isClosed: boolean }
  | { kind: "list"; item(): Shape; maxItems: number | undefined }
  | { kind: "tags"; maxItems: number | undefined }
  | { kind: "variants"; variants: readonly Variant[] }
  | { kind: "json"; initial: Json };

export type Shape = Common & Kind;
export type ShapeOf<K extends Kind["kind"]> = Extract<Shape, { kind: K }>;

const longerThanLine = 200;

/** The shape of the data of a type. */
export function readSchema(type: string, schemaOf: SchemaOf): Shape {
  const schema = schemaOf(type);
  return isObject(schema) ? read([{ schema, type }], schemaOf) : read([], schemaOf);
}

// ------------------------------------------------------------------------------------------------ keywords

/** Follows `$ref` and `allOf`: the schemas that hold at one place, the ones nearest to it first. */
function parts(all: readonly Located[], schemaOf: SchemaOf): Located[] {
  const found: Located[] = [];
  const left = [...all].reverse();
  for (let next = left.pop(); next; next = left.pop()) {
    const { schema, type } = next;
    if (found.some((part) => part.schema === schema)) continue;
    found.push(next);
    const target = typeof schema.$ref === "string" ? resolve(schema.$ref, type, schemaOf) : undefined;
    const together = objectsOf(schema.allOf).map((each) => ({ schema: each, type }));
    left.push(...[...(target ? [target] : []), ...together].reverse());
  }
  return found;
}

const objectsOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** The values of a keyword, in the order of the parts. */
const allOf = (all: readonly Located[], keyword: string): Json[] =>
  all.flatMap(({ schema }) => (Object.hasOwn(schema, keyword) ? [schema[keyword] as Json] : []));

const textOf = (all: readonly Located[], keyword: string): string | undefined =>
  allOf(all, keyword).find((value) => typeof value === "string");

/** The number of a keyword that restricts most. */
function numberOf(all: readonly Located[], keyword: string, strictest: (...n: number[]) => number): number | undefined {
  const found = allOf(all, keyword).filter((value) => isNumber(value));
  return found.length > 0 ? strictest(...found.map((value) => Number(formatJson(value)))) : undefined;
}

// ---------------------------------------------------------------------------------------------------- types

const jsonTypes = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
type JsonType = (typeof jsonTypes)[number];

/** The keywords that show which type is meant where `type` is absent. */
const hints: readonly (readonly [JsonType, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties"]],
  ["array", ["items", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["format", "contentMediaType", "pattern", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** The types that a value may have; none when nothing says so. */
function typesOf(all: readonly Located[]): JsonType[] {
  const said = allOf(all, "type").map((value) => (Array.isArray(value) ? textsOf(value) : [String(value)]));
  if (said.length > 0) return jsonTypes.filter((type) => said.every((types) => allows(types, type)));
  const hint = hints.find(([, keywords]) => keywords.some((keyword) => allOf(all, keyword).length > 0));
  return hint ? [hint[0]] : [];
}

const allows = (types: string[], type: JsonType): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"));

// ---------------------------------------------------------------------------------------------------- shapes

function read(located: readonly Located[], schemaOf: SchemaOf): Shape {
  const all = parts(located, schemaOf);
  const types = typesOf(all).filter((type, _, every) => type !== "integer" || !every.includes("number"));
  const common = commonOf(all, types.includes("null"));
  const known = types.filter((type) => type !== "null");
  const options = optionsOf(all);
  if (options) return choice(common, options);
  const alternatives = alternativesOf(all);
  if (alternatives) return readAlternatives(common, all, alternatives, schemaOf);
  if (known.length > 1) return { ...common, ...byType(all, known, schemaOf) };
  return { ...common, ...kindOf(all, known[0], schemaOf) };
}

function commonOf(all: readonly Located[], isNullable: boolean): Common {
  const [example] = allOf(all, "examples").flatMap((list) => (Array.isArray(list) ? list : []));
  return {
    title: textOf(all, "title"),
    help: textOf(all, "description"),
    default: allOf(all, "default")[0],
    example: example === undefined ? undefined : labelOf(example),
    isReadOnly: allOf(all, "readOnly").includes(true),
    isNullable,
    localized: localizedOf(allOf(all, "x-octavo-localized")),
  };
}

const localizedOf = (said: readonly Json[]): Common["localized"] =>
  said.includes("required") ? "required" : said.includes(true);

/** A value as an option shows it. */
export const labelOf = (value: Json): string =>
  value === null ? say("None") : typeof value === "string" && value !== "" ? value : formatJson(value);

/** The values of `const`, `enum`, or an `anyOf` or `oneOf` of such; undefined when others are accepted, too. */
function optionsOf(all: readonly Located[]): Option[] | undefined {
  const [fixed] = allOf(all, "const");
  if (fixed !== undefined) return [{ value: fixed, label: labelOf(fixed) }];
  const lists = allOf(all, "enum").filter((list) => Array.isArray(list));
  const [first, ...others] = lists;
  if (first)
    return first
      .filter((value) => others.every((list) => list.some((other) => isSame(other, value))))
      .map((value) => ({ value, label: labelOf(value) }));
  const titled = [...allOf(all, "oneOf"), ...allOf(all, "anyOf")].map(constants).find((list) => list !== undefined);
  return titled;
}

function constants(list: Json): Option[] | undefined {
  const options = objectsOf(list).flatMap((schema) => {
    if (Object.hasOwn(schema, "const")) {
      const value = schema.const as Json;
      return [{ value, label: typeof schema.title === "string" ? schema.title : labelOf(value) }];
    }
    if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value, label: labelOf(value) }));
    return schema.type === "null" ? [{ value: null, label: labelOf(null) }] : [undefined];
  });
  const known = options.filter((option) => option !== undefined);
  return Array.isArray(list) && known.length > 0 && known.length === options.length ? known : undefined;
}

function choice(common: Common, options: Option[]): Shape {
  const isNullable = common.isNullable || options.some(({ value }) => value === null);
  return { ...common, isNullable, kind: "choice", options };
}

/** Keywords of an alternative that only restricts, without a form of its own. */
const assertions = new Set(["required", "not", "dependentRequired", "minProperties", "maxProperties", "title", "if"]);
const onlyRestricts = (schema: JsonObject): boolean => Object.keys(schema).every((keyword) => assertions.has(keyword));

type Alternatives = { list: Located[]; rest: Located[] };

/** The first `anyOf` or `oneOf` whose alternatives look different, and the schemas without it. */
function alternativesOf(all: readonly Located[]): Alternatives | undefined {
  for (const part of all) {
    for (const keyword of ["oneOf", "anyOf"]) {
      const list = objectsOf(part.schema[keyword]);
      if (list.length === 0 || list.every(onlyRestricts)) continue;
      const { [keyword]: _taken, $ref: _followed, allOf: _merged, ...schema } = part.schema;
      const rest = all.map((each) => (each === part ? { schema, type: part.type } : withoutFollowed(each)));
      return { list: list.map((each) => ({ schema: each, type: part.type })), rest };
    }
  }
  return undefined;
}

/** What `$ref` and `allOf` refer to is among the parts already. */
function withoutFollowed({ schema: { $ref: _followed, allOf: _merged, ...schema }, type }: Located): Located {
  return { schema, type };
}

function readAlternatives(common: Common, all: readonly Located[], found: Alternatives, schemaOf: SchemaOf): Shape {
  const { list, rest } = found;
  const isNull = ({ schema }: Located): boolean => schema.type === "null";
  const others = list.filter((each) => !isNull(each));
  const [only] = others;
  if (only && others.length === 1) {
    const shape = read([...rest, only], schemaOf);
    return { ...shape, isNullable: shape.isNullable || others.length < list.length };
  }
  const variants = others.map((each, i) => ({
    label: textOf(parts([each], schemaOf), "title") ?? wordOf(parts([each], schemaOf), i),
    shape: once(() => ofVariant(read([...rest.map(untitled), each], schemaOf))),
  }));
  return variants.length === 0
    ? { ...common, kind: "json", initial: initialOf(typesOf(all)[0]) }
    : { ...common, isNullable: common.isNullable || others.length < list.length, kind: "variants", variants };
}

const ofVariant = (shape: Shape): Shape =>
  shape.kind === "object"
    ? { ...shape, fields: shape.fields.map((field) => ({ ...field, isOfVariant: true })) }
    : shape;

/** The title and help of the whole are shown above the choice of a variant. */
function untitled({ schema: { title: _title, description: _help, default: _default, ...schema }, type }: Located) {
  return { schema, type };
}

const words: Readonly<Record<JsonType, string>> = {
  ...{ string: say("Text"), number: say("Number"), integer: say("Whole number"), boolean: say("Yes or no") },
  ...{ object: say("Group"), array: say("List"), null: say("None") },
};

function wordOf(all: readonly Located[], i: number): string {
  const [type] = typesOf(all).filter((each) => each !== "null");
  return type ? words[type] : say("Form {i}", { i: i + 1 });
}

function byType(all: readonly Located[], types: readonly JsonType[], schemaOf: SchemaOf): Kind {
  const variants = types.map((type) => ({
    label: words[type],
    shape: once(() => read([...all.map(withoutFollowed).map(untitled), { schema: { type }, type: "" }], schemaOf)),
  }));
  return { kind: "variants", variants };
}

function kindOf(all: readonly Located[], type: JsonType | undefined, schemaOf: SchemaOf): Kind {
  if (type === "string") return readText(all);
  if (type === "number" || type === "integer") return readNumber(all, type);
  if (type === "boolean") return { kind: "switch" };
  if (type === "object") return readObject(all, schemaOf);
  if (type === "array") return readList(all, schemaOf);
  return { kind: "json", initial: null };
}

const initials: Partial<Record<JsonType, Json>> = { object: {}, array: [], string: "" };
const initialOf = (type: JsonType | undefined): Json => (type && initials[type]) ?? null;

const inputs: Readonly<Record<string, TextInput>> = {
  ...{ email: "email", "idn-email": "email", uri: "url", iri: "url", date: "date", time: "time" },
  ...{ "uri-reference": "link", "iri-reference": "link" },
  ...{ "date-time": "date-time", color: "color", entry: "entry", file: "file" },
};

function readText(all: readonly Located[]): Kind {
  const media = textOf(all, "contentMediaType");
  if (media === "text/markdown") return { kind: "prose", language: "markdown" };
  if (media === "text/html") return { kind: "prose", language: "html" };
  const format = textOf(all, "format") ?? "";
  const input = Object.hasOwn(inputs, format) ? (inputs[format] as TextInput) : "text";
  const max = numberOf(all, "maxLength", Math.min);
  const narrowed = allOf(all, `x-octavo-${input === "file" ? "media" : "types"}`).flatMap(textsOf);
  const isPlain = media === "text/plain";
  const isLong = input === "text" && (isPlain || (max !== undefined && max > longerThanLine));
  return { kind: "text", input, isLong, isPlain, narrowed };
}

function readNumber(all: readonly Located[], type: "number" | "integer"): Kind {
  const isInteger = type === "integer";
  const step = numberOf(all, "multipleOf", Math.max) ?? (isInteger ? 1 : undefined);
  const beyond = isInteger ? 1 : 0;
  const [above, below] = [numberOf(all, "exclusiveMinimum", Math.max), numberOf(all, "exclusiveMaximum", Math.min)];
  const min = numberOf(all, "minimum", Math.max) ?? (above === undefined ? undefined : above + beyond);
  const max = numberOf(all, "maximum", Math.min) ?? (below === undefined ? undefined : below - beyond);
  return { kind: "number", isInteger, bounds: { min, max, step } };
}

function readObject(all: readonly Located[], schemaOf: SchemaOf): Kind {
  const names = all.flatMap(({ schema }) => (isObject(schema.properties) ? Object.keys(schema.properties) : []));
  if (names.length === 0) return { kind: "json", initial: {} };
  const required = new Set(allOf(all, "required").flatMap(textsOf));
  const order = allOf(all, "x-octavo-order").flatMap(textsOf);
  const known = new Set(names);
  const fields = [...new Set([...order.filter((name) => known.has(name)), ...names])].flatMap((name) => {
    const schemas = propertyOf(all, name);
    return schemas ? [{ name, isRequired: required.has(name), shape: once(() => read(schemas, schemaOf)) }] : [];
  });
  const isClosed = ["additionalProperties", "unevaluatedProperties"].some((word) => allOf(all, word).includes(false));
  return { kind: "object", fields, isClosed };
}

/** What the schemas say about a property; undefined for one that is refused. */
function propertyOf(all: readonly Located[], name: string): Located[] | undefined {
  const found = all.flatMap(({ schema: { properties }, type }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? [{ schema: ownOf(properties, name), type }] : [],
  );
  if (found.some(({ schema }) => schema === false)) return undefined;
  return found.filter((each): each is Located => isObject(each.schema));
}

function readList(all: readonly Located[], schemaOf: SchemaOf): Kind {
  if (allOf(all, "prefixItems").length > 0) return { kind: "json", initial: [] };
  const items = all.flatMap(({ schema, type }) => (isObject(schema.items) ? [{ schema: schema.items, type }] : []));
  if (items.length === 0) return { kind: "json", initial: [] };
  const item = once(() => read(items, schemaOf));
  const maxItems = numberOf(all, "maxItems", Math.min);
  if (!allOf(all, "uniqueItems").includes(true)) return { kind: "list", item, maxItems };
  const options = optionsOf(parts(items, schemaOf));
  if (options) return { kind: "checks", options };
  return isTag(item()) ? { kind: "tags", maxItems } : { kind: "list", item, maxItems };
}

const isTag = (item: Shape): boolean =>
  item.kind === "text" && item.input === "text" && !item.isLong && !item.isNullable;

/** Computed at the first call. */
function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
