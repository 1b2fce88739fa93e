import type { TProperties, TSchema } from "typebox";
import { type Code, Problem, problem, problems } from "../domain/problem.ts";
import { describeJson, isJsonObject, type Json, type JsonObject, NumberText } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Need } from "./auth.ts";
import type { BytesAnswer } from "./bytes.ts";
import type { Asked, Call } from "./call.ts";
import type { Example, Refused } from "./example.ts";
import { parseArgument } from "./json-text.ts";
import type { Answer } from "./reply.ts";

/** A route as it is read aloud: address, who may, with which arguments, what comes back. OpenAPI is made of the same. */
export type Route = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  url: string;
  summary: string;
  /** More than the summary says, in Markdown. */
  description?: string;
  /** Absent: open to everybody. */
  need?: Need;
  /** Who may with a session of the admin page, where that is not the same. */
  sessionNeed?: Need;
  /** True when the call's address opens the route without a token. Throws signature_invalid. */
  isSigned?(asked: Asked): boolean;
  /** Arguments beside the tokens; in the query on GET, in the body otherwise (on PUT and DELETE in either). */
  arguments: TProperties;
  /** The schema of `data`, or of the whole body when `isBare`; absent: 204. */
  reply?: TSchema;
  isBare?: boolean;
  /** The media type of an answer that is no JSON. */
  replyType?: string;
  /** Takes a form with a file, which is read while it arrives. */
  takesFile?: boolean;
  /** Problems of its own, beside those every route has. */
  problems: Code[];
  handle(call: Call): MaybePromise<Answer | BytesAnswer>;
};

/** A route of the API, with all that its reference says and shows. */
export type ApiRoute = Route & {
  description: string;
  /** Good calls on the sample site; the first is the one that refusals are made of. */
  examples: readonly [Example, ...Example[]];
  /** How its problems are provoked, where http/refusal.ts does not know it for all routes. */
  refused?: Refused;
};

/** Who makes the write and when, as every store's write takes it. */
export const writerOf = (call: Call): { actor: string; nowSeconds: number } => ({
  actor: call.token?.id ?? "",
  nowSeconds: call.nowSeconds,
});

/** A required text of the query. Throws argument_missing, argument_invalid. */
export function textArgument(query: JsonObject, argument: string): string {
  const value = query.get(argument);
  if (typeof value === "string") return value;
  if (value === undefined) throw problem("argument_missing", { argument, accepted: "a path" });
  throw problem("argument_invalid", { argument, came: "a list or a group", accepted: "a text" });
}

/** All arguments of a call by name; on PUT and DELETE the body wins over the query (proxies drop bodies). Contract §1. */
export function argumentsOf(call: Call): JsonObject {
  if (call.method === "GET" || call.method === "HEAD") return call.query;
  if (call.method !== "PUT" && call.method !== "DELETE") return call.body.arguments;
  return new Map([...call.query, ...call.body.arguments]);
}

/**
 * Reads arguments by their schemas: a text, an integer, a boolean, a list of texts, an object, any JSON. Forms and
 * queries carry text, so there digits and true/false/1/0 are read, and JSON text for an object or a list. Throws every
 * fault at once: argument_missing, argument_invalid, key_forbidden, text_invalid.
 */
export function readArguments<T extends Record<string, unknown>>(call: Call, schemas: TProperties): T {
  const sent = argumentsOf(call);
  const read: Record<string, unknown> = {};
  const faults: Problem[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const value = sent.get(name);
    const isText = call.body.isText || !call.body.arguments.has(name);
    if (value === undefined) {
      if (!isOptional(schema)) faults.push(problem("argument_missing", { argument: name, accepted: accepted(schema) }));
      continue;
    }
    // A form's select in which nothing is chosen.
    if (value === "" && isText && isOptional(schema) && (schema as Keywords).enum) continue;
    try {
      read[name] = readArgument(name, schema, value, isText);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push(error);
    }
  }
  const [first, ...rest] = faults;
  if (first) throw problems([first, ...rest]);
  return read as T;
}

type Keywords = {
  type?: string;
  description?: string;
  enum?: string[];
  items?: Keywords;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  "~optional"?: unknown;
};

/** TypeBox marks an optional property on its schema. */
export const isOptional = (schema: TSchema): boolean => "~optional" in (schema as object);

const accepted = (schema: TSchema): string => {
  const { description, enum: names, type } = schema as Keywords;
  return names
    ? `one of ${names.join(", ")}`
    : (description ?? type ?? "a value").replace(/^./, (c) => c.toLowerCase()).replace(/\.$/, "");
};

/** Throws argument_invalid, key_forbidden, text_invalid. */
function readArgument(name: string, schema: TSchema, sent: Json, isText: boolean): unknown {
  const value = isText && isJsonText(schema, sent) ? parseArgument(name, sent, accepted(schema)) : sent;
  const result = readValue(schema, value, isText);
  if (result !== undefined) return result;
  throw problem("argument_invalid", { argument: name, came: describeJson(value), accepted: accepted(schema) });
}

/** True for the text of an object, and of a list when it begins as one: a list may also be one text. */
function isJsonText(schema: TSchema, sent: Json): sent is string {
  const { type } = schema as Keywords;
  return typeof sent === "string" && (type === "object" || (type === "array" && sent.startsWith("[")));
}

/** The value as the schema wants it, or undefined. */
function readValue(schema: TSchema, value: Json, isText: boolean): unknown {
  const keywords = schema as Keywords;
  switch (keywords.type) {
    case "string":
      return readString(keywords, value);
    case "integer":
      return readInteger(keywords, value, isText);
    case "boolean":
      return readBoolean(value, isText);
    case "array":
      return readTexts(keywords, value);
    case "object":
      return isJsonObject(value) ? value : undefined;
    default:
      return value;
  }
}

function readString({ enum: names, maxLength }: Keywords, value: Json): string | undefined {
  if (typeof value !== "string") return undefined;
  if (names && !names.includes(value)) return undefined;
  return maxLength !== undefined && value.length > maxLength ? undefined : value;
}

function readInteger({ minimum, maximum }: Keywords, value: Json, isText: boolean): number | undefined {
  const number = isText && typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || value instanceof NumberText || !Number.isSafeInteger(number)) return undefined;
  return number < (minimum ?? number) || number > (maximum ?? number) ? undefined : number;
}

function readBoolean(value: Json, isText: boolean): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (!isText) return undefined;
  if (value === "true" || value === "1") return true;
  return value === "false" || value === "0" ? false : undefined;
}

function readTexts({ items }: Keywords, value: Json): string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.map((item) => readString(items ?? {}, item));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
