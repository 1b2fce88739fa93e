/** A connection by hand, for what an HTTP client does not send: the test writes bytes and reads the replies one by one. */
import assert from "node:assert/strict";
import net from "node:net";
import type { Call, Reply } from "./client.ts";

export class Wire {
  readonly socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(base: string, from?: string) {
    const { hostname, port } = new URL(base);
    this.socket = net.connect({ host: hostname, port: Number(port || 80), localAddress: from });
    this.socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
    this.socket.on("error", () => undefined);
  }

  /** Writes bytes; false when the other side has closed or does not accept them in time. */
  write(bytes: string | Uint8Array, timeoutMs = 3000): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), timeoutMs);
    const done = (error?: Error | null) => {
      clearTimeout(timer);
      resolve(!error && !this.#isClosed);
    };
    if (this.#isClosed) done();
    else this.socket.write(bytes, done);
    return promise;
  }

  /** Waits for data or the end of the connection. */
  get isAnswered(): boolean {
    return this.#received.length > 0 || this.#isClosed;
  }

  /** The next reply, without 100 Continue. `method` is that of the request: HEAD has no body. */
  async reply(method = "GET", timeoutMs = 5000): Promise<Reply> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const parsed = parseReply(this.#received, method, this.#isClosed);
      if (parsed) {
        this.#received = this.#received.subarray(parsed.length);
        if (parsed.reply.status !== 100) return parsed.reply;
        continue;
      }
      const left = until - Date.now();
      const said = JSON.stringify(this.#received.subarray(0, 200).toString());
      assert.ok(left > 0, `no whole reply within ${timeoutMs} ms, only ${said}`);
      assert.ok(!this.#isClosed, `the connection was closed without a whole reply, only ${said}`);
      await this.#change(left);
    }
  }

  /** True once the other side has closed; false when it has not in time. */
  async closed(timeoutMs = 3000): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    while (!this.#isClosed && Date.now() < until) await this.#change(until - Date.now());
    return this.#isClosed;
  }

  destroy(): void {
    this.socket.destroy();
  }

  #change(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }
}

type Parsed = { reply: Reply; length: number };

function parseReply(all: Buffer, method: string, isClosed: boolean): Parsed | undefined {
  const end = all.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = all.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  assert.ok(status >= 100, `a status line, not ${first}`);
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  const headers: Record<string, string> = {};
  for (const [name = "", value = ""] of pairs) headers[name.toLowerCase()] = value;
  const hasBody = method !== "HEAD" && status >= 200 && status !== 204 && status !== 304;
  const body = hasBody ? parseBody(all.subarray(end + 4), headers, isClosed) : { bytes: Buffer.alloc(0), length: 0 };
  if (!body) return undefined;
  const { bytes, length } = body;
  const call: Call = { method, path: "(by hand)" };
  const reply = { status, headers, rawHeaders: pairs.flat(), bytes, text: bytes.toString(), call };
  return { reply, length: end + 4 + length };
}

function parseBody(rest: Buffer, headers: Record<string, string>, isClosed: boolean) {
  if (headers["transfer-encoding"] === "chunked") return parseChunks(rest);
  const length = headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  if (length === undefined) return isClosed ? { bytes: Buffer.from(rest), length: rest.length } : undefined;
  return rest.length < length ? undefined : { bytes: Buffer.from(rest.subarray(0, length)), length };
}

function parseChunks(rest: Buffer): { bytes: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = rest.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, line).toString("latin1"), 16);
    if (rest.length < line + 2 + size + 2) return undefined;
    chunks.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: at };
  }
}
