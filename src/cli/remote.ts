import { silenceOf } from "../health/probe-service.ts";
import type { Ask, CommandReply } from "../operator.ts";
import { type CommandCall, CommandError, type Option, UsageError } from "./command.ts";

/** Commands that speak to a service over HTTP, with the tokens of two variables. */

export const urlOption: Option = {
  value: "URL",
  help: "The address of a service, which is called in place of the store.",
};

const expected = "expected an http or https address, as https://cms.example.org";

/** An address as the command line has it, without a slash at its end. Throws UsageError. */
export function parseServiceUrl(sent: string): string {
  const url = /^https?:\/\//i.test(sent) ? URL.parse(sent) : null;
  if (!url) throw new UsageError(`--url was "${sent}"; ${expected}`);
  // What may be a secret is not repeated.
  if (url.username || url.password) throw new UsageError(`--url has a name or a password; ${expected}`);
  if (/[?#]/.test(sent)) throw new UsageError(`--url has more than an address; ${expected}`);
  return sent.replace(/\/+$/, "");
}

type Env = CommandCall["io"]["env"];

/** The headers of the tokens that there are. Throws UsageError for a text that no header can have. */
export function tokenHeaders(env: Env): Record<string, string> {
  const token = readToken(env, "OCTAVO_TOKEN");
  const accessToken = readToken(env, "OCTAVO_ACCESS_TOKEN");
  return {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(accessToken && { "X-Access-Token": accessToken }),
  };
}

/** Without the end of the line that a file of secrets may have. */
function readToken(env: Env, name: string): string | undefined {
  const token = env[name]?.trim();
  if (!token || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`${name} is no token; expected one word, without spaces`);
}

/** How long a command waits for an answer to begin, and for the whole of one that it reads at once. */
const answerMs = 300_000;

/**
 * Asks the service at this address. Rejects with CommandError when nothing answers, or something that leads elsewhere.
 */
export function askService(url: string, env: Env, waitMs = answerMs): Ask {
  const tokens = tokenHeaders(env);
  return ({ method, url: path, body, ifMatch }) => {
    const headers = {
      ...tokens,
      ...(body && { "Content-Type": body.type }),
      ...(ifMatch !== undefined && { "If-Match": ifMatch }),
    };
    return exchange(url, path, { method, headers, ...(body && { body: body.text }) }, waitMs);
  };
}

async function exchange(url: string, path: string, request: RequestInit, waitMs: number): Promise<CommandReply> {
  const silent = (error: unknown): never => {
    throw new CommandError(`no service answers at ${url}: ${silenceOf(error)}`);
  };
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), waitMs);
  try {
    // Tokens go nowhere else.
    const options: RequestInit = { ...request, redirect: "manual", signal: patience.signal };
    const reply = await fetch(`${url}${path}`, options).catch(silent);
    refuseElsewhere(url, reply);
    const headers: CommandReply["headers"] = [...reply.headers];
    const isText = /^(?:text|application)\/(?:[\w.-]+\+)?(?:json|html|plain)\b/.test(
      reply.headers.get("content-type") ?? "text/plain",
    );
    const body = isText ? new Uint8Array(await reply.arrayBuffer().catch(silent)) : piecesOf(reply, silent);
    return { status: reply.status, headers, body };
  } finally {
    clearTimeout(timer);
  }
}

/** Throws CommandError for an answer that leads to another address. */
function refuseElsewhere(url: string, { status, headers }: Response): void {
  const to = headers.get("location");
  if (status < 300 || status >= 400 || to === null) return;
  const { origin, pathname } = URL.parse(to, url) ?? { origin: "", pathname: "another one" };
  throw new CommandError(
    `${url} leads to ${origin}${pathname}; expected --url with the address of the service itself: tokens are sent to no other`,
  );
}

async function* piecesOf({ body }: Response, silent: (error: unknown) => never): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const piece of body ?? []) yield piece;
  } catch (error) {
    silent(error);
  }
}
