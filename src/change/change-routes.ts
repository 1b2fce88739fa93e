import { setImmediate } from "node:timers/promises";
import { type Access, asPublic } from "../core/access/access.ts";
import { delivers } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type Answer, json } from "../core/http/reply.ts";
import { argument, ifSent, type Route, route, textReader } from "../core/http/route.ts";
import type { Messages, StreamAnswer } from "../core/http/stream.ts";
import { Type } from "../core/lib/json-schema.ts";
import { formatEntry } from "../entry/entry.ts";
import { wantsStream } from "../feed/event-routes.ts";
import type { LogWatch } from "../feed/log-watch-wire.ts";
import { problem } from "../feed/problems.ts";
import { FileAddresses } from "../render/address.ts";
import type { EntryRenderer, ProseAsker, Render } from "../render/render.ts";
import type { Locales } from "../translation/locale.ts";
import { inLocaleOf, localeArgument } from "../translation/read-wire.ts";
import {
  type Change,
  ChangeCursors,
  type ChangePage,
  type ChangePlace,
  type ChangeStore,
  walkedPaths,
} from "./change.ts";
import { changeObject } from "./change-wire.ts";

const [defaultLimit, maxLimit] = [100, 1000];

const changeArguments = (locales: Locales | undefined) => ({
  cursor: argument(
    Type.Optional(Type.String({ description: "From the page before; without it the feed begins with all entries." })),
    ifSent(textReader((_name, text) => text, "a cursor")),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxLimit,
      description: `An integer from 1 to ${maxLimit}; defaults to ${defaultLimit}. A page of large entries has fewer.`,
    }),
  ),
  only: Type.Optional(
    Type.Unsafe<"id">({ type: "string", enum: ["id"], description: "`id` leaves out the entries themselves." }),
  ),
  locale: localeArgument(locales),
});

type Stores = { changes: ChangeStore; signingKey: string };
type Options = {
  watch: LogWatch;
  renderer: EntryRenderer;
  /** What delivery tokens get of an entry. */
  defaultRender: Render;
  publicUrl: string | undefined;
  locales: Locales | undefined;
};

/** /api/delivery/changes: what a mirror of all public entries has to do. Contract, part three, §12; decision 73. */
export function changeRoutes(stores: Stores, options: Options): Route[] {
  const feed = new ChangeFeed(stores, options);
  return [
    route({
      method: "GET",
      url: "/api/delivery/changes",
      summary: "Follow what changes in public",
      need: delivers("entries"),
      arguments: changeArguments(options.locales),
      replyForm: { streams: true, isBare: true },
      reply: changeObject,
      problems: [
        "host_invalid",
        "argument_invalid",
        "argument_unknown",
        "cursor_invalid",
        "locale_unknown",
        "locales_missing",
        "feed_too_old",
        "too_many_streams",
        "busy",
      ],
      handle: (call, { cursor, limit = defaultLimit, only, locale }) => {
        const isHtml = options.defaultRender === "html" && call.access.reads === "public";
        const reading: Reading = {
          // The source is read as without a locale.
          access: inLocaleOf(asPublic(call.access), options.locales, { locale: locale || undefined }),
          limit,
          hasEntries: only === undefined,
          htmlBase: isHtml ? (options.publicUrl ?? call.origin()) : undefined,
        };
        return wantsStream(call) ? feed.stream(call, cursor, reading) : feed.page(call, cursor, reading);
      },
    }),
  ];
}

/** What a reader of the feed gets. */
/** `htmlBase`: where entries have HTML for their prose, the base of the addresses in it. */
type Reading = { access: Access; limit: number; hasEntries: boolean; htmlBase: string | undefined };

class ChangeFeed {
  private readonly changes: ChangeStore;
  private readonly cursors: ChangeCursors;
  private readonly options: Options;
  private readonly pages = new Map<string, Promise<Messages<ChangePlace | undefined> & { sequence: number }>>();

  constructor({ changes, signingKey }: Stores, options: Options) {
    this.changes = changes;
    this.cursors = new ChangeCursors(signingKey);
    this.options = options;
  }

  /** Throws cursor_invalid, feed_too_old. */
  async page(call: Call, cursor: string | undefined, reading: Reading): Promise<Answer> {
    const asker = call.asker(() => undefined);
    const place = this.placeOf(cursor, reading);
    const page = keptPage(await this.changes.read(place, reading.limit, reading.access, asker));
    const texts = await this.textsOf(page.changes, reading, asker);
    const next = JSON.stringify(this.cursors.format(page.place, reading.access));
    const body = `{"data":[${texts.join(",")}],"cursor":${next},"has_more":${page.hasMore}}`;
    return json(body, { cacheControl: "private, no-store" });
  }

  /** Throws cursor_invalid, feed_too_old. */
  async stream(
    call: Call,
    cursor: string | undefined,
    reading: Reading,
  ): Promise<StreamAnswer<ChangePlace | undefined>> {
    const from = this.placeOf(String(call.headers["last-event-id"] ?? "") || cursor, reading);
    // Refused before the stream begins.
    keptPage(await this.changes.read(from, 1, reading.access));
    return {
      from,
      after: (place, signal) => this.after(place, reading, signal),
      token: call.token?.id ?? "",
      isAdmitted: call.isAdmitted,
    };
  }

  private placeOf(cursor: string | undefined, { access }: Reading): ChangePlace | undefined {
    return cursor === undefined ? undefined : this.cursors.parse(cursor, access);
  }

  /** The messages after a place, as soon as there are any; none once the signal aborts. */
  private async after(
    from: ChangePlace | undefined,
    reading: Reading,
    signal: AbortSignal,
  ): Promise<Messages<ChangePlace | undefined>> {
    for (let place = from; ; ) {
      const page = await this.messages(place, reading);
      if (page.text !== "" || signal.aborted) return page;
      place = page.place;
      if (!page.hasMore) await this.options.watch.wait(page.sequence, signal);
    }
  }

  /** Those that ask together for the same share a read; nothing is kept for later. */
  private messages(place: ChangePlace | undefined, reading: Reading) {
    const { paths, locale } = reading.access;
    const key = JSON.stringify([place, { ...reading, access: [walkedPaths({ paths }), locale] }]);
    const known = this.pages.get(key);
    if (known) return known;
    const page = this.readMessages(place, reading);
    this.pages.set(key, page);
    const forget = () => void setImmediate().then(() => this.pages.delete(key));
    page.then(forget, forget);
    return page;
  }

  private async readMessages(place: ChangePlace | undefined, reading: Reading) {
    const access = { ...reading.access, nowSeconds: Math.floor(Date.now() / 1000) };
    const page = keptPage(await this.changes.read(place, reading.limit, access));
    const texts = await this.textsOf(page.changes, reading, streamAsker);
    const messages = page.changes.map(
      (change, i) => `id: ${this.cursors.format(change.place, access)}\ndata: ${texts[i]}\n\n`,
    );
    return { text: messages.join(""), place: page.place, hasMore: page.hasMore, sequence: page.sequence };
  }

  private async textsOf(changes: readonly Change[], reading: Reading, asker: ProseAsker): Promise<string[]> {
    const texts: string[] = [];
    for (const change of changes) texts.push(await this.textOf(change, reading, asker));
    return texts;
  }

  private async textOf(change: Change, { hasEntries, htmlBase }: Reading, asker: ProseAsker): Promise<string> {
    if (!("entry" in change)) return JSON.stringify({ op: "gone", uuid: change.uuid, id: change.id });
    const { entry } = change;
    const head = JSON.stringify({ op: "put", uuid: entry.uuid, id: entry.slug });
    if (!hasEntries) return head;
    const text = formatEntry(entry);
    const places = htmlBase === undefined ? undefined : new FileAddresses(htmlBase);
    const shown = places ? await this.options.renderer.entry(text, undefined, asker, places) : text;
    return `${head.slice(0, -1)},"entry":${shown}}`;
  }
}

/** Who waits for what is shared by many streams. */
const streamAsker: ProseAsker = { client: "changes", signal: new AbortController().signal };

function keptPage(page: ChangePage | undefined): ChangePage {
  if (!page) throw problem("feed_too_old", {});
  return page;
}
