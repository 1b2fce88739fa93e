import type { TokenStore } from "../core/access/token.ts";
import { authenticate, type Credentials, isWrite, type Need, refuseScope } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { nearestOf } from "../core/http/ignored.ts";
import { innerCall } from "../core/http/inner.ts";
import type { Answer } from "../core/http/reply.ts";
import type { Route } from "../core/http/route.ts";
import { formatJson, isJsonObject, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { isOptional } from "../core/lib/json-schema.ts";
import { limitNames } from "../core/list/list.ts";
import { type ArgumentSchema, checkArguments, plainSchema } from "./tool-argument-wire.ts";
import { type Ask, pageOf, refusalOf, writtenOf } from "./tool-result-wire.ts";
import { type Tool, tools } from "./tool-table-wire.ts";

/** What `tools/list` says of a tool. */
type ListedTool = {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: "object";
    properties: Record<string, ArgumentSchema>;
    required: string[];
    additionalProperties: false;
  };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: false };
};

const cursor = { type: "string", description: "`next_cursor` of the result before: answers what follows it." };
const ifMatch = {
  type: "string",
  description: "The `etag` that you read: the change is refused if somebody has changed the entry since then.",
};

/**
 * The tools of agents. Each runs a route of the API in the process, with the rights of the tokens that called it, and is
 * counted as a call of it. Contract, part three, §18; decision 76.
 */
export class Tools {
  private readonly tokens: TokenStore;
  private readonly routes: ReadonlyMap<string, Route>;
  private readonly tools: readonly Tool[];

  constructor(routes: readonly Route[], tokens: TokenStore) {
    this.tokens = tokens;
    this.routes = new Map(routes.map((route) => [`${route.method} ${route.url}`, route]));
    const hasLocales = "locale" in (this.routes.get("GET /api/entries") as Route).arguments;
    this.tools = tools.filter(({ needsLocales }) => hasLocales || !needsLocales);
  }

  /** Those whose routes the caller's token may call. */
  list(call: Call): ListedTool[] {
    return this.tools.flatMap((tool) => {
      const routes = this.routesOf(tool).filter((route) => mayCall(call, route));
      return routes.length > 0 ? [listed(tool, routes)] : [];
    });
  }

  /** The result of a call of the tool, as the members of a JSON object; undefined for an unknown tool. */
  async call(call: Call, name: string, sent: JsonObject): Promise<string | undefined> {
    const tool = this.tools.find((each) => each.name === name);
    if (!tool) return undefined;
    try {
      return await this.run(call, tool, sent);
    } catch (error) {
      return refusalOf(error, call.eventOrigin.requestId ?? "");
    }
  }

  private async run(call: Call, tool: Tool, sent: JsonObject): Promise<string> {
    const route = this.routeFor(call, tool, sent);
    const need = route.need as Need;
    const sender = await authenticate(this.tokens, need, call.credentials as Credentials, call.nowSeconds);
    const { properties } = listed(tool, this.routesOf(tool)).inputSchema;
    checkArguments(properties, sent, (name) => nearestOf(route, name));
    const from: Call = { ...call, ...sender, accept: undefined };
    const args = tool.prepare?.(sent) ?? sent;
    const ask: Ask = async ({ cursor, limit }) => {
      const asked = new Map(args);
      asked.delete("cursor");
      if (cursor !== undefined) asked.set("cursor", cursor);
      if (limit !== undefined) setLimit(asked, limit);
      const own = innerCall(from, { route, rest: "" }, requestOf(route, asked));
      return (await route.handle(own, route.read(own))) as Answer;
    };
    return isWrite(need) ? writtenOf(await ask({})) : pageOf(ask, sent.get("cursor"), () => isByChance(args));
  }

  private routesOf({ routes }: Tool): Route[] {
    return routes.map((name) => this.routes.get(name) as Route);
  }

  /** Of those that the caller may call the first that takes what was sent. */
  private routeFor(call: Call, tool: Tool, sent: JsonObject): Route {
    const routes = this.routesOf(tool);
    const callable = routes.filter((route) => mayCall(call, route));
    const takes = (route: Route) => [...sent.keys()].every((name) => name === "cursor" || name in route.arguments);
    return callable.find(takes) ?? callable[0] ?? (routes[0] as Route);
  }
}

function mayCall(call: Call, { need }: Route): boolean {
  try {
    refuseScope(call, need as Need);
    return true;
  } catch {
    return false;
  }
}

function listed(tool: Tool, routes: readonly Route[]): ListedTool {
  const [first] = routes as [Route];
  const isReadOnly = !isWrite(first.need);
  const properties: Record<string, ArgumentSchema> = {};
  for (const route of routes) {
    for (const [name, schema] of Object.entries(route.arguments)) {
      if (!tool.without?.includes(name)) properties[name] ??= plainSchema(schema);
    }
  }
  if (isReadOnly) properties.cursor = cursor;
  if (tool.takesIfMatch) properties.if_match = ifMatch;
  const required = Object.keys(properties).filter((name) => {
    const schema = first.arguments[name];
    if (tool.required?.includes(name)) return true;
    return schema !== undefined && !isOptional(schema) && !tool.optional?.includes(name);
  });
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: isReadOnly, destructiveHint: tool.isDestructive ?? false, openWorldHint: false },
  };
}

/** The arguments as the route is sent them: of a read in the query, objects as JSON. */
function requestOf({ method, url, arguments: taken }: Route, args: JsonObject) {
  const sent = new Map(args);
  const match = sent.get("if_match") as string | undefined;
  sent.delete("if_match");
  if (method !== "GET") return { method, url, body: sent, ifMatch: match };
  // Unknown keys of a filter are refused, too.
  if ("strict" in taken) sent.set("strict", "1");
  const query = [...sent].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`);
  return { method, url: `${url}?${query.join("&")}`, body: new Map<string, Json>(), ifMatch: undefined };
}

const textOf = (value: Json): string => (typeof value === "string" ? value : formatJson(value));

/** Lists of entries have their limit in the filter, under the names that were sent. */
function setLimit(args: JsonObject, limit: number): void {
  const filter = filterOf(args);
  if (!filter) args.set("limit", limit);
  else {
    const names = limitNames.filter((name) => filter.has(name));
    const limits = (names.length > 0 ? names : ["limit"]).map((name) => [name, limit] as const);
    args.set("filter", new Map<string, Json>([...filter, ...limits]));
  }
}

/** The filter, which may be a text of JSON; undefined for a call without one. */
function filterOf(args: JsonObject): JsonObject | undefined {
  const sent = args.get("filter");
  const filter = typeof sent === "string" ? parseJson(sent, 1000) : sent;
  return isJsonObject(filter) ? filter : undefined;
}

/** Whether each answer is another one, so that none can be continued. */
function isByChance(args: JsonObject): boolean {
  const sent = filterOf(args)?.get("return");
  return typeof sent === "string" && ["random", "shuffle"].includes(sent.toLowerCase());
}
