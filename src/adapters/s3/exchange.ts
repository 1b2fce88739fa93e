import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { unanswered } from "./bucket-error.ts";

/** One request and the head of its answer over HTTP, once: no signature, no second try. */

export type Exchange = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Sent as it is, or piece by piece. */
  body: Uint8Array | Readable | undefined;
  agent: http.Agent;
  /** How long nothing may move, in either direction, before it is given up: a long download is none the shorter. */
  timeoutMs: number;
};

/** Connections that are kept for the next request, for addresses of this scheme. */
export const openAgent = (scheme: string): http.Agent =>
  new (scheme === "https:" ? https : http).Agent({ keepAlive: true, maxFreeSockets: 32 });

/**
 * Answers when the head is there; its body is to be read to the end or destroyed. Throws BucketError with status 0, and
 * what reading `body` throws.
 */
export function exchange({ method, url, headers, body, agent, timeoutMs }: Exchange): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "https:" ? https : http).request(url, { method, headers, agent });
  let answer: IncomingMessage | undefined;
  let unread: unknown;
  request.once("response", (response) => {
    answer = response;
    // The server may answer before it has read all: the rest of the body is not sent.
    response.once("end", () => request.writableFinished || request.destroy());
    resolve(response);
  });
  // After the answer the reader of its body receives the failure.
  request.on("error", (error) => reject(unread ?? unanswered(`${method} ${url.pathname}`, error)));
  request.setTimeout(timeoutMs, () => {
    // What lies here unread waits for its reader, not for the bucket.
    if (answer && answer.readableLength > 0) request.socket?.setTimeout(timeoutMs);
    else request.destroy(Object.assign(new Error("nothing came"), { code: "ETIMEDOUT" }));
  });
  sendBody(request, body, (error) => {
    unread = error;
  });
  return promise;
}

function sendBody(request: ClientRequest, body: Exchange["body"], onUnread: (error: unknown) => void): void {
  if (body === undefined || body instanceof Uint8Array) return void request.end(body);
  body.once("error", (error) => {
    onUnread(error);
    request.destroy(error);
  });
  request.once("close", () => body.destroy());
  body.pipe(request);
}

/** Lets go of an answer that is not read on, and of its connection. */
export function dismiss(response: IncomingMessage): void {
  response.on("error", () => undefined);
  response.destroy();
}
