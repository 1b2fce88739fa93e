import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import { leaveForms, readBodies } from "./body.ts";
import { Exchange, type ExchangeOptions, openCors } from "./exchange.ts";
import { maxBodyBytes, problemBody, statusOf } from "./problem.ts";
import { commonHeaders } from "./reply.ts";
import type { Route } from "./route.ts";
import { watchSending } from "./send-watch.ts";

export type ServerOptions = ExchangeOptions & {
  trustProxy: readonly string[];
  requestTimeoutMs: number;
  sendTimeoutMs: number;
};

/** Above the query's own bound, so that a long query gets the clearer refusal. */
const maxHeaderBytes = 32 * 1024;
const idleConnectionMs = 75_000;
const overridable = new Set(["PATCH", "PUT", "DELETE"]);

/** The HTTP server with these routes; not yet listening. */
export function createHttpServer(routes: readonly Route[], options: ServerOptions): FastifyInstance {
  const app = fastify({
    serverFactory: (handler) => createNodeServer(handler, options),
    // Ours: Fastify's own log costs a third of all reads, and every refusal must be a problem body.
    logger: false,
    exposeHeadRoutes: false,
    bodyLimit: maxBodyBytes,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket),
    frameworkErrors: (error, request, reply) => exchange.refuse(request, reply, error),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 4096,
      // The query is read once, by us, in the route's own order of checks.
      querystringParser: () => ({}),
    },
  });
  const exchange = new Exchange(routes, options);
  const isWantedFrom = (connection: Socket) => exchange.isWantedFrom(connection);
  watchSending(app.server, { timeoutMs: options.sendTimeoutMs, isWantedFrom });
  const add = (scope: FastifyInstance, route: Route) =>
    scope.route({
      method: route.method === "GET" ? ["GET", "HEAD"] : route.method,
      url: route.url,
      config: { takesFile: route.takesFile === true },
      handler: (request, reply) => exchange.run(route, request, reply),
    });
  readBodies(app);
  for (const route of routes.filter(({ takesFile }) => !takesFile)) add(app, route);
  app.register((scope, _options, done) => {
    leaveForms(scope);
    for (const route of routes.filter(({ takesFile }) => takesFile)) add(scope, route);
    done();
  });
  app.addHook("preClose", (done) => {
    exchange.isClosing = true;
    done();
  });
  app.setErrorHandler((error, request, reply) => exchange.refuse(request, reply, error));
  app.setNotFoundHandler((request, reply) => exchange.unknown(request, reply));
  // An address that is not there is said before its body is read: route, then envelope (contract §2).
  app.addHook("onRequest", (request, reply, done) => {
    if (!namesOneHost(request.raw)) {
      exchange.refuse(request, reply, problem("host_invalid", { came: request.raw.headers.host ?? "" }));
    } else if (request.is404) exchange.unknown(request, reply);
    else exchange.awaitBody(request, reply, done);
  });
  return app;
}

function createNodeServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ServerOptions,
): Server {
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      // Without a Host Node answers a bare 400: namesOneHost asks for it, so that the refusal is a problem.
      requireHostHeader: false,
      // Else of two Hosts, or two Authorizations, the first would win in silence. Most others are joined anyway.
      joinDuplicateHeaders: true,
      // A body has its own time, which an upload under way prolongs: see Exchange.awaitBody and http/receive.ts.
      requestTimeout: 0,
      headersTimeout: options.requestTimeoutMs,
      // How often Node looks who is late; its own choice is every 30 seconds.
      connectionsCheckingInterval: 1000,
      // Longer than balancers and clients keep an idle connection (60 s as a rule): closed by us at five seconds, Node's
      // own choice, a request could meet the close on its way and end as a reset.
      keepAliveTimeout: idleConnectionMs,
      optimizeEmptyRequests: true,
    } as Parameters<typeof createServer>[0],
    (request, response) => {
      const override = request.headers["x-http-method-override"];
      if (request.method === "POST" && typeof override === "string" && overridable.has(override.toUpperCase())) {
        request.method = override.toUpperCase();
      }
      // No length and no chunks: there is no body, whatever type it was to have. Node then never ends its stream
      // (optimizeEmptyRequests), and Fastify would wait for it.
      const { headers } = request;
      if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) {
        delete headers["content-type"];
      }
      handler(request, response);
    },
  );
  // What is expected beyond 100-continue is passed over (RFC 9110 §10.1.1 lets us); Node would answer a bare 417.
  return server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/** Only HTTP/1.0 goes without a Host; several come joined by commas, which no host holds. RFC 9112 §3.2. */
const namesOneHost = ({ headers: { host }, httpVersion }: IncomingMessage): boolean =>
  host === undefined ? httpVersion === "1.0" : !host.includes(",");

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
