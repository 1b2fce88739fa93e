import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { type Problem, problem } from "../domain/problem.ts";
import { type ExchangeOptions, Exchanges, openCors } from "./exchange.ts";
import { problemBody, statusOf } from "./problem.ts";
import { commonHeaders } from "./reply.ts";
import type { Route } from "./route.ts";
import { watchSending } from "./send-watch.ts";

export type ServerOptions = ExchangeOptions & { sendTimeoutMs: number };

/** Above the query's own bound, so that a long query gets the clearer refusal. */
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
      // What is expected beyond 100-continue is passed over (RFC 9110 §10.1.1 lets us); Node would answer a bare 417.
      .on("checkExpectation", (request, response) => exchanges.answer(request, response))
      .on("clientError", refuseUnreadable);
    const isWantedFrom = (connection: Socket) => exchanges.isWantedFrom(connection);
    watchSending(this.server, { timeoutMs: options.sendTimeoutMs, isWantedFrom });
  }

  /** Rejects when the port cannot be had. */
  listen(host: string, port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.server.once("error", reject).listen({ host, port }, () => {
      this.server.off("error", reject);
      resolve();
    });
    return promise;
  }

  /** Takes no more connections, closes idle ones, and resolves when the replies under way are sent. */
  close(): Promise<void> {
    this.exchanges.isClosing = true;
    // Of a server that never listened there is nothing to close.
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const createNodeServer = (headersTimeoutMs: number): Server =>
  createServer({
    maxHeaderSize: maxHeaderBytes,
    // Without a Host Node answers a bare 400; http/exchange.ts answers a problem.
    requireHostHeader: false,
    // Otherwise of two Hosts, or two Authorizations, the first would win in silence. Most others are joined anyway.
    joinDuplicateHeaders: true,
    // A body has its own time, which an upload under way prolongs: http/body.ts, http/receive.ts.
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    // How often Node looks who is late; its own choice is every 30 seconds.
    connectionsCheckingInterval: 1000,
    // Longer than balancers and clients keep an idle connection (60 s as a rule): closed by us at five seconds, Node's
    // own choice, a request could meet the close on its way and end as a reset.
    keepAliveTimeout: idleConnectionMs,
    optimizeEmptyRequests: true,
  } as Parameters<typeof createServer>[0]);

/** What is not even HTTP, or past Node's own bounds: no request object exists yet. */
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

/** A flat array of names and values as lines. */
function headerLines(headers: string[]): string {
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

function unreadable(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return problem("headers_too_large", { limit: maxHeaderBytes });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return problem("request_timeout");
  return problem("request_invalid", { reason: "it is not HTTP/1.1" });
}
