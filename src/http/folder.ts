import { parseCollection } from "../domain/collection.ts";
import { type Folder, type FolderKey, type FolderStore, formatFolder, type UploadsPlace } from "../domain/folder.ts";
import { checkAll, problem } from "../domain/problem.ts";
import { reads, writes } from "./auth.ts";
import type { Call } from "./call.ts";
import {
  asksCollection,
  collectionArguments,
  collectionProblems,
  filterOrOptions,
  pageAnswer,
  reservePage,
} from "./collection.ts";
import * as shown from "./folder-example.ts";
import { placeOptions, reportIgnored } from "./ignored.ts";
import { asSent, type PlaceOptions, pathArgument, pathBelowRoot, placeCache, placeOf, placeTag } from "./place.ts";
import { inDialect } from "./refusal.ts";
import { type Answer, data, managementCache, modifiedDate, noContent } from "./reply.ts";
import { type ApiRoute, writerOf } from "./route.ts";
import { collectionFlag, folderList, folderObject, slug, slugOrRoot } from "./schema.ts";

/** /api/folders and /api/media/folders: two dialects over one store. Contract §5. */
export function folderRoutes(store: FolderStore, options: PlaceOptions): ApiRoute[] {
  return [
    ...dialectRoutes("/api/folders", new FolderHandlers("path", store, options)),
    ...dialectRoutes("/api/media/folders", new FolderHandlers("id", store, options)),
  ].map((route) => reportIgnored(route, placeOptions, options.isStrict));
}

function dialectRoutes(url: string, folders: FolderHandlers): ApiRoute[] {
  const { key } = folders;
  const write = { need: writes("folders"), reply: folderObject(key) };
  const place = { [key]: slug("The folder.") };
  const places = { ...place, [`new_${key}`]: slug("Where it goes.") };
  const moved = [
    ...(["folder_not_found", "folder_exists", "file_exists", "move_into_itself", "path_invalid"] as const),
    ...(["argument_conflict", "revision_mismatch"] as const),
  ];
  const routes: ApiRoute[] = [
    {
      method: "GET",
      url,
      summary: "Fetch one folder or the folders in it",
      description:
        "`collection=true` or `options[collection]=true` asks for the folders directly inside, in the order of their names. " +
        "Files are not among them.",
      examples: shown.readExamples,
      refused: shown.readRefused,
      need: reads("folders"),
      arguments: {
        [key]: slugOrRoot("The folder"),
        collection: collectionFlag,
        ...collectionArguments,
      },
      reply: folderList(key),
      problems: ["folder_not_found", "path_invalid", "host_invalid", ...collectionProblems],
      handle: (call) => folders.read(call),
    },
    {
      ...write,
      method: "POST",
      url,
      summary: "Create a folder, and those above it",
      description:
        "Makes the folder, and the folders above it that are missing. With `If-Match` nothing is created: there is no state " +
        "yet that it could name.",
      examples: shown.createExamples,
      refused: shown.createRefused,
      arguments: { [key]: slug("The new folder.") },
      problems: [
        ...(["folder_exists", "file_exists", "folder_not_found"] as const),
        ...(["path_invalid", "argument_conflict", "host_invalid"] as const),
      ],
      handle: (call) => folders.create(call),
    },
    {
      ...write,
      method: "PUT",
      url,
      summary: "Rename or move a folder with all inside",
      description:
        "Folders and files inside move along, all at once. Folders above the target that are missing are made. Onto itself: " +
        "nothing changes.",
      examples: shown.moveExamples,
      refused: shown.placeRefused,
      arguments: places,
      problems: moved,
      handle: (call) => folders.move(call, "move"),
    },
    {
      ...write,
      method: "PUT",
      url: `${url}/copy`,
      summary: "Copy a folder with all inside",
      description: "Folders, files and their meta fields are copied, all at once. No bytes are stored twice.",
      examples: shown.copyExamples,
      refused: shown.placeRefused,
      arguments: places,
      problems: moved,
      handle: (call) => folders.move(call, "copy"),
    },
    {
      ...write,
      method: "DELETE",
      url,
      summary: "Delete a folder with all inside",
      description: "Folders and files inside go along, all at once.",
      examples: shown.deleteExamples,
      refused: shown.deleteRefused,
      arguments: place,
      reply: undefined,
      problems: ["folder_not_found", "path_invalid", "argument_conflict", "revision_mismatch"],
      handle: (call) => folders.delete(call),
    },
  ];
  return routes.map((route) => asSent(inDialect(route, key)));
}

class FolderHandlers {
  readonly key: FolderKey;
  private readonly store: FolderStore;
  private readonly options: PlaceOptions;

  constructor(key: FolderKey, store: FolderStore, options: PlaceOptions) {
    this.key = key;
    this.store = store;
    this.options = options;
  }

  async read(call: Call): Promise<Answer> {
    const path = pathArgument(call, this.key);
    const [place, cacheControl] = [placeOf(call, this.options), placeCache(call, this.options)];
    if (asksCollection(call.query)) {
      const query = parseCollection(path, filterOrOptions(call.query), this.options.bounds);
      await reservePage(call, query, this.options.pageBytes);
      const answer = await this.store.list(query, this.key, place, call.nowSeconds);
      return pageAnswer(call, answer, cacheControl);
    }
    const folder = await this.store.find(path);
    if (!folder) throw problem("folder_not_found", { argument: this.key, path });
    return this.one(folder, place, cacheControl);
  }

  async create(call: Call): Promise<Answer> {
    const [path, place] = checkAll(
      () => pathBelowRoot(call, this.key),
      () => placeOf(call, this.options),
    );
    return this.one(await this.store.create(path, writerOf(call), call.ifMatch), place);
  }

  async move(call: Call, verb: "move" | "copy"): Promise<Answer> {
    const [path, newPath, place] = checkAll(
      () => pathBelowRoot(call, this.key),
      () => pathBelowRoot(call, this.key, "new_"),
      () => placeOf(call, this.options),
    );
    return this.one(await this.store[verb](path, newPath, call.ifMatch, writerOf(call)), place);
  }

  async delete(call: Call): Promise<Answer> {
    await this.store.delete(pathBelowRoot(call, this.key), call.ifMatch, writerOf(call));
    return noContent;
  }

  private one(folder: Folder, place: UploadsPlace, cacheControl = managementCache): Answer {
    return data(formatFolder(folder, this.key, place), {
      tag: placeTag(folder.revision, place),
      lastModified: modifiedDate(folder.modifiedAt),
      cacheControl,
    });
  }
}
