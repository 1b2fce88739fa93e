import { reaches } from "../core/access/access.ts";
import type { TokenResource } from "../core/access/token.ts";
import { manages, writes } from "../core/http/auth.ts";
import type { Call } from "../core/http/call.ts";
import { type ActorNames, listArguments, listPage } from "../core/http/list.ts";
import { type Answer, data, noContent } from "../core/http/reply.ts";
import { argument, bounded, ifSent, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { formatSequence, parseSequence } from "../core/list/cursor.ts";
import { type Path, parsePathBelowRoot } from "../core/path.ts";

import type { Locales } from "../translation/locale.ts";
import { localeArgument } from "../translation/read-wire.ts";
import { problem } from "./problems.ts";
import { type TrashNoun, type TrashStore, trashFields, trashNouns } from "./trash.ts";
import { trashItem } from "./trash-wire.ts";

/** The resource of a token that may see the items of a noun. */
const resources: Readonly<Record<TrashNoun, TokenResource>> = { entry: "entries", folder: "folders", file: "files" };
const neededResources = Object.values(resources);

export type TrashOptions = {
  /** How long items are kept. */
  keepDays: number;
  /** Accepted extensions of files. */
  extensions: readonly string[];
  people: ActorNames;
  locales: Locales | undefined;
};

const id = Type.Integer({ minimum: 1, description: "The item's id." });
const lists = listArguments(parseSequence);

/** /api/trash: what was deleted. Contract, part two, §11. */
export function trashRoutes(store: TrashStore, options: TrashOptions): Route[] {
  const trash = new TrashHandlers(store, options);
  const problems = ["trash_item_not_found"] as const;
  return [
    route({
      method: "GET",
      url: "/api/trash",
      summary: "List what is in the trash",
      need: manages(...neededResources),
      arguments: {
        noun: Type.Optional(oneOf(trashNouns, "Only items of this noun.")),
        locale: localeArgument(options.locales),
        search: Type.Optional(Type.String({ description: "Only items whose path has this text, in any case." })),
        ...lists,
      },
      reply: Type.Array(trashItem, { description: "Newest first; of the nouns that the token has." }),
      problems: ["cursor_invalid"],
      handle: (call, args) => trash.list(call, args),
    }),
    route({
      method: "POST",
      url: "/api/trash/restore",
      summary: "Restore an item of the trash, where it was or elsewhere",
      need: writes(...neededResources),
      arguments: {
        id,
        newId: bounded(
          argument(
            Type.Optional(Type.Unsafe<Path>({ type: "string", description: "Where it goes instead." })),
            ifSent(textReader(parsePathBelowRoot)),
          ),
          (argument, path) => problem("folder_not_found", { argument, path }),
        ),
        dropNames: Type.Optional(
          Type.Boolean({ description: "True: names of translations that are taken are left out." }),
        ),
      },
      reply: trashItem,
      problems: [
        ...problems,
        "entry_exists",
        "folder_exists",
        "file_exists",
        "path_invalid",
        "file_type_refused",
        "name_taken",
        "translation_exists",
        "entry_not_found",
      ],
      handle: (call, args) => trash.restore(call, args),
    }),
    route({
      method: "DELETE",
      url: "/api/trash",
      summary: "Delete an item of the trash for good",
      need: writes(...neededResources),
      arguments: { id },
      problems: [...problems],
      handle: (call, args) => trash.purge(call, args.id),
    }),
  ];
}

class TrashHandlers {
  private readonly store: TrashStore;
  private readonly options: TrashOptions;

  constructor(store: TrashStore, options: TrashOptions) {
    this.store = store;
    this.options = options;
  }

  list(
    call: Call,
    {
      noun,
      locale,
      search,
      ...page
    }: { noun?: TrashNoun; locale?: string; search?: string; limit?: number; cursor?: number },
  ): Promise<Answer> {
    const nouns = nounsOf(call).filter((each) => noun === undefined || each === noun);
    return listPage(call, page, {
      read: (limit, before: number | undefined) =>
        this.store.list({ nouns, paths: call.access.paths, locale, search, before, limit }),
      fields: (item) => trashFields(item, this.options.keepDays),
      actors: { people: this.options.people, of: ["deleted_by"] },
      cursorOf: ({ id }) => formatSequence(id),
    });
  }

  async restore(
    call: Call,
    { id, newId, dropNames }: { id: number; newId?: Path; dropNames?: boolean },
  ): Promise<Answer> {
    await this.refuseMissing(call, id);
    const restored = await this.store.restore(
      id,
      { newPath: newId, extensions: this.options.extensions, dropNames },
      writerOf(call),
    );
    return data(JSON.stringify(trashFields(restored, this.options.keepDays)));
  }

  async purge(call: Call, id: number): Promise<Answer> {
    await this.refuseMissing(call, id);
    await this.store.purge(id, writerOf(call));
    return noContent;
  }

  /** An item of a noun or path that the token does not have is as one that does not exist. */
  private async refuseMissing(call: Call, id: number): Promise<void> {
    if (call.unit?.isReplay) return;
    const nouns = nounsOf(call);
    const item = await this.store.find(id);
    if (!item || !nouns.includes(item.noun) || !reaches(call.access, item.path))
      throw problem("trash_item_not_found", { id });
  }
}

/** The nouns that the token may see. */
const nounsOf = ({ token }: Call): TrashNoun[] =>
  trashNouns.filter((noun) => token?.resources.includes(resources[noun]));
