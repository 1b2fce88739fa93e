import { reaches } from "../core/access/access.ts";
import { reads, writes } from "../core/http/auth.ts";
import { grouped, groupsFor } from "../core/http/cache-group.ts";
import type { Call } from "../core/http/call.ts";
import {
  asksCollection,
  type CollectionArguments,
  collectionArguments,
  collectionFlag,
  collectionProblems,
  facetCounts,
  filterOrOptions,
} from "../core/http/collection.ts";
import { placeGroups } from "../core/http/ignored.ts";
import { type Answer, data, managementCache, modifiedDate, noContent } from "../core/http/reply.ts";
import { type Route, route, writerOf } from "../core/http/route.ts";
import { purge } from "../core/http/schema.ts";
import { fileGroup } from "../core/list/cache-group.ts";
import { parseCollection } from "../core/list/list.ts";
import type { Path } from "../core/path.ts";
import {
  type Deleting,
  deletionOf,
  movedReferences,
  restrict,
  scopeOf,
  updateReferences,
} from "../reference/routes.ts";
import { type Folder, type FolderKey, type FolderStore, formatFolder, type UploadsAddress } from "./folder.ts";
import { problem } from "./problems.ts";
import {
  type AddressOptions,
  addressCache,
  addressOf,
  addressTag,
  asSent,
  dialectNames,
  folderPageGroups,
  pathToRead,
  pathToWrite,
} from "./uploads-address-wire.ts";
import { folderList, folderObject } from "./wire.ts";

/** /api/folders and /api/media/folders: two dialects over one store. Contract §5. */
export function folderRoutes(store: FolderStore, options: AddressOptions): Route[] {
  return [
    ...dialectRoutes("/api/folders", new FolderHandlers("path", store, options)),
    ...dialectRoutes("/api/media/folders", new FolderHandlers("id", store, options)),
  ];
}

function dialectRoutes(url: string, folders: FolderHandlers): Route[] {
  const { key } = folders;
  const names = dialectNames(key);
  const write = { need: writes("folders"), reply: folderObject(key), unknown: "ignored", isOperation: true } as const;
  const one = { path: pathToWrite("folder", "The folder.") };
  const two = { ...one, newPath: pathToWrite("folder", "Where it goes.") };
  const moved = [
    "folder_not_found",
    "folder_exists",
    "file_exists",
    "move_into_itself",
    "path_invalid",
    "argument_conflict",
    "revision_mismatch",
  ] as const;
  const routes: Route[] = [
    route({
      names,
      unknown: "ignored",
      method: "GET",
      url,
      summary: "Fetch one folder or the folders in it",
      need: reads("folders"),
      arguments: {
        path: pathToRead("The folder"),
        collection: collectionFlag,
        ...collectionArguments,
      },
      groups: placeGroups,
      reply: folderList(key),
      replyForm: { beside: { facets: facetCounts } },
      problems: ["folder_not_found", "path_invalid", "host_invalid", ...collectionProblems],
      handle: (call, args) => folders.read(call, args),
    }),
    route({
      ...write,
      names,
      method: "POST",
      url,
      summary: "Create a folder and its missing parents",
      arguments: { path: pathToWrite("folder", "The new folder.") },
      problems: [
        "folder_exists",
        "file_exists",
        "folder_not_found",
        "path_invalid",
        "argument_conflict",
        "host_invalid",
      ],
      handle: (call, args) => folders.create(call, args),
    }),
    route({
      ...write,
      names,
      method: "PUT",
      url,
      summary: "Rename or move a folder with its contents",
      arguments: { ...two, updateReferences },
      problems: [...moved, ...movedReferences],
      handle: (call, args) => folders.move(call, args),
    }),
    route({
      ...write,
      names,
      method: "PUT",
      url: `${url}/copy`,
      summary: "Copy a folder with its contents",
      arguments: two,
      problems: [...moved],
      handle: (call, args) => folders.copy(call, args),
    }),
    route({
      ...write,
      names,
      method: "DELETE",
      url,
      summary: "Delete a folder with its contents",
      arguments: { ...one, purge, restrict },
      reply: undefined,
      problems: [
        "folder_not_found",
        "path_invalid",
        "argument_conflict",
        "revision_mismatch",
        "in_use",
        "type_too_costly",
      ],
      handle: (call, args) => folders.delete(call, args),
    }),
  ];
  return routes.map(asSent);
}

type One = { path: Path };
type Two = One & { newPath: Path };
type Moving = Two & { updateReferences?: boolean };
type ReadArguments = One & CollectionArguments & { collection?: boolean };

class FolderHandlers {
  readonly key: FolderKey;
  private readonly store: FolderStore;
  private readonly options: AddressOptions;

  constructor(key: FolderKey, store: FolderStore, options: AddressOptions) {
    this.key = key;
    this.store = store;
    this.options = options;
  }

  async read(call: Call, args: ReadArguments): Promise<Answer> {
    const { path } = args;
    const [at, cacheControl] = [addressOf(call, this.options), addressCache(call, this.options)];
    if (asksCollection(args)) {
      return this.options.pages.read(call, {
        access: call.access,
        cacheControl,
        groups: folderPageGroups(call, this.options),
        query: parseCollection(path, filterOrOptions(args), this.options.bounds),
        list: (query, asker) => this.store.list(query, this.key, at, call.access, asker),
      });
    }
    const folder = await this.store.find(path);
    if (!folder || !reaches(call.access, path)) throw problem("folder_not_found", { argument: this.key, path });
    const groups = groupsFor(call.access, this.options.groups);
    return grouped(this.one(folder, at, cacheControl), groups, () => [fileGroup(path)]);
  }

  async create(call: Call, { path }: One): Promise<Answer> {
    const at = addressOf(call, this.options);
    return this.one(await this.store.create(path, writerOf(call)), at);
  }

  async move(call: Call, { path, newPath, updateReferences }: Moving): Promise<Answer> {
    const at = addressOf(call, this.options);
    const scope = scopeOf(call, updateReferences);
    return this.one(await this.store.move(path, { newPath, redirected: scope }, writerOf(call)), at);
  }

  async copy(call: Call, { path, newPath }: Two): Promise<Answer> {
    const at = addressOf(call, this.options);
    return this.one(await this.store.copy(path, { newPath }, writerOf(call)), at);
  }

  async delete(call: Call, { path, ...deleting }: One & Deleting): Promise<Answer> {
    await this.store.delete(path, deletionOf(call, deleting, this.options.hasTrash), writerOf(call));
    return noContent;
  }

  private one(folder: Folder, address: UploadsAddress, cacheControl = managementCache): Answer {
    return data(formatFolder(folder, this.key, address), {
      tag: addressTag(folder.revision, address),
      lastModified: modifiedDate(folder.modifiedAt),
      cacheControl,
    });
  }
}
