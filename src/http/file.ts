import { Type } from "typebox";
import { readerOf } from "../domain/access.ts";
import { parseCollection } from "../domain/collection.ts";
import { type ConflictPolicy, conflictPolicies, type File, formatFile } from "../domain/file.ts";
import { type MetaChange, type MetaVerb, parseMetaChange } from "../domain/file-meta.ts";
import type { FolderKey, FolderStore, UploadsPlace } from "../domain/folder.ts";
import { parsePath } from "../domain/path.ts";
import { checkAll, problem } from "../domain/problem.ts";
import { type UploadRules, type UploadStores, uploadFile } from "../domain/upload.ts";
import { describeJson, type Json } from "../lib/json.ts";
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
import * as shown from "./file-example.ts";
import { placeOptions, reportIgnored } from "./ignored.ts";
import { asSent, type PlaceOptions, pathArgument, pathBelowRoot, placeCache, placeOf, placeTag } from "./place.ts";
import type { ReceivedFile } from "./receive.ts";
import { inDialect } from "./refusal.ts";
import { type Answer, data, managementCache, modifiedDate, noContent } from "./reply.ts";
import { type ApiRoute, argumentsOf, readArguments, writerOf } from "./route.ts";
import { collectionFlag, fileList, fileObject, oneOf, slug, slugOrRoot } from "./schema.ts";

export type FileStores = UploadStores & { folders: FolderStore };
export type FileOptions = PlaceOptions & { rules: UploadRules; onConflict: ConflictPolicy };

/** /api/files and /api/media/files, with copy and meta. Contract §5. */
export function fileRoutes(stores: FileStores, options: FileOptions): ApiRoute[] {
  return [
    ...dialectRoutes("/api/files", new FileHandlers("path", stores, options)),
    ...dialectRoutes("/api/media/files", new FileHandlers("id", stores, options)),
  ].map((route) => reportIgnored(route, placeOptions, options.isStrict));
}

const folderArgument = { folder: Type.String({ description: "The folder; made when missing, empty for the root." }) };
const uploadArguments = {
  title: Type.Optional(Type.String({ description: "Its title; the name without extension when not sent." })),
  description: Type.Optional(Type.String({ description: "Its description." })),
  on_conflict: Type.Optional(oneOf(conflictPolicies, "What happens when the name is taken.")),
};
const fileArgument = { file: Type.String({ format: "binary", description: "The file." }) };

const metaName = { field: Type.String({ description: "The field's name; dots lead into objects." }) };
const metaValue = { value: Type.Unknown({ description: "A text; in a JSON body any JSON." }) };

function dialectRoutes(url: string, files: FileHandlers): ApiRoute[] {
  const { key } = files;
  const write = { need: writes("files"), reply: fileObject };
  const place = { [key]: slug("The file.") };
  const places = { ...place, [`new_${key}`]: slug("Where it goes.") };
  const named = ["file_not_found", "path_invalid", "argument_conflict", "revision_mismatch"] as const;
  const placed = [...named, "host_invalid", "file_exists", "file_type_refused"] as const;
  const meta = (method: "POST" | "PATCH" | "DELETE", verb: MetaVerb): ApiRoute => ({
    ...write,
    ...shown.meta[verb],
    method,
    url: `${url}/meta`,
    arguments: { ...place, ...metaName, ...(verb === "delete" ? {} : metaValue) },
    problems: [
      ...named,
      ...(["host_invalid", "field_reserved", "field_invalid", "key_forbidden"] as const),
      verb === "add" ? "field_exists" : "field_not_found",
      ...(verb === "delete" ? [] : (["data_too_large"] as const)),
    ],
    handle: (call) => files.change(call, verb),
  });
  const routes: ApiRoute[] = [
    {
      method: "GET",
      url,
      summary: "Fetch one file or the files of a folder",
      description:
        "A path that is a folder, `collection=true` or `options[collection]=true` asks for the files in it: an object " +
        "by file name, with `options[recursive]=true` by path below the folder. The " +
        "filter arguments work here as on entries.",
      examples: shown.readExamples,
      refused: shown.readRefused,
      need: reads("files"),
      arguments: {
        [key]: slugOrRoot("The file or folder"),
        collection: collectionFlag,
        ...collectionArguments,
      },
      reply: fileList,
      problems: ["file_not_found", "folder_not_found", "path_invalid", "host_invalid", ...collectionProblems],
      handle: (call) => files.read(call),
    },
    {
      ...write,
      method: "POST",
      url,
      summary: "Upload a file",
      description:
        "A form, sent as `multipart/form-data`. With both tokens in headers or before the file a refusal comes before the " +
        "file is read. The name is made safe for addresses: `Shooting Notes.txt` becomes `shooting-notes.txt`. A file with " +
        "that name is replaced and keeps its meta fields, unless `on_conflict` says otherwise. The bytes must be what the " +
        "extension says.",
      examples: shown.uploadExamples,
      refused: shown.uploadRefused,
      takesFile: true,
      arguments: { ...folderArgument, ...uploadArguments, ...fileArgument },
      problems: [
        ...(["path_invalid", "file_exists", "folder_exists", "file_type_refused", "file_too_large"] as const),
        ...(["image_too_large", "image_unreadable", "argument_repeated", "request_timeout", "host_invalid"] as const),
        ...(["file_not_found", "revision_mismatch", "data_too_large"] as const),
      ],
      handle: (call) => files.upload(call),
    },
    {
      ...write,
      method: "PUT",
      url,
      summary: "Rename or move a file",
      description: "Its bytes, title and meta fields stay. Folders above the target that are missing are made.",
      examples: shown.moveExamples,
      refused: shown.moveRefused,
      arguments: places,
      problems: [...placed, "folder_exists"],
      handle: (call) => files.move(call, "move"),
    },
    {
      ...write,
      method: "PUT",
      url: `${url}/copy`,
      summary: "Copy a file",
      description:
        "With its title and meta fields. A name that is taken gets a number: `cover-1.jpg`. No bytes are stored twice.",
      examples: shown.copyExamples,
      refused: shown.copyRefused,
      arguments: places,
      problems: [...placed],
      handle: (call) => files.move(call, "copy"),
    },
    {
      ...write,
      method: "DELETE",
      url,
      summary: "Delete a file",
      description: "Its address answers 404 at once.",
      examples: shown.deleteExamples,
      refused: shown.deleteRefused,
      arguments: place,
      reply: undefined,
      problems: [...named],
      handle: (call) => files.delete(call),
    },
    meta("PATCH", "update"),
    meta("POST", "add"),
    meta("DELETE", "delete"),
  ];
  return routes.map((route) => asSent(inDialect(route, key)));
}

class FileHandlers {
  readonly key: FolderKey;
  private readonly stores: FileStores;
  private readonly options: FileOptions;

  constructor(key: FolderKey, stores: FileStores, options: FileOptions) {
    this.key = key;
    this.stores = stores;
    this.options = { ...options, bounds: { ...options.bounds, isKeyed: true } };
  }

  async read(call: Call): Promise<Answer> {
    const path = pathArgument(call, this.key);
    const [place, cacheControl] = [placeOf(call, this.options), placeCache(call, this.options)];
    const file = await this.stores.files.find(path, readerOf(call.access));
    if (file) return this.one(file, place, cacheControl);
    if (!asksCollection(call.query) && !(await this.stores.folders.find(path))) {
      throw problem("file_not_found", { argument: this.key, path });
    }
    const query = parseCollection(path, filterOrOptions(call.query), this.options.bounds);
    await reservePage(call, query, this.options.pageBytes);
    return pageAnswer(call, await this.stores.files.list(query, place, call.nowSeconds), cacheControl);
  }

  async upload(call: Call): Promise<Answer> {
    const [file, folder, read, place] = checkAll(
      () => fileOf(call),
      () => parsePath("folder", readArguments<{ folder: string }>(call, folderArgument).folder),
      () => readArguments<UploadArguments>(call, uploadArguments),
      () => placeOf(call, this.options),
    );
    const request = {
      folder,
      original: file.filename,
      onConflict: read.on_conflict ?? this.options.onConflict,
      title: read.title,
      description: read.description,
      ifMatch: call.ifMatch,
    };
    return this.one(await uploadFile(this.stores, file.staged, request, this.options.rules, writerOf(call)), place);
  }

  async move(call: Call, verb: "move" | "copy"): Promise<Answer> {
    const [path, newPath, place] = checkAll(
      () => pathBelowRoot(call, this.key),
      () => pathBelowRoot(call, this.key, "new_"),
      () => placeOf(call, this.options),
    );
    const { extensions } = this.options.rules;
    return this.one(await this.stores.files[verb](path, newPath, extensions, call.ifMatch, writerOf(call)), place);
  }

  async change(call: Call, verb: MetaVerb): Promise<Answer> {
    const [path, change, place] = checkAll(
      () => pathBelowRoot(call, this.key),
      () => readChange(call, verb),
      () => placeOf(call, this.options),
    );
    return this.one(await this.stores.files.change(path, change, call.ifMatch, writerOf(call)), place);
  }

  async delete(call: Call): Promise<Answer> {
    await this.stores.files.delete(pathBelowRoot(call, this.key), call.ifMatch, writerOf(call));
    return noContent;
  }

  private one(file: File, place: UploadsPlace, cacheControl = managementCache): Answer {
    return data(formatFile(file, place), {
      tag: placeTag(file.revision, place),
      lastModified: modifiedDate(file.modifiedAt),
      cacheControl,
    });
  }
}

function readChange(call: Call, verb: MetaVerb): MetaChange {
  const schemas = verb === "delete" ? metaName : { ...metaName, ...metaValue };
  const { field, value } = readArguments<{ field: string; value?: Json }>(call, schemas);
  return parseMetaChange(verb, field, value);
}

type UploadArguments = { title?: string; description?: string; on_conflict?: ConflictPolicy };

/** Throws argument_missing, argument_invalid. */
function fileOf(call: Call): ReceivedFile {
  const sent = argumentsOf(call).get("file");
  if (call.file && sent !== undefined) throw problem("argument_repeated", { argument: "file" });
  if (call.file) return call.file;
  const accepted = "a part of multipart/form-data with a file name";
  if (sent === undefined) throw problem("argument_missing", { argument: "file", accepted });
  throw problem("argument_invalid", { argument: "file", came: describeJson(sent), accepted });
}
