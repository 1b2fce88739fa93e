import { randomUUID } from "node:crypto";
import { reaches } from "../core/access/access.ts";
import { personActor } from "../core/access/actor.ts";
import { own } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type Answer, data, noContent } from "../core/http/reply.ts";
import { argument, pathOrRoot, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { type Path, parsePath } from "../core/path.ts";
import type { PersonStore } from "../people/person.ts";
import { ownIdOf } from "../people/person-routes.ts";
import { viewObject } from "../people/person-wire.ts";
import { formatView, maxColumnLength, newView, type View, type Viewer, type ViewStore } from "./view.ts";

const id = Type.String({ description: "The view's id." });

const input = {
  title: Type.String({ description: "A line of 1 to 200 characters.", examples: ["Waiting for review"] }),
  path: argument(
    Type.Unsafe<Path>({ type: "string", description: "The entries below this path; empty for all." }),
    textReader(parsePath, pathOrRoot),
  ),
  columns: Type.Optional(
    Type.Array(Type.String({ maxLength: maxColumnLength }), {
      description: "The names of fields, in the order of the columns; at most 50. Defaults to none.",
    }),
  ),
  sort: Type.Optional(
    Type.String({ maxLength: 200, description: "As the argument `sort` of lists. Defaults to an empty text." }),
  ),
  filter: Type.Optional(
    Type.Unsafe<Json>({ description: "What the table shows: any JSON value, kept as it is. Defaults to `{}`." }),
  ),
  shared: Type.Optional(Type.Boolean({ description: "True for all who may read entries. Defaults to false." })),
};

type Ports = { views: ViewStore; people: PersonStore };

/** /api/views: tables that people saved, for a person's session. Contract, part three, §19. */
export function viewRoutes({ views, people }: Ports): Route[] {
  const url = "/api/views";
  const show = async (shown: readonly View[]): Promise<string[]> => {
    const names = await people.namesOf(shown.map(({ person }) => personActor(person)));
    return shown.map((view) => formatView(view, names.get(personActor(view.person)) ?? ""));
  };
  const answer = async (view: View): Promise<Answer> => {
    const [text = ""] = await show([view]);
    return data(text, { cacheControl: "no-store" });
  };
  return [
    route({
      method: "GET",
      url,
      summary: "List the own views and those that are shared",
      need: own("read"),
      arguments: {},
      reply: Type.Array(viewObject, { description: "By title." }),
      problems: [],
      handle: async (call) => {
        const shown = await show((await views.list(ownIdOf(call))).filter((view) => isVisible(call, view)));
        return data(`[${shown.join(",")}]`, { cacheControl: "no-store" });
      },
    }),
    route({
      method: "POST",
      url,
      summary: "Save a view",
      need: own("write"),
      arguments: input,
      reply: viewObject,
      problems: ["path_invalid", "too_many_views", "data_too_large"],
      handle: async (call, args) => {
        const view = newView(args, { id: randomUUID(), person: ownIdOf(call) });
        return answer(await views.create(view, writerOf(call)));
      },
    }),
    route({
      method: "PUT",
      url,
      summary: "Replace a view",
      need: own("write"),
      arguments: { id, ...input },
      reply: viewObject,
      problems: ["path_invalid", "view_not_found", "view_not_own", "too_many_views", "data_too_large"],
      handle: async (call, { id, ...args }) => {
        const view = newView(args, { id, person: ownIdOf(call) });
        return answer(await views.put(view, viewerOf(call), writerOf(call)));
      },
    }),
    route({
      method: "DELETE",
      url,
      summary: "Delete a view",
      need: own("write"),
      arguments: { id },
      problems: ["view_not_found", "view_not_own"],
      handle: async (call, { id }) => {
        await views.delete(id, viewerOf(call), writerOf(call));
        return noContent;
      },
    }),
  ];
}

/** A shared view says what lies where it is: it is for who may read there. */
const isVisible = (call: Call, { person, path }: View): boolean =>
  person === ownIdOf(call) || ((call.token?.resources.includes("entries") ?? false) && reaches(call.access, path));

/** No role beside the owner's has `admin`. */
const viewerOf = (call: Call): Viewer => ({
  person: ownIdOf(call),
  isOwner: call.token?.resources.includes("admin") ?? false,
});
