import { isJsonObject, type Json, type JsonObject, NumberText, parseJson } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import { serviceFields } from "../entry/field.ts";
import { arrayOf, commentOf, intersectionOf, literalOf, nameOf, objectOf, type Text, unionOf } from "./text.ts";
import type { ContentType } from "./type.ts";
import { holders, localizedKeyword, segmentOf } from "./walk.ts";

/**
 * Content types as declarations of TypeScript: what `octavo types generate` prints. The same types give the same text.
 * Where TypeScript cannot say what a schema does, the declaration says less: `unknown` at worst. Contract, part two, §9;
 * decision 62.
 */

const head = "// Made by `octavo types generate` out of the content types of a store. Do not edit.\n";

/** The text of a module with one type for the data of each content type, and `Schema` for the client. */
export function declarationsOf(types: readonly ContentType[]): string {
  return new Declarations(types).text();
}

/** What a reference leads to: a file, or entries of these types, or of any. */
type Target = "file" | "any" | readonly string[];

const maxParts = 3;
const maxSteps = 10_000;
const none: ReadonlySet<string> = new Set();
const unknown: Text = { text: "unknown" };
const never: Text = { text: "never" };

class Declarations {
  private readonly types: ReadonlyMap<string, ContentType>;
  private readonly schemas: ReadonlyMap<string, Json>;
  /** The names of declarations, by type and pointer, and those of ids by type. */
  private readonly names = new Map<string, string>();
  private readonly idNames = new Map<string, string>();
  private readonly taken = new Set(["Schema"]);
  /** Parts of schemas that are referred to and still need a declaration. */
  private readonly parts: { name: string; type: string; schema: Json }[] = [];

  constructor(types: readonly ContentType[]) {
    const sorted = [...types].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.types = new Map(sorted.map((type) => [type.id, type]));
    this.schemas = new Map(sorted.map(({ id, schema }) => [id, parseJson(schema)]));
    for (const { id } of sorted) this.names.set(`${id}#`, this.free(nameOf(id)));
    for (const { id, paths } of sorted) if (paths.length > 0) this.idNames.set(id, this.free(`${nameOf(id)}Id`));
  }

  text(): string {
    const declared = [...this.types.values()].map((type) => this.declaration(type));
    for (const { name, type, schema } of this.parts) {
      declared.push(`${describe(schema)}export type ${name} = ${this.typeOf(schema, type).text};\n`);
    }
    return [head, ...declared, this.schema()].join("\n");
  }

  private declaration({ id, title, description, paths }: ContentType): string {
    const data = this.typeOf(this.schemas.get(id), id, serviceFields).text;
    const idName = this.idNames.get(id);
    const ids = unionOf([...new Set(paths.flatMap(templatesOf))].map((text) => ({ text }))).text;
    return [
      commentOf(description || title),
      `export type ${this.names.get(`${id}#`)} = ${data};\n`,
      idName ? `export type ${idName} = ${ids};\n` : "",
    ].join("");
  }

  private schema(): string {
    const entries = [...this.types.keys()].map((id) => {
      const references = [...this.references(id)].map(([name, target]) => ({ name, type: targetText(target) }));
      const parts = [
        { name: "id", type: this.idNames.get(id) ?? "never" },
        { name: "data", type: this.names.get(`${id}#`) as string },
        { name: "references", type: references.length > 0 ? objectOf(references) : "object" },
        ...this.localized(id),
      ];
      return { name: id, type: objectOf(parts) };
    });
    const all = objectOf([{ name: "entries", type: entries.length > 0 ? objectOf(entries) : "{}" }]);
    return `${commentOf("The content types of the store: `createClient<Schema>()`.")}export interface Schema ${all}\n`;
  }

  /** A name that no other declaration has. */
  private free(name: string): string {
    let found = name;
    for (let i = 2; this.taken.has(found); i++) found = `${name}${i}`;
    this.taken.add(found);
    return found;
  }

  // -------------------------------------------------------------------------------------------- schemas

  /** `skipped` are members that the data does not have: those of the service. */
  private typeOf(schema: Json | undefined, type: string, skipped = none): Text {
    if (schema === false) return never;
    if (!isJsonObject(schema)) return unknown;
    const each = (keyword: string) => listOf(schema.get(keyword)).map((part) => this.typeOf(part, type, skipped));
    return intersectionOf([
      this.own(schema, type, skipped),
      this.referred(schema, type),
      ...each("allOf"),
      ...["anyOf", "oneOf"].map((keyword) => (schema.has(keyword) ? unionOf(each(keyword)) : unknown)),
    ]);
  }

  private own(schema: JsonObject, type: string, skipped: ReadonlySet<string>): Text {
    if (schema.has("const")) return literalOf(schema.get("const") as Json);
    const values = schema.get("enum");
    if (Array.isArray(values)) return unionOf(values.map(literalOf));
    if (schema.get("type") === "string" && isOfTexts(schema.get("oneOf"))) return unknown;
    const kinds = kindsOf(schema);
    return kinds.length > 0 ? unionOf(kinds.map((kind) => this.shape(kind, schema, type, skipped))) : unknown;
  }

  private shape(kind: string, schema: JsonObject, type: string, skipped: ReadonlySet<string>): Text {
    if (kind === "object") return { text: this.object(schema, type, skipped) };
    if (kind === "array") return { text: this.array(schema, type) };
    if (kind === "string") return this.string(schema);
    return { text: kind === "integer" ? "number" : kind };
  }

  /** A reference to entries of known types is one of their ids. */
  private string(schema: JsonObject): Text {
    const target = targetOf(schema, this.types);
    const names = Array.isArray(target) ? target.map((id: string) => this.idNames.get(id) ?? "string") : [];
    return names.length === 0 || names.includes("string")
      ? { text: "string" }
      : unionOf(names.map((text) => ({ text })));
  }

  private object(schema: JsonObject, type: string, skipped: ReadonlySet<string>): string {
    const properties = schema.get("properties");
    const known: JsonObject = isJsonObject(properties) ? properties : new Map();
    const required = new Set(listOf(schema.get("required")).filter((name) => typeof name === "string"));
    const names = [...new Set([...known.keys(), ...required])].filter((name) => !skipped.has(name));
    const members = names.map((name) => ({
      name,
      comment: describe(known.get(name)),
      isOptional: !required.has(name),
      type: this.typeOf(known.get(name), type).text,
    }));
    return objectOf(members, this.others(schema, type, members.length > 0));
  }

  /** The type of the members without a name; undefined to name none, so that the compiler finds typing errors. */
  private others(schema: JsonObject, type: string, hasMembers: boolean): string | undefined {
    const additional = schema.get("additionalProperties");
    const isMixed = hasMembers || schema.has("patternProperties");
    if (isJsonObject(additional)) return isMixed ? "unknown" : this.typeOf(additional, type).text;
    if (schema.has("patternProperties")) return "unknown";
    if (hasMembers) return undefined;
    return additional === false ? "never" : "unknown";
  }

  private array(schema: JsonObject, type: string): string {
    const prefix = listOf(schema.get("prefixItems")).map((item) => this.typeOf(item, type));
    return arrayOf(prefix, this.typeOf(schema.get("items"), type), Number(numberOf(schema.get("minItems"))));
  }

  private referred(schema: JsonObject, type: string): Text {
    const to = this.resolve(schema.get("$ref"), type);
    if (!to) return unknown;
    const place = `${to.type}#${to.pointer}`;
    const known = this.names.get(place);
    if (known) return { text: known };
    const name = this.free(nameOf(to.type) + nameOf(to.pointer.split("/").at(-1) ?? ""));
    this.names.set(place, name);
    this.parts.push({ name, type: to.type, schema: to.schema });
    return { text: name };
  }

  /** Where a `$ref` leads: to a pointer or an anchor. What an `$id` changes is not followed. */
  private resolve(ref: Json | undefined, from: string): { type: string; pointer: string; schema: Json } | undefined {
    const match = typeof ref === "string" ? /^(?:\/types\/([a-z0-9_-]+))?(?:#(.*))?$/.exec(ref) : null;
    if (!match) return undefined;
    const [, type = from, fragment = ""] = match;
    const root = this.schemas.get(type);
    if (root === undefined || hasId(root) || hasId(this.schemas.get(from))) return undefined;
    const pointer = fragment === "" || fragment.startsWith("/") ? decoded(fragment) : anchors(root).get(fragment);
    const schema = pointer === undefined ? undefined : valueAt(root, pointer);
    return schema === undefined ? undefined : { type, pointer: pointer as string, schema };
  }

  // ----------------------------------------------------------------------------------------- references

  /** The fields of a type's entries that refer to something, by the names that `include` has for them. */
  private references(id: string): Map<string, Target> {
    const found = new Map<string, Target>();
    for (const { schema, parts } of this.walk(id, isNamed)) {
      const target = isJsonObject(schema) ? targetOf(schema, this.types) : undefined;
      const name = parts.join(".");
      if (target && name !== "") found.set(name, merged(found.get(name), target));
    }
    return found;
  }

  /** The member with the keys that each locale may have; none without any, so that a store without locales has none. */
  private localized(id: string): { name: string; type: string }[] {
    const keys = new Set<string>();
    for (const { schema, parts } of this.walk(id, ({ parts }) => parts.length <= 1))
      if (parts[0] !== undefined && isJsonObject(schema) && schema.get(localizedKeyword)) keys.add(parts[0]);
    return keys.size > 0 ? [{ name: "localized", type: unionOf([...keys].map(literalOf)).text }] : [];
  }

  /**
   * The parts of a type's schema that are reached, in its order. A schema that refers to itself has too many to look at all
   * of them.
   */
  private *walk(id: string, isReached: (part: SchemaPart) => boolean): Generator<SchemaPart> {
    const left: SchemaPart[] = [{ schema: this.schemas.get(id), type: id, parts: [] }];
    for (let steps = 0; left.length > 0 && steps < maxSteps; steps++) {
      const part = left.shift() as SchemaPart;
      yield part;
      left.push(...this.below(part).filter(isReached));
    }
  }

  /** The places where references may be: those of the same value, its items, and its members by their names. */
  private below({ schema, type, parts }: SchemaPart): SchemaPart[] {
    if (!isJsonObject(schema)) return [];
    const inPlace = ["allOf", "anyOf", "oneOf", "prefixItems"].flatMap((keyword) => listOf(schema.get(keyword)));
    const to = this.resolve(schema.get("$ref"), type);
    const properties = schema.get("properties");
    const members = isJsonObject(properties) ? [...properties] : [];
    return [
      ...[...inPlace, schema.get("items")].map((part) => ({ schema: part, type, parts })),
      ...(to ? [{ ...to, parts }] : []),
      ...members.map(([key, part]) => ({ schema: part, type, parts: [...parts, key] })),
    ];
  }
}

/** A part of a schema, and the names that lead to it. */
type SchemaPart = { schema: Json | undefined; type: string; parts: readonly string[] };

/** An include has commas between its names, and at most this many parts in one. */
const isNamed = ({ parts }: SchemaPart): boolean =>
  !(parts.length === 1 && serviceFields.has(parts[0] ?? "")) &&
  parts.every((part) => part !== "" && !part.includes(",")) &&
  parts.join(".").split(".").length <= maxParts;

/** Undefined for what refers to nothing. */
function targetOf(schema: JsonObject, types: ReadonlyMap<string, ContentType>): Target | undefined {
  if (schema.get("format") === "file") return "file";
  if (schema.get("format") !== "entry") return undefined;
  const named = listOf(schema.get("x-octavo-types")).filter(
    (id) => typeof id === "string" && types.has(id),
  ) as string[];
  return named.length > 0 ? named : "any";
}

function merged(before: Target | undefined, target: Target): Target {
  if (before === undefined || before === "file") return target;
  if (target === "file") return before;
  return before === "any" || target === "any" ? "any" : [...new Set([...before, ...target])];
}

/** The ids of types; `string` for entries of any type, `never` for files. */
function targetText(target: Target): string {
  if (target === "file") return "never";
  return target === "any" ? "string" : target.map((id) => JSON.stringify(id)).join(" | ");
}

const describe = (schema: Json | undefined): string => {
  if (!isJsonObject(schema)) return "";
  const text = schema.get("description") || schema.get("title");
  return commentOf(typeof text === "string" ? text : "", schema.get("deprecated") === true);
};

/** True for choices with labels: their constants say that they are texts. */
const isOfTexts = (oneOf: Json | undefined): boolean =>
  Array.isArray(oneOf) &&
  oneOf.length > 0 &&
  oneOf.every((each) => isJsonObject(each) && typeof each.get("const") === "string");

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const numberOf = (value: Json | undefined): number =>
  value instanceof NumberText ? Number(value.text) : typeof value === "number" ? value : 0;

const jsonTypes: ReadonlySet<string> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The JSON types of a value; without `type` what the other keywords speak of. */
function kindsOf(schema: JsonObject): string[] {
  const type = schema.get("type");
  if (type !== undefined)
    return [type].flat().filter((kind) => typeof kind === "string" && jsonTypes.has(kind)) as string[];
  const has = (...keywords: string[]) => keywords.some((keyword) => schema.has(keyword));
  return [
    ...(has("properties", "required", "additionalProperties", "patternProperties") ? ["object"] : []),
    ...(has("items", "prefixItems") ? ["array"] : []),
    ...(["entry", "file"].includes(String(schema.get("format"))) ? ["string"] : []),
  ];
}

const anyText = `\${string}`;

/** `*` may be any text: a template type cannot say "without a slash". Of more than three `**` only the start is said. */
function templatesOf(pattern: string): string[] {
  const segments = pattern.split("/");
  const isLong = segments.filter((segment) => segment === "**").length > 3;
  let texts: string[][] = [[]];
  for (const segment of segments.slice(0, isLong ? segments.indexOf("**") : undefined)) {
    const added = texts.map((text) => [...text, segment.startsWith("*") ? anyText : escaped(segment)]);
    texts = segment === "**" ? [...texts, ...added] : added;
  }
  const templates = texts.map((text) => text.join("/") + (isLong ? anyText : ""));
  return templates.flatMap((text) => (text === "" ? [] : text === anyText ? "string" : `\`${text}\``));
}

const escaped = (segment: string): string => segment.replace(/[\\`$]/g, "\\$&");

// -------------------------------------------------------------------------------------------- pointers

const hasId = (schema: Json | undefined): boolean =>
  Array.isArray(schema)
    ? schema.some(hasId)
    : isJsonObject(schema) && (typeof schema.get("$id") === "string" || [...schema.values()].some(hasId));

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function valueAt(schema: Json, pointer: string): Json | undefined {
  let found: Json | undefined = schema;
  for (const segment of pointer.split("/").slice(1)) {
    const key = keyOfSegment(segment);
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) ? found.get(key) : undefined;
  }
  return found;
}

/** The pointers of the anchors of a schema. */
function anchors(schema: Json, pointer = "", found = new Map<string, string>()): Map<string, string> {
  if (!isJsonObject(schema)) return found;
  for (const keyword of ["$anchor", "$dynamicAnchor"]) {
    const name = schema.get(keyword);
    if (typeof name === "string") found.set(name, pointer);
  }
  for (const [keyword, value] of schema) {
    const kind = holders.get(keyword);
    const at = pointer + segmentOf(keyword);
    if (kind === "one") anchors(value, at, found);
    else if (kind === "list") for (const [i, part] of listOf(value).entries()) anchors(part, `${at}/${i}`, found);
    else if (kind === "map" && isJsonObject(value))
      for (const [key, part] of value) anchors(part, at + segmentOf(key), found);
  }
  return found;
}
