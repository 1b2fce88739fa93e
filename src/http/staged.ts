import { asStaged } from "../domain/access.ts";
import { parseCollection, parseProjection, project } from "../domain/collection.ts";
import { type EntryStore, formatEntry } from "../domain/entry.ts";
import { type EntryData, toEntryInput } from "../domain/entry-data.ts";
import type { Slug } from "../domain/path.ts";
import { problem, typeProblems } from "../domain/problem.ts";
import { formatRevision } from "../domain/revision.ts";
import {
  formatStagedPlace,
  parseStagedPlace,
  type StagedEntry,
  type StagedStore,
  stagedFields,
  stagedTag,
} from "../domain/staged.ts";
import { Type } from "../lib/json-schema.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { manages, writes } from "./auth.ts";
import type { Call } from "./call.ts";
import {
  type CollectionArguments,
  collectionArguments,
  collectionProblems,
  filterArguments,
  isCollection,
} from "./collection.ts";
import { type EntryOptions, entryData, stagedHeaders } from "./entry.ts";
import { entryOptions, reportIgnored } from "./ignored.ts";
import { listArguments, listPage } from "./list.ts";
import { type Answer, data, managementCache, modifiedDate, noContent, tagOf } from "./reply.ts";
import { argument, type Route, route, writerOf } from "./route.ts";
import { entryObject, entryOrList, readTime, slug, slugOrRoot, stagedRow } from "./schema.ts";

const at = argument(
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "string", "null"],
      description: "When: Unix seconds or an ISO 8601 date; null takes the time back. Absent: now.",
    }),
  ),
  (sent, name) => {
    const value = sent.get(name);
    return value === undefined || value === null ? value : readTime(name, value, "Unix seconds, a date, or null");
  },
);

export type StagedStores = { staged: StagedStore; entries: EntryStore };
export type StagedOptions = Pick<EntryOptions, "bounds" | "pages" | "maxKeys">;

/** /api/entries/staged and /api/entries/publish: changes that are not live yet. Contract, part two, §11. */
export function stagedRoutes(stores: StagedStores, options: StagedOptions): Route[] {
  const store = stores.staged;
  const url = "/api/entries/staged";
  const id = slug("The entry.");
  const named = ["entry_not_found", "path_invalid"] as const;
  const changed = [...named, "revision_mismatch", "publish_scheduled"] as const;
  const write = { need: writes("entries"), reply: entryObject };
  return [
    reportIgnored(
      route({
        method: "GET",
        url,
        summary: "Fetch one entry or a collection, with working copies laid over",
        need: manages("entries"),
        arguments: { id: slugOrRoot("The entry, or the parent of a collection"), ...collectionArguments },
        reply: entryOrList,
        problems: [...named, ...collectionProblems],
        handle: (call, args) => (isCollection(args) ? list(call, stores, args, options) : one(store, args)),
      }),
      entryOptions,
      true,
    ),
    route({
      method: "GET",
      url: `${url}/list`,
      summary: "List the entries that have a working copy",
      need: manages("entries"),
      arguments: listArguments(parseStagedPlace),
      reply: Type.Array(stagedRow, { description: "In the order of their ids." }),
      problems: ["cursor_invalid"],
      handle: (call, args) =>
        listPage(call, args, {
          read: (limit, after: Slug | undefined) => store.list(after, limit),
          fields: stagedFields,
          cursorOf: formatStagedPlace,
        }),
    }),
    route({
      ...write,
      method: "PATCH",
      url,
      summary: "Change the working copy of an entry",
      arguments: { id, data: entryData },
      problems: [...changed, "field_invalid", "data_too_large", "too_many_copies", ...typeProblems],
      handle: async (call, args) => {
        const { isMergePatch } = call.body;
        const input = await toEntryInput(args.data as EntryData, { isMergePatch, maxKeys: options.maxKeys });
        return view(await store.stage(args.id, input, call.ifMatch, writerOf(call)));
      },
    }),
    route({
      ...write,
      method: "DELETE",
      url,
      summary: "Drop the working copy of an entry",
      arguments: { id },
      reply: undefined,
      problems: [...changed, "nothing_staged"],
      handle: async (call, { id }) => {
        await store.discard(id, call.ifMatch, writerOf(call));
        return noContent;
      },
    }),
    route({
      ...write,
      method: "POST",
      url: "/api/entries/publish",
      summary: "Publish the working copy of an entry, or a draft, now or at a time",
      arguments: { id, at },
      problems: [...changed, "nothing_staged", "too_many_copies", "data_too_large", ...typeProblems],
      handle: (call, args) => publish(call, store, args),
    }),
  ];
}

type ReadArguments = CollectionArguments & { id: Slug };

async function one(store: StagedStore, args: ReadArguments): Promise<Answer> {
  const { id } = args;
  const found = await store.find(id);
  if (!found) throw problem("entry_not_found", { id });
  const projection = args.options && parseProjection(filterArguments(args));
  if (!projection) return view(found);
  const text = await project(formatEntry(found.entry), projection);
  const tag = `${stagedTag(found.entry)}-${tagOf(text)}`;
  return data(text, { tag, cacheControl: managementCache, headers: stagedHeaders(found.entry) });
}

function list(
  call: Call,
  { entries }: StagedStores,
  args: ReadArguments,
  { pages, bounds }: StagedOptions,
): MaybePromise<Answer> {
  const access = asStaged(call.access);
  return pages.read(call, {
    access,
    cacheControl: managementCache,
    query: () => parseCollection(args.id, filterArguments(args), bounds),
    list: (query, asker) => entries.list(query, access, asker),
  });
}

async function publish(call: Call, store: StagedStore, { id, at }: { id: Slug; at?: number | null }): Promise<Answer> {
  const context = writerOf(call);
  if (at === null || (at !== undefined && at > context.nowSeconds)) {
    return view(await store.schedule(id, at, call.ifMatch, context));
  }
  const entry = await store.publish(id, call.ifMatch, context);
  return data(formatEntry(entry), {
    tag: formatRevision(entry.revision),
    lastModified: modifiedDate(entry.modifiedAt),
  });
}

/** The entry with its copy laid over; its ETag names both states, a header when the copy is published. */
function view({ entry, copy }: StagedEntry): Answer {
  const at = copy?.publishAtSeconds ?? null;
  return data(formatEntry(entry), {
    tag: stagedTag(entry),
    cacheControl: managementCache,
    headers: [...(stagedHeaders(entry) ?? []), ...(at === null ? [] : ["Octavo-Publish-At", String(at)])],
  });
}
