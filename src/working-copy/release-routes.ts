import { randomUUID } from "node:crypto";
import { manages, stages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type ActorNames, listArguments, listPage, named } from "../core/http/list.ts";
import { type Answer, data, noContent } from "../core/http/reply.ts";
import { type Route, route, writerOf } from "../core/http/route.ts";
import { Type } from "../core/lib/json-schema.ts";
import { formatSequence, parseSequence } from "../core/list/cursor.ts";
import { formatPlaceCursor, type PathPlace, parsePlaceCursor } from "../core/path-cursor.ts";
import type { Locales } from "../translation/locale.ts";
import { localeArgument } from "../translation/read-wire.ts";
import { newRelease, parseReleaseTitle, type Release, type ReleaseStore, releaseFields } from "./release.ts";
import { stagedFields } from "./staged.ts";
import { current, publishAt } from "./staged-routes.ts";
import { releaseObject, releaseOrList, stagedRow } from "./staged-wire.ts";

const id = Type.String({ description: "The release's id." });
const title = Type.String({ description: "A line of 1 to 200 characters.", examples: ["Spring campaign"] });
const dryRun = Type.Optional(
  Type.Boolean({ description: "True: is refused for what is wrong as the call would be, and changes nothing." }),
);

type Stores = { releases: ReleaseStore; people: ActorNames };

/** /api/releases: what goes live together. Contract, part three, §21. */
export function releaseRoutes({ releases, people }: Stores, locales: Locales | undefined): Route[] {
  const locale = localeArgument(locales);
  const url = "/api/releases";
  const actors = { people, of: ["created_by"] };
  const answer = async (release: Release): Promise<Answer> => {
    const [fields] = await named([releaseFields(release)], actors);
    return data(JSON.stringify(fields));
  };
  const missing = "release_not_found";
  const write = { need: writes("entries"), reply: releaseObject } as const;
  return [
    route({
      method: "GET",
      url,
      summary: "List the releases, or read one",
      need: manages("entries"),
      arguments: { id: Type.Optional(id), ...listArguments(parseSequence) },
      reply: releaseOrList,
      problems: [missing, "cursor_invalid"],
      handle: async (call, { id, ...args }) => {
        if (id !== undefined) return answer(await releases.get(id, call.access));
        return listPage(call, args, {
          read: (limit, before: number | undefined) => releases.list({ ...reachOf(call), before, limit }),
          fields: releaseFields,
          actors,
          cursorOf: ({ sequence }) => formatSequence(sequence),
        });
      },
    }),
    route({
      method: "GET",
      url: `${url}/entries`,
      summary: "List the working copies of a release",
      need: manages("entries"),
      arguments: { id, locale, ...listArguments(parsePlaceCursor) },
      reply: Type.Array(stagedRow, { description: "In the order of their ids." }),
      problems: [missing, "cursor_invalid"],
      handle: (call, { id, locale, ...args }) =>
        listPage(call, args, {
          read: (limit, after: PathPlace | undefined) =>
            releases.entries(id, { ...reachOf(call), after, limit, locale }),
          fields: stagedFields,
          actors: { people, of: ["staged_by"] },
          cursorOf: ({ slug, copy }) => formatPlaceCursor({ slug, locale: copy.locale }),
        }),
    }),
    route({
      ...write,
      need: stages("entries"),
      method: "POST",
      url,
      summary: "Create a release",
      arguments: { title },
      problems: ["too_many_releases"],
      handle: async (call, { title }) => {
        const context = writerOf(call);
        return answer(await releases.create(newRelease(title, { ...context, id: randomUUID() }), context));
      },
    }),
    route({
      ...write,
      method: "PATCH",
      url,
      summary: "Rename a release",
      arguments: { id, title },
      problems: [missing, "release_published"],
      handle: async (call, { id, title }) =>
        answer(await releases.rename(id, parseReleaseTitle(title), reachOf(call), writerOf(call))),
    }),
    route({
      ...write,
      method: "DELETE",
      url,
      summary: "Delete a release; its working copies stay",
      arguments: { id },
      reply: undefined,
      problems: [missing, "publish_scheduled"],
      handle: async (call, { id }) => {
        await releases.delete(id, reachOf(call), writerOf(call));
        return noContent;
      },
    }),
    route({
      ...write,
      method: "POST",
      url: `${url}/publish`,
      summary: "Publish all entries of a release together, now or at a time",
      arguments: { id, at: publishAt, current, dryRun },
      problems: [
        missing,
        "release_published",
        "publish_scheduled",
        "nothing_staged",
        "release_invalid",
        "type_too_costly",
        "staged_outdated",
      ],
      handle: async (call, { id, at, current, dryRun: isDryRun }) => {
        const context = writerOf(call);
        // A time that has passed is now.
        const atSeconds = typeof at === "number" && at <= context.nowSeconds ? undefined : at;
        return answer(await releases.publish(id, { ...reachOf(call), atSeconds, current, isDryRun }, context));
      },
    }),
    route({
      ...write,
      method: "POST",
      url: `${url}/undo`,
      summary: "Undo a published release",
      arguments: { id },
      problems: [
        missing,
        "release_not_published",
        "release_changed",
        "revision_not_found",
        "release_invalid",
        "type_too_costly",
        "too_many_copies",
      ],
      handle: async (call, { id }) => answer(await releases.undo(id, reachOf(call), writerOf(call))),
    }),
  ];
}

const reachOf = ({ access }: Call) => ({ paths: access.paths });
