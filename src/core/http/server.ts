import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Problem, problem } from "../problem.ts";
import { openCors } from "./cors.ts";
import { type ExchangeOptions, Exchanges } from "./exchange.ts";
import { problemBody, statusOf } from "./problem.ts";
import { commonHeaders } from "./reply.ts";
import type { Route } from "./route.ts";
import { watchSending } from "./send-watch.ts";

// Not by `import`, which reads every export of the module and so loads Node's WebSocket client: 30 ms and 13 MB. Decision
// 44.
const { createServer } = process.getBuiltinModule("node:http");

export type ServerOptions = ExchangeOptions & { sendTimeoutMs: number };

/** Above the query's own limit, so that a long query gets the clearer refusal. */
const maxHeaderBytes = 32 * 1024;
const idleConnectionMs = 75_000;

/** The HTTP server with these routes; not yet listening. */
export class HttpServer {
  readonly server: Server;
  private readonly exchanges: Exchanges;

  constructor(routes: readonly Route[], options: ServerOptions) {
    const exchanges = new Exchanges(routes, options);
    this.exchanges = exchanges;
    this.server = createNodeServer(options.requestTimeoutMs)
      .on("request", (request, response) => exchanges.answer(request, response))
      // Expectations other than 100-continue are ignored (RFC 9110 §10.1.1 permits it); Node would answer a bare 417.
      .on("checkExpectation", (request, response) => exchanges.answer(request, response))
      .on("clientError", refuseUnreadable);
    const isWantedFrom = (connection: Socket) => exchanges.isWantedFrom(connection);
    watchSending(this.server, { timeoutMs: options.sendTimeoutMs, isWantedFrom });
  }

  /** How many connections and streams are open. */
  async open(): Promise<{ connections: number; streams: number }> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.server.getConnections((_error, count) => resolve(count ?? 0));
    return { connections: await promise, streams: this.exchanges.openStreams };
  }

  /** Rejects when it cannot listen on the port. */
  listen(host: string, port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.server.once("error", reject).listen({ host, port }, () => {
      this.server.off("error", reject);
      resolve();
    });
    return promise;
  }

  /** Stops accepting connections, closes idle ones, and resolves when the replies under way are sent. */
  close(): Promise<void> {
    this.exchanges.close();
    // A server that never listened has nothing to close.
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const createNodeServer = (headersTimeoutMs: number): Server =>
  createServer({
    maxHeaderSize: maxHeaderBytes,
    // Without a Host Node answers a bare 400; core/http/exchange.ts answers a problem.
    requireHostHeader: false,
    // Otherwise the first of two Host or Authorization headers would win silently. Most others are joined anyway.
    joinDuplicateHeaders: true,
    // A body has its own time limit, which an upload in progress extends: core/http/body.ts, core/http/receive.ts.
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    // How often Node checks for late connections; its default is every 30 seconds.
    connectionsCheckingInterval: 1000,
    // Longer than load balancers and clients keep an idle connection (usually 60 s): at Node's default of five seconds,
    // a request could cross with the close and end as a reset.
    keepAliveTimeout: idleConnectionMs,
    optimizeEmptyRequests: true,
  } as Parameters<typeof createServer>[0]);

/** Answers input that is not HTTP, or exceeds Node's own limits: no request object exists yet. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = unreadable(error.code);
  const body = problemBody(failure, "-");
  socket.end(
    `HTTP/1.1 ${statusOf[failure.kind]} ${failure.title}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `Cache-Control: no-store\r\n${headerLines(commonHeaders("-", openCors))}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Formats a flat array of names and values as header lines. */
function headerLines(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

function unreadable(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return problem("headers_too_large", { limit: maxHeaderBytes });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return problem("request_timeout");
  return problem("request_invalid", { reason: "it is not HTTP/1.1" });
}
