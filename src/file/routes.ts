import { type Access, mayWrite, missingWrites, reachedBelow, reaches, readerOf } from "../core/access/access.ts";
import type { StagedBlob } from "../core/bytes/blob.ts";
import { reads, stages, writes } from "../core/http/auth.ts";
import { grouped, groupsFor } from "../core/http/cache-group.ts";
import type { Call } from "../core/http/call.ts";
import {
  asksCollection,
  type CollectionArguments,
  collectionFlag,
  collectionProblems,
  facetCounts,
  fileCollectionArguments,
  filterOrOptions,
} from "../core/http/collection.ts";
import { fileGroups } from "../core/http/ignored.ts";
import type { ReceivedFile } from "../core/http/receive.ts";
import { type Answer, noContent } from "../core/http/reply.ts";
import {
  type ArgumentsOf,
  argument,
  bounded,
  ifSent,
  type Route,
  route,
  textReader,
  writerOf,
} from "../core/http/route.ts";
import { oneOf, purge } from "../core/http/schema.ts";
import { describeJson, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { fileGroup } from "../core/list/cache-group.ts";
import { parseCollection } from "../core/list/list.ts";
import { encodePath, type Path, parentOf, parsePath, rootPath } from "../core/path.ts";
import { isProblem } from "../core/problem.ts";
import type { Placeholders } from "../image/placeholder.ts";
import { Previews } from "../image/placeholder-wire.ts";
import {
  type Deleting,
  deletionOf,
  movedReferences,
  restrict,
  scopeOf,
  updateReferences,
} from "../reference/routes.ts";
import type { Chain, FileTranslationStore, InLocale } from "../translation/file-translation.ts";
import { type Locales, localeName } from "../translation/locale.ts";
import { localeToRead } from "../translation/locale-wire.ts";
import { type UploadRequest, type UploadRules, type UploadStores, uploadFile } from "../upload/upload.ts";
import {
  type ConflictPolicy,
  conflictPolicies,
  conflictRule,
  type File,
  formatFileWith,
  withoutReplacing,
} from "./file.ts";
import type { FolderKey, FolderStore, UploadsAddress } from "./folder.ts";
import { answerWith, fileAnswer, membersIn, uploadOptions } from "./member-wire.ts";
import { metaRoutes } from "./meta-routes.ts";
import { problem } from "./problems.ts";
import {
  type AddressOptions,
  addressCache,
  addressOf,
  asSent,
  dialectNames,
  folderPageGroups,
  pathToRead,
  pathToWrite,
} from "./uploads-address-wire.ts";
import { fileList, fileObject } from "./wire.ts";

export type FileStores = UploadStores & { folders: FolderStore; fileTranslations: FileTranslationStore };
export type FileOptions = AddressOptions & {
  rules: UploadRules;
  onConflict: ConflictPolicy;
  placeholders: Placeholders;
  locales: Locales | undefined;
};

/** /api/files and /api/media/files, with copy and meta. Contract §5. */
export function fileRoutes(stores: FileStores, options: FileOptions): Route[] {
  return [
    ...dialectRoutes("/api/files", new FileHandlers("path", stores, options)),
    ...dialectRoutes("/api/media/files", new FileHandlers("id", stores, options)),
  ];
}

const readFolder = textReader(parsePath, "the folder; made when missing, empty for the root");
const noFolder = (argument: string, path: Path) => problem("folder_not_found", { argument, path });

/** What an upload says about its file. */
export const fileArguments = {
  title: Type.Optional(Type.String({ description: "The title; defaults to the name without extension." })),
  description: Type.Optional(Type.String({ description: "A description." })),
  onConflict: Type.Optional(oneOf(conflictPolicies, "What happens when the name is taken.")),
};
export const uploadArguments = {
  file: argument(Type.Unsafe<ReceivedFile>({ type: "string", format: "binary", description: "The file." }), readFile),
  folder: bounded(
    argument(
      Type.Unsafe<Path>({ type: "string", description: "The folder, created when missing; empty for the root." }),
      readFolder,
    ),
    noFolder,
  ),
  ...fileArguments,
  options: uploadOptions,
};
/** The folder of an upload that may leave it out, for the root. */
export const folderOrRoot = bounded(
  argument(
    Type.Optional(Type.Unsafe<Path>({ type: "string", description: "The folder, created when missing." })),
    ifSent(readFolder),
  ),
  noFolder,
);
type UploadArguments = ArgumentsOf<typeof uploadArguments>;

function dialectRoutes(url: string, files: FileHandlers): Route[] {
  const { key } = files;
  const names = dialectNames(key);
  const write = { need: writes("files"), reply: fileObject, unknown: "ignored" } as const;
  const operation = { ...write, isOperation: true } as const;
  const one = { path: pathToWrite("file", "The file.") };
  const two = { ...one, newPath: pathToWrite("file", "Where it goes.") };
  const named = ["file_not_found", "path_invalid", "argument_conflict", "revision_mismatch"] as const;
  const placed = [...named, "host_invalid", "file_exists", "file_type_refused"] as const;
  const routes: Route[] = [
    route({
      names,
      unknown: "ignored",
      method: "GET",
      url,
      summary: "Fetch one file or the files of a folder",
      need: reads("files"),
      arguments: {
        path: pathToRead("The file or folder"),
        collection: collectionFlag,
        locale: localeToRead(files.options.locales),
        ...fileCollectionArguments,
      },
      groups: fileGroups,
      replyForm: { beside: { facets: facetCounts }, headers: ["Octavo-Previews-Pending", "Content-Language"] },
      reply: fileList,
      problems: [
        "file_not_found",
        "folder_not_found",
        "path_invalid",
        "host_invalid",
        "locale_unknown",
        ...collectionProblems,
      ],
      handle: (call, args) => files.read(call, args),
    }),
    route({
      ...write,
      need: stages("files"),
      method: "POST",
      url,
      summary: "Upload a file",
      body: "form",
      replyForm: { headers: ["Octavo-File"] },
      arguments: uploadArguments,
      problems: [
        "path_invalid",
        "file_exists",
        "folder_exists",
        "file_type_refused",
        "file_too_large",
        "image_too_large",
        "image_unreadable",
        "argument_repeated",
        "request_timeout",
        "host_invalid",
        "file_not_found",
        "folder_not_found",
        "revision_mismatch",
        "data_too_large",
      ],
      handle: (call, args) => files.upload(call, args),
    }),
    route({
      ...operation,
      names,
      method: "PUT",
      url,
      summary: "Rename or move a file",
      arguments: { ...two, updateReferences },
      problems: [...placed, "folder_exists", ...movedReferences],
      handle: (call, args) => files.move(call, args),
    }),
    route({
      ...operation,
      names,
      method: "PUT",
      url: `${url}/copy`,
      summary: "Copy a file",
      arguments: two,
      problems: [...placed],
      handle: (call, args) => files.copy(call, args),
    }),
    route({
      ...operation,
      names,
      method: "DELETE",
      url,
      summary: "Delete a file",
      arguments: { ...one, purge, restrict },
      reply: undefined,
      problems: [...named, "in_use", "type_too_costly"],
      handle: (call, args) => files.delete(call, args),
    }),
    ...metaRoutes(`${url}/meta`, names, files.stores.files, files.options),
  ];
  return routes.map(asSent);
}

type One = { path: Path };
type Two = One & { newPath: Path };
type Moving = Two & { updateReferences?: boolean };
type ReadArguments = One & CollectionArguments & { collection?: boolean; locale?: Chain };

class FileHandlers {
  readonly key: FolderKey;
  readonly stores: FileStores;
  readonly options: FileOptions;

  constructor(key: FolderKey, stores: FileStores, options: FileOptions) {
    this.key = key;
    this.stores = stores;
    this.options = { ...options, bounds: { ...options.bounds, isKeyed: true } };
  }

  async read(call: Call, args: ReadArguments): Promise<Answer> {
    const { path, locale: chain } = args;
    const [at, cacheControl] = [addressOf(call, this.options), addressCache(call, this.options)];
    const members = membersIn(args);
    const previews = members.includes("preview") ? new Previews(this.options.placeholders) : undefined;
    const found = await this.stores.files.find(path, readerOf(call.access));
    if (found && reaches(call.access, path)) {
      const [file = found] = chain ? await this.stores.fileTranslations.laidOver([found], chain) : [];
      const groups = groupsFor(call.access, this.options.groups);
      const answer = grouped(this.spoken(fileAnswer(file, at, cacheControl), file), groups, () => [fileGroup(path)]);
      const text = formatFileWith(file, members, at);
      if (previews) return previews.ofOne(answer, text);
      return members.length > 0 ? answerWith(answer, text) : answer;
    }
    if (!asksCollection(args) && !(await this.isFolder(call.access, path))) {
      throw problem("file_not_found", { argument: this.key, path });
    }
    const query = parseCollection(path, filterOrOptions(args), this.options.bounds);
    const answer = await this.options.pages.read(call, {
      access: call.access,
      cacheControl,
      groups: folderPageGroups(call, this.options),
      fields: {},
      query: members.length > 0 ? { ...query, members } : query,
      list: async (query, asker) => {
        const found = await this.stores.files.list(query, at, call.access, asker, chain?.length ? chain : undefined);
        return previews ? previews.ofList(found) : found;
      },
    });
    return previews ? previews.finish(answer) : answer;
  }

  /** The answer with the language of the file, where a locale was asked for. */
  private spoken(answer: Answer, file: File | (File & InLocale)): Answer {
    const { locales } = this.options;
    if (!locales || !("language" in file)) return answer;
    return { ...answer, headers: ["Content-Language", localeName(locales, file.language)] };
  }

  /** Of a folder that the access reaches only in part the list decides: whether it exists by itself is not to be seen. */
  private async isFolder(access: Access, path: Path): Promise<boolean> {
    const some = reachedBelow(access, path);
    return some ? path === rootPath || some.length > 0 : (await this.stores.folders.find(path)) !== undefined;
  }

  async upload(call: Call, args: UploadArguments): Promise<Answer> {
    const at = addressOf(call, this.options);
    const { file, folder, title, description, onConflict } = args;
    const rule = conflictRule(onConflict, this.options.onConflict);
    const request = { folder, fileName: file.filename, title, description, ...rule };
    return uploadAnswer(await storeUpload(this.stores, file.staged, request, this.options.rules, call), at, args);
  }

  async move(call: Call, { path, newPath, updateReferences }: Moving): Promise<Answer> {
    const at = addressOf(call, this.options);
    const { extensions } = this.options.rules;
    const scope = scopeOf(call, updateReferences);
    return fileAnswer(
      await this.stores.files.move(path, { newPath, extensions, redirected: scope }, writerOf(call)),
      at,
    );
  }

  async copy(call: Call, { path, newPath }: Two): Promise<Answer> {
    const at = addressOf(call, this.options);
    // A copy over a taken name goes beside it.
    if (!reaches(call.access, parentOf(newPath))) {
      throw problem("file_not_found", { argument: "new_path", path: newPath });
    }
    const { extensions } = this.options.rules;
    return fileAnswer(await this.stores.files.copy(path, { newPath, extensions }, writerOf(call)), at);
  }

  async delete(call: Call, { path, ...deleting }: One & Deleting): Promise<Answer> {
    await this.stores.files.delete(path, deletionOf(call, deleting, this.options.hasTrash), writerOf(call));
    return noContent;
  }
}

/** The same as the answer to an upload: with the path that other calls take, in a header as of a resumable one. */
export function uploadAnswer(
  file: File,
  address: UploadsAddress,
  asked: { options?: JsonObject | undefined },
  cacheControl?: string,
): Answer {
  const members = membersIn(asked).filter((name) => name !== "preview");
  const answer = { ...fileAnswer(file, address, cacheControl), headers: ["Octavo-File", encodePath(file.path)] };
  return members.length > 0 ? answerWith(answer, formatFileWith(file, members, address)) : answer;
}

/** What a client says of its upload. */
export type SentUpload = Omit<UploadRequest, "sentName" | "givenName" | "meta" | "uploadedAt">;

/** Stores an upload that has come in, in whatever way, with the rights of the call. Throws as uploadFile does, scope_missing. */
export async function storeUpload(
  stores: UploadStores,
  staged: StagedBlob,
  request: SentUpload,
  rules: UploadRules,
  call: Call,
): Promise<File> {
  const { folder } = request;
  if (!reaches(call.access, folder)) throw noFolder("folder", folder);
  const mayReplace = mayWrite(call.access, "all");
  const allowed = mayReplace ? request : { ...request, ...withoutReplacing(request) };
  try {
    return await uploadFile(stores, staged, allowed, rules, writerOf(call));
  } catch (error) {
    throw request.onConflict === "replace" && !mayReplace && isProblem(error, "file_exists") ? missingWrites() : error;
  }
}

/** Throws argument_missing, argument_invalid, argument_repeated. */
export function readFile(sent: JsonObject, name: string, { file }: Call): ReceivedFile {
  const value = sent.get(name);
  if (file && value !== undefined) throw problem("argument_repeated", { argument: name });
  if (file) return file;
  const accepted = "a part of multipart/form-data with a file name";
  if (value === undefined) throw problem("argument_missing", { argument: name, accepted });
  throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted });
}
