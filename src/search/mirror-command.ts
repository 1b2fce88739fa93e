import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { serviceOf } from "../cli/ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { plural, print, printJson, warn } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { bodyOf, headerOf, Refusal } from "../cli/refusal.ts";
import { askWith, parseServiceUrl, readToken, Silence } from "../cli/remote.ts";
import { isJsonObject, type JsonObject, parseJson } from "../core/lib/json.ts";
import { algolia } from "./mirror/algolia.ts";
import { meilisearch } from "./mirror/meilisearch.ts";
import { type Applied, apply, type Compared, compare, type ReadPage } from "./mirror/mirror.ts";
import { type Refused, type Send, type Target, type TargetOptions, TargetRefusal } from "./mirror/target.ts";
import { typesense } from "./mirror/typesense.ts";

/** octavo mirror: the public entries of a service in an index of another product. Contract §25. */

type Product = {
  name: string;
  make: (options: TargetOptions) => Target;
  headers: (key: string, call: CommandCall) => Record<string, string>;
};

const products: Record<string, Product> = {
  meilisearch: {
    name: "Meilisearch",
    make: meilisearch,
    headers: (key) => ({ Authorization: `Bearer ${key}` }),
  },
  typesense: {
    name: "Typesense",
    make: typesense,
    headers: (key) => ({ "X-TYPESENSE-API-KEY": key }),
  },
  algolia: {
    name: "Algolia",
    make: algolia,
    headers: (key, call) => ({ "X-Algolia-API-Key": key, "X-Algolia-Application-Id": applicationOf(call) }),
  },
};
const productNames = Object.keys(products).join(", ");

export const mirrorCommand: Command = {
  name: "mirror",
  summary: "Keep an index of Meilisearch, Typesense or Algolia in step with what is public",
  details:
    "Documents have the uuid, the slug and the client's keys. The first run puts all entries; then it goes on with each\n" +
    "change until it is ended, and the next one goes on where it was. The token of the service is OCTAVO_TOKEN, the key of\n" +
    "the product OCTAVO_MIRROR_KEY.",
  takes: [],
  options: {
    from: { value: "URL", help: "The address of the service." },
    token: { value: "TOKEN", help: "A delivery token of it; OCTAVO_TOKEN is not seen by other users of this machine." },
    to: { value: "PRODUCT", help: `One of ${productNames}.` },
    url: { value: "URL", help: "The address of the product." },
    key: { value: "KEY", help: "A key of it that writes; OCTAVO_MIRROR_KEY is not seen by other users." },
    index: { value: "NAME", help: "The index or collection; octavo by default." },
    application: { value: "ID", help: "Algolia's application; by default what its address begins with." },
    locale: { value: "LOCALE", help: "Mirror the lists of this locale, into an index of its own." },
    once: { help: "End when the index has all." },
    verify: { help: "Compare all documents, repair once, and end." },
    json: jsonOption,
  },
  examples: [
    "octavo mirror --from https://cms.example.org --to meilisearch --url https://search.example.org",
    "octavo mirror --from https://cms.example.org --to algolia --url https://ABC123.algolia.net --index site --verify",
  ],
  run: mirror,
};

async function mirror(call: CommandCall): Promise<void> {
  const { target, source } = read(call);
  const progress = new Progress(call.io.stderr);
  const compareAll = async (): Promise<Compared> => {
    const compared = await compare(target, source, (entries) => progress.count("entries", entries));
    progress.clear();
    return compared;
  };
  await target.open();
  if (call.switches.has("verify")) {
    const compared = await compareAll();
    return end(call, factsOf(compared), formatCompared(compared));
  }
  let refused: readonly Refused[] = [];
  let cursor = await target.cursor();
  let isAnew = cursor === undefined;
  for (;;) {
    try {
      const page = isAnew ? undefined : await source(cursor);
      if (!page) {
        const compared = await compareAll();
        [cursor, isAnew, refused] = [compared.cursor, false, [...refused, ...compared.refused]];
        tell(call, factsOf(compared), formatCompared(compared));
        continue;
      }
      if (page.data.length > 0) {
        const applied = await apply(target, page);
        refused = [...refused, ...applied.refused];
        tell(call, applied, formatApplied(applied));
      } else if (page.cursor !== cursor) await keepSometimes(target, page.cursor);
      cursor = page.cursor;
      if (page.hasMore) continue;
    } catch (error) {
      if (call.switches.has("once") || !isTemporary(error)) throw error;
      warn(call, `${(error as Error).message}; it goes on in ${laterMs / 1000} s`);
      await setTimeout(laterMs);
      continue;
    }
    if (call.switches.has("once")) return end(call, undefined, undefined, refused);
    refused = [];
    await setTimeout(everyMs);
  }
}

/** How often it looks for changes, and again for what does not answer. */
const [everyMs, laterMs] = [1000, 30_000];
/** A cursor that has moved without changes is kept this often: far more often than the log loses events. */
const keepEveryMs = 3_600_000;
let keptMs = performance.now();

async function keepSometimes(target: Target, cursor: string): Promise<void> {
  if (performance.now() - keptMs < keepEveryMs) return;
  await target.keep(cursor);
  keptMs = performance.now();
}

const isTemporary = (error: unknown): boolean =>
  error instanceof Silence ||
  (error instanceof TargetRefusal && isBusy(error.status)) ||
  (error instanceof Refusal && isBusyCode(error));

const isBusy = (status: number): boolean => status === 429 || status >= 500;
const isBusyCode = ({ code }: Refusal): boolean => ["busy", "behind", "too_many_requests"].includes(code ?? "");

// ---------------------------------------------------------------------------------------------- what it prints

const formatCompared = ({ entries, missing, different, extra, refused }: Compared): string =>
  `${plural(entries, "entry", "entries")} compared: ${missing} missing, ${different} different, ${extra} too many` +
  (missing + different + extra - refused.length > 0 ? "; repaired" : "");
const factsOf = ({ cursor: _, ...facts }: Compared) => facts;
const formatApplied = ({ put, removed }: Applied): string => `${put} put, ${removed} removed`;

/** What was done, and what the index did not take. */
function tell(call: CommandCall, facts: { refused: readonly Refused[] }, line: string): void {
  if (call.switches.has("json")) printJson(call, facts);
  else {
    print(call, line);
    for (const { uuid, why } of facts.refused) warn(call, `${uuid} was refused: ${why}`);
  }
}

/** Throws CommandError where documents were refused: the index does not have all. */
function end(
  call: CommandCall,
  facts: { refused: readonly Refused[] } | undefined,
  line: string | undefined,
  refused = facts?.refused ?? [],
): void {
  if (facts && line !== undefined) tell(call, facts, line);
  if (refused.length > 0)
    throw new CommandError(`the index lacks ${plural(refused.length, "document")}, as it refused them`);
}

// ---------------------------------------------------------------------------------------------- the command line

function read(call: CommandCall): { target: Target; source: ReadPage } {
  const { from, to = "", url, index = "octavo", token } = call.options;
  const product = Object.hasOwn(products, to) ? products[to] : undefined;
  if (!product)
    throw new UsageError(`--to ${to === "" ? "is missing" : `was "${to}"`}; expected one of ${productNames}`);
  if (from === undefined) throw new UsageError("--from is missing; expected the address of the service");
  if (url === undefined) throw new UsageError(`--url is missing; expected the address of ${product.name}`);
  if (!/^[\w-]{1,100}$/.test(index))
    throw new UsageError(`--index was "${index}"; expected letters, digits, _ and -, at most 100`);
  const env = { ...call.io.env, ...(token !== undefined && { OCTAVO_TOKEN: token }) };
  const key = readToken({ OCTAVO_MIRROR_KEY: call.options.key ?? call.io.env.OCTAVO_MIRROR_KEY }, "OCTAVO_MIRROR_KEY");
  if (!key) throw new UsageError(`OCTAVO_MIRROR_KEY is missing; expected a key of ${product.name}`);
  const send = sendTo(parseServiceUrl(url), product, key, call);
  return {
    target: product.make({ send, index, wait: (ms) => setTimeout(ms) }),
    source: sourceOf({ ...call, io: { ...call.io, env } }, parseServiceUrl(from, "--from")),
  };
}

function applicationOf({ options: { application, url = "" } }: CommandCall): string {
  const id = application ?? /^https?:\/\/([A-Za-z0-9]+)(?:-\w+)?\.algolia(?:net\.com|\.net)/i.exec(url)?.[1];
  if (id === undefined) throw new UsageError("--application is missing; expected the id of the application of Algolia");
  return id.toUpperCase();
}

/** How deep a page may be: entries in a list in an object. */
const maxPageDepth = 80;
const pageEntries = 500;

function sourceOf(call: CommandCall, url: string): ReadPage {
  const { ask } = serviceOf(call, url);
  const { locale } = call.options;
  const isPast = (error: unknown) =>
    error instanceof Refusal && ["feed_too_old", "cursor_invalid"].includes(error.code ?? "");
  return async (cursor) => {
    const query = new URLSearchParams({
      limit: String(pageEntries),
      ...(cursor !== undefined && { cursor }),
      ...(locale !== undefined && { locale }),
    });
    const reply = await patiently(
      () => ask({ method: "GET", url: `/api/delivery/changes?${query}` }),
      (error) =>
        error instanceof Refusal && isBusyCode(error)
          ? error.retrySeconds
          : error instanceof Silence
            ? undefined
            : null,
    ).catch((error: unknown) => {
      if (cursor !== undefined && isPast(error)) return undefined;
      throw error;
    });
    if (!reply) return undefined;
    const page = parseJson(await bodyOf(reply), maxPageDepth);
    if (!isJsonObject(page) || !Array.isArray(page.get("data")))
      throw new CommandError(`what answers at ${url} is no service of Octavo`);
    return {
      data: page.get("data") as JsonObject[],
      cursor: String(page.get("cursor")),
      hasMore: page.get("has_more") === true,
    };
  };
}

// ---------------------------------------------------------------------------------------------- the product

/** A refusal is told in the words of the product; a wrong key in ours, and no key is ever in a message. */
function sendTo(url: string, { name, headers }: Product, key: string, call: CommandCall): Send {
  const ask = askWith(url, headers(key, call));
  const attempt: Send = async ({ method, path, json, lines }) => {
    const body =
      json !== undefined
        ? { type: "application/json", text: json }
        : lines && { type: "text/plain", text: lines.join("\n") };
    const reply = await ask({ method, url: path, body });
    if (reply.status < 300)
      return reply.body instanceof Uint8Array ? Readable.from([reply.body]) : Readable.from(reply.body);
    const { status } = reply;
    const text = (await bodyOf(reply)).replaceAll(key, "…").slice(0, mostSaid);
    if (status === 401 || status === 403)
      throw new CommandError(
        `${name} at ${url} answers ${status}: the key (OCTAVO_MIRROR_KEY) is wrong, or may not do this; expected one that reads and writes the index`,
      );
    throw new BusyRefusal(status, `${name} answers ${status}: ${said(text)}`, Number(headerOf(reply, "retry-after")));
  };
  return (request) =>
    patiently(
      () => attempt(request),
      (error) => {
        if (error instanceof Silence) return undefined;
        if (!(error instanceof BusyRefusal) || !isBusy(error.status)) return null;
        return Number.isNaN(error.seconds) ? undefined : error.seconds;
      },
    );
}

class BusyRefusal extends TargetRefusal {
  readonly seconds: number;
  constructor(status: number, message: string, seconds: number) {
    super(status, message);
    this.seconds = seconds;
  }
}

/** So much of a refusal is shown. */
const mostSaid = 500;

/** The message in a refusal, which all products have. */
function said(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text;
  }
}

/** How long is asked again what has no room or does not answer. */
const maxPatienceMs = 120_000;
const firstPauseMs = 500;

/** Asks again after the seconds that `again` answers, or after ever longer pauses for undefined; null is no reason to. */
async function patiently<T>(ask: () => Promise<T>, again: (error: unknown) => number | undefined | null): Promise<T> {
  for (let [waited, pause] = [0, firstPauseMs]; ; pause *= 2) {
    try {
      return await ask();
    } catch (error) {
      const seconds = again(error);
      if (seconds === null || waited >= maxPatienceMs) throw error;
      const ms = seconds === undefined ? pause : Math.min(seconds * 1000, maxPatienceMs);
      // An answer that may be had at once counts, too: else it would be asked for ever.
      waited += Math.max(ms, firstPauseMs);
      await setTimeout(ms);
    }
  }
}
