import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TokenStore } from "../access/token.ts";
import type { IdempotencyStore } from "../idempotency.ts";
import type { JsonObject } from "../lib/json.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { noRoom } from "../list/query.ts";
import { problem } from "../problem.ts";
import type { Trace } from "../trace.ts";
import type { Written } from "../unit.ts";
import { askerOf } from "./asker.ts";
import {
  type Authenticated,
  admitPerson,
  authenticate,
  type BrowserSessions,
  type Credentials,
  isStillAdmitted,
  type Limit,
  type Need,
} from "./auth.ts";
import { type Body, drain, emptyBody, hasBody, limitTime, receiveBody, refuseCoding } from "./body.ts";
import { sendBytes, sendUnsized } from "./bytes.ts";
import { type Call, methodOf, type RequestHead, readHead } from "./call.ts";
import { corsHeaders } from "./cors.ts";
import { type Door, restDoor } from "./door.ts";
import { type HeldKey, handleOnce, takeKey } from "./idempotency.ts";
import { quotaHeaders, type RequestLimits, tokenLimit } from "./limit.ts";
import type { Log, RequestLine } from "./log.ts";
import { metadataBody } from "./metadata.ts";
import { asPartOf, eventOriginOf, traceOf } from "./origin.ts";
import { problemHeaders, statusOf, toProblem, withFree } from "./problem.ts";
import { namesOneHost, Proxies } from "./proxy.ts";
import { isMultipart, type ReceivedFile, Receiver, type ReceiverOptions, receiveBytes } from "./receive.ts";
import { type Answer, commonHeaders, end, isRead, noContent, send, sizeOf } from "./reply.ts";
import type { Route, RouteAnswer } from "./route.ts";
import { type Match, Router } from "./router.ts";
import { type Hold, releaseOnClose, SendBudget, type SendBudgetOptions } from "./send-budget.ts";
import { awaitSequence, type SequenceStore, sequenceHeader } from "./sequence.ts";
import { Streams } from "./stream.ts";
import { FailureThrottle } from "./throttle.ts";

export type ExchangeOptions = {
  stores: { tokens: TokenStore; idempotency: IdempotencyStore } & SequenceStore;
  sessions: BrowserSessions;
  log: Log;
  /** The room on the disk of the data folder, which problems of a full one name; undefined where it cannot be asked. */
  freeBytes: () => number | undefined;
  /** `*`, or the origins that browsers may call from. */
  corsOrigins: readonly string[];
  trustProxy: readonly string[];
  authFailuresPerMinute: number;
  /** Undefined where no limit is set. */
  limits: RequestLimits | undefined;
  /** Whether the log of writes keeps the addresses of clients. */
  keepsAddresses: boolean;
  requestTimeoutMs: number;
  uploads: ReceiverOptions;
  replies: SendBudgetOptions;
  downloads: SendBudgetOptions;
};

/** One request and its reply. */
type Exchange = Pick<RequestLine, "id" | "startedMs" | "method" | "url" | "address"> & {
  request: IncomingMessage;
  response: ServerResponse;
  /** What the client says that it is a part of. */
  trace: Trace | undefined;
  /** What answers it, for the figures. */
  route: Route | undefined;
  /** Where it came in: how it is refused, and what is on every reply. */
  door: Door;
  /** The id of the authenticated token, or `person:<id>`, for the log; "" before authentication. */
  actor: string;
  /** The memory that the reply holds; undefined for small replies, which are the most. */
  hold: Hold | undefined;
  /** An uploaded file, discarded after the reply. */
  file: ReceivedFile | undefined;
  /** The key of a write that is done once. */
  key: HeldKey | undefined;
  /** What the caller has left of each limit that counted the request. */
  quotas: Parameters<RequestLimits["takeToken"]>[1];
  written: Written;
};

/** What a request sent, and its authenticated sender. */
type Admitted = { head: RequestHead; body: Body; file: ReceivedFile | undefined; sender: Authenticated };

/** Answers requests in steps: read, authenticate, read the arguments, handle, reply, log. */
export class Exchanges {
  private isClosing = false;
  private readonly options: ExchangeOptions;
  private readonly router: Router;
  private readonly proxies: Proxies;
  private readonly throttle: FailureThrottle;
  private readonly idPrefix = Math.random().toString(36).slice(2, 8);
  private lastId = 0;
  private readonly receiver: Receiver;
  // Two budgets: downloads that are not read must not block lists, nor lists downloads.
  private readonly replies: SendBudget;
  private readonly downloads: SendBudget;
  private readonly streams = new Streams();

  constructor(routes: readonly Route[], options: ExchangeOptions) {
    this.options = options;
    this.router = new Router(routes);
    this.proxies = new Proxies(options.trustProxy);
    this.receiver = new Receiver(options.uploads);
    this.replies = new SendBudget(options.replies);
    this.downloads = new SendBudget(options.downloads);
    this.throttle = new FailureThrottle(options.authFailuresPerMinute);
  }

  /** The server stops: connections close after the reply under way, and replies that go on end. */
  close(): void {
    this.isClosing = true;
    this.streams.close();
  }

  get openStreams(): number {
    return this.streams.size;
  }

  /** True when the connection holds memory that another reply waits for. */
  isWantedFrom(connection: Socket): boolean {
    return this.replies.isWantedFrom(connection) || this.downloads.isWantedFrom(connection);
  }

  /**
   * Answers one request. Never throws. Runs synchronously where it can: a promise costs a read a twentieth of its rate.
   */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.begin(request, response);
    try {
      const status = asPartOf(exchange.trace, () => this.respond(exchange));
      if (status instanceof Promise) {
        status.then((sent) => this.finish(exchange, sent)).catch((error: unknown) => this.fail(exchange, error));
      } else this.finish(exchange, status);
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  /** The steps of a request, in order; each takes what the one before returned. Returns the status sent. */
  private respond(exchange: Exchange): MaybePromise<number> {
    this.countAddress(exchange);
    const match = this.match(exchange);
    if (match === undefined) return this.reply(exchange, this.preflight(exchange));
    const { route } = match;
    this.enter(exchange, route);
    const admitted = takesForm(exchange, route)
      ? this.admitForm(exchange, match)
      : after(this.receive(exchange, route), (body) => this.admit(exchange, match, body));
    // Not before: what is refused at once counts as of no route.
    exchange.route = route;
    const called = after(admitted, (it) => this.callOf(exchange, route, it));
    const current = after(called, (call) => awaitSequence(this.options.stores, route, call));
    const answer = after(current, (call) => this.handle(exchange, route, call));
    return after(answer, (it) => this.reply(exchange, it));
  }

  private begin(request: IncomingMessage, response: ServerResponse): Exchange {
    return {
      request,
      response,
      id: `${this.idPrefix}${(++this.lastId).toString(36)}`,
      startedMs: performance.now(),
      method: methodOf(request),
      url: request.url as string,
      address: this.proxies.addressOf(request),
      trace: traceOf(request),
      route: undefined,
      door: restDoor,
      actor: "",
      hold: undefined,
      file: undefined,
      key: undefined,
      quotas: this.options.limits ? [] : uncounted,
      written: { sequence: 0 },
    };
  }

  // -------------------------------------------------------------------------------------------- which route

  /** Undefined for a preflight. Throws host_invalid, request_invalid, route_not_found, method_not_allowed. */
  private match({ request, method, url }: Exchange): Match | undefined {
    if (!namesOneHost(request)) throw problem("host_invalid", { received: request.headers.host ?? "" });
    return method === "OPTIONS" ? this.router.find(method, url) : this.router.get(method, url);
  }

  private preflight({ url }: Exchange): Answer {
    return { ...noContent, headers: this.router.optionsAt(url) };
  }

  // -------------------------------------------------------------------------------------------- read, admit

  /** Throws too_many_requests. Probes of supervisors come from the addresses of balancers, and are never refused. */
  private countAddress({ url, address, quotas, startedMs }: Exchange): void {
    const { limits } = this.options;
    if (limits && !url.startsWith("/health/")) limits.takeAddress(address, quotas, startedMs);
  }

  /** From here on the route's door refuses. Throws what its headers are refused with, and media_type_unsupported. */
  private enter(exchange: Exchange, { door }: Route): void {
    const { request } = exchange;
    exchange.door = door;
    door.refuseHead(request.headers);
    if (hasBody(request)) refuseCoding(request);
  }

  private receive(exchange: Exchange, route: Route): MaybePromise<Body> {
    const { request, method } = exchange;
    if (route.body === "bytes") return metadataBody(request.headers, route);
    if (!hasBody(request)) return emptyBody;
    if (!isRead(method)) return receiveBody(request, this.options.requestTimeoutMs, route.body === "operations");
    limitTime(request, this.options.requestTimeoutMs, () => this.fail(exchange, problem("request_timeout")));
    return emptyBody;
  }

  private admit(exchange: Exchange, { route, rest }: Match, body: Body): MaybePromise<Admitted> {
    const head = this.headOf(exchange, route, rest);
    const sent = body.arguments;
    const credentialsOf = () => route.door.credentialsOf(head, route.need, sent, this.options.sessions);
    const sender = this.authenticate(exchange, route, head, sent, credentialsOf);
    return after(sender, (sender) => ({ head, body, file: undefined, sender }));
  }

  /** Receives a form and admits its sender meanwhile: before the file, if the tokens precede it. */
  private async admitForm(exchange: Exchange, { route, rest }: Match): Promise<Admitted> {
    const { door, need } = route;
    const head = this.headOf(exchange, route, rest);
    const form = await this.receiver.receive<Credentials, Authenticated>(exchange, {
      credentialsIn: (fields) => door.credentialsOf(head, need, fields.arguments, this.options.sessions),
      isKnownBy: door.isKnownBy,
      authenticate: async (credentials, fields) =>
        this.authenticate(exchange, route, head, fields.arguments, () => credentials),
    });
    exchange.file = form.file;
    return { head, ...form };
  }

  private headOf({ request: { headers }, method, url }: Exchange, route: Route, rest: string): RequestHead {
    return readHead({ method, url, headers }, route.arguments, rest);
  }

  /** Identifies the sender, and takes the key of a write that is done once. Throws as authenticate and takeKey do. */
  private authenticate(
    exchange: Exchange,
    route: Route,
    head: RequestHead,
    sent: JsonObject,
    credentialsOf: () => Credentials,
  ): MaybePromise<Authenticated> {
    const limit = tokenLimit(this.options.limits, exchange.quotas);
    const sender =
      route.door.senderOf(head, route.need, sent, limit) ?? this.senderOf(route, head, credentialsOf(), limit);
    return after(sender, (sender) => {
      exchange.actor = sender.token?.id ?? "";
      return after(takeKey(this.options.stores.idempotency, route, head.headers, exchange.actor), (key) => {
        exchange.key = key;
        return sender;
      });
    });
  }

  /** Checks the tokens, counts the call, and computes its access. Throws as authenticate does. */
  private senderOf(
    { need: usual, door }: Route,
    { nowSeconds }: RequestHead,
    credentials: Credentials,
    limit: Limit | undefined,
  ): MaybePromise<Authenticated> {
    const { tokens } = this.options.stores;
    const { session } = credentials;
    const lives = session === undefined ? undefined : this.options.sessions.admit(session, nowSeconds);
    const need = ((session === undefined ? undefined : door.sessionNeed) ?? usual) as Need;
    return after(lives, (person) =>
      person
        ? admitPerson(person, door.personNeed ?? need, credentials, nowSeconds, limit)
        : authenticate(tokens, need, credentials, nowSeconds, limit),
    );
  }

  private callOf(exchange: Exchange, route: Route, { head, body, file, sender }: Admitted): Call {
    const { headers } = head;
    return {
      method: head.method,
      url: head.url,
      rest: head.rest,
      query: head.query,
      headers,
      nowSeconds: head.nowSeconds,
      token: sender.token,
      access: sender.access,
      counted: sender.counted,
      credentials: sender.credentials,
      body,
      file,
      bytes: () => receiveBytes(exchange.request, exchange.response, this.options.uploads.idleMs),
      ifMatch: headers["if-match"],
      unit: undefined,
      accept: headers.accept,
      written: exchange.written,
      reserve: (bytes) => holdOf(exchange, this.replies).reserve(bytes),
      asker: (makeRoom = noRoom) => askerOf(sender.token?.id ?? "", exchange.response, makeRoom),
      address: exchange.address,
      eventOrigin: eventOriginOf(exchange, this.options.keepsAddresses),
      isAdmitted: () => isStillAdmitted(this.options.stores.tokens, this.options.sessions, route, sender),
      origin: () => this.proxies.originOf(exchange.request),
    };
  }

  /** Reads the arguments and handles the call; one with a key once. */
  private handle(exchange: Exchange, route: Route, call: Call): MaybePromise<RouteAnswer> {
    const { key } = exchange;
    if (key) return handleOnce(this.options.stores.idempotency, route, call, key);
    return route.handle(call, route.read(call));
  }

  // -------------------------------------------------------------------------------------------- reply, log

  private reply(exchange: Exchange, answer: RouteAnswer): MaybePromise<number> {
    const { request, response, method } = exchange;
    const headers = this.common(exchange);
    if (!isRead(method)) headers.push(...sequenceHeader(this.options.stores, exchange));
    if ("from" in answer) return this.streams.send(response, method, answer, headers);
    if ("pieces" in answer)
      return sendUnsized(response, method, answer, headers, () => holdOf(exchange, this.downloads));
    if ("source" in answer) {
      return sendBytes(response, method, request.headers, answer, headers, () => holdOf(exchange, this.downloads));
    }
    exchange.hold?.claim(sizeOf(answer.body), false);
    return send(response, method, request.headers, answer, headers, () => holdOf(exchange, this.replies));
  }

  private finish(exchange: Exchange, status: number): void {
    this.log(exchange, status);
    if (exchange.hold) releaseOnClose(exchange.hold, exchange.response);
    this.discardFile(exchange);
  }

  private fail(exchange: Exchange, error: unknown): void {
    const { request, response, method, id } = exchange;
    exchange.hold?.release();
    this.discardFile(exchange);
    // One whose write has not begun: its form was refused, or ended early.
    void exchange.key?.release();
    // A monotonic clock: if the system clock were set back, an address would stay blocked until it has caught up.
    const refusal = this.throttle.refusal(toProblem(error), exchange.address, performance.now());
    const failure = withFree(refusal, this.options.freeBytes);
    const status = statusOf[failure.kind];
    const { cause = failure.kind === "internal" ? failure : undefined } = failure;
    if (cause) this.options.log.error(id, cause, status < 500 ? "warn" : "error");
    this.log(exchange, status);
    if (response.headersSent || response.destroyed) return void response.destroy();
    const headers = this.common(exchange);
    const { contentType, text } = exchange.door.formatProblem(failure, id);
    headers.push("Cache-Control", "no-store", "Content-Type", contentType, ...problemHeaders(failure));
    // Stops reading a body that is late.
    if (failure.kind === "timeout") headers.push("Connection", "close");
    else drain(request);
    end(response, method, status, headers, text);
  }

  private discardFile({ id, file }: Exchange): void {
    file?.staged.discard().catch((error: unknown) => this.options.log.error(id, error));
  }

  private log({ id, address, method, url, startedMs, actor, route, trace }: Exchange, status: number): void {
    this.options.log.request({ id, address, method, url, startedMs, actor, status, route, trace: trace?.id });
  }

  private common(exchange: Exchange): string[] {
    const { id, request, response, door } = exchange;
    // Otherwise an idle connection would delay the stop for its whole keep-alive time.
    if (this.isClosing) response.shouldKeepAlive = false;
    const headers = commonHeaders(id, corsHeaders(request, this.options.corsOrigins), door.headers);
    const { limits } = this.options;
    return limits ? headers.concat(quotaHeaders(exchange.quotas, limits.policy)) : headers;
  }
}

const uncounted: Exchange["quotas"] = [];

const takesForm = ({ request }: Exchange, { body }: Route): boolean =>
  body === "form" && hasBody(request) && isMultipart(request.headers["content-type"]);

function holdOf(exchange: Exchange, budget: SendBudget): Hold {
  exchange.hold ??= budget.hold(exchange.request.socket, exchange.address);
  return exchange.hold;
}
