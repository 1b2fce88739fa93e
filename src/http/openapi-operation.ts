import type { TProperties, TSchema } from "typebox";
import { curlLine } from "./curl.ts";
import type { Example } from "./example.ts";
import { problemResponses, requestExamples, successExamples } from "./openapi-example.ts";
import { operationTag } from "./openapi-tag.ts";
import type { Recording } from "./recorded.ts";
import { type ApiRoute, isOptional, type Route } from "./route.ts";

type Node = Record<string, unknown>;

/** One operation of the description, with the examples as they were answered. `base` is for commands to paste. */
export function operation(route: ApiRoute, recording: Recording, base: string): Node {
  const isRead = route.method === "GET";
  const parameters = [...pathParameters(route), ...(isRead ? queryParameters(route) : []), ...headerParameters(route)];
  return {
    operationId: operationId(route),
    tags: [operationTag(route.url)],
    summary: route.summary,
    description: route.description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(isRead ? {} : { requestBody: requestBody(route) }),
    responses: { ...success(route, recording), ...problemResponses(route, recording) },
    security: security(route),
    "x-codeSamples": route.examples.map((example) => ({
      lang: "Shell",
      label: example.summary,
      source: curlLine(route, example, base),
    })),
  };
}

const operationId = ({ method, url }: Route): string =>
  method.toLowerCase() +
  url
    .replace(/^\/api/, "")
    .replace("/*", "")
    .replace(/[/.]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function security({ need }: Route): Node[] {
  if (!need) return [];
  // On writes the tokens may also be the body's fields; OpenAPI has no scheme for that, so the body's schema has them.
  return need.isWrite ? [{ bearer: [], access_token: [] }] : [{ bearer: [] }, { token: [] }];
}

/** What a wildcard address stands for; it may hold slashes, which OpenAPI has no word for. */
const pathParameters = ({ url, examples }: ApiRoute): Node[] =>
  url.endsWith("*")
    ? [
        {
          name: "path",
          in: "path",
          required: true,
          description: "The path of the file below the uploads; its slashes stay as they are.",
          schema: { type: "string" },
          examples: shownValues(examples, ({ path }) => path),
        },
      ]
    : [];

function queryParameters({ arguments: schemas, examples }: ApiRoute): Node[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const shown = shownValues(examples, (example) => example.arguments?.[name]);
    return {
      name,
      in: "query",
      required: !isOptional(schema),
      description: (schema as Node).description,
      ...((schema as Node).type === "object" ? { style: "deepObject", explode: true } : {}),
      schema,
      ...(Object.keys(shown).length > 0 ? { examples: shown } : {}),
    };
  });
}

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

const headers: Record<string, string> = {
  "If-None-Match": "The `ETag` of an answer that is there already: 304 when it is still current.",
  "If-Match": "The `ETag` of the state that was read: 412 when it is not the current one any more.",
  Range: "A part of the bytes, such as `bytes=0-1023`. RFC 9110.",
};

function headerParameters({ method, need, problems, replyType }: Route): Node[] {
  const names = [
    ...(method === "GET" && (need || replyType) ? ["If-None-Match"] : []),
    ...(problems.includes("revision_mismatch") || problems.includes("precondition_failed") ? ["If-Match"] : []),
    ...(problems.includes("range_not_satisfiable") ? ["Range"] : []),
  ];
  return names.map((name) => ({ name, in: "header", description: headers[name], schema: { type: "string" } }));
}

const tokenFields: Node = {
  token: { type: "string", description: "A management token, where it is not sent as a header." },
  access_token: { type: "string", description: "An access token, where it is not sent as a header." },
};

function requestBody(route: ApiRoute): Node {
  const required = requiredOf(route.arguments);
  const properties = { ...route.arguments, ...(route.need?.isWrite ? tokenFields : {}) };
  const content = { schema: { type: "object", required, properties }, examples: requestExamples(route) };
  return { required: true, content: Object.fromEntries(bodyTypes(route).map((type) => [type, content])) };
}

const requiredOf = (schemas: TProperties): string[] =>
  Object.entries(schemas)
    .filter(([, schema]) => !isOptional(schema))
    .map(([name]) => name);

function bodyTypes({ takesFile, examples }: ApiRoute): string[] {
  if (takesFile) return ["multipart/form-data"];
  const special = examples.flatMap((example) => example.headers?.["Content-Type"] ?? []);
  return ["application/json", ...special, "application/x-www-form-urlencoded", "multipart/form-data"];
}

function success(route: ApiRoute, recording: Recording): Record<string, Node> {
  const notModified = { 304: { description: "What the client has is still current." } };
  if (route.replyType) {
    const content = { [route.replyType]: { examples: successExamples(route, recording) } };
    const part = { 206: { description: "The part of the bytes that `Range` asked for.", content } };
    return { 200: { description: "The bytes.", content }, ...part, ...notModified };
  }
  if (!route.reply) {
    if (route.method === "GET") return { 200: { description: "The document.", content: { "application/json": {} } } };
    return { 204: { description: "Done; there is nothing to say." } };
  }
  const schema = route.isBare ? route.reply : wrapped(route.reply);
  const examples = successExamples(route, recording);
  const answer = {
    description: "Done.",
    content: { "application/json": { schema, examples } },
    ...replyHeaders(route),
  };
  return { 200: answer, ...(route.method === "GET" && route.need ? notModified : {}) };
}

const wrapped = (data: TSchema): Node => ({ type: "object", required: ["data"], properties: { data } });

function replyHeaders({ method, arguments: schemas }: Route): Node {
  if (method !== "GET" || !("cursor" in schemas)) return {};
  const header = (description: string, type = "string") => ({ description, schema: { type } });
  return {
    headers: {
      ETag: header("Changes whenever the answer would."),
      Link: header('Of a page that is not the last: the address of the next one, with `rel="next"`.'),
      "X-Total-Count": header("How many items there are in all, when `filter[total]=true` asked for it.", "integer"),
      "Octavo-Ignored": header("Unknown keys of `filter` and `options` that were ignored, as they were sent."),
    },
  };
}
