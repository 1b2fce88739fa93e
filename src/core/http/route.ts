import { reaches } from "../access/access.ts";
import type { WriteContext } from "../event.ts";
import { parseBoolean } from "../lib/flag.ts";
import { describeJson, isJsonObject, type Json, type JsonObject, NumberText } from "../lib/json.ts";
import {
  isAtMost,
  isOptional,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "../lib/json-schema.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { nearest } from "../lib/nearest.ts";
import type { Names } from "../list/list.ts";
import type { Path } from "../path.ts";
import { type Code, Problem, problem, problems } from "../problem.ts";
import type { Need } from "./auth.ts";
import type { BytesAnswer, PiecesAnswer } from "./bytes.ts";
import type { Call } from "./call.ts";
import { type Door, restDoor } from "./door.ts";
import { parseArgument } from "./json-text.ts";
import type { OwnHeader } from "./own-header.ts";
import { type Answer, isRead } from "./reply.ts";
import type { StreamAnswer } from "./stream.ts";

export type RouteAnswer = Answer | BytesAnswer | PiecesAnswer | StreamAnswer;

/**
 * Arguments that no row of the route's table names are refused with argument_unknown; ignored, as the routes of the
 * specification do; or `handle` reads the query itself, with its own table, as an image request is refused for its
 * arguments only when it is strict.
 */
type UnknownArguments = "refused" | "ignored" | "handled";

/**
 * What a body is: arguments; a form with a file, which is read while it is received; bytes, which `handle` reads while they
 * are received, with the arguments in `Upload-Metadata`; or arguments with bodies of other routes in them, as those of a
 * batch or an agent's call.
 */
type BodyKind = "arguments" | "form" | "bytes" | "operations";

/** What a route's replies have besides their schema. */
type ReplyForm = {
  /** The schema is that of the whole body, which has no tag. */
  isBare?: true;
  /** The schemas of members that are beside `data` when they were requested. */
  beside?: Readonly<Record<string, TSchema>>;
  /** The media type of a reply that is not JSON. */
  type?: string;
  /** Headers of its own replies, described in api-docs/openapi-operation.ts. */
  headers?: readonly OwnHeader[];
  /** It has a secret: it is never kept for repetitions of the request. */
  isSecret?: true;
  /** Answers server-sent events, too, where these are asked for. */
  streams?: true;
};

/**
 * A route: its address, required access, arguments and reply. OpenAPI is generated from the same. Created by `route`.
 */
export type Route = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  url: string;
  /** A short summary. docs.ts of its feature has the full description. */
  summary: string;
  /** The access that the route requires; absent: open to everybody. */
  need?: Need;
  /** Where its calls come in: who sends them, and how they are refused. */
  door: Door;
  /** What its body is. */
  body: BodyKind;
  /**
   * Arguments other than the tokens, by their names on the wire; in the query on GET, in the body otherwise (on PUT and
   * DELETE in either).
   */
  arguments: TProperties;
  /** Every name under which it takes an argument, of either dialect, and the tokens, by where it is read. */
  names: { query: ReadonlySet<string>; body: ReadonlySet<string> };
  /** What becomes of arguments that are not in the table. Contract, part two, For all of it. */
  unknown: UnknownArguments;
  /** The names of the keys of groups among its arguments, which core/http/ignored.ts compares with what was sent. */
  groups?: Names;
  /** The schema of `data`, or of the whole body of a bare reply; absent: 204. */
  reply?: TSchema;
  replyForm: ReplyForm;
  /** A batch may have it as an operation. */
  isOperation?: true;
  /** The route's own problems, besides those of every route. */
  problems: Code[];
  /**
   * Reads the arguments of a call for `handle`. Throws every fault at once: argument_missing, argument_invalid,
   * argument_unknown, key_forbidden, text_invalid, and what an argument's own reader throws.
   */
  read(call: Call): object;
  handle(call: Call, args: object): MaybePromise<RouteAnswer>;
};

/** The arguments by their names in the code, with the types of their schemas. */
export type ArgumentsOf<P extends TProperties> = Static<TObject<P>>;

type Declaration<P extends TProperties> = Omit<Route, keyof typeof usual | "arguments" | "names" | "read" | "handle"> &
  Partial<typeof usual> & {
    /** By their names in the code; on the wire they are in snake case. */
    arguments: P;
    /** Names on the wire, where they are not the name in the code in snake case. */
    names?: { [K in keyof P]?: string };
    handle(call: Call, args: ArgumentsOf<P>): MaybePromise<RouteAnswer>;
  };

/** What most routes are like. */
const usual: Pick<Route, "door" | "body" | "unknown" | "replyForm"> = {
  door: restDoor,
  body: "arguments",
  unknown: "refused",
  replyForm: {},
};

/** Declares a route: its arguments are read by their schemas, in one place, and `handle` gets them with their types. */
export function route<P extends TProperties>({ names = {}, ...declared }: Declaration<P>): Route {
  const properties = Object.entries<TSchema>(declared.arguments).map(([property, schema]): Argument => {
    const name = names[property] ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { property, name, schema, read: readers.get(schema) ?? readBySchema, outside: bounds.get(schema) };
  });
  const { unknown } = { ...usual, ...declared };
  const noArguments = {};
  const taken = namesOf(declared.method, properties);
  return {
    ...usual,
    ...declared,
    arguments: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    names: taken,
    read:
      unknown === "handled"
        ? () => noArguments
        : (call) => readArguments(call, properties, unknown === "ignored" ? undefined : taken),
    handle: (call, args) => declared.handle(call, args as ArgumentsOf<P>),
  };
}

/** The context of a write, as every store's write takes it. */
export const writerOf = (call: Call): WriteContext => ({
  actor: call.token?.id ?? "",
  nowSeconds: call.nowSeconds,
  ifMatch: call.ifMatch,
  unit: call.unit,
  written: call.written,
  origin: call.eventOrigin,
  isLocal: call.access.locales ? true : undefined,
});

// ---------------------------------------------------------------------------------------------- arguments

/** All arguments of a call by name; on PUT and DELETE the body wins over the query (proxies drop bodies). Contract §1. */
export function argumentsOf(call: Call): JsonObject {
  if (isRead(call.method)) return call.query;
  if (!takesQuery(call.method)) return call.body.arguments;
  return new Map([...call.query, ...call.body.arguments]);
}

const takesQuery = (method: string): boolean => isRead(method) || method === "PUT" || method === "DELETE";

/** Reads one argument out of all that were sent; undefined for an optional one that is absent. Throws its refusals. */
export type ArgumentReader<T> = ((sent: JsonObject, name: string, call: Call) => T | undefined) & OtherName;
/** A second name under which the reader finds the argument. */
type OtherName = { otherName?(name: string): string | undefined };

type Argument = { property: string; name: string; schema: TSchema; read: SchemaReader; outside: Outside | undefined };
/** The refusal of a path where there is nothing. */
type Outside = (name: string, path: Path) => Problem;
type SchemaReader = ((sent: JsonObject, name: string, call: Call, schema: TSchema) => unknown) & OtherName;

const readers = new WeakMap<TSchema, SchemaReader>();

/** The schema of an argument with its own reader. Apply it last: a copy of the schema loses the reader. */
export function argument<S extends TSchema>(schema: S, read: ArgumentReader<Static<S>>): S {
  readers.set(schema, read);
  return schema;
}

const inQuery = new WeakSet<TSchema>();

/** A text that is part of an address which the service has made: it is in the query, whatever the method. */
export function inAddress<S extends TSchema>(schema: S): S {
  inQuery.add(schema);
  return argument(schema, (_sent, name, { query }) => query.get(name) as Static<S> | undefined);
}

const unused = new WeakSet<TSchema>();

/** The schema of an argument without effect in this service, as it is set up: reads pass over it, and say so. */
export function passedOver<S extends TSchema>(schema: S): S {
  unused.add(schema);
  return schema;
}
export const isPassedOver = (schema: TSchema): boolean => unused.has(schema);

const bounds = new WeakMap<TSchema, Outside>();

/** The schema of a path that is refused as one without anything where the caller's access does not hold. */
export function bounded<S extends TSchema>(schema: S, outside: Outside): S {
  bounds.set(schema, outside);
  return schema;
}

/** Reads a required text with `parse`. Throws argument_missing, argument_invalid, and what `parse` throws. */
export const textReader =
  <T>(
    parse: (name: string, text: string) => T,
    accepted: string | ((name: string) => string) = "a path",
  ): ArgumentReader<T> =>
  (sent, name, call) => {
    const value = sent.get(name);
    if (typeof value === "string") return parse(name, value);
    const expected = typeof accepted === "string" ? accepted : accepted(name);
    // Elsewhere PUT replaces.
    const hint = call?.method === "PUT" && name.startsWith("new_") ? "; PUT moves or copies, PATCH changes" : "";
    if (value === undefined) throw problem("argument_missing", { argument: name, accepted: expected + hint });
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted: expected });
  };

/** What is expected where a path is missing that may be the root. */
export const pathOrRoot = (name: string): string => `a path; "${name}=" is the root`;

/** Reads with `read` what was sent; undefined when the argument is absent. */
export const ifSent =
  <T>(read: ArgumentReader<T>): ArgumentReader<T> =>
  (sent, name, call) =>
    sent.has(name) ? read(sent, name, call) : undefined;

/** A form has texts alone: an empty one, or `null`, stands for null there. */
export const nullIn = ({ body }: Call, value: Json | undefined): Json | undefined =>
  body.isText && (value === "" || value === "null") ? null : value;

/** Reads a text, or null, which takes away what is there; undefined when the argument is absent. Throws argument_invalid. */
export const textOrNull =
  (accepted: string): ArgumentReader<string | null | undefined> =>
  (sent, name, call) => {
    const value = nullIn(call, sent.get(name));
    if (value === undefined || value === null || typeof value === "string") return value;
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted });
  };

/** Reads a required object with `parse`. Throws as textReader does; JSON text in a form is accepted. */
export const objectReader =
  <T>(parse: (value: JsonObject) => T, accepted: string): ArgumentReader<T> =>
  (sent, name, call) =>
    parse(readBySchema(sent, name, call, Type.Object({}, { description: accepted })) as JsonObject);

function readArguments(call: Call, known: readonly Argument[], taken: Route["names"] | undefined): object {
  if (known.length === 0 && !taken) return {};
  const sent = argumentsOf(call);
  const read: Record<string, unknown> = {};
  const faults = taken ? unknownIn(call, known, taken) : [];
  for (const { property, name, schema, read: readOne } of known) {
    try {
      read[property] = readOne(sent, name, call, schema);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push(...(error.errors.length > 0 ? error.errors : [error]));
    }
  }
  const [first, ...rest] = faults;
  if (first) throw problems([first, ...rest]);
  // After the faults of arguments: those of a path without anything are reported first, too.
  if (call.access.paths !== null) refuseOutside(call, known, read);
  return read;
}

/** Refuses paths where the access does not hold, before anything is read. Contract, part two, §11, Paths. */
function refuseOutside({ access }: Call, known: readonly Argument[], read: Record<string, unknown>): void {
  for (const { property, name, outside } of known) {
    const path = read[property] as Path | undefined;
    if (outside && path !== undefined && !reaches(access, path)) throw outside(name, path);
  }
}

export const tokenArguments = ["token", "access_token"];
const maxUnknown = 20;

/** Of a POST or PATCH only the tokens are read from the query, and what is part of the address. */
function namesOf(method: string, known: readonly Argument[]): Route["names"] {
  const withOthers = (some: readonly Argument[]) =>
    new Set([...some.flatMap(({ name, read }) => [name, read.otherName?.(name) ?? name]), ...tokenArguments]);
  const body = withOthers(known);
  return { body, query: takesQuery(method) ? body : withOthers(known.filter(({ schema }) => inQuery.has(schema))) };
}

/** The arguments of a call that its route does not read. */
export function unknownNames({ query, body }: Call, names: Route["names"]): string[] {
  const inBody = [...body.arguments.keys()].filter((name) => !names.body.has(name));
  return [...new Set([...[...query.keys()].filter((name) => !names.query.has(name)), ...inBody])];
}

/** argument_unknown, with the nearest name, for each argument that is not in the table, or is in a query that is not read. */
function unknownIn(call: Call, known: readonly Argument[], taken: Route["names"]): Problem[] {
  const names = known.map(({ name }) => name);
  return unknownNames(call, taken)
    .slice(0, maxUnknown)
    .map((argument) => {
      const isMisplaced = taken.body.has(argument);
      return problem("argument_unknown", { argument, near: nearest(argument, names), names, isMisplaced });
    });
}

/**
 * Reads an argument by its schema: a text, an integer, a boolean, a list of texts, an object, any JSON. Forms and
 * queries carry text, so there digits and true/false/1/0 are read, and JSON text for an object or a list.
 */
function readBySchema(sent: JsonObject, name: string, { body }: Call, schema: TSchema): unknown {
  const value = sent.get(name);
  const isText = body.isText || !body.arguments.has(name);
  if (value === undefined) {
    if (isOptional(schema)) return undefined;
    throw problem("argument_missing", { argument: name, accepted: accepted(schema) });
  }
  // A form's select with no option chosen.
  if (value === "" && isText && isOptional(schema) && (schema as Keywords).enum) return undefined;
  return readArgument(name, schema, value, isText);
}

type Keywords = {
  type?: string;
  description?: string;
  enum?: string[];
  items?: Keywords;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
};

const accepted = (schema: TSchema): string => {
  const { description, enum: names, type } = schema as Keywords;
  if (type === "boolean") return "true or false";
  return names
    ? `one of ${names.join(", ")}`
    : (description ?? type ?? "a value").replace(/^./, (c) => c.toLowerCase()).replace(/\.$/, "");
};

/** Throws argument_invalid, key_forbidden, text_invalid. */
function readArgument(name: string, schema: TSchema, sent: Json, isText: boolean): unknown {
  const value = isText && isJsonText(schema, sent) ? parseArgument(name, sent, accepted(schema)) : sent;
  const result = readValue(schema, value, isText);
  if (result !== undefined) return result;
  throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted: accepted(schema) });
}

/** True for the text of an object, or of a list when it begins as one: a list may also be a single text. */
function isJsonText(schema: TSchema, sent: Json): sent is string {
  const { type } = schema as Keywords;
  return typeof sent === "string" && (type === "object" || (type === "array" && sent.startsWith("[")));
}

/** The value as the schema requires it, or undefined. `isText`: a form or a query, which have texts alone, carries it. */
export function readValue(schema: unknown, value: Json, isText: boolean): unknown {
  const keywords = schema as Keywords;
  switch (keywords.type) {
    case "string":
      return readString(keywords, value);
    case "integer":
      return readInteger(keywords, value, isText);
    case "boolean":
      return isText || typeof value === "boolean" ? parseBoolean(value) : undefined;
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
  return isAtMost(value, maxLength ?? value.length) ? value : undefined;
}

function readInteger({ minimum, maximum }: Keywords, value: Json, isText: boolean): number | undefined {
  const number = isText && typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || value instanceof NumberText || !Number.isSafeInteger(number)) return undefined;
  return number < (minimum ?? number) || number > (maximum ?? number) ? undefined : number;
}

function readTexts({ items }: Keywords, value: Json): string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.map((item) => readString(items ?? {}, item));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
