import { type Entry, formatEntry } from "../domain/entry.ts";
import { type EntryData, toEntryInput } from "../domain/entry-data.ts";
import type { Slug } from "../domain/path.ts";
import { problem } from "../domain/problem.ts";
import { formatRevision } from "../domain/revision.ts";
import { formatStagedPlace, parseStagedPlace, type StagedStore, stagedFields, stagedTag } from "../domain/staged.ts";
import { describeJson } from "../lib/json.ts";
import { Type } from "../lib/json-schema.ts";
import { parseTime } from "../lib/time.ts";
import { manages, writes } from "./auth.ts";
import type { Call } from "./call.ts";
import { entryData, stagedHeaders } from "./entry.ts";
import { listArguments, listPage } from "./list.ts";
import { type Answer, data, managementCache, modifiedDate, noContent } from "./reply.ts";
import { argument, type Route, route, writerOf } from "./route.ts";
import { entryObject, slug, stagedRow } from "./schema.ts";

const at = argument(
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "string", "null"],
      description: "When: Unix seconds or an ISO 8601 date; null takes the time back. Absent: now.",
    }),
  ),
  (sent, name) => {
    const value = sent.get(name);
    if (value === undefined || value === null) return value;
    const seconds = typeof value === "number" || typeof value === "string" ? parseTime(value) : undefined;
    if (seconds !== undefined) return seconds;
    const accepted = "Unix seconds, a date, or null";
    throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted });
  },
);

/** /api/entries/staged and /api/entries/publish: changes that are not live yet. Contract, part two, §11. */
export function stagedRoutes(store: StagedStore, options: { maxKeys: number }): Route[] {
  const url = "/api/entries/staged";
  const id = slug("The entry.");
  const named = ["entry_not_found", "path_invalid"] as const;
  const changed = [...named, "revision_mismatch", "publish_scheduled"] as const;
  const write = { need: writes("entries"), reply: entryObject };
  return [
    route({
      method: "GET",
      url,
      summary: "Fetch one entry with its working copy laid over",
      need: manages("entries"),
      arguments: { id },
      reply: entryObject,
      problems: [...named],
      handle: async (_call, { id }) => {
        const found = await store.find(id);
        if (!found) throw problem("entry_not_found", { id });
        return view(found.entry);
      },
    }),
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
      problems: [...changed, "field_invalid", "data_too_large", "too_many_copies"],
      handle: async (call, args) => {
        const { isMergePatch } = call.body;
        const input = await toEntryInput(args.data as EntryData, { isMergePatch, maxKeys: options.maxKeys });
        return view((await store.stage(args.id, input, call.ifMatch, writerOf(call))).entry);
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
      problems: [...changed, "nothing_staged", "data_too_large", "too_many_copies"],
      handle: (call, args) => publish(call, store, args),
    }),
  ];
}

async function publish(call: Call, store: StagedStore, { id, at }: { id: Slug; at?: number | null }): Promise<Answer> {
  const context = writerOf(call);
  if (at === null || (at !== undefined && at > context.nowSeconds)) {
    return view((await store.schedule(id, at, call.ifMatch, context)).entry);
  }
  const entry = await store.publish(id, call.ifMatch, context);
  return data(formatEntry(entry), {
    tag: formatRevision(entry.revision),
    lastModified: modifiedDate(entry.modifiedAt),
  });
}

/** The entry with its copy laid over; its ETag names both states. */
function view(entry: Entry): Answer {
  return data(formatEntry(entry), {
    tag: stagedTag(entry),
    cacheControl: managementCache,
    headers: stagedHeaders(entry),
  });
}
