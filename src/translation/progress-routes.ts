import { manages } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { listArguments, listPage } from "../core/http/list.ts";
import { tagged } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import { oneOf, slugOrRoot } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { formatPlaceCursor, type PathPlace, parsePlaceCursor } from "../core/path-cursor.ts";
import { type Locales, required } from "./locale.ts";
import type { ProgressCounts, ProgressStore, Subtree } from "./progress.ts";
import { localeArgument } from "./read-wire.ts";
import { translated } from "./routes.ts";
import { progressStates } from "./state.ts";
import { progressCounts, translationRow } from "./wire.ts";

/** The arguments that name a subtree. */
export const subtreeArguments = {
  id: slugOrRoot("The entry at the top"),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "How many levels below `id`, without `id` itself. By default `id` and everything below it.",
    }),
  ),
};

export const subtreeOf = ({ access }: Call, { id: path, depth }: { id: Subtree["path"]; depth?: number }): Subtree => ({
  path,
  depth,
  paths: access.paths,
});

/** /api/entries/translations/list and /summary: how far entries are translated. Contract §24, Outdated translations. */
export function progressRoutes(store: ProgressStore, locales: Locales | undefined): Route[] {
  const url = "/api/entries/translations";
  const problems = ["locales_missing", "entry_not_found", "path_invalid", "busy"] as const;
  return [
    route({
      method: "GET",
      url: `${url}/list`,
      summary: "List how far the entries of a subtree are translated",
      need: manages("entries"),
      arguments: {
        ...subtreeArguments,
        locale: localeArgument(locales),
        state: Type.Optional(
          oneOf(progressStates, "Only what is in this state. What is missing may be outdated, too."),
        ),
        ...listArguments(parsePlaceCursor),
      },
      reply: Type.Array(translationRow, { description: "In the order of their ids, of each locale without `locale`." }),
      replyForm: {
        beside: {
          locales: Type.Array(Type.String(), { description: "Those of the setting `locales`, the source first." }),
        },
      },
      problems: [...problems, "locale_unknown", "cursor_invalid"],
      handle: (call, { locale, state, limit, cursor, ...subtree }) => {
        const known = required(locales);
        const wanted = locale === undefined ? known.all.slice(1) : [translated(known, locale)];
        return listPage(
          call,
          { limit, cursor },
          {
            read: async (limit, after: PathPlace | undefined) => {
              const query = { ...subtreeOf(call, subtree), locales: wanted, state, after, limit };
              const { rows, next } = await store.list(query, call.asker());
              return next ? { rows, next: formatPlaceCursor(next) } : rows;
            },
            beside: `"locales":${JSON.stringify(known.all)}`,
            fields: (row) => row,
            cursorOf: ({ id, locale }) => formatPlaceCursor({ slug: id, locale }),
          },
        );
      },
    }),
    route({
      method: "GET",
      url: `${url}/summary`,
      summary: "Count how far the entries of a subtree are translated",
      need: manages("entries"),
      arguments: subtreeArguments,
      reply: Type.Unsafe<Record<string, ProgressCounts>>({
        type: "object",
        additionalProperties: progressCounts,
        description: "By locale, without the source.",
      }),
      problems: [...problems, "filter_too_costly"],
      handle: async (call, args) => {
        const counts = await store.summary(subtreeOf(call, args), required(locales).all.slice(1), call.asker());
        return tagged(JSON.stringify(counts));
      },
    }),
  ];
}
