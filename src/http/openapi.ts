import type { TProperties, TSchema } from "typebox";
import { type Code, catalogue } from "../domain/problem.ts";
import { problemDocsPath, statusOf } from "./problem.ts";
import { type Answer, json } from "./reply.ts";
import { isOptional, type Route } from "./route.ts";

type Node = Record<string, unknown>;

/** /api/openapi.json: OpenAPI 3.1 made of the route table itself, so that it cannot drift. */
export function openApiRoutes(routes: readonly Route[], version: string, publicUrl: string | undefined): Route[] {
  let text: string | undefined;
  const own: Route = {
    method: "GET",
    url: "/api/openapi.json",
    summary: "Read this description",
    arguments: {},
    problems: [],
    handle: (): Answer => {
      text ??= JSON.stringify(openApi([...routes, own], version, publicUrl ?? "/"));
      return json(text, { cacheControl: "public, max-age=60" });
    },
  };
  return [own];
}

/** The description of the routes. */
export function openApi(routes: readonly Route[], version: string, serverUrl: string): Node {
  const paths: Record<string, Node> = {};
  for (const route of routes) {
    const path = route.url.replace("*", "{path}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Octavo",
      version,
      summary: "A content service: entries, folders, files, a registry and images over a JSON REST API.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl, description: "The service that answers this description." }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    components: { securitySchemes, schemas: { Problem: problemSchema } },
  };
}

const tagDescriptions: Record<string, string> = {
  entries: "Pieces of content by their path-shaped ids.",
  folders: "Folders of the uploads, by `path`.",
  files: "Files and what is known of them, by `path`.",
  "media folders": "The same folders, by `id`.",
  "media files": "The same files, by `id`.",
  uploads: "The bytes of files.",
  registry: "Dotted keys and their values.",
  tokens: "Who may call, made and changed by an admin token.",
  events: "The log of all writes.",
  stats: "Figures for people.",
  health: "For supervisors and balancers.",
  docs: "What is to be read.",
  openapi: "This description.",
};

const securitySchemes = {
  token: { type: "apiKey", in: "query", name: "token", description: "The token of the API family." },
  bearer: { type: "http", scheme: "bearer", description: "The same token as a header." },
  access_token: { type: "apiKey", in: "header", name: "X-Access-Token", description: "The access token of writes." },
};

const problemSchema = {
  type: "object",
  description: "RFC 9457.",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(catalogue) },
    detail: { type: "string" },
    request_id: { type: "string" },
    errors: { type: "array", items: { type: "object" } },
    http_status_code: { type: "integer" },
    message: { type: "string" },
  },
};

function operation(route: Route): Node {
  const isRead = route.method === "GET";
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(isRead ? { parameters: [...pathParameters(route), ...parameters(route.arguments)] } : {}),
    ...(isRead ? {} : { requestBody: requestBody(route) }),
    responses: { ...success(route), ...failures(route) },
    security: security(route),
  };
}

const tagOf = ({ url }: Route): string => {
  const segments = url
    .split("/")
    .filter((segment) => !["", "api", "delivery", "management", "project", "copy", "rotate"].includes(segment));
  const [first = "", second] = segments;
  return first === "media" ? `media ${second}` : first.replace(/\.json$/, "");
};

/** What a wildcard address stands for; it may hold slashes, which OpenAPI has no word for. */
const pathParameters = ({ url }: Route): Node[] =>
  url.endsWith("*")
    ? [{ name: "path", in: "path", required: true, description: "A path; slashes stay.", schema: { type: "string" } }]
    : [];

const operationId = ({ method, url }: Route): string =>
  method.toLowerCase() +
  url
    .replace(/^\/api/, "")
    .replace("/*", "")
    .replace(/[/.]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function security({ need }: Route): Node[] {
  if (!need) return [];
  const extra = need.isWrite ? { access_token: [] } : {};
  // On writes the tokens may also be the body's fields; OpenAPI has no scheme for that, so they are in the body too.
  return need.isWrite ? [{ bearer: [], ...extra }, {}] : [{ token: [] }, { bearer: [] }];
}

function parameters(schemas: TProperties): Node[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: "query",
    required: !isOptional(schema),
    description: (schema as Node).description,
    ...((schema as Node).type === "object" ? { style: "deepObject", explode: true } : {}),
    schema,
  }));
}

function requestBody(route: Route): Node {
  const tokens: Node = route.need?.isWrite
    ? {
        token: { type: "string", description: "A management token." },
        access_token: { type: "string", description: "An access token." },
      }
    : {};
  const required = Object.entries(route.arguments)
    .filter(([, schema]) => !isOptional(schema))
    .map(([name]) => name);
  const schema = { type: "object", required, properties: { ...route.arguments, ...tokens } };
  const types = route.takesFile
    ? ["multipart/form-data"]
    : ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function success(route: Route): Record<string, Node> {
  if (route.replyType) return { 200: { description: "Done.", content: { [route.replyType]: {} } } };
  if (!route.reply) {
    if (route.method === "GET") return { 200: { description: "Done." } };
    return { 204: { description: "Done; there is nothing to say." } };
  }
  const schema = route.isBare ? route.reply : wrapped(route.reply);
  return { 200: { description: "Done.", content: { "application/json": { schema } } } };
}

const wrapped = (data: TSchema): Node => ({ type: "object", required: ["data"], properties: { data } });

const everywhere: Code[] = ["query_too_complex", "headers_too_large", "internal"];
const guarded: Code[] = [
  "token_missing",
  "token_invalid",
  "token_ambiguous",
  "scope_missing",
  "call_limit_reached",
  "too_many_failures",
];
const written: Code[] = [
  "access_token_missing",
  "access_token_invalid",
  "body_invalid",
  "body_too_large",
  "media_type_unsupported",
  "argument_missing",
  "argument_invalid",
  "busy",
  "outcome_unknown",
];

function failures({ need, problems }: Route): Record<string, Node> {
  const codes = [...problems, ...everywhere, ...(need ? guarded : []), ...(need?.isWrite ? written : [])];
  const byStatus = new Map<number, Set<Code>>();
  for (const code of codes) {
    const status = statusOf[catalogue[code].kind];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const response = (names: Set<Code>): Node => ({
    description: [...names]
      .map((code) => `[\`${code}\`](${problemDocsPath}#${code}) ${catalogue[code].title}`)
      .join("; "),
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  });
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, names]) => [status, response(names)]),
  );
}
