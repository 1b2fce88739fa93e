import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { unanswered } from "./bucket-error.ts";

/** One HTTP request and the head of its response: no signature, no retry. */

export type Exchange = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Sent as it is, or streamed. */
  body: Uint8Array | Readable | undefined;
  agent: http.Agent;
  /** Idle timeout in either direction; it does not limit the duration of a download. */
  timeoutMs: number;
};

/** The keep-alive agent for addresses of this scheme. */
export const openAgent = (scheme: string): http.Agent =>
  new (scheme === "https:" ? https : http).Agent({ keepAlive: true, maxFreeSockets: 32 });

/**
 * Answers when the response head has arrived; the caller must read the body to its end or destroy it. Throws
 * BucketError with status 0, and what reading `body` throws.
 */
export function exchange({ method, url, headers, body, agent, timeoutMs }: Exchange): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "https:" ? https : http).request(url, { method, headers, agent });
  let answer: IncomingMessage | undefined;
  let unread: unknown;
  request.once("response", (response) => {
    answer = response;
    // The server may respond before it has read everything: the rest of the body is not sent.
    response.once("end", () => request.writableFinished || request.destroy());
    resolve(response);
  });
  // After the head, the reader of the body receives the failure.
  request.on("error", (error) => reject(unread ?? unanswered(`${method} ${url.pathname}`, error)));
  request.setTimeout(timeoutMs, () => {
    // Bytes that are buffered here wait for their reader, not for the bucket.
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

/** Drops a response that is not read any further, and its connection. */
export function dismiss(response: IncomingMessage): void {
  response.on("error", () => undefined);
  response.destroy();
}
