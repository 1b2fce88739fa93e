import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type App, build } from "../../src/app.ts";
import { createToken, type TokenInput } from "../../src/core/access/token.ts";
import { readSettings } from "../../src/settings.ts";
import { duesOf } from "../../src/working-copy/schedule-service.ts";

/** A service on an old store, at a fixed time, and every answer that it gave. */

/** Where a store is: a data folder, with or without a PostgreSQL database. */
export type Place = { data: string; postgresUrl?: string };

/** `cursor` leads to the next page; `sequence` is that of a write. */
export type Reply = { status: number; data: unknown; cursor: string | undefined; sequence: number };
/** Asks as the token of this name. GET sends the arguments in the query, other methods in the body. */
export type Ask = (who: string, method: string, path: string, args?: Args) => Promise<Reply>;
/** `headers` are sent as such. */
export type Args = Record<string, unknown> & { headers?: Record<string, string> };

type Sent = { headers?: Record<string, string> | undefined; args: object };

/** What the settings of a place are, in the environment of a command. */
export const envOf = ({ postgresUrl }: Place): Record<string, string> =>
  postgresUrl ? { OCTAVO_POSTGRES_URL: postgresUrl } : {};

/**
 * Stops the clock of this process for the work, and sets it. The service asks it once for each request, and passes the
 * time to its threads: with a clock that runs, two runs would not be the same, nor lists in the order of a time.
 */
export async function atTime<T>(seconds: number, work: (clock: Clock) => Promise<T>): Promise<T> {
  const { now } = Date;
  let nowSeconds = seconds;
  Date.now = () => nowSeconds * 1000;
  const set = (to: number) => {
    nowSeconds = to;
  };
  try {
    return await work({ now: () => nowSeconds, set });
  } finally {
    Date.now = now;
  }
}

export type Clock = { now(): number; set(seconds: number): void };

export const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
export const uuidsIn = (text: string): string[] => text.match(uuids) ?? [];

/** The text without what is made by chance, or is of one run. */
export type Mask = (text: string) => string;

/** Figures that a restore or a run changes: bytes that nothing refers to are not restored. PostgreSQL has no check. */
const figures = /"(calls|last_used_at|uptime_seconds|store_bytes|blob_bytes|memory_bytes)":(\d+|null)/g;

/** Uuids that are not known stand for their number, in the order in which they are first seen. */
export function maskOf(known: ReadonlySet<string>): Mask {
  const numbers = new Map<string, string>();
  const numberOf = (id: string): string => {
    const number = numbers.get(id) ?? `<id ${numbers.size + 1}>`;
    numbers.set(id, number);
    return number;
  };
  return (text) =>
    text
      .replace(uuids, (id) => (known.has(id) ? id : numberOf(id)))
      .replace(/"cursor":"[\w-]+","has_more"/g, '"cursor":"<cursor>","has_more"')
      .replace(/(delivery\/changes .*"cursor":")[\w-]+/, "$1<cursor>")
      .replace(figures, '"$1":0')
      .replace(/"store_checked_at":\d+,/, "")
      .replace(/"request_id":"\w+"/g, '"request_id":"<request>"')
      .replace(/"(version|value)":"\d+\.\d+\.\d+"/g, '"$1":"<version>"');
}

export class StoreSite {
  /** Every answer by its question, in the order in which they were asked. */
  readonly answers = new Map<string, string>();
  /** Begins the name of each question. */
  chapter = "";
  private readonly app: App;
  private readonly clock: Clock;
  private readonly tokens: Record<string, string>;
  private readonly masked: Mask;
  /** How often each question was asked. */
  private readonly times = new Map<string, number>();

  private constructor(app: App, clock: Clock, tokens: Record<string, string>, masked: Mask) {
    this.app = app;
    this.clock = clock;
    this.tokens = tokens;
    this.masked = masked;
  }

  static async open(place: Place, clock: Clock, masked: Mask): Promise<StoreSite> {
    const { data } = place;
    // With an uploads tree, files would name the data folder, and have tags that depend on it.
    const flags = { port: "0", log: "off", data, "public-url": "http://site.test", "uploads-tree": "off" };
    const app = await build(readSettings({ flags, env: envOf(place), file: undefined }));
    const tokens = ownTokens(data) ?? (await makeTokens(app, clock.now()));
    return new StoreSite(app, clock, tokens, masked);
  }

  /** Whether the store's tokens have one of this name. */
  has(who: string): boolean {
    return this.tokens[who] !== undefined;
  }

  close(): Promise<void> {
    return this.app.close();
  }

  readonly ask: Ask = async (who, method, path, { headers, ...args } = {}) => {
    const token = this.tokens[who];
    const reply =
      method === "GET"
        ? await this.read(path, { headers, args: { ...args, token } })
        : await this.write(method, path, { headers, args: { ...args, token, access_token: this.tokens.access } });
    const bytes = Buffer.from(await reply.arrayBuffer());
    const isJson = /json/.test(reply.headers.get("content-type") ?? "");
    const text = isJson ? bytes.toString() : createHash("sha256").update(bytes).digest("hex");
    const sent = [Object.keys(args).length > 0 && JSON.stringify(args), headers && JSON.stringify(headers)];
    this.keep([who, method, path, ...sent.filter(Boolean)].join(" "), reply, text);
    const { data, cursor = cursorIn(reply) } = isJson ? JSON.parse(text) : {};
    return { status: reply.status, data, cursor, sequence: Number(reply.headers.get("octavo-sequence")) };
  };

  private read(path: string, { headers, args }: Sent) {
    return fetch(`${this.app.url}${path}?${queryOf(args)}`, { headers: { "Accept-Encoding": "identity", ...headers } });
  }

  /** It takes a minute. */
  private write(method: string, path: string, { headers, args }: Sent) {
    this.clock.set(this.clock.now() + 60);
    return fetch(`${this.app.url}${path}`, {
      method,
      headers: { "Accept-Encoding": "identity", "Content-Type": "application/json", ...headers },
      body: JSON.stringify(args),
    });
  }

  /** Publishes what is due at this time, in one order, before the service itself looks at a clock that shows it. */
  async passTo(seconds: number): Promise<void> {
    for (const [name, due] of Object.entries(duesOf(this.app.stores))) {
      for (let round = 1, count = -1; count !== 0; round++) {
        count = await due.run(seconds);
        this.answers.set(`${this.chapter}${name}, round ${round}`, String(count));
      }
    }
    this.clock.set(seconds);
  }

  private keep(question: string, reply: Response, text: string): void {
    const name = this.masked(`${this.chapter}${question}`);
    const body = this.masked(text);
    // A tag may be made of the text.
    const isNew = body !== text;
    const headers = [...reply.headers]
      .filter(([header]) => !ofTransfer.has(header) && !(isNew && header === "etag"))
      .map(([header, value]) => `${header}: ${this.masked(value)}`);
    const answer = [String(reply.status), ...headers.sort(), "", body].join("\n");
    const times = this.times.get(name) ?? 0;
    this.times.set(name, times + 1);
    this.answers.set(times === 0 ? name : `${name} again ${times}`, answer);
  }
}

/** Headers of the connection and of the time, the name of the request, how fast it was, what all replies expose. */
const ofTransfer = new Set([
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "server-timing",
  "x-request-id",
  "access-control-expose-headers",
]);

const cursorIn = ({ headers }: Response): string | undefined =>
  new URL(/<(.*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "", "http://site.test").searchParams.get(
    "cursor",
  ) ?? undefined;

/** `{"filter": {"limit": 1}}` is `filter[limit]=1`. */
const queryOf = (args: object): URLSearchParams => new URLSearchParams(pairsOf("", args));

function pairsOf(name: string, value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => pairsOf(name === "" ? key : `${name}[${key}]`, inner));
}

/** The secrets that the store's maker has left beside it. */
function ownTokens(data: string): Record<string, string> | undefined {
  try {
    return JSON.parse(readFileSync(join(data, "tokens.json"), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

const all = ["entries", "registry", "files", "folders"] as const;

const judges: Record<string, Pick<TokenInput, "kind" | "resources" | "paths" | "writes">> = {
  access: { kind: "access", resources: [] },
  editor: { kind: "management", resources: [...all, "admin"] },
  second: { kind: "management", resources: all },
  author: { kind: "management", resources: ["entries", "files"], writes: "staged" },
  section: { kind: "management", resources: ["entries", "files", "folders"], paths: ["films/alien"] },
  delivery: { kind: "delivery", resources: all },
  preview: { kind: "preview", resources: ["entries", "files"] },
};

/** The same tokens as those of `scripts/old-store.ts`. */
async function makeTokens({ stores }: App, nowSeconds: number): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const [name, input] of Object.entries(judges)) {
    const context = { id: `token-${name}`, actor: "judge", nowSeconds };
    const whole = { label: name, environment: "", limitCalls: 0, ...input };
    secrets[name] = (await createToken(stores.tokens, whole, context)).secret;
  }
  return secrets;
}
