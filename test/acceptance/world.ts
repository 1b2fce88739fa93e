/** One chapter's part of the service under test: its prefix of ids, its tokens, and the checks for every reply. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import { type Arguments, type Call, closeConnections, type Reply, send } from "./client.ts";
import { openService, type Service, type Tokens } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a reply may be any JSON; the tests check it.
export type Any = any;
export type Pair = { token: string; access_token: string };
export type TokenRow = { id: string; limit_calls: number; calls: number; state: string; last_used_at: number | null };
export type NewToken = TokenRow & { token: string };

export type World = {
  url: string;
  tokens: Tokens;
  /** The management and the access token of a write. */
  pair: Pair;
  /** The parent entry of all others of this chapter. */
  prefix: string;
  /** The parent key of all registry items of this chapter. */
  key: string;
  id(name: string): string;
  send(call: Call): Promise<Reply>;
  /** GET with the token in the query, of the management kind unless another is given. */
  read(query: Arguments, token?: string, path?: string): Promise<Reply>;
  /** Sends a JSON body with both tokens in it. */
  write(method: string, args: Record<string, unknown>, path?: string): Promise<Reply>;
  /** Creates an entry below the prefix; it must succeed. */
  create(name: string, data?: Record<string, unknown>): Promise<Any>;
  /** Creates several concurrently. */
  plant(entries: Record<string, Record<string, unknown>>): Promise<void>;
  /** The entry as read with a management token; it must exist. */
  entry(name: string): Promise<Any>;
  /** The status of a read of the entry, with a management token by default. */
  statusOf(name: string, token?: string): Promise<number>;
  /** The ids of a collection, without the chapter's prefix. */
  list(name: string, filter: Arguments, token?: string): Promise<string[]>;
  etag(name: string): Promise<string>;
  /** Creates a token through the API, revoked when the chapter ends. */
  token(input: Record<string, unknown>): Promise<NewToken>;
  row(id: string): Promise<TokenRow>;
  /** The sequence of the newest event, 0 if there is none. */
  newestEvent(): Promise<number>;
  /** All events after this sequence, of all chapters: they write at the same time, so these can be several pages. */
  eventsAfter(sequence: number): Promise<Any[]>;
};

/** Opens the service and creates the chapter's root entry; everything is deleted when the chapter ends. */
export async function enter(chapter: string): Promise<World> {
  const service = await openService();
  atEnd(() => service.stop());
  atEnd(closeConnections);
  const mark = randomBytes(4).toString("hex");
  const world = new Chapter(service, `acceptance-${chapter}-${mark}`, `acceptance_${mark}`);
  const root = await world.write("POST", { id: world.prefix, data: {} });
  assert.equal(root.status, 200, `the chapter's root entry could not be made: ${root.text}`);
  await translate(world);
  atEnd(() => world.write("DELETE", { id: world.prefix }));
  return world;
}

/** Where the service has locales, the chapter's root entry has translations: they change no reply of part one. */
async function translate(world: World): Promise<void> {
  const id = world.prefix;
  for (const [locale, visibility] of Object.entries({ de: "visible", fr: "draft" })) {
    const args = { id, locale, data: { title: "übersetzt", visibility }, name: `${id}-${locale}` };
    const made = await world.write("PATCH", args, "/api/entries/translations");
    assert.ok([200, 404, 409].includes(made.status), made.text);
  }
}

class Chapter implements World {
  readonly url: string;
  readonly tokens: Tokens;
  readonly pair: Pair;
  readonly prefix: string;
  readonly key: string;
  readonly broken = new Set<string>();
  readonly secrets: Set<string>;

  constructor(service: Service, prefix: string, key: string) {
    this.url = service.url;
    this.tokens = service.tokens;
    this.pair = { token: service.tokens.management, access_token: service.tokens.access };
    this.prefix = prefix;
    this.key = key;
    this.secrets = new Set(Object.values(service.tokens));
  }

  id(name: string): string {
    return name === "" ? this.prefix : `${this.prefix}/${name}`;
  }

  async send(call: Call): Promise<Reply> {
    const reply = await send(this.url, call);
    for (const promise of brokenPromises(reply, this.secrets)) {
      this.broken.add(`${call.method ?? "GET"} ${call.path} -> ${reply.status}: ${promise}`);
    }
    return reply;
  }

  read(query: Arguments, token = this.tokens.management, path = "/api/entries"): Promise<Reply> {
    return this.send({ path, query: { ...query, token } });
  }

  write(method: string, args: Record<string, unknown>, path = "/api/entries"): Promise<Reply> {
    return this.send({ method, path, json: { ...this.pair, ...args } });
  }

  async create(name: string, data: Record<string, unknown> = {}): Promise<Any> {
    const reply = await this.write("POST", { id: this.id(name), data });
    assert.equal(reply.status, 200, `creating ${name}: ${reply.text}`);
    return dataOf(reply);
  }

  async plant(entries: Record<string, Record<string, unknown>>): Promise<void> {
    await Promise.all(Object.entries(entries).map(([name, data]) => this.create(name, data)));
  }

  async entry(name: string): Promise<Any> {
    const reply = await this.read({ id: this.id(name) });
    assert.equal(reply.status, 200, `reading ${name}: ${reply.text}`);
    return dataOf(reply);
  }

  async statusOf(name: string, token?: string): Promise<number> {
    return (await this.read({ id: this.id(name) }, token)).status;
  }

  async list(name: string, filter: Arguments, token?: string): Promise<string[]> {
    const empty = Object.keys(filter).length === 0;
    const reply = await this.read({ id: this.id(name), filter: empty ? "" : filter }, token);
    assert.equal(reply.status, 200, `listing ${name} with ${JSON.stringify(filter)}: ${reply.text}`);
    const data = dataOf(reply);
    assert.ok(Array.isArray(data), `a collection is an array, not ${reply.text.slice(0, 200)}`);
    return data.map((entry: Any) => nameBelow(entry.slug, this.id(name)));
  }

  async etag(name: string): Promise<string> {
    const reply = await this.read({ id: this.id(name) });
    assert.equal(reply.status, 200, reply.text);
    return tagOf(reply);
  }

  async token(input: Record<string, unknown>): Promise<NewToken> {
    const reply = await this.write("POST", { label: this.prefix, ...input }, "/api/tokens");
    assert.equal(reply.status, 200, `making a token of ${JSON.stringify(input)}: ${reply.text}`);
    const row = dataOf(reply);
    atEnd(() => this.write("DELETE", { id: row.id }, "/api/tokens"));
    this.secrets.add(row.token);
    return row;
  }

  async row(id: string): Promise<TokenRow> {
    const reply = await this.read({}, undefined, "/api/tokens");
    assert.equal(reply.status, 200, reply.text);
    const found = dataOf(reply).find((row: TokenRow) => row.id === id);
    assert.ok(found, `the list of tokens has no ${id}`);
    return found;
  }

  async newestEvent(): Promise<number> {
    return dataOf(await this.read({ newest: true, limit: 1 }, undefined, "/api/events"))[0]?.sequence ?? 0;
  }

  async eventsAfter(sequence: number): Promise<Any[]> {
    const all: Any[] = [];
    for (let since = sequence; ; since = all.at(-1).sequence) {
      const page: Any[] = dataOf(await this.read({ since, limit: 1000 }, undefined, "/api/events"));
      if (page.length === 0) return all;
      all.push(...page);
    }
  }
}

function nameBelow(slug: string, parent: string): string {
  if (slug === parent) return "";
  return slug.startsWith(`${parent}/`) ? slug.slice(parent.length + 1) : `(outside) ${slug}`;
}

/** The violations of the rules that apply to every reply. Contract §3 and §4, Caching. */
function brokenPromises(reply: Reply, secrets: ReadonlySet<string>): string[] {
  const { status, headers, text, call } = reply;
  const broken: string[] = [];
  const vary = (headers.vary ?? "").toLowerCase();
  const need = (holds: boolean, promise: string) => {
    if (!holds) broken.push(promise);
  };
  const isPreflight = call.method === "OPTIONS";
  // Images are never compressed.
  const isPicture =
    /\/api\/(delivery\/)?images\//.test(call.path) &&
    (status === 304 || /^image\//.test(headers["content-type"] ?? ""));
  need(!isPicture || !vary.includes("accept-encoding"), "Vary of a picture does not name Accept-Encoding");
  for (const name of ["authorization", "x-access-token", ...(isPicture ? [] : ["accept-encoding"])]) {
    need(isPreflight || vary === "*" || vary.includes(name), `Vary names ${name}, not only ${vary}`);
  }
  need(isPreflight || headers["referrer-policy"] === "no-referrer", "Referrer-Policy is no-referrer");
  need(headers["x-powered-by"] === undefined, "X-Powered-By is absent");
  need(status < 500 || status === 503, "no request is answered 500");
  need(status !== 204 || reply.bytes.length === 0, "a 204 has no body");
  need(status !== 503 || headers["retry-after"] !== undefined, "a 503 says Retry-After");
  if (status >= 400) for (const fault of problemFaults(reply)) need(false, fault);
  const shows = call.path.startsWith("/api/tokens") && call.method !== "GET" && status === 200;
  const everything = `${text}\n${reply.rawHeaders.join("\n")}`;
  for (const secret of secrets) need(shows || !everything.includes(secret), "no token is in the reply");
  return broken;
}

const innards =
  /node_modules|\bsrc\/|\.ts:\d|SQLITE|sqlite|\bSELECT |\bINSERT |Error:|\n\s+at |fastify|\/tmp\/|FST_|ECONN|TypeError|undefined|\[object/;

/** The violations of a problem body. Contract §3. */
function problemFaults(reply: Reply): string[] {
  const faults: string[] = [];
  const type = reply.headers["content-type"] ?? "";
  if (!/^application\/problem\+json\s*(;|$)/.test(type)) faults.push(`a problem is problem+json, not "${type}"`);
  if (reply.headers["cache-control"] !== "no-store") faults.push("a problem is no-store");
  if (reply.call.method === "HEAD") return faults;
  let body: Any;
  try {
    body = JSON.parse(reply.text);
  } catch {
    return [...faults, `a problem is JSON, not ${JSON.stringify(reply.text.slice(0, 100))}`];
  }
  if (!/^[a-z]+(_[a-z]+)*$/.test(body.code ?? "")) faults.push(`code is lower snake_case, not ${body.code}`);
  for (const name of ["type", "title", "detail", "request_id", "message"]) {
    if (typeof body[name] !== "string" || body[name] === "") faults.push(`${name} is a text, not ${body[name]}`);
  }
  if (typeof body.type === "string" && !body.type.includes(body.code))
    faults.push("type links to the code's paragraph");
  if (body.status !== reply.status) faults.push(`status is ${reply.status}, not ${body.status}`);
  if (body.http_status_code !== reply.status) faults.push(`http_status_code is ${reply.status}`);
  if (body.message !== body.detail) faults.push("message is the detail");
  if (body.data !== undefined) faults.push("a problem has no data");
  if (body.errors !== undefined && !Array.isArray(body.errors)) faults.push("errors is a list");
  const told = `${body.title} ${body.detail} ${JSON.stringify(body.errors ?? "")}`;
  const leak = innards.exec(told.replaceAll(reply.call.path, ""));
  if (leak) faults.push(`nothing internal leaks, but ${JSON.stringify(leak[0])} did: ${body.detail}`);
  return faults;
}

/** `data` of a successful reply, which has no other top-level key. Contract, The service in short. */
export function dataOf(reply: Reply): Any {
  assert.equal(reply.status, 200, `${reply.call.method ?? "GET"} ${reply.call.path}: ${reply.text.slice(0, 500)}`);
  assert.match(reply.headers["content-type"] ?? "", /^application\/json\s*(;\s*charset=utf-8)?$/i);
  const body = JSON.parse(reply.text);
  assert.deepEqual(Object.keys(body), ["data"]);
  return body.data;
}

export function tagOf(reply: Reply): string {
  const tag = reply.headers.etag;
  assert.match(tag ?? "", /^"[\x21\x23-\x7e]+"$/, "a strong ETag");
  return tag as string;
}

/** Asserts that the reply is this problem. `about` must be in its detail. */
export function refused(reply: Reply, status: number | number[], code?: string, about?: RegExp): Any {
  const accepted = [status].flat();
  const said = `${reply.call.method ?? "GET"} ${reply.call.path} got ${reply.status} ${reply.text.slice(0, 400)}`;
  assert.ok(accepted.includes(reply.status), `expected ${accepted.join(" or ")} ${code ?? ""}; ${said}`);
  if (reply.call.method === "HEAD") return undefined;
  assert.deepEqual(problemFaults(reply), [], said);
  const body = JSON.parse(reply.text);
  if (code) assert.equal(body.code, code, said);
  if (about) assert.match(body.detail, about);
  return body;
}

// ------------------------------------------------------------------------------------------------ scenario tables

export type Scenario = {
  name: string;
  call: Call | (() => Call | Promise<Call>);
  status: number | number[];
  code?: string;
  /** Contained in the problem's detail: the argument, what was sent or what is accepted. */
  about?: RegExp;
  /** The expected `data` of the reply. */
  data?: unknown;
  /** Texts that the reply must contain. */
  holds?: (string | RegExp)[];
  /** Texts that the reply must not contain. */
  never?: (string | RegExp)[];
  check?: (reply: Reply) => void | Promise<void>;
};

/** One test for each row. */
export function table(title: string, world: World, scenarios: Scenario[]): void {
  describe(title, () => {
    for (const scenario of scenarios) test(scenario.name, () => play(world, scenario));
  });
}

async function play(world: World, scenario: Scenario): Promise<void> {
  const call = typeof scenario.call === "function" ? await scenario.call() : scenario.call;
  const mayFail = [scenario.status].flat().includes(401);
  const reply = await world.send(mayFail ? { uniqueAddress: true, ...call } : call);
  if (reply.status >= 400 || [scenario.status].flat().every((status) => status >= 400)) {
    refused(reply, scenario.status, scenario.code, scenario.about);
  } else {
    const said = `${call.method ?? "GET"} ${call.path}: ${reply.text.slice(0, 500)}`;
    assert.ok(
      [scenario.status].flat().includes(reply.status),
      `expected ${scenario.status}, got ${reply.status}; ${said}`,
    );
  }
  if (scenario.data !== undefined) assert.deepEqual(dataOf(reply), scenario.data);
  for (const part of scenario.holds ?? []) assert.ok(holds(reply.text, part), `${part} is not in ${reply.text}`);
  for (const part of scenario.never ?? []) assert.ok(!holds(reply.text, part), `${part} is in ${reply.text}`);
  await scenario.check?.(reply);
}

const holds = (text: string, part: string | RegExp): boolean =>
  typeof part === "string" ? text.includes(part) : part.test(text);

/** The last test of a chapter: no reply violated the rules for every reply. */
export function allRepliesKeptTheirPromises(world: World): void {
  test("every reply of this chapter carries Vary and Referrer-Policy, leaks no token and nothing internal", () => {
    assert.deepEqual([...(world as Chapter).broken], []);
  });
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
