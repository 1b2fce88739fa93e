import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Code, type Problem, problem } from "../domain/problem.ts";
import type { TokenStore } from "../domain/token.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { authenticate, type Credentials, type Need, readCredentials } from "./auth.ts";
import { type BytesAnswer, sendBytes } from "./bytes.ts";
import { readCall } from "./call.ts";
import type { Log } from "./log.ts";
import { problemBody, statusOf, toProblem } from "./problem.ts";
import { isMultipart, Receiver, type ReceiverOptions } from "./receive.ts";
import { type Answer, commonHeaders, end, send, sizeOf } from "./reply.ts";
import type { Call, Route } from "./route.ts";
import { type Hold, SendBudget, type SendBudgetOptions } from "./send-budget.ts";
import type { Sessions } from "./session-cookie.ts";
import { FailureThrottle } from "./throttle.ts";

export type ExchangeOptions = {
  tokens: TokenStore;
  sessions: Sessions;
  log: Log;
  /** `*`, or the origins that browsers may call from. */
  corsOrigins: readonly string[];
  trustProxy: readonly string[];
  authFailuresPerMinute: number;
  requestTimeoutMs: number;
  uploads: ReceiverOptions;
  replies: SendBudgetOptions;
  downloads: SendBudgetOptions;
};

const maxDrainedBytes = 64 * 1024 * 1024;
const maxDrainedMs = 10_000;

/** What happens between a request and its reply: read, let in, handle, send, log. */
export class Exchange {
  /** True from the moment the server stops: connections end with the reply under way. */
  isClosing = false;
  private readonly options: ExchangeOptions;
  private readonly throttle: FailureThrottle;
  private readonly methods = new Map<string, string[]>();
  private readonly idPrefix = Math.random().toString(36).slice(2, 8);
  private lastId = 0;
  private readonly receiver: Receiver;
  // Two budgets: downloads that are not read must not keep lists out, nor lists downloads.
  private readonly replies: SendBudget;
  private readonly downloads: SendBudget;

  constructor(routes: readonly Route[], options: ExchangeOptions) {
    this.options = options;
    this.receiver = new Receiver(options.uploads);
    this.replies = new SendBudget(options.replies);
    this.downloads = new SendBudget(options.downloads);
    this.throttle = new FailureThrottle(options.authFailuresPerMinute);
    for (const { url, method } of routes) {
      const known = this.methods.get(url) ?? [];
      this.methods.set(url, [...known, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
    }
  }

  /** True when the connection holds memory that another reply waits for. */
  isWantedFrom(connection: Socket): boolean {
    return this.replies.isWantedFrom(connection) || this.downloads.isWantedFrom(connection);
  }

  /**
   * Refuses a body with a content coding. Limits the time of any other; http/receive.ts limits that of a form with a
   * file.
   */
  awaitBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { raw } = request;
    if (raw.headers["content-length"] !== undefined || raw.headers["transfer-encoding"] !== undefined) {
      const coding = contentCoding(raw.headers["content-encoding"]);
      // Before the body is read: nothing of it can be used.
      if (coding !== undefined) {
        this.refuse(request, reply, codingRefused(coding));
        return;
      }
      const { takesFile } = request.routeOptions.config as { takesFile?: boolean };
      if (!takesFile || !isMultipart(raw.headers["content-type"])) this.limitTime(request, reply);
    }
    done();
  }

  private limitTime(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const timer = setTimeout(
      () => this.refuse(request, reply, problem("request_timeout")),
      this.options.requestTimeoutMs,
    );
    const stop = () => clearTimeout(timer);
    raw.once("end", stop);
    raw.once("close", stop);
  }

  /** What can be answered at once is: a promise on the way costs a read a twentieth of its rate. */
  run(route: Route, request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack();
    // The last of a body that came too late, after it was refused: nothing of it may happen.
    if (reply.raw.headersSent) return;
    const { raw } = request;
    const seen = this.see(request);
    const hold = () => holdOf(seen, raw, this.replies);
    const fail = (error: unknown) => {
      seen.hold?.release();
      this.fail(seen, raw, reply.raw, error);
    };
    const done = (status: number) => {
      this.log(seen, status);
      if (seen.hold) releaseOnClose(seen.hold, reply.raw);
    };
    try {
      const call = readCall(request, route, hold);
      if (route.takesFile && isMultipart(raw.headers["content-type"])) {
        void this.runUpload(route, call, seen, raw, reply.raw).then(done, fail);
        return;
      }
      const admitted = this.admit(route, call, seen);
      const answer = admitted instanceof Promise ? admitted.then(() => route.handle(call)) : route.handle(call);
      const answered = (made: Answer | BytesAnswer) => {
        const headers = this.common(seen, raw);
        if ("source" in made) {
          const held = () => holdOf(seen, raw, this.downloads);
          return sendBytes(reply.raw, call.method, raw.headers, made, headers, held);
        }
        seen.hold?.claim(sizeOf(made.body), false);
        return send(reply.raw, call.method, raw.headers, made, headers, hold);
      };
      const sent = answer instanceof Promise ? answer.then(answered) : answered(answer);
      if (sent instanceof Promise) sent.then(done).catch(fail);
      else done(sent);
    } catch (error) {
      fail(error);
    }
  }

  private async runUpload(
    route: Route,
    call: Call,
    seen: Seen,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<number> {
    try {
      await this.receiver.receive(call, request, response, {
        credentials: () => this.credentialsOf(route, call),
        admit: async () => this.admit(route, call, seen),
      });
      const answer = (await route.handle(call)) as Answer;
      const hold = () => holdOf(seen, request, this.replies);
      return await send(response, call.method, request.headers, answer, this.common(seen, request), hold);
    } finally {
      await call.file?.staged.discard();
    }
  }

  /** Lets the caller in and notes who it is in the call. Throws as authenticate does. */
  private admit(route: Route, call: Call, seen: Seen): MaybePromise<void> {
    if (!route.need || route.isSigned?.(call)) return undefined;
    const credentials = this.credentialsOf(route, call);
    call.credentials = credentials;
    call.isTokenInUrl = credentials.isInUrl;
    const { session } = credentials;
    if (session === undefined) return this.count(route.need, credentials, call, seen);
    const need = route.sessionNeed ?? route.need;
    const lives = this.options.sessions.admit(session, call.nowSeconds);
    return after(lives, () => this.count(need, credentials, call, seen));
  }

  /** Checks the tokens and counts the call. Throws as authenticate does. */
  private count(need: Need, credentials: Credentials, call: Call, seen: Seen): MaybePromise<void> {
    return after(authenticate(this.options.tokens, need, credentials, call.nowSeconds), (token) => {
      call.token = token;
      seen.actor = token.id;
    });
  }

  /** The tokens in the arguments and headers; of a request without any, those of the session it belongs to. */
  private credentialsOf({ need }: Route, { query, body, headers, nowSeconds }: Call): Credentials {
    const sent = readCredentials(query, body.arguments, headers);
    if (sent.token !== undefined || sent.accessToken !== undefined || headers.cookie === undefined) return sent;
    return this.options.sessions.credentialsOf(headers, need?.isWrite ?? false, nowSeconds) ?? sent;
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
    const allowed = this.allowedAt(path)?.join(", ");
    if (method === "OPTIONS") this.preflight(request, reply, allowed);
    else if (allowed)
      this.refuse(request, reply, withHeaders(problem("method_not_allowed", { method, allowed }), ["Allow", allowed]));
    else this.refuse(request, reply, problem("route_not_found", { method, path }));
  }

  private allowedAt(path: string): string[] | undefined {
    const known = this.methods.get(path);
    if (known) return known;
    for (const [url, methods] of this.methods) {
      if (url.endsWith("*") && path.startsWith(url.slice(0, -1))) return methods;
    }
    return undefined;
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
    // What is late is not waited for any longer.
    if (failure.kind === "timeout") headers.push("Connection", "close");
    else drain(request);
    end(response, seen.method, status, headers, problemBody(failure, seen.id));
  }

  /** Bad tokens count against their address; past the bound the refusal is another one. Contract §8. */
  private throttled(failure: Problem, seen: Seen): Problem {
    if (!guesses.has(failure.code)) return failure;
    // Not by the clock: one that goes back would keep an address out until it has caught up.
    const seconds = this.throttle.fail(seen.address, performance.now());
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

/** What who tries out secrets gets. */
const guesses: ReadonlySet<Code> = new Set(["token_invalid", "access_token_invalid", "sign_in_link_invalid"]);

type Seen = { id: string; startedMs: number; method: string; url: string; address: string; actor: string; hold?: Hold };

/** What the reply holds; of the small ones, which are the most, nothing is counted. */
function holdOf(seen: Seen, { socket }: IncomingMessage, budget: SendBudget): Hold {
  seen.hold ??= budget.hold(socket);
  return seen.hold;
}

/** A reply behind others of its connection is in memory until its turn. */
function releaseOnClose(hold: Hold, response: ServerResponse): void {
  if (response.closed) hold.release();
  else response.once("close", () => hold.release());
}

const exposed = [
  "Access-Control-Expose-Headers",
  "ETag, Link, X-Total-Count, Octavo-Ignored, X-Request-Id, Retry-After, Accept-Ranges, Content-Disposition, Content-Range",
];
export const openCors = ["Access-Control-Allow-Origin", "*", ...exposed];
const allowedHeaders =
  "Accept, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, Origin, Range, X-Access-Token, X-Http-Method-Override, X-Requested-With";

/**
 * A refused body may still be on its way. Some of it is let through, or its sender would get a reset in place of the
 * reply; then the connection is cut.
 */
function drain(request: IncomingMessage): void {
  // One without a body is closed before it is handled (optimizeEmptyRequests) and has no event that would end the timer.
  if (request.complete || request.destroyed) return;
  let left = maxDrainedBytes;
  const cut = () => request.destroy();
  const timer = setTimeout(cut, maxDrainedMs);
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
  request.resume();
}

/** The codings of a body; undefined when it has none but identity. RFC 9110 §8.4. */
const contentCoding = (header: string | undefined): string | undefined =>
  header?.split(",").some((coding) => !/^(identity)?$/i.test(coding.trim())) ? header : undefined;

/** Names the accepted coding in Accept-Encoding, as RFC 9110 §12.5.3 asks. */
const codingRefused = (came: string): Problem =>
  withHeaders(
    problem("media_type_unsupported", {
      header: "Content-Encoding",
      came,
      accepted: "identity: bodies are read as they are, not compressed",
    }),
    ["Accept-Encoding", "identity"],
  );

type WithHeaders = Problem & { headers?: string[] };
const withHeaders = (failure: Problem, headers: string[]): Problem => Object.assign(failure, { headers });
