import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { buffer as bytesOf } from "node:stream/consumers";
import { silenceOf } from "../health/probe-service.ts";
import type { Ask, CommandReply } from "../operator.ts";
import { type CommandCall, CommandError, type Option, UsageError } from "./command.ts";
import { type FormFile, formBody } from "./form.ts";

/** Commands that speak to a service over HTTP, with the tokens of two variables. */

export const urlOption: Option = {
  value: "URL",
  help: "The address of a service, which is called in place of the store.",
};

const expected = "expected an http or https address, as https://cms.example.org";

/** An address as the command line has it, without a slash at its end. Throws UsageError. */
export function parseServiceUrl(sent: string, flag = "--url"): string {
  const url = /^https?:\/\//i.test(sent) ? URL.parse(sent) : null;
  if (!url) throw new UsageError(`${flag} was "${sent}"; ${expected}`);
  // What may be a secret is not repeated.
  if (url.username || url.password) throw new UsageError(`${flag} has a name or a password; ${expected}`);
  if (/[?#]/.test(sent)) throw new UsageError(`${flag} has more than an address; ${expected}`);
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

/** Without the end of the line that a file of secrets may have. Throws UsageError. */
export function readToken(env: Env, name: string): string | undefined {
  const token = env[name]?.trim();
  if (!token || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`${name} is no token; expected one word, without spaces`);
}

/** How long a connection may be silent: as long as a check of a large store may take. */
const maxSilenceMs = 300_000;

/**
 * Asks the service at this address. Rejects with CommandError when nothing answers, or something that leads elsewhere.
 */
export function askService(url: string, env: Env, silenceMs = maxSilenceMs): Ask {
  return askWith(url, tokenHeaders(env), silenceMs);
}

/** Nothing answers at an address, or not to the end: it may do so later. */
export class Silence extends CommandError {}

/** Asks any other service at this address, with headers of its own, as askService does. */
export function askWith(url: string, own: Readonly<Record<string, string>>, silenceMs = maxSilenceMs): Ask {
  return ({ method, url: path, body, ifMatch }) => {
    const headers = {
      ...own,
      ...(body && { "Content-Type": body.type, "Content-Length": Buffer.byteLength(body.text) }),
      ...(ifMatch !== undefined && { "If-Match": ifMatch }),
    };
    return exchange(url, path, { method, headers, body: body?.text ?? "", silenceMs });
  };
}

/** Sends a file to a route of the service that takes a form. */
export type Upload = (path: string, fields: Readonly<Record<string, string>>, file: FormFile) => Promise<CommandReply>;

/** Uploads to the service at this address, as askService asks it. */
export function uploadTo(url: string, env: Env): Upload {
  const tokens = tokenHeaders(env);
  return (path, fields, file) => {
    const { type, size, pieces } = formBody(fields, file);
    const headers = { ...tokens, "Content-Type": type, "Content-Length": size };
    return exchange(url, path, { method: "POST", headers, body: Readable.from(pieces), silenceMs: maxSilenceMs });
  };
}

type Sent = { method: string; headers: OutgoingHttpHeaders; body: string | Readable; silenceMs: number };

async function exchange(url: string, path: string, sent: Sent): Promise<CommandReply> {
  const silent = (error: unknown): never => {
    throw new Silence(`no service answers at ${url}: ${silenceOf(error)}`);
  };
  const reply = await send(`${url}${path}`, sent).catch((error) => {
    // What cannot be read is no fault of the service.
    if (typeof sent.body !== "string" && sent.body.errored === error) throw error;
    return silent(error);
  });
  const { statusCode: status = 0, rawHeaders } = reply;
  const headers: CommandReply["headers"] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) headers.push([String(rawHeaders[i]), String(rawHeaders[i + 1])]);
  refuseElsewhere(url, reply);
  // What is text is read at once; an answer that nobody reads would keep the connection.
  const isBytes = /^(?:image|audio|video|application)\/(?!(?:[\w.-]+\+)?json\b)/.test(
    reply.headers["content-type"] ?? "",
  );
  const body = isBytes ? piecesOf(reply, silent) : await bytesOf(reply).catch(silent);
  return { status, headers, body };
}

/** Without fetch, which refuses ports that browsers do, such as 10080, and follows to other addresses. */
function send(address: string, { method, headers, body, silenceMs }: Sent): Promise<IncomingMessage> {
  const { request } = process.getBuiltinModule(/^https:/i.test(address) ? "node:https" : "node:http");
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(address, { method, headers, timeout: silenceMs }, resolve);
  asked.on("error", reject);
  asked.once("timeout", () => asked.destroy(new DOMException("no answer", "TimeoutError")));
  if (typeof body === "string") asked.end(body);
  else {
    // What cannot be read ends the request; an answer that comes before the end of the body counts.
    body.once("error", (error) => asked.destroy(error)).pipe(asked);
    asked.once("close", () => body.destroy());
  }
  return promise;
}

/** Throws CommandError for an answer that leads to another address: tokens go nowhere else. */
function refuseElsewhere(url: string, reply: IncomingMessage): void {
  const { statusCode: status = 0, headers } = reply;
  if (status < 300 || status >= 400 || headers.location === undefined) return;
  reply.resume();
  const { origin, pathname } = URL.parse(headers.location, url) ?? { origin: "", pathname: "another one" };
  throw new CommandError(
    `${url} leads to ${origin}${pathname}; expected --url with the address of the service itself: tokens are sent to no other`,
  );
}

async function* piecesOf(reply: IncomingMessage, silent: (error: unknown) => never): AsyncGenerator<Uint8Array, void> {
  try {
    yield* reply;
  } catch (error) {
    silent(error);
  }
}
