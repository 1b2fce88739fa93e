import { isWrite } from "../src/core/http/auth.ts";
import type { Route } from "../src/core/http/route.ts";
import { takesSequence } from "../src/core/http/sequence.ts";
import type { TProperties, TSchema } from "../src/core/lib/json-schema.ts";
import { isOptional } from "../src/core/lib/json-schema.ts";
import type { ApiRoute } from "./api.ts";
import { curlLine } from "./curl.ts";
import type { Example } from "./example.ts";
import { requestExamples, successExamples } from "./openapi-example.ts";
import { problemResponses } from "./openapi-problem.ts";
import type { Schemas } from "./openapi-schema.ts";
import type { Recording } from "./recorded.ts";
import { operationTag } from "./tag.ts";

type Node = Record<string, unknown>;

/** Shared by the operations of one description; `base` is the URL in commands. */
export type Describing = { schemas: Schemas; recording: Recording; base: string };

/** One operation of the description, with the examples' recorded replies. */
export function operation(route: ApiRoute, describing: Describing): Node {
  const isRead = route.method === "GET";
  const { base, schemas } = describing;
  const queried = isRead ? queryParameters(route, schemas) : [];
  const parameters = [...pathParameters(route), ...queried, ...sharedParameters(route)];
  return {
    operationId: operationId(route),
    tags: [operationTag(route.url)],
    summary: route.summary,
    description: route.description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(isRead ? {} : { requestBody: requestBody(route, schemas) }),
    responses: { ...success(route, describing), ...problemResponses(route) },
    security: security(route),
    "x-codeSamples": route.examples.map((example) => ({
      lang: "Shell",
      label: example.summary,
      source: curlLine(route, example, base),
    })),
  };
}

/** `getEntries`, unique among the operations. */
export const operationId = ({ method, url }: Route): string =>
  method.toLowerCase() +
  url
    .replace(/^\/api/, "")
    .replace("/*", "")
    .replace(/[/.]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function security({ need }: Route): Node[] {
  if (!need) return [];
  if (need.isOwn) return [{ session: [] }];
  // On writes the tokens may also be fields of the body; OpenAPI has no scheme for that, so the body's schema has them.
  return isWrite(need) ? [{ bearer: [], access_token: [] }] : [{ bearer: [] }, { token: [] }];
}

/** The parameter for a wildcard address; it may contain slashes, which OpenAPI cannot express. */
const pathParameters = ({ url, examples }: ApiRoute): Node[] =>
  url.endsWith("*")
    ? [
        {
          name: "path",
          in: "path",
          required: true,
          description: "The path of the file below the uploads; its slashes may be encoded.",
          schema: { type: "string" },
          examples: shownValues(examples, ({ path }) => path),
        },
      ]
    : [];

function queryParameters({ arguments: given, examples }: ApiRoute, schemas: Schemas): Node[] {
  return Object.entries(given).map(([name, schema]) => {
    const shown = shownValues(examples, (example) => example.arguments?.[name]);
    const { description, type } = schema as Node;
    return {
      name,
      in: "query",
      required: !isOptional(schema),
      description,
      ...(type === "object" ? asGroup(schemas.use(schema)) : { schema: undescribed(schemas.use(schema)) }),
      ...(Object.keys(shown).length > 0 ? { examples: shown } : {}),
    };
  });
}

/** Without the description, which the parameter has. */
const undescribed = (schema: unknown): Node => ({ ...(schema as Node), description: undefined });

/**
 * A group of arguments, as one JSON text or in brackets. OpenAPI defines no brackets below the first level, so most
 * generators send one level only: the text is for them.
 */
const asGroup = (schema: unknown): Node => ({
  style: "deepObject",
  explode: true,
  schema: { anyOf: [jsonTextSchema, schema] },
});
const jsonTextSchema = {
  type: "string",
  contentMediaType: "application/json",
  description: "As one JSON text, which every generated client sends whole. As an object most send one level only.",
};

/** The values that the examples send, each with the name of the first that does. */
function shownValues(examples: readonly Example[], read: (example: Example) => unknown): Node {
  const seen = new Set<string>();
  const shown = examples.flatMap((example) => {
    const value = read(example);
    const text = JSON.stringify(value);
    if (value === undefined || seen.has(text)) return [];
    seen.add(text);
    return [[example.summary, { summary: example.summary, value: value === "" ? "" : value }]];
  });
  return Object.fromEntries(shown);
}

/** The descriptions of the request headers. */
export const headers: Record<string, string> = {
  "If-None-Match": "The `ETag` of a cached reply: 304 if it is current.",
  "Idempotency-Key":
    "A new text for each new write, of 1 to 255 visible ASCII characters: the same request with the same key within 24 hours writes nothing and gets the same reply.",
  "X-CSRF-Token": "The `csrf_token` of `GET /admin/session`.",
  "If-Match": "The `ETag` of the state that was read: 412 if it is not current.",
  "Last-Event-ID": "Of a stream: the `id` of the message after which it begins; it goes before `since` and `cursor`.",
  Range: "A part of the bytes, such as `bytes=0-1023`. RFC 9110.",
};

/** True for a read whose reply has an `ETag`: not for one that is never the same twice. */
const hasTag = ({ method, need, replyForm }: Pick<Route, "method" | "need" | "replyForm">): boolean =>
  method === "GET" && need !== undefined && !need.isOwn && !replyForm.isBare;

/** The headers other than the tokens' that a route evaluates. */
export const headerNames = ({ method, need, problems, replyForm }: Route): string[] => [
  ...(hasTag({ method, need, replyForm }) || (method === "GET" && replyForm.type && !replyForm.isBare)
    ? ["If-None-Match"]
    : []),
  ...(need?.isOwn === "write" ? ["X-CSRF-Token"] : []),
  ...(problems.includes("revision_mismatch") || problems.includes("precondition_failed") ? ["If-Match"] : []),
  ...(replyForm.streams ? ["Last-Event-ID"] : []),
  ...(problems.includes("range_not_satisfiable") ? ["Range"] : []),
  ...(isWrite(need) && !replyForm.isSecret ? ["Idempotency-Key"] : []),
];

/** Parameters that routes share. */
const sharedParameters = (route: Route): Node[] =>
  [...(takesSequence(route) ? ["min_sequence"] : []), ...headerNames(route)].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }));

const header = (description: string, type = "string") => ({ description, schema: { type } });

/** Of every list, so that each stands once. */
const ownHeaders = {
  "Octavo-Staged": header("The revision of the entry's working copy; absent without one.", "integer"),
  "Octavo-Outdated": header(
    "Keys of the working copy that were changed live since they were staged, percent-encoded, with commas; absent for none. Of more than 100 the first.",
    "string",
  ),
  "Octavo-Faults": header(
    "Where what was accepted does not fit its type: JSON pointers, percent-encoded, with commas.",
    "string",
  ),
  "Octavo-Outcome": header(
    "What a create with `on_conflict` did: created, updated, replaced, skipped or unchanged; absent without it.",
  ),
  "Octavo-File": header("The path of the file, percent-encoded.", "string"),
  "Octavo-Release": header("The release that the working copy goes live with; absent without one."),
  "Octavo-Previews-Pending": header(
    "How many pictures of the reply have no `preview` yet, though it was asked for; absent for none. The next request has more of them.",
    "integer",
  ),
  "Content-Language": header(
    "Where `locale` is given: the first locale, of it and those that it falls back to, that has something translated; else the source's.",
  ),
  "Octavo-Fallback": header("The keys that fell back, percent-encoded, the first 100; absent for none."),
  "Octavo-Path": header("The path of the entry in the locale, percent-encoded."),
  "Octavo-Locales": header("The locales in which the entry is public, with its paths there, for `hreflang`."),
  "Octavo-Publish-At": header("When the working copy is published, in Unix seconds; absent without a time.", "integer"),
};

const listHeaders = {
  Link: header('The URL of the next page, with `rel="next"`; absent on the last page.'),
  "X-Total-Count": header("The total number of items, if `filter[total]=true` is sent.", "integer"),
  "Server-Timing": header(
    "The query plan of the list, and its time in milliseconds. Only for management tokens that are bound to no paths.",
  ),
  "Octavo-Ignored": header(
    "The unknown arguments, and unknown keys of `filter` and `options`, which were ignored; of lists also fields that nothing has.",
  ),
};

/** The headers that operations refer to. */
export const headerComponents: Node = {
  parameters: {
    ...Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [
        name,
        { name, in: "header", description, schema: { type: "string" } },
      ]),
    ),
    min_sequence: {
      name: "min_sequence",
      in: "query",
      description:
        "The `Octavo-Sequence` of a write, which the reply then knows of. The node waits at most two seconds for it, then answers 503 `behind`.",
      schema: { type: "integer", minimum: 0 },
    },
  },
  headers: {
    ...listHeaders,
    ...ownHeaders,
    "Octavo-Sequence": {
      description: "The sequence of the write's event in the log; of the newest event when it wrote none.",
      schema: { type: "integer" },
    },
    "Idempotent-Replayed": {
      description: "`true` when the reply is that of an earlier request with the same key; absent otherwise.",
      schema: { type: "string" },
    },
  },
};

const tokenFields: Node = {
  token: { type: "string", description: "A management token, if it is not sent as a header." },
  access_token: { type: "string", description: "An access token, if it is not sent as a header." },
};

function requestBody(route: ApiRoute, schemas: Schemas): Node {
  const required = requiredOf(route.arguments);
  const properties = schemas.use({ ...route.arguments, ...(isWrite(route.need) ? tokenFields : {}) });
  const id = operationId(route);
  const name = `${id[0]?.toUpperCase()}${id.slice(1)}Body`;
  const schema = schemas.name(name, { type: "object", required, properties });
  const examples = requestExamples(route);
  const content = bodyTypes(route).map((type) => [type, { schema, examples, ...encodings(route, type) }]);
  return { required: true, content: Object.fromEntries(content) };
}

/** How a form encodes values that are not text. */
function encodings({ arguments: given }: Route, type: string): Node {
  const encode = type.endsWith("urlencoded") ? inForm : type.startsWith("multipart") ? inPart : () => undefined;
  const encoded = Object.entries(given).flatMap(([name, schema]) => {
    const { type: named } = schema as { type?: string | string[] };
    // Of several types none but JSON text tells them apart.
    const encoding = Array.isArray(named) ? jsonText : encode(named);
    return encoding ? [[name, encoding]] : [];
  });
  return encoded.length > 0 ? { encoding: Object.fromEntries(encoded) } : {};
}

const jsonText = { contentType: "application/json" };
/** The encoding by type: brackets for an object, JSON text for a list. */
const inForm = (type: string | undefined): Node | undefined =>
  type === "object" ? { style: "deepObject", explode: true } : type === "array" ? jsonText : undefined;
/** A part is JSON where the schema is an object, a list or any value. */
const inPart = (type: string | undefined): Node | undefined =>
  type === undefined || type === "object" || type === "array" ? jsonText : undefined;

const requiredOf = (schemas: TProperties): string[] =>
  Object.entries(schemas)
    .filter(([, schema]) => !isOptional(schema))
    .map(([name]) => name);

function bodyTypes({ body, examples }: ApiRoute): string[] {
  if (body === "form") return ["multipart/form-data"];
  const special = examples.flatMap((example) => example.headers?.["Content-Type"] ?? []);
  return ["application/json", ...special, "application/x-www-form-urlencoded", "multipart/form-data"];
}

/** The schema of a reply of raw bytes, whose content belongs to the client. */
const bytesSchema = { type: "string", format: "binary" };

/** An example as a stream sends it. */
const streamExample =
  'id: 19\nevent: entry.update\ndata: {"sequence":19,"at":1767225600,"kind":"entry.update","subject":"movies/alien",' +
  '"target":null,"count":1,"actor":"octavo"}\n\n';
const changeExample =
  'id: mUx9c2VfQ1nB\ndata: {"op":"gone","uuid":"6f2b7f0e-1f6d-4d51-9a3c-0f5c1f3c2f11","id":"movies/alien"}\n\n';
const streamContent = ({ url }: Route) => ({
  "text/event-stream": {
    schema: { type: "string", description: "Server-sent events: `id`, `data`, and `event` where kinds differ." },
    examples: {
      "One event": { summary: "One event", value: url === "/api/events" ? streamExample : changeExample },
    },
  },
});

function success(route: ApiRoute, { recording, schemas }: Describing): Record<string, Node> {
  const notModified = { 304: { $ref: "#/components/responses/NotModified" } };
  if (route.replyForm.type) {
    const content = { [route.replyForm.type]: { schema: bytesSchema, examples: successExamples(route, recording) } };
    if (route.replyForm.isBare) return { 200: { description: "The text.", content } };
    const part = { 206: { description: "The range of bytes that `Range` names.", content } };
    return { 200: { description: "The bytes.", content }, ...part, ...notModified };
  }
  if (!route.reply) {
    const content = { "application/json": { schema: { type: "object", additionalProperties: true } } };
    if (route.method === "GET") return { 200: { description: "The document.", content }, ...notModified };
    return { 204: { description: "Success, without a body.", ...replyHeaders(route) } };
  }
  const schema = schemas.use(route.replyForm.isBare ? route.reply : wrapped(route.reply, route.replyForm.beside));
  const examples = successExamples(route, recording);
  const answer = {
    description: "Success.",
    content: { "application/json": { schema, examples }, ...(route.replyForm.streams && streamContent(route)) },
    ...replyHeaders(route),
  };
  return { 200: answer, ...(hasTag(route) ? notModified : {}) };
}

const wrapped = (data: TSchema, beside?: Readonly<Record<string, TSchema>>): Node => ({
  type: "object",
  required: ["data"],
  properties: { data, ...beside },
});

const shared = (name: string): Node => ({ $ref: `#/components/headers/${name}` });

function replyHeaders(route: Route): Node {
  const { method, arguments: schemas } = route;
  const { headers: own = [] } = route.replyForm;
  const owned = Object.fromEntries([
    ...own.map((name) => [name, shared(name)] as const),
    ...(isWrite(route.need) ? [["Octavo-Sequence", shared("Octavo-Sequence")] as const] : []),
    ...(headerNames(route).includes("Idempotency-Key")
      ? [["Idempotent-Replayed", shared("Idempotent-Replayed")] as const]
      : []),
    ...(route.unknown === "ignored" && method !== "GET" ? [["Octavo-Ignored", shared("Octavo-Ignored")] as const] : []),
  ]);
  if (method !== "GET" || !("cursor" in schemas) || route.replyForm.isBare)
    return Object.keys(owned).length > 0 ? { headers: owned } : {};
  return {
    headers: {
      ...owned,
      ETag: header("Changes with the reply."),
      ...Object.fromEntries(Object.keys(listHeaders).map((name) => [name, shared(name)])),
    },
  };
}
