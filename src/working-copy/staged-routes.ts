import { asStaged, mayWrite } from "../core/access/access.ts";
import { local, manages, stages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { collectionProblems, entryCollectionArguments, facetCounts } from "../core/http/collection.ts";
import { entryGroups } from "../core/http/ignored.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import { type Answer, noContent, tagged } from "../core/http/reply.ts";
import { argument, nullIn, type Route, route, textOrNull } from "../core/http/route.ts";
import { readTime, slug, slugOrRoot } from "../core/http/schema.ts";
import { describeJson } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Slug } from "../core/path.ts";
import { formatPlaceCursor, type PathPlace, parsePlaceCursor } from "../core/path-cursor.ts";
import { problem } from "../core/problem.ts";
import { type EntryData, toEntryInput } from "../entry/data.ts";
import { includeArgument } from "../entry/include-wire.ts";
import { EntryReader, type EntryReadOptions, type EntryStores } from "../entry/read-wire.ts";
import { type EntryOptions, readEntryData } from "../entry/routes.ts";
import { stagedHeaders } from "../entry/staged-header-wire.ts";
import { entryObject, entryOrList, included, localeInfo } from "../entry/wire.ts";
import { stagedAnswer, writtenAnswer } from "../entry/written-wire.ts";
import type { PersonStore } from "../people/person.ts";
import { imagePresetArgument, renderArgument } from "../render/wire.ts";
import {
  idUnlessPath,
  localeArgument,
  localeArguments,
  localeHeaderNames,
  refuseOther,
  writerIn,
} from "../translation/read-wire.ts";
import { writtenIn } from "../translation/written-wire.ts";
import { typeRefusals } from "../type/problems.ts";
import { releaseRefusals } from "./problems.ts";
import { type StagedEntry, stagedFields, stagedTag } from "./staged.ts";
import { formatOutdated } from "./staged-base.ts";
import { outdatedKey, stagedRow } from "./staged-wire.ts";

export const publishAt = argument(
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "string", "null"],
      description: "When: Unix seconds or an ISO 8601 date; null takes the time back. Absent: now.",
    }),
  ),
  (sent, name, call) => {
    const value = nullIn(call, sent.get(name));
    return value === undefined || value === null ? value : readTime(name, value, "Unix seconds, a date, or null");
  },
);

export const current = Type.Optional(
  Type.Boolean({ description: "True: refuses a copy with keys that were changed live since they were staged." }),
);

const data = argument(
  Type.Optional(
    Type.Unsafe<EntryData>({
      type: "object",
      additionalProperties: true,
      description: "An object of fields to store. Optional beside `release`: then nothing else changes.",
    }),
  ),
  (sent, name, call) => (sent.has(name) || !sent.has("release") ? readEntryData(sent, name, call) : undefined),
);
const noData = { own: new Map(), fields: {} } satisfies EntryData;

const release = argument(
  Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "The id of a release that the copy goes live with; null takes it out of its release.",
    }),
  ),
  textOrNull("the id of a release, or null for none"),
);

const acceptedKeys = "a list of at least one key";
const keys = argument(
  Type.Optional(Type.Array(Type.String(), { description: "Only these keys of the copy; absent for all of it." })),
  (sent, name) => {
    const value = sent.get(name);
    if (value === undefined) return undefined;
    const list = Array.isArray(value) ? value : [value];
    if (list.length > 0 && list.every((key) => typeof key === "string")) return list;
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted: acceptedKeys });
  },
);

export type StagedOptions = EntryReadOptions & Pick<EntryOptions, "maxKeys">;

/** /api/entries/staged and /api/entries/publish: changes that are not live yet. Contract, part two, §11. */
export function stagedRoutes(stores: EntryStores & { people: PersonStore }, options: StagedOptions): Route[] {
  const store = stores.staged;
  const reader = new EntryReader(stores, options);
  const url = "/api/entries/staged";
  const id = slug("The entry.");
  const locale = localeArgument(options.locales);
  const named = ["entry_not_found", "path_invalid", "locales_missing", "locale_unknown"] as const;
  const changed = [...named, "revision_mismatch", "publish_scheduled"] as const;
  const headers = ["Octavo-Staged", "Octavo-Publish-At", "Octavo-Outdated", "Octavo-Release"] as const;
  const need = local(writes("entries"));
  const write = { need, reply: entryObject, replyForm: { headers }, isOperation: true } as const;
  return [
    route({
      method: "GET",
      url,
      summary: "Fetch one entry or a collection, with working copies laid over",
      need: manages("entries"),
      arguments: {
        id: slugOrRoot("The entry, or the parent of a collection", idUnlessPath(options.locales)),
        ...localeArguments(options.locales),
        include: includeArgument,
        render: renderArgument,
        imagePreset: imagePresetArgument,
        ...entryCollectionArguments,
      },
      groups: entryGroups,
      reply: entryOrList,
      replyForm: {
        beside: { included, locales: localeInfo, facets: facetCounts },
        headers: [...headers, "Octavo-Previews-Pending", ...localeHeaderNames],
      },
      problems: [...named, ...collectionProblems, "include_too_large"],
      handle: (call, args) => reader.read(call, args, asStaged(call.access)),
    }),
    route({
      method: "GET",
      url: `${url}/list`,
      summary: "List the entries that have a working copy",
      need: manages("entries"),
      arguments: { locale, ...listArguments(parsePlaceCursor) },
      reply: Type.Array(stagedRow, { description: "In the order of their ids; of all locales without `locale`." }),
      problems: ["cursor_invalid", "locales_missing", "locale_unknown"],
      handle: (call, { locale, ...args }) =>
        listPage(call, args, {
          read: (limit, after: PathPlace | undefined) => store.list({ paths: call.access.paths, after, limit, locale }),
          fields: stagedFields,
          actors: { people: stores.people, of: ["staged_by"] },
          cursorOf: ({ slug, copy }) => formatPlaceCursor({ slug, locale: copy.locale }),
        }),
    }),
    route({
      method: "GET",
      url: `${url}/outdated`,
      summary: "Compare the outdated keys of a working copy",
      need: manages("entries"),
      arguments: { id, locale },
      reply: Type.Array(outdatedKey, { description: "Those that a publish would put back." }),
      problems: [...named],
      handle: async (_call, { id, locale }) => {
        const texts = await store.outdated(id, locale);
        return tagged(`[${texts.map(formatOutdated).join(",")}]`);
      },
    }),
    route({
      ...write,
      need: local(stages("entries")),
      method: "PATCH",
      url,
      summary: "Change the working copy of an entry",
      replyForm: { headers: [...headers, "Octavo-Faults", ...localeHeaderNames] },
      arguments: { id, locale, data, release },
      problems: [
        ...named,
        "revision_mismatch",
        "field_invalid",
        "data_too_large",
        "nothing_staged",
        ...releaseRefusals,
        ...typeRefusals,
      ],
      handle: async (call, { id, locale, data = noData, release }) => {
        refuseOther(call, options.locales, locale);
        const { isMergePatch } = call.body;
        const input = await toEntryInput(data, { isMergePatch, maxKeys: options.maxKeys });
        const staging = { ...input, release, onlyOwn: ownOnly(call) };
        return stagedIn(call, id, locale, await store.stage(id, staging, writerIn(call, locale)));
      },
    }),
    route({
      ...write,
      need: local(stages("entries")),
      method: "DELETE",
      url,
      summary: "Drop the working copy of an entry, or keys of it",
      arguments: { id, locale, keys },
      reply: undefined,
      replyForm: {},
      problems: [...changed, "nothing_staged"],
      handle: async (call, { id, locale, keys }) => {
        refuseOther(call, options.locales, locale);
        await store.discard(id, { keys, onlyOwn: ownOnly(call) }, writerIn(call, locale));
        return noContent;
      },
    }),
    route({
      ...write,
      method: "POST",
      url: "/api/entries/publish",
      summary: "Publish the working copy of an entry, or a draft, now or at a time",
      arguments: { id, locale, at: publishAt, current },
      problems: [
        ...changed,
        "in_release",
        "nothing_staged",
        "staged_outdated",
        "too_many_copies",
        "data_too_large",
        ...typeRefusals,
      ],
      handle: async (call, { id, locale, at, current }) => {
        refuseOther(call, options.locales, locale);
        const context = writerIn(call, locale);
        if (at === null || (at !== undefined && at > context.nowSeconds))
          return stagedIn(call, id, locale, await store.schedule(id, { atSeconds: at, current }, context));
        const published = await store.publish(id, { current }, context);
        return locale
          ? writtenIn(stores.translations, options, call.access, id, locale, published)
          : writtenAnswer(published);
      },
    }),
  ];

  /** The entry with the working copy laid over, in the locale that the call names. */
  function stagedIn(call: Call, id: Slug, locale: string | undefined, found: StagedEntry): MaybePromise<Answer> {
    if (!locale) return stagedAnswer(found);
    const more = { tag: stagedTag(found.entry), headers: stagedHeaders(found) ?? [] };
    const faulty = { ...found.entry, ...(found.faults && { faults: found.faults }) };
    return writtenIn(stores.translations, options, asStaged(call.access), id, locale, faulty, more);
  }
}

/** Who may only stage neither drops what others staged nor takes it out of a release. */
const ownOnly = ({ access }: Call): boolean => !mayWrite(access, "all");
