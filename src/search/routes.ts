import { type Access, asPublic, asStaged } from "../core/access/access.ts";
import { manages, type Need, reads } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import type { Answer } from "../core/http/reply.ts";
import {
  type ArgumentsOf,
  argument,
  passedOver,
  pathOrRoot,
  type Route,
  route,
  textReader,
} from "../core/http/route.ts";
import { oneOf, someFields } from "../core/http/schema.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { parseCollection } from "../core/list/list.ts";
import { type Path, parsePath, rootPath } from "../core/path.ts";
import { includeArgument } from "../entry/include-wire.ts";
import { EntryReader, type EntryReadOptions, type EntryStores } from "../entry/read-wire.ts";
import { entryObject, included } from "../entry/wire.ts";
import { type AddressOptions, addressCache, addressOf, folderPageGroups } from "../file/uploads-address-wire.ts";
import { fileObject } from "../file/wire.ts";
import { imagePresetArgument, renderArgument } from "../render/wire.ts";
import type { Locales } from "../translation/locale.ts";
import { localeToRead } from "../translation/locale-wire.ts";
import { localeArguments } from "../translation/read-wire.ts";
import { askOf, commonArguments, filterOf } from "./arguments-wire.ts";
import { problem } from "./problems.ts";
import type { SearchAsk, SearchStore } from "./search.ts";
import { wayOf } from "./way.ts";
import { searchBeside } from "./wire.ts";

const readPath = textReader(parsePath, pathOrRoot);
/** Where is searched; without it everywhere. `description` without its full stop. */
const place = (description: string) =>
  argument(
    Type.Optional(Type.Unsafe<Path>({ type: "string", description: `${description}; everywhere without it.` })),
    (sent, name, call) => (sent.has(name) ? readPath(sent, name, call) : rootPath),
  );
const depth = argument(
  Type.Optional(Type.Unsafe<Json>({ type: "string", description: "Depth below it: 1, >1, <=3, or * (the default)." })),
  (sent, name) => sent.get(name),
);

/** A site that sends these also asks a service without locales, whose searches refuse what they do not know. */
const withoutLocales = {
  ...localeArguments(undefined),
  locale: localeToRead(undefined),
  localeFallback: passedOver(
    argument(Type.Optional(oneOf(["on", "off"] as const, "Without locales it does nothing.")), () => undefined),
  ),
};

const searchArguments = (locales: EntryReadOptions["locales"]) => {
  const { path: _, localeInfo: __, ...inLocale } = locales ? localeArguments(locales) : withoutLocales;
  return {
    ...commonArguments,
    id: place("The entry below which is searched"),
    depth,
    ...inLocale,
    include: includeArgument,
    render: renderArgument,
    imagePreset: imagePresetArgument,
  };
};
type SearchArguments = ArgumentsOf<ReturnType<typeof searchArguments>>;

type Asking = {
  isOn: boolean;
  /** Without locales: that of what entries say. */
  language: string;
  locales: Locales | undefined;
};
export type SearchOptions = EntryReadOptions & Asking;
type FileSearchOptions = AddressOptions & Asking & Pick<EntryReadOptions, "pages" | "bounds">;

const refusals = [
  "argument_missing",
  "argument_invalid",
  "argument_unknown",
  "search_off",
  "path_invalid",
  "filter_invalid",
  "filter_too_complex",
  "filter_too_costly",
  "limit_too_large",
  "locales_missing",
  "locale_unknown",
  "busy",
] as const;

/** /api/entries/search and its like. Contract §25. */
export function searchRoutes(stores: EntryStores & { searches: SearchStore }, options: SearchOptions): Route[] {
  const reader = new EntryReader(stores, options);
  const args = searchArguments(options.locales);
  const search = (url: string, summary: string, need: Need, see: (access: Access) => Access, hasWhy: boolean) =>
    route({
      method: "GET",
      url,
      summary,
      need,
      arguments: args,
      reply: Type.Array(Type.Union([entryObject, someFields(entryObject)]), {
        description: "What was found, the best first.",
      }),
      replyForm: { beside: { ...searchBeside, included }, headers: ["Octavo-Previews-Pending"] },
      problems: [...refusals, "entry_not_found", "include_too_large"],
      handle: (call, sent) => answer(call, sent, see(call.access), hasWhy),
    });
  const answer = (call: Call, sent: SearchArguments, access: Access, hasWhy: boolean): MaybePromise<Answer> => {
    const ask = askedOf(sent, options, hasWhy && call.access.reads === "management");
    return reader.search(call, { ...sent, filter: filterOf(sent) } as never, access, (query, seeing, asker) =>
      stores.searches.find(ask, query, seeing, asker),
    );
  };
  return [
    search("/api/entries/search", "Search entries", reads("entries"), (access) => access, true),
    search("/api/delivery/entries/search", "Search public entries", reads("entries"), asPublic, false),
    search(
      "/api/entries/staged/search",
      "Search entries with working copies laid over",
      manages("entries"),
      asStaged,
      false,
    ),
  ];
}

/** /api/files/search. Contract §25. */
export function fileSearchRoute(searches: SearchStore, options: FileSearchOptions): Route {
  return route({
    method: "GET",
    url: "/api/files/search",
    summary: "Search files",
    need: reads("files"),
    arguments: {
      ...commonArguments,
      path: place("The folder in which is searched"),
      depth,
      locale: localeToRead(options.locales),
    },
    reply: Type.Array(Type.Union([fileObject, someFields(fileObject)]), {
      description: "What was found, the best first.",
    }),
    replyForm: { beside: searchBeside },
    problems: [...refusals, "folder_not_found", "host_invalid"],
    handle: (call, { path = rootPath, locale: chain, ...sent }) => {
      const ask = askedOf(sent, options, false);
      const address = addressOf(call, options);
      return options.pages.read(call, {
        access: call.access,
        cacheControl: addressCache(call, options),
        groups: folderPageGroups(call, options),
        query: parseCollection(path, filterOf(sent), options.bounds),
        list: (query, asker) =>
          searches.findFiles(ask, query, address, call.access, asker, chain?.length ? chain : undefined),
      });
    },
  });
}

/** Throws search_off, and what askOf throws. */
function askedOf(sent: Parameters<typeof askOf>[0], { isOn, locales, language }: Asking, wantsWhy: boolean): SearchAsk {
  if (!isOn) throw problem("search_off");
  return { ...askOf(sent), wantsWhy, way: wayOf(locales, language) };
}
