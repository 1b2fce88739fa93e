import { readValue } from "../core/http/route.ts";
import { describeJson, type Json, type JsonObject } from "../core/lib/json.ts";
import type { TSchema } from "../core/lib/json-schema.ts";
import { nearest } from "../core/lib/nearest.ts";
import { type Problem, problem, problems } from "../core/problem.ts";

/** The arguments of a tool: their schemas as `tools/list` shows them, and the one check of what was sent against these. */

/** The keywords of a schema that say what a value is; inside of an object the route looks. */
export type ArgumentSchema = {
  readonly type?: string;
  readonly anyOf?: readonly ArgumentSchema[];
  readonly enum?: readonly string[];
  readonly items?: ArgumentSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly [keyword: string]: unknown;
};

/** Without names of the API description, and with one type each: some clients convert no others. */
export function plainSchema(schema: TSchema): ArgumentSchema {
  const { $id, type, ...keywords } = schema as unknown as Record<string, unknown>;
  const plain = Object.fromEntries(Object.entries(keywords).map(([name, value]) => [name, plainValue(name, value)]));
  if (Array.isArray(type)) return { ...plain, anyOf: type.map((one) => ({ type: one })) };
  return type === undefined ? plain : { type: type as string, ...plain };
}

function plainValue(keyword: string, value: unknown): unknown {
  if (keyword === "anyOf") return (value as TSchema[]).map(plainSchema);
  if (keyword === "items") return plainSchema(value as TSchema);
  if (keyword !== "properties") return value;
  const members = Object.entries(value as Record<string, TSchema>);
  return Object.fromEntries(members.map(([name, schema]) => [name, plainSchema(schema)]));
}

type Schemas = Readonly<Record<string, ArgumentSchema>>;
/** The argument of the route, or of a group of it, that is meant by an unknown name. */
type Meant = (name: string) => string | undefined;

/** Throws argument_unknown and argument_invalid, all at once: what is ignored or reinterpreted would mislead an agent. */
export function checkArguments(schemas: Schemas, sent: JsonObject, meant: Meant): void {
  const faults = [...sent].flatMap(([name, value]) => faultsOf(name, value, schemas, meant));
  const [first, ...rest] = faults.slice(0, maxFaults);
  if (first) throw problems([first, ...rest]);
}

const maxFaults = 20;

function faultsOf(argument: string, value: Json, schemas: Schemas, meant: Meant): Problem[] {
  const names = Object.keys(schemas);
  if (!names.includes(argument)) {
    const other = meant(argument);
    // A tool has not all groups of its route.
    const inGroup = names.includes(other?.split("[", 1)[0] ?? "") ? other : undefined;
    return [problem("argument_unknown", { argument, near: nearest(argument, names) ?? inGroup, names })];
  }
  const schema = schemas[argument] as ArgumentSchema;
  if (fits(schema, value)) return [];
  return [problem("argument_invalid", { argument, received: describeJson(value), accepted: accepted(schema) })];
}

/** As the routes read JSON, but that a list is a list, not one text. */
function fits(schema: ArgumentSchema, value: Json): boolean {
  const { type, anyOf, items } = schema;
  if (anyOf) return anyOf.some((one) => fits(one, value));
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value) && value.every((item) => fits(items ?? {}, item));
  // Agents often send an object as its JSON text: the route says whether it reads that.
  if (type === "object" && typeof value === "string") return true;
  return readValue(schema, value, false) !== undefined;
}

function accepted({ type, anyOf, ...more }: ArgumentSchema): string {
  if (anyOf) return anyOf.map(accepted).join(" or ");
  const { enum: names, items, minimum, maximum, maxLength } = more;
  if (names) return `one of ${names.join(", ")}`;
  if (type === "array") return `a list, each of ${accepted(items ?? {})}`;
  if (type === "string" && maxLength !== undefined) return `a text of at most ${maxLength} characters`;
  if (type === "integer" && maximum !== undefined) return `a whole number from ${minimum} to ${maximum}`;
  if (type === "integer" && minimum !== undefined) return `a whole number of ${minimum} or more`;
  return words[type ?? ""] ?? "a value";
}

const words: Record<string, string> = {
  string: "a text",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  object: "an object",
};
