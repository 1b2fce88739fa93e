import { BatchedLog, type Level, lineHead, logError, withoutSecrets } from "../lib/log.ts";
import type { Route } from "./route.ts";

/** The request log and the error log, on standard output and standard error. core/lib/log.ts has what each line is. */
export type Log = {
  request(entry: RequestLine): void;
  /**
   * An error that a client sees only as `internal` or `busy`, or nobody sees; a sentence for the operator. A client's own
   * doing, such as a picture that cannot be drawn, is a warning.
   */
  error(id: string, error: unknown, level?: Level): void;
  /** Writes what was logged. */
  close(): void;
};

export type RequestLine = {
  id: string;
  address: string;
  method: string;
  url: string;
  status: number;
  startedMs: number;
  actor: string;
  /** The id of the trace that the request is a part of, if it says so. */
  trace?: string | undefined;
  /** Undefined where no route answers. */
  route?: Route | undefined;
};

export const silentLog: Log = { request: () => undefined, error: logError, close: () => undefined };

/**
 * `write` gets whole lines, at most a second after they were logged, and the last ones when an error ends the process:
 * they say what led to it.
 */
export function jsonLog(write: (lines: Buffer) => void): Log {
  const lines = new BatchedLog(write);
  const flush = (): void => lines.flush();
  process.once("exit", flush);
  const close = (): void => {
    process.off("exit", flush);
    flush();
  };
  return { request: (entry) => lines.line(formatLine(entry)), error: logError, close };
}

function formatLine({ id, address, method, url, status, startedMs, actor, trace }: RequestLine): string {
  const tookMs = (performance.now() - startedMs).toFixed(2);
  return (
    `${lineHead(status >= 500 ? "warn" : "info")},"id":"${id}","address":${quoted(address)},"method":"${method}",` +
    `"url":${quoted(redactUrl(url))},"status":${status},"ms":${tookMs},"actor":"${actor}"${trace === undefined ? "" : `,"trace":"${trace}"`}}`
  );
}

const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const quoted = (text: string): string => (plainText.test(text) ? `"${text}"` : JSON.stringify(text));

// `code` is what an issuer sends with who signed in there.
const secretNames = new Set(["token", "access_token", "s", "code"]);
// `token[]=` carries no token for the service, but a client that sends it by mistake still sends its secret.
const secretName = /(?:^|&)(?:token|access_token|s|code)(?:\[[^=&]*)?=/g;

/** The address as it may be logged: the values of tokens and signatures are redacted, however the names are encoded. */
export function redactUrl(url: string): string {
  const question = url.indexOf("?");
  const redacted = question < 0 ? url : `${url.slice(0, question)}?${redactQuery(url.slice(question + 1))}`;
  return redacted.includes("oct_") || redacted.includes("code") ? withoutSecrets(redacted) : redacted;
}

function redactQuery(query: string): string {
  if (!query.includes("%")) return redactPlain(query);
  const redactPair = (pair: string): string => {
    const equals = pair.indexOf("=");
    if (equals < 0) return pair;
    const name = pair.slice(0, equals);
    return secretNames.has(decodeName(name).split("[", 1)[0] as string) ? `${name}=[redacted]` : pair;
  };
  return query.split("&").map(redactPair).join("&");
}

/** Cut and joined by hand: replace() takes twice the time, of every request. */
function redactPlain(query: string): string {
  let redacted = "";
  let from = 0;
  secretName.lastIndex = 0;
  while (secretName.test(query)) {
    const end = query.indexOf("&", secretName.lastIndex);
    redacted += `${query.slice(from, secretName.lastIndex)}[redacted]`;
    from = end < 0 ? query.length : end;
    secretName.lastIndex = from;
  }
  return redacted + query.slice(from);
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
