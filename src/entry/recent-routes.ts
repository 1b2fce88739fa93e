import { manages } from "../core/http/auth.ts";
import { named } from "../core/http/list.ts";
import { tagged } from "../core/http/reply.ts";
import { type Route, route, writerOf } from "../core/http/route.ts";
import { actorName, oneOf, time } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import type { PersonStore } from "../people/person.ts";
import type { EntryStore } from "./entry.ts";
import { visibilities } from "./field.ts";
import { recentFields } from "./recent.ts";

const maxRecent = 100;
const usualRecent = 20;

const recentEntry = Type.Object(
  {
    id: Type.String({ description: "The entry." }),
    title: Type.String({ description: "Its field `title`, if that is a text." }),
    visibility: oneOf(visibilities, "Its visibility now."),
    published_at: time("When it is or becomes public."),
    staged: Type.Boolean({ description: "Whether it has a working copy." }),
    kind: Type.String({ description: "The kind of the change.", examples: ["entry.update"] }),
    at: time("When it was changed."),
    actor: Type.String({
      description: "Who changed it: the id of a token, `person:` and that of a person, or `octavo`.",
    }),
    actor_name: actorName,
  },
  { $id: "RecentEntry", description: "An entry that was changed lately." },
);

/** /api/entries/recent: what was changed last, and by whom. Contract, part three, §19. */
export function entryRecentRoutes({ entries, people }: { entries: EntryStore; people: PersonStore }): Route[] {
  return [
    route({
      method: "GET",
      url: "/api/entries/recent",
      summary: "List the entries that were changed last, and by whom",
      need: manages("entries"),
      arguments: {
        mine: Type.Optional(Type.Boolean({ description: "True: only what the caller changed." })),
        visibility: Type.Optional(oneOf(visibilities, "Only entries of this visibility.")),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: maxRecent,
            description: `An integer from 1 to ${maxRecent}; defaults to ${usualRecent}.`,
          }),
        ),
      },
      reply: Type.Array(recentEntry, { description: "The newest change first." }),
      problems: [],
      handle: async (call, { mine, visibility, limit = usualRecent }) => {
        const by = mine ? writerOf(call).actor : undefined;
        const rows = await entries.recent({ paths: call.access.paths, by, visibility, limit });
        return tagged(JSON.stringify(await named(rows.map(recentFields), { people, of: ["actor"] })));
      },
    }),
  ];
}
