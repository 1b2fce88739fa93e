import type { FormFile } from "./cli/form.ts";
import { version } from "./cli/version.ts";
import { noCompanions } from "./companions.ts";
import type { Bytes } from "./core/bytes/blob.ts";
import { silentLog } from "./core/http/log.ts";
import { answerOperator, type OperatorRequest } from "./core/http/operator.ts";
import { problemBody, statusOf } from "./core/http/problem.ts";
import type { Route, RouteAnswer } from "./core/http/route.ts";
import type { Match } from "./core/http/router.ts";
import { isOptional, type TSchema } from "./core/lib/json-schema.ts";
import type { LongText } from "./core/lib/long-text.ts";
import { Problem } from "./core/problem.ts";
import { configuredUrl, ownUrl } from "./health/probe-service.ts";
import { loadFeatures, Serving } from "./serving.ts";
import type { Settings } from "./settings.ts";
import { openStores, type Stores } from "./stores.ts";

/** The API inside of a command, on the store's own machine: without a service, and without tokens. */

/** A request of a command: the same in this process and over HTTP. `url` begins with the path. */
export type CommandRequest = Omit<OperatorRequest, "file" | "origin"> & {
  /** The file of a form, in place of a body. */
  file?: FormFile | undefined;
};

/** What was answered; over HTTP also a refusal. Header names are as they are sent. */
export type CommandReply = { status: number; headers: [name: string, value: string][]; body: Bytes };

/** Answers requests of a command. */
export type Ask = (request: CommandRequest) => Promise<CommandReply>;

// ---------------------------------------------------------------------------------------------- the whole API

/** An argument of a route: its name, what kind of value it has, whether it is needed, and what it is. */
export type ArgumentFacts = { name: string; type: string; isRequired: boolean; description: string };

/** The API over the store of the settings, whose calls the operator makes. */
export type Operator = {
  /** Answers refusals as a service does, but rejects with those that have a cause, and with what is none. */
  ask: Ask;
  /** The arguments of a route. Throws route_not_found, method_not_allowed. */
  argumentsOf(method: string, url: string): ArgumentFacts[];
};

/** What features serve, all or those of one path, for commands: nothing listens, and nothing runs in the background. */
async function servingOf(stores: Stores, settings: Settings, url: string, path?: string): Promise<Serving> {
  const ground = {
    settings,
    stores,
    // The chores and the uploads tree are the running service's.
    companions: { ...noCompanions, leads: false },
    log: silentLog,
    version,
    url: () => url,
    isOpen: () => true,
    open: async () => ({ connections: 0, streams: 0 }),
    every: () => undefined,
    chore: async () => undefined,
  };
  return new Serving(ground, await loadFeatures(path));
}

/** Where a command says that the service is. */
export const originOf = ({ publicUrl, port }: Settings): string => publicUrl ?? `http://localhost:${port}`;

/** Does the work with the API over the store, which must exist. */
export async function withOperator<T>(settings: Settings, work: (operator: Operator) => Promise<T>): Promise<T> {
  const { Router } = await import("./core/http/router.ts");
  const stores = await openStores(settings, { mustExist: true });
  const serving = await servingOf(stores, settings, ownUrl(settings) ?? "");
  const router = new Router(serving.api);
  const ask: Ask = async (request) => {
    const match = router.get(request.method, request.url);
    return answerTo(stores, settings, match, request);
  };
  try {
    return await work({
      ask: (request) => ask(request).catch(refusalOf),
      argumentsOf: (method, url) => Object.entries(router.get(method, url).route.arguments).map(factsOf),
    });
  } finally {
    await serving.stop();
    await stores.close();
  }
}

function factsOf([name, schema]: [string, TSchema]): ArgumentFacts {
  const { type, enum: names, description = "" } = schema as { type?: unknown; enum?: string[]; description?: string };
  const kind = names?.join("|") ?? (typeof type === "string" ? type : "any");
  return { name, type: kind, isRequired: !isOptional(schema), description };
}

/** The answer that a refusal is. Throws what has a cause, and what is none. */
export function refusalOf(error: unknown): CommandReply {
  if (!(error instanceof Problem) || error.cause !== undefined) throw error;
  return { status: statusOf[error.kind], headers: [], body: Buffer.from(problemBody(error, "")) };
}

// ---------------------------------------------------------------------------------------------- one route

/**
 * Asks one route, in a store that is open; loads its feature alone, where one says that the address is its own, since all of the API would double the time of a start.
 * Rejects with what it is refused with.
 */
export function askRoute(stores: Stores, given: Settings): Ask {
  // A command prints a link, and sends none; the tries of a command are not counted.
  const settings = { ...given, smtpUrl: "", authFailuresPerMinute: 0 };
  const servings = new Map<string, Promise<Serving>>();
  return async (request) => {
    const [path = ""] = request.url.split("?");
    const serving = servings.get(path) ?? servingOf(stores, settings, configuredUrl(settings), path);
    servings.set(path, serving);
    const { api } = await serving;
    const route = api.find(({ method, url }) => method === request.method && url === path) as Route;
    return answerTo(stores, settings, { route, rest: "" }, request);
  };
}

async function answerTo(
  stores: Stores,
  settings: Settings,
  match: Match,
  { file, ...request }: CommandRequest,
): Promise<CommandReply> {
  const staged = file && (await stores.blobs.stage(file.open(), settings.uploadMaxBytes));
  const received = file && staged && { filename: file.name, staged };
  try {
    return await replyOf(await answerOperator(match, { ...request, file: received, origin: originOf(settings) }));
  } finally {
    await staged?.discard();
  }
}

// ---------------------------------------------------------------------------------------------- the answer

async function replyOf(answer: RouteAnswer): Promise<CommandReply> {
  if ("from" in answer) throw new Error("a command reads no stream");
  const { contentType, headers = [] } = answer;
  const tag = "tag" in answer ? answer.tag : undefined;
  const all: [string, string][] = [["Content-Type", contentType]];
  for (let i = 0; i < headers.length; i += 2) all.push([headers[i] as string, headers[i + 1] as string]);
  if (tag !== undefined) all.push(["ETag", `"${tag}"`]);
  if ("pieces" in answer) return { status: 200, headers: all, body: answer.pieces };
  if (!("source" in answer)) return { status: answer.status, headers: all, body: bytesOf(answer.body) };
  const source = typeof answer.source === "function" ? await answer.source() : answer.source;
  return { status: 200, headers: all, body: await source.open({ start: 0, end: source.size - 1 }) };
}

function bytesOf(body: LongText | Buffer): Uint8Array {
  if (typeof body === "string") return Buffer.from(body);
  return Array.isArray(body) ? Buffer.concat(body) : body;
}
