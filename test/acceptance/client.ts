/** Sends any request, even a malformed one, and returns the raw reply. Knows nothing about the service. */
import { randomInt } from "node:crypto";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** A value for bracketed query or form arguments: `{filter: {where: {key: "a"}}}`. */
export type Arguments = { [name: string]: ArgumentValue };
export type ArgumentValue = string | number | boolean | ArgumentValue[] | Arguments;

export type Call = {
  method?: string;
  /** `/api/entries`, sent as it is: no dot segment is resolved. */
  path: string;
  /** Bracketed and percent-encoded, or, as text, appended as it is. */
  query?: Arguments | string;
  /** A JSON body; as text, sent as it is. */
  json?: unknown;
  /** An urlencoded body with brackets. */
  form?: Arguments;
  /** A multipart body with brackets. */
  multipart?: Arguments;
  /** Any other body. */
  body?: string | Uint8Array;
  /** The Content-Type, if not the default one of the body; null sends none. */
  type?: string | null;
  headers?: Record<string, string | string[]>;
  /** True to send from a unique address, so that failed authentication throttles no other test. */
  uniqueAddress?: boolean;
  /** The local address to send from. */
  from?: string;
  /** Sends the body without a Content-Length. */
  chunked?: boolean;
};

export type Reply = {
  status: number;
  headers: http.IncomingHttpHeaders;
  rawHeaders: string[];
  /** As received, still encoded. */
  bytes: Buffer;
  /** Decoded. */
  text: string;
  call: Call;
};

/** `a[b][]=c&…`, percent-encoded as a browser does it. */
export function brackets(args: Arguments): string {
  const pairs: string[] = [];
  const walk = (name: string, value: ArgumentValue): void => {
    if (Array.isArray(value)) {
      const isFlat = value.every((item) => typeof item !== "object");
      for (const [index, item] of value.entries()) walk(`${name}[${isFlat ? "" : index}]`, item);
      if (value.length === 0) walk(`${name}[]`, "");
    } else if (typeof value === "object") {
      for (const [key, item] of Object.entries(value)) walk(name === "" ? key : `${name}[${key}]`, item);
    } else pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  };
  walk("", args);
  return pairs.join("&");
}

function multipartBody(args: Arguments, boundary: string): string {
  const parts = brackets(args)
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => pair.split("=").map(decodeURIComponent));
  const one = ([name, value]: string[]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return `${parts.map(one).join("")}--${boundary}--\r\n`;
}

function bodyOf(call: Call): { body: string | Uint8Array | undefined; type: string | undefined } {
  const boundary = "----octavo-acceptance-7f3a";
  if (call.json !== undefined) {
    const body = typeof call.json === "string" ? call.json : JSON.stringify(call.json);
    return { body, type: "application/json" };
  }
  if (call.form) return { body: brackets(call.form), type: "application/x-www-form-urlencoded" };
  if (call.multipart) {
    return { body: multipartBody(call.multipart, boundary), type: `multipart/form-data; boundary=${boundary}` };
  }
  return { body: call.body, type: undefined };
}

const agents = { "http:": new http.Agent({ keepAlive: true, maxSockets: 64 }), "https:": new https.Agent() };

/** Closes idle connections, so that the process can end. */
export function closeConnections(): void {
  agents["http:"].destroy();
  agents["https:"].destroy();
}

/** A unique address of the loopback network if the service is on loopback; otherwise undefined. */
export function freshAddress(base: string): string | undefined {
  const isLoopback = process.platform === "linux" && new URL(base).hostname.startsWith("127.");
  return isLoopback ? `127.${randomInt(1, 250)}.${randomInt(1, 250)}.${randomInt(2, 250)}` : undefined;
}

/** Sends one request and reads the whole reply. Rejects only when no reply was received. */
export async function send(base: string, call: Call): Promise<Reply> {
  const { body, type } = bodyOf(call);
  const headers: Record<string, string | string[]> = { ...call.headers };
  const contentType = call.type === undefined ? type : call.type;
  if (contentType) headers["content-type"] = contentType;
  if (body !== undefined && !call.chunked) headers["content-length"] = String(Buffer.byteLength(body));
  // Node's client frames the body of a DELETE only with this header.
  if (call.chunked) headers["transfer-encoding"] = "chunked";
  const query = typeof call.query === "string" ? call.query : brackets(call.query ?? {});
  const url = new URL(base);
  const secure = url.protocol === "https:";
  const from = call.from ?? (call.uniqueAddress ? freshAddress(base) : undefined);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const request = (secure ? https : http).request({
    host: url.hostname,
    port: url.port || undefined,
    method: call.method ?? "GET",
    path: query === "" ? call.path : `${call.path}?${query}`,
    headers,
    ...(from ? { localAddress: from, agent: false } : { agent: secure ? agents["https:"] : agents["http:"] }),
  });
  let replied = false;
  request.on("response", (response) => {
    replied = true;
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => resolve(replyOf(call, response, Buffer.concat(chunks))));
  });
  // A server may answer 413 and close while we still write; the reply counts, the write error does not.
  request.on("error", (error) => setTimeout(() => (replied ? undefined : reject(error)), 50));
  request.setTimeout(30_000, () => request.destroy(new Error(`no reply to ${request.method} ${call.path} in 30 s`)));
  if (call.chunked && body !== undefined) request.write(body);
  request.end(call.chunked ? undefined : body);
  return promise;
}

function replyOf(call: Call, response: http.IncomingMessage, bytes: Buffer): Reply {
  const { headers, rawHeaders } = response;
  return { status: response.statusCode ?? 0, headers, rawHeaders, bytes, text: decoded(headers, bytes), call };
}

function decoded(headers: http.IncomingHttpHeaders, bytes: Buffer): string {
  if (bytes.length === 0) return "";
  if (headers["content-encoding"] === "br") return brotliDecompressSync(bytes).toString();
  if (headers["content-encoding"] === "gzip") return gunzipSync(bytes).toString();
  return bytes.toString();
}

/** Sends bytes as they are and reads until the server closes or `quietMs` pass without a byte. */
export function sendRaw(base: string, bytes: string | Uint8Array, quietMs = 1500): Promise<string> {
  const url = new URL(base);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = net.connect(Number(url.port || 80), url.hostname);
  const chunks: Buffer[] = [];
  const done = () => {
    socket.destroy();
    resolve(Buffer.concat(chunks).toString());
  };
  socket.setTimeout(quietMs, done);
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", done);
  socket.on("close", done);
  socket.write(bytes);
  return promise;
}
