import { isJsonObject, type Json, JsonError, parseJson } from "../core/lib/json.ts";
import { isProblem, Problem } from "../core/problem.ts";
import type { Ask, CommandReply } from "../operator.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../store-type.ts";
import { type CommandCall, CommandError } from "./command.ts";
import { bodyOf, headerOf, Refusal, refuse } from "./refusal.ts";
import { askService, parseServiceUrl, type Upload, uploadTo } from "./remote.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";
import { version } from "./version.ts";

/** Commands ask the API: that of a store, or that of a service. */

/**
 * Does the work with the API: over the store of the settings, as the operator and without tokens, or over HTTP with that
 * of the service of `--url`. Each answer is one that was accepted; a refusal rejects with Refusal, in the same words both
 * ways. Rejects with UsageError for a token that no variable has, with CommandError where no service answers.
 */
export async function withAsk<T>(call: CommandCall, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { url } = call.options;
  if (url !== undefined) return work(serviceOf(call, url).ask);
  const settings = callSettings(call);
  return withExistingStores(settings, async (stores) => {
    return work(await storeAsk(stores, settings));
  });
}

/** Asks the API over a store that is open. */
export async function storeAsk(stores: Stores, settings: Settings): Promise<Ask> {
  const { askRoute } = await import("../operator.ts");
  const ask = askRoute(stores, settings);
  return (request) => ask(request).catch(asRefusal);
}

/** A service at an address: what it refuses rejects with Refusal, what does not answer with CommandError. */
export type Service = { ask: Ask; upload: Upload };

/** The service at the address of `--url`, with the tokens of the two variables. Throws UsageError. */
export function serviceOf({ io }: CommandCall, sent: string): Service {
  const url = parseServiceUrl(sent);
  const [ask, upload] = [askService(url, io.env), uploadTo(url, io.env)];
  const accepted = async (reply: CommandReply): Promise<CommandReply> => {
    if (reply.status >= 400) await refuse(reply, url).catch(withVersion);
    return reply;
  };
  return {
    ask: async (request) => accepted(await (request.file ? upload(request.url, {}, request.file) : ask(request))),
    upload: async (...form) => accepted(await upload(...form)),
  };
}

/** What a service refuses that does not know the call of a newer command. */
const unknownCalls = ["route_not_found", "method_not_allowed", "argument_unknown"];

function withVersion(error: unknown): never {
  // What an operation of a batch does not know is what the caller wrote.
  const isOfCall = error instanceof Refusal && error.operation === undefined;
  if (!isOfCall || !unknownCalls.includes(error.code ?? "")) throw error;
  const hint = `the service may be older than this command, which is of version ${version}`;
  throw new Refusal(`${error.message}; ${hint}`, error.code, error);
}

/** Damage, and what has a cause, is told in the words of this machine. */
async function asRefusal(error: unknown): Promise<never> {
  if (!(error instanceof Problem) || error.cause !== undefined || isProblem(error, "store_damaged")) throw error;
  const { refusalOf } = await import("../operator.ts");
  return refuse(refusalOf(error));
}

// ---------------------------------------------------------------------------------------------- asking a route

/** The arguments of a route, under the names of the wire; what is undefined is not sent. */
export type Sent = Readonly<Record<string, unknown>>;

/**
 * The data of the answer of a route, of a list that of all its pages; undefined where there is none. `sent` may be the
 * JSON text of the arguments.
 */
export const answerOf = (ask: Ask, route: string, sent: Sent | string = {}): Promise<unknown> =>
  dataOf(ask, route, sent, plainData);

/** The same with numbers as they were written and keys in their order. */
export const exactAnswerOf = (ask: Ask, route: string, sent: Sent | string = {}): Promise<Json> =>
  dataOf(ask, route, sent, exactData) as Promise<Json>;

/** Reads the data in the text of an answer; undefined where there is none. */
type ReadData = (text: string) => unknown;

function dataOf(ask: Ask, route: string, sent: Sent | string, read: ReadData): Promise<unknown> {
  const [method = "", url = ""] = route.split(" ");
  if (typeof sent !== "string" && method === "GET") return allPages(ask, url, sent, read);
  const text = typeof sent === "string" ? sent : JSON.stringify(sent);
  return ask({ method, url, body: { type: "application/json", text } }).then((reply) => readReply(reply, read));
}

async function allPages(ask: Ask, url: string, sent: Sent, read: ReadData): Promise<unknown> {
  const items: unknown[] = [];
  for await (const data of pages(ask, url, sent, read)) {
    if (!Array.isArray(data)) return data;
    items.push(...data);
  }
  return items;
}

/** The data of each page of a list, as exactAnswerOf reads it. */
export const pagesOf = (ask: Ask, url: string, sent: Sent): AsyncGenerator<Json, void> =>
  pages(ask, url, sent, exactData) as AsyncGenerator<Json, void>;

async function* pages(ask: Ask, url: string, sent: Sent, read: ReadData): AsyncGenerator<unknown, void> {
  let cursor: string | undefined;
  do {
    const reply = await ask({ method: "GET", url: withQuery(url, { ...sent, cursor }) });
    yield await readReply(reply, read);
    cursor = nextOf(reply);
  } while (cursor !== undefined);
}

/** Where the next page begins: only its cursor is taken, whatever host and path a proxy names. */
function nextOf(reply: CommandReply): string | undefined {
  const link = /^<([^>]*)>; rel="next"/.exec(headerOf(reply, "link") ?? "")?.[1];
  return link === undefined ? undefined : (URL.parse(link, "http://any")?.searchParams.get("cursor") ?? undefined);
}

/** The address with these arguments. */
function withQuery(url: string, sent: Sent): string {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return `${url}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** The data of an answer. */
export const readAnswer = (reply: CommandReply): Promise<unknown> => readReply(reply, plainData);

/** The same as exactAnswerOf reads it. */
export const readExactAnswer = (reply: CommandReply): Promise<Json> => readReply(reply, exactData) as Promise<Json>;

async function readReply(reply: CommandReply, read: ReadData): Promise<unknown> {
  if (reply.status === 204) return undefined;
  const data = read(await bodyOf(reply));
  if (data === undefined) throw foreignAnswer();
  return data;
}

/** The failure of a command whose answer has another form than the route gives it. */
export const foreignAnswer = (): CommandError =>
  new CommandError("the answer is none of Octavo; expected the address of a service");

function plainData(text: string): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  } catch {
    return undefined;
  }
}

/** How deep an answer may be: it has things in a list in an object, each as deep as a body. */
const maxAnswerDepth = 80;

function exactData(text: string): Json | undefined {
  try {
    const answer = parseJson(text, maxAnswerDepth);
    return isJsonObject(answer) ? answer.get("data") : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
