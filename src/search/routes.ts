import { type Access, asPublic, asStaged } from "../core/access/access.ts";
import { manages, type Need, reads } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import type { Answer } from "../core/http/reply.ts";
import { type ArgumentsOf, argument, pathOrRoot, type Route, route, textReader } from "../core/http/route.ts";
import { slugOrRoot } from "../core/http/schema.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { parsePath, rootPath } from "../core/path.ts";
import { includeArgument } from "../entry/include-wire.ts";
import { EntryReader, type EntryReadOptions, type EntryStores } from "../entry/read-wire.ts";
import { entryObject, included } from "../entry/wire.ts";
import { imagePresetArgument, renderArgument } from "../render/wire.ts";
import { localeName, sourceLocale } from "../translation/locale.ts";
import { localeArguments } from "../translation/read-wire.ts";
import { problem } from "./problems.ts";
import type { SearchAsk, SearchStore } from "./search.ts";
import { wayOf } from "./way.ts";
import { searchBeside } from "./wire.ts";

const [usualLimit, maxLimit, maxOffset, maxFacets, maxBytes] = [20, 100, 1000, 5, 512];

/** Names, as commas or a list. Throws argument_invalid. */
function readNames(argumentName: string, sent: Json | undefined): string[] | undefined {
  if (sent === undefined) return undefined;
  const accepted = "names with commas, or a list of names";
  const names = typeof sent === "string" ? sent.split(",") : sent;
  if (!Array.isArray(names) || names.some((name) => typeof name !== "string"))
    throw problem("argument_invalid", { argument: argumentName, received: describeJson(sent), accepted });
  return (names as string[]).map((name) => name.trim()).filter((name) => name !== "");
}

const namesArgument = (description: string) =>
  argument(Type.Optional(Type.Array(Type.String(), { description })), (sent, name) => readNames(name, sent.get(name)));

/** The conditions of lists. What else a filter of a list has is an argument of its own. Throws argument_invalid. */
const conditionNames = ["where", "and_where", "or_where"];
const filterArgument = argument(
  Type.Optional(
    Type.Unsafe<JsonObject>({
      type: "object",
      description: `Conditions as those of lists: ${conditionNames.join(", ")}.`,
    }),
  ),
  (sent, name) => {
    const value = sent.get(name);
    if (value === undefined) return undefined;
    const accepted = `an object with ${conditionNames.join(", ")}`;
    if (!isJsonObject(value)) throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted });
    const unknown = [...value.keys()].find((key) => !conditionNames.includes(key));
    if (unknown !== undefined) throw problem("argument_unknown", { argument: `${name}[${unknown}]`, near: undefined, names: conditionNames });
    return value;
  },
);

const readPath = textReader(parsePath, pathOrRoot);

const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, description: `${description} At most ${maximum}.` }));

const searchArguments = (locales: EntryReadOptions["locales"]) => {
  const { path: _, localeInfo: __, ...inLocale } = localeArguments(locales);
  return {
    q: argument(
      Type.String({
        description: `Words: all of them, the last one also as a beginning; "a phrase", -without. At most ${maxBytes} bytes and 16 words; nothing finds all.`,
      }),
      (sent, name) => {
        const value = sent.get(name);
        if (value === undefined) throw problem("argument_missing", { argument: name, accepted: "words" });
        if (typeof value === "string" && Buffer.byteLength(value) <= maxBytes) return value;
        throw problem("argument_invalid", {
          argument: name,
          received: typeof value === "string" ? `${Buffer.byteLength(value)} bytes` : describeJson(value),
          accepted: `a text of at most ${maxBytes} bytes`,
        });
      },
    ),
    id: slugOrRoot("The entry below which is searched", (sent, name, call) =>
      sent.has(name) ? readPath(sent, name, call) : rootPath,
    ),
    depth: argument(
      Type.Optional(Type.Unsafe<Json>({ type: "string", description: "Depth below the id: 1, >1, <=3, or * (the default)." })),
      (sent, name) => sent.get(name),
    ),
    prefix: Type.Optional(
      Type.Unsafe<"on" | "off">({ type: "string", enum: ["on", "off"], description: "`off`: the last word is whole." }),
    ),
    ...inLocale,
    filter: filterArgument,
    facets: namesArgument(`Fields whose values are counted over all matches, at most ${maxFacets}.`),
    limit: count(1, maxLimit, `How many matches; defaults to ${usualLimit}.`),
    offset: count(0, maxOffset, "How many of the best are left out."),
    only: namesArgument("Fields to answer."),
    include: includeArgument,
    render: renderArgument,
    imagePreset: imagePresetArgument,
  };
};
type SearchArguments = ArgumentsOf<ReturnType<typeof searchArguments>>;

export type SearchOptions = EntryReadOptions & {
  isOn: boolean;
  /** Without locales: that of what entries say. */
  language: string;
};

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
      reply: Type.Array(entryObject, { description: "What was found, the best first." }),
      replyForm: { beside: { ...searchBeside, included }, headers: ["Octavo-Previews-Pending"] },
      problems: [
        "argument_missing",
        "argument_invalid",
        "argument_unknown",
        "search_off",
        "entry_not_found",
        "path_invalid",
        "filter_invalid",
        "filter_too_complex",
        "filter_too_costly",
        "limit_too_large",
        "include_too_large",
        "locales_missing",
        "locale_unknown",
        "busy",
      ],
      handle: (call, sent) => answer(call, sent, see(call.access), hasWhy),
    });
  const answer = (call: Call, sent: SearchArguments, access: Access, hasWhy: boolean): MaybePromise<Answer> => {
    if (!options.isOn) throw problem("search_off");
    refusePast("limit", sent.limit, maxLimit);
    refusePast("offset", sent.offset, maxOffset);
    const { facets = [] } = sent;
    if (facets.length > maxFacets)
      throw problem("argument_invalid", {
        argument: "facets",
        received: `${facets.length} fields`,
        accepted: `at most ${maxFacets} fields`,
      });
    const ask: SearchAsk = {
      q: sent.q,
      prefix: sent.prefix !== "off",
      facets,
      wantsWhy: hasWhy && call.access.reads === "management",
      way: wayOf(options.locales, options.language),
      locale: options.locales ? localeName(options.locales, sent.locale ?? sourceLocale) : options.language || "und",
    };
    return reader.search(call, { ...sent, filter: filterOf(sent) } as never, access, (query, seeing, asker) =>
      stores.searches.find(ask, query, seeing, asker),
    );
  };
  return [
    search("/api/entries/search", "Search entries", reads("entries"), (access) => access, true),
    search("/api/delivery/entries/search", "Search public entries", reads("entries"), asPublic, false),
    search("/api/entries/staged/search", "Search entries with working copies laid over", manages("entries"), asStaged, false),
  ];
}

/** What a search asks of a list. */
function filterOf({ filter, depth, limit = usualLimit, offset = 0, only }: SearchArguments): JsonObject {
  const list: JsonObject = new Map(filter);
  list.set("depth", depth ?? "*");
  list.set("limit", String(limit));
  list.set("offset", String(offset));
  if (only) list.set("only", only);
  return list;
}

function refusePast(name: string, sent: number | undefined, max: number): void {
  if (sent !== undefined && sent > max) throw problem("limit_too_large", { argument: name, received: String(sent), max });
}
