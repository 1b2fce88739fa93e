import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Problem, problem } from "../domain/problem.ts";
import type { Token, TokenStore } from "../domain/token.ts";
import { parseUrlEncoded } from "../lib/brackets.ts";
import type { JsonObject } from "../lib/json.ts";
import { authenticate, readCredentials } from "./auth.ts";
import { type Body, emptyBody, readBodies } from "./body.ts";
import type { Log } from "./log.ts";
import { maxBodyBytes, problemBody, statusOf, toProblem } from "./problem.ts";
import { type Answer, commonHeaders, end, send } from "./reply.ts";
import type { Call, Route } from "./route.ts";
import { FailureThrottle } from "./throttle.ts";

export type ServerOptions = {
  tokens: TokenStore;
  log: Log;
  /** `*`, or the origins that browsers may call from. */
  corsOrigins: readonly string[];
  trustProxy: readonly string[];
  authFailuresPerMinute: number;
  requestTimeoutMs: number;
};

const maxQueryBytes = 16 * 1024;
/** Above the query's own bound, so that a long query gets the clearer refusal. */
const maxHeaderBytes = 32 * 1024;
const queryCaps = { maxPairs: 200, maxDepth: 8, maxItems: 100 };
const maxDrainedBytes = 64 * 1024 * 1024;
const overridable = new Set(["PATCH", "PUT", "DELETE"]);

/** The HTTP server with these routes; not yet listening. */
export function createHttpServer(routes: readonly Route[], options: ServerOptions): FastifyInstance {
  const app = fastify({
    serverFactory: (handler) => createNodeServer(handler, options),
    // Ours: Fastify's own log costs a third of all reads (notes), and every refusal must be a problem body.
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
  readBodies(app);
  for (const route of routes) {
    app.route({
      method: route.method === "GET" ? ["GET", "HEAD"] : route.method,
      url: route.url,
      handler: (request, reply) => exchange.run(route, request, reply),
    });
  }
  app.addHook("preClose", (done) => {
    exchange.isClosing = true;
    done();
  });
  app.setErrorHandler((error, request, reply) => exchange.refuse(request, reply, error));
  app.setNotFoundHandler((request, reply) => exchange.unknown(request, reply));
  // An address that is not there is said before its body is read: route, then envelope (contract §2).
  app.addHook("onRequest", (request, reply, done) => (request.is404 ? exchange.unknown(request, reply) : done()));
  return app;
}

function createNodeServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ServerOptions,
): Server {
  return createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: options.requestTimeoutMs,
      headersTimeout: options.requestTimeoutMs,
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
}

/** What happens between a request and its reply: read, let in, handle, send, log. */
class Exchange {
  /** True from the moment the server stops: connections end with the reply under way. */
  isClosing = false;
  private readonly options: ServerOptions;
  private readonly throttle: FailureThrottle;
  private readonly methods = new Map<string, string[]>();
  private readonly idPrefix = Math.random().toString(36).slice(2, 8);
  private lastId = 0;

  constructor(routes: readonly Route[], options: ServerOptions) {
    this.options = options;
    this.throttle = new FailureThrottle(options.authFailuresPerMinute);
    for (const { url, method } of routes) {
      const known = this.methods.get(url) ?? [];
      this.methods.set(url, [...known, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
    }
  }

  /** What can be answered at once is: a promise on the way costs a read a twentieth of its rate. */
  run(route: Route, request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack();
    const { raw } = request;
    const seen = this.see(request);
    const fail = (error: unknown) => this.fail(seen, raw, reply.raw, error);
    const done = (status: number) => this.log(seen, status);
    try {
      const call = readCall(request);
      const admitted = this.admit(route, call, seen, raw);
      const answer = admitted instanceof Promise ? admitted.then(() => route.handle(call)) : route.handle(call);
      const answered = (made: Answer) => send(reply.raw, call.method, raw.headers, made, this.common(seen, raw));
      const sent = answer instanceof Promise ? answer.then(answered) : answered(answer);
      if (sent instanceof Promise) sent.then(done).catch(fail);
      else done(sent);
    } catch (error) {
      fail(error);
    }
  }

  /** Lets the caller in and notes who it is in the call. Throws as authenticate does. */
  private admit(route: Route, call: Call, seen: Seen, { headers }: IncomingMessage): undefined | Promise<void> {
    if (!route.need) return undefined;
    const credentials = readCredentials(call.query, call.body.arguments, headers);
    call.isTokenInUrl = credentials.isInUrl;
    const admitted = (token: Token): void => {
      call.token = token;
      seen.actor = token.id;
    };
    const token = authenticate(this.options.tokens, route.need, credentials, call.nowSeconds);
    if (token instanceof Promise) return token.then(admitted);
    admitted(token);
    return undefined;
  }

  /** For errors that Fastify found before a route's handler. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    reply.hijack();
    this.fail(this.see(request), request.raw, reply.raw, error);
  }

  /** No route has this address and method: a preflight, a wrong method, or nothing at all. */
  unknown(request: FastifyRequest, reply: FastifyReply): void {
    const { method, url } = request.raw as { method: string; url: string };
    const path = (url.split("?", 1)[0] as string).replace(/(?<=.)\/$/, "");
    const allowed = this.methods.get(path)?.join(", ");
    if (method === "OPTIONS") this.preflight(request, reply, allowed);
    else if (allowed)
      this.refuse(request, reply, withHeaders(problem("method_not_allowed", { method, allowed }), ["Allow", allowed]));
    else this.refuse(request, reply, problem("route_not_found", { method, path }));
  }

  private preflight(request: FastifyRequest, reply: FastifyReply, allowed: string | undefined): void {
    reply.hijack();
    const seen = this.see(request);
    const headers = this.common(seen, request.raw);
    headers.push("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    headers.push("Access-Control-Allow-Headers", allowedHeaders, "Access-Control-Max-Age", "86400");
    headers.push("Allow", allowed ? `${allowed}, OPTIONS` : "OPTIONS");
    this.log(seen, end(reply.raw, "OPTIONS", 204, headers, ""));
  }

  private fail(seen: Seen, request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const failure = this.throttled(toProblem(error), seen);
    const status = statusOf[failure.kind];
    if (failure.kind === "internal" || failure.cause) this.options.log.error(seen.id, failure.cause ?? failure);
    this.log(seen, status);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const headers = this.common(seen, request);
    headers.push("Cache-Control", "no-store", "Content-Type", "application/problem+json; charset=utf-8");
    if (failure.kind === "busy") headers.push("Retry-After", "1");
    if (failure.kind === "unauthenticated") headers.push("WWW-Authenticate", 'Bearer realm="octavo"');
    headers.push(...((failure as WithHeaders).headers ?? []));
    // A refused body may still be on its way. It is let through, or its sender would get a reset in place of the
    // reply; only one that says it is huge is cut.
    if (Number(request.headers["content-length"] ?? 0) > maxDrainedBytes) headers.push("Connection", "close");
    else request.resume();
    end(response, seen.method, status, headers, problemBody(failure, seen.id));
  }

  /** Bad tokens count against their address; past the bound the refusal is another one. Contract §8. */
  private throttled(failure: Problem, seen: Seen): Problem {
    if (failure.code !== "token_invalid" && failure.code !== "access_token_invalid") return failure;
    const seconds = this.throttle.fail(seen.address, Date.now());
    return seconds === undefined
      ? failure
      : withHeaders(problem("too_many_failures"), ["Retry-After", String(seconds)]);
  }

  private see(request: FastifyRequest): Seen {
    const { raw } = request;
    return {
      id: `${this.idPrefix}${(++this.lastId).toString(36)}`,
      startedMs: performance.now(),
      method: raw.method as string,
      url: raw.url as string,
      address: this.options.trustProxy.length > 0 ? request.ip : (raw.socket.remoteAddress ?? ""),
      actor: "",
    };
  }

  private log(seen: Seen, status: number): void {
    this.options.log.request({ ...seen, status });
  }

  private common(seen: Seen, request: IncomingMessage): string[] {
    const headers = commonHeaders(seen.id, this.cors(request));
    // Else an idle connection would hold up the stop for as long as it is kept alive.
    if (this.isClosing) headers.push("Connection", "close");
    return headers;
  }

  private cors({ headers }: IncomingMessage): string[] {
    const { corsOrigins } = this.options;
    if (corsOrigins.includes("*")) return openCors;
    const origin = headers.origin;
    if (origin === undefined || !corsOrigins.includes(origin)) return ["Vary", "Origin"];
    return ["Access-Control-Allow-Origin", origin, "Vary", "Origin", ...exposed];
  }
}

type Seen = { id: string; startedMs: number; method: string; url: string; address: string; actor: string };

const exposed = ["Access-Control-Expose-Headers", "ETag, Link, X-Total-Count, X-Request-Id, Retry-After"];
const openCors = ["Access-Control-Allow-Origin", "*", ...exposed];
const allowedHeaders =
  "Accept, Authorization, Content-Type, If-Match, If-None-Match, Origin, X-Access-Token, X-Http-Method-Override, X-Requested-With";

type WithHeaders = Problem & { headers?: string[] };
const withHeaders = (failure: Problem, headers: string[]): Problem => Object.assign(failure, { headers });

function readCall({ raw, body }: FastifyRequest): Call {
  const url = raw.url as string;
  const ifMatch = raw.headers["if-match"];
  return {
    method: raw.method as string,
    url,
    query: readQuery(url),
    body: (body as Body | undefined) ?? emptyBody,
    token: undefined,
    isTokenInUrl: false,
    ifMatch,
    nowSeconds: Math.floor(Date.now() / 1000),
  };
}

/** The arguments in a URL's query. Throws query_too_complex, key_forbidden, text_invalid, argument_repeated. */
export function readQuery(url: string): JsonObject {
  const question = url.indexOf("?");
  if (question < 0) return new Map();
  if (url.length - question > maxQueryBytes) {
    throw problem("query_too_complex", { rule: `more than ${maxQueryBytes} bytes` });
  }
  return parseUrlEncoded(url.slice(question + 1), queryCaps);
}

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
