import type { Access, Reach, Reader } from "../core/access/access.ts";
import { type ImageFacts, typeAfterRename } from "../core/bytes/media-type.ts";
import type { WriteContext } from "../core/event.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { objectOf } from "../core/list/candidate.ts";
import type { CollectionAnswer, CollectionItem, CollectionQuery } from "../core/list/list.ts";
import { type OptionalMember, withMembers } from "../core/list/member.ts";
import type { Asker } from "../core/list/query.ts";
import { nameOf, type Path, parentOf } from "../core/path.ts";
import { refuseOtherRevision } from "../core/revision.ts";
import { maxDataBytes } from "../entry/entry.ts";
import { previewMember } from "../image/placeholder.ts";
import type { Deletion } from "../trash/trash.ts";
import { type Deleted, formatUrls, fullPath, type UploadsAddress } from "./folder.ts";
import { splitName, titleOf } from "./name.ts";
import { problem } from "./problems.ts";

/** One file as stored: a name in a folder, fields, and the bytes it has. Times are Unix seconds, `size` bytes. */
export type File = Readonly<{
  path: Path;
  title: string;
  description: string;
  /** The media type detected from the bytes. */
  type: string;
  /** SHA-256 of the bytes, hex. */
  hash: string;
  size: number;
  /** When these bytes were uploaded. */
  uploadedAt: number;
  /** For images whose header could be read. */
  image: ImageFacts | undefined;
  /** The client's own fields, as the JSON object text that is returned. */
  meta: string;
  createdAt: number;
  modifiedAt: number;
  /** The sequence of the event that created this state, including a move of a folder above it. */
  revision: number;
  /** The sequence of the event that made its content: bytes and fields; a move makes none. */
  contentRevision: number;
  /** Stays the same when the file moves or gets other bytes; never on the wire. */
  uuid: string;
  /** The name under which it was sent, without the folders before it; null for files from before and for copies. */
  sentName: string | null;
  /** The name that this upload got; another one than it has where it was moved since. */
  givenName: string | null;
  /** Who uploaded these bytes, as events name who wrote; null for files from before and for copies. Never on the wire. */
  uploader: string | null;
}>;

export const conflictPolicies = ["replace", "fail", "suffix"] as const;
/** What an upload does when its name is in use. Contract §5. */
export type ConflictPolicy = (typeof conflictPolicies)[number];

/** What an upload does when the file that its name made is there, and what when another one has the name that it gets. */
export type ConflictRule = {
  readonly onConflict: ConflictPolicy;
  /** By default the same. */
  readonly onOther?: ConflictPolicy | undefined;
};

/**
 * What a request asks for; where it says nothing, what the setting says: there `replace` means the file that the same name
 * made. Contract §5, Uploads.
 */
export function conflictRule(sent: ConflictPolicy | undefined, setting: ConflictPolicy): ConflictRule {
  if (sent === undefined && setting === "replace") return { onConflict: "replace", onOther: "suffix" };
  return { onConflict: sent ?? setting };
}

/** The rule where nothing that is there may be replaced. */
export const withoutReplacing = ({ onConflict, onOther = onConflict }: ConflictRule): Required<ConflictRule> => ({
  onConflict: onConflict === "replace" ? "fail" : onConflict,
  onOther: onOther === "replace" ? "fail" : onOther,
});

/** An upload whose bytes are in the blob store. Plain data: it is passed to the writer's thread. */
export type FileInput = ConflictRule & {
  name: string;
  /** The name under which it was sent, as sentNameOf makes it; absent for none. */
  sentName?: string | undefined;
  /** Of an import, which goes to `name` whatever was sent before: the name that the upload got, null where it was moved. */
  givenName?: string | null;
  title: string | undefined;
  description: string | undefined;
  type: string;
  hash: string;
  /** The generation of the ledger's row when the bytes were kept: see KeptBlob. */
  generation: number;
  size: number;
  image: ImageFacts | undefined;
  /** Of an import: the client's fields as a JSON object text, and when the bytes were uploaded. */
  meta?: string | undefined;
  uploadedAt?: number | undefined;
};

/** The operation on a field of a file's meta. Contract §5, Meta. */
export type MetaVerb = "add" | "update" | "delete";

/** One change of one field, validated. Plain data: it is passed to the writer's thread. */
export type MetaChange = {
  verb: MetaVerb;
  /** The segments of a dotted name. */
  keys: readonly string[];
  /** The value as JSON text; absent on delete. */
  value: string | undefined;
  /** Where the access holds whose writes are staged; absent for one that writes what is live. */
  reach?: Reach | undefined;
  /** Of a change in a locale: this, then those that it falls back to. Absent: the file itself changes. */
  chain?: readonly string[] | undefined;
};

/** The names directly below a folder; files with the hash of their bytes. */
export type FolderContent = { folders: string[]; files: { name: string; hash: string }[] };

/**
 * Where files are stored. Each write is one transaction and one event; racing writes are serialised. A write that
 * throws has changed nothing. Only `put` involves bytes, which are already in the blob store.
 */
/** Where a file goes, and the extensions that are accepted there; with `redirected` the references to it go along. */
export type FileTarget = { newPath: Path; extensions: readonly string[]; redirected?: Reach | undefined };

export interface FileStore {
  /** The file, or undefined; as fresh as for management unless `reader` says otherwise. */
  find(path: Path, reader?: Reader): File | undefined | Promise<File | undefined>;
  /** The same for several, in their order, with one query. */
  findAll(paths: readonly Path[], reader: Reader): MaybePromise<(File | undefined)[]>;
  /** The files below `query.path`, as they are in the first locale of the chain. Throws folder_not_found. */
  list(
    query: CollectionQuery,
    address: UploadsAddress,
    access: Access,
    asker?: Asker,
    chain?: readonly string[],
  ): Promise<CollectionAnswer>;
  /** The direct contents of a folder, or undefined when the folder does not exist. */
  content(folder: Path): Promise<FolderContent | undefined>;
  /** The paths of all files that have these bytes, in no order. */
  pathsOf(hash: string): Promise<Path[]>;
  /**
   * Creates the file, or replaces the bytes of the one with its name. Creates the folder when missing. Null when
   * the blob's row was swept meanwhile, even if it exists again: keep and put the bytes again. Throws file_exists,
   * folder_exists, file_not_found (If-Match without a file), revision_mismatch, path_invalid.
   */
  put(folder: Path, input: FileInput, context: WriteContext): Promise<File | null>;
  /**
   * Creates the target's parents. A move onto itself changes nothing. Throws
   * file_not_found, file_exists, folder_exists, file_type_refused, revision_mismatch.
   */
  move(path: Path, target: FileTarget, context: WriteContext): Promise<File>;
  /** Copies it; a name in use gets a number. Throws as move does except for file_exists. */
  copy(path: Path, target: Omit<FileTarget, "redirected">, context: WriteContext): Promise<File>;
  /**
   * A change in a locale answers the file as it is there, and takes the revision of its state there. Throws file_not_found,
   * field_exists, field_not_found, field_invalid, data_too_large, revision_mismatch; to an access whose writes are staged
   * also scope_missing, and in_use for a file that something public uses.
   */
  change(path: Path, change: MetaChange, context: WriteContext): Promise<File>;
  /** Brings back the bytes and fields in force at an event. Throws file_not_found, revision_not_found, revision_mismatch. */
  restore(path: Path, state: { revision: number }, context: WriteContext): Promise<File>;
  /** Moves it to the trash, or deletes it for good, with its history. Throws file_not_found, revision_mismatch. */
  delete(path: Path, deletion: Deletion, context: WriteContext): Promise<Deleted>;
  count(): Promise<number>;
}

// ---------------------------------------------------------------------------------------------- the answer's text

/** Changes whenever the bytes do; 16 hex digits. Contract §5. */
export const versionOf = ({ hash }: { hash: string }): string => hash.slice(0, 16);

/** The file object: the service's fields and, at the top level, the client's. Contract §5, File object. */
export function formatFile(file: File, address: UploadsAddress): string {
  const { path, meta } = file;
  const name = nameOf(path);
  const { basename, extension } = splitName(name);
  const own = meta === "{}" ? "" : `${meta.slice(1, -1)},`;
  return (
    `{"title":${JSON.stringify(file.title)},"description":${JSON.stringify(file.description)},` +
    `"type":${JSON.stringify(file.type)},"filesize":${file.size},"uploaded_on":${file.uploadedAt},` +
    `"exif":${formatExif(file.image)},${own}"filename":${JSON.stringify(name)},` +
    `"basename":${JSON.stringify(basename)},"extension":${JSON.stringify(extension)},` +
    `"dirname":${JSON.stringify(fullPath(parentOf(path), address))},${formatUrls(path, address)},` +
    `"version":"${versionOf(file)}"}`
  );
}

function formatExif(image: ImageFacts | undefined): string {
  if (!image) return "{}";
  const { width, height, isColor } = image;
  const html = JSON.stringify(`width="${width}" height="${height}"`);
  return `{"html":${html},"Height":${height},"Width":${width},"IsColor":${Number(isColor)}}`;
}

/** The keys that formatFile writes itself: a client's field cannot use them. */
export const fileFields: ReadonlySet<string> = new Set([
  "title",
  "description",
  "type",
  "filesize",
  "uploaded_on",
  "exif",
  "filename",
  "basename",
  "extension",
  "dirname",
  "url",
  "full_url",
  "version",
]);

/** A search reads the title, the description and the client's fields, not these. Contract §4. */
const serviceKeys: ReadonlySet<string> = fileFields.difference(new Set(["title", "description"]));

/** The file object with members that only some requests ask for: see core/list/member.ts. */
export function formatFileWith(file: File, members: readonly OptionalMember[], address: UploadsAddress): string {
  if (members.length === 0) return formatFile(file, address);
  const item = fileItem(file, address);
  return withMembers(item, members, () => objectOf(item));
}

/** A file as an item of a collection. */
export function fileItem(file: File, address: UploadsAddress): CollectionItem {
  return {
    path: file.path,
    json: formatFile(file, address),
    modifiedAt: file.modifiedAt,
    createdAt: file.createdAt,
    size: file.size,
    serviceKeys,
    ...(file.sentName !== null && { texts: [file.sentName] }),
    members: { sent_name: () => `"sent_name":${JSON.stringify(file.sentName)}`, preview: () => previewMember(file) },
  };
}

// ---------------------------------------------------------------------------------------------- rules of the writes

/**
 * Whether the file counts as sent under the name, which becomes the one that the file has. One that was not sent, or was
 * moved since, counts as sent under any such name. Contract §5, Uploads.
 */
export const isSentAs = ({ path, sentName, givenName }: File, name: string | undefined): boolean =>
  sentName === null || givenName !== nameOf(path) || sentName === name;

type Stamp = { revision: number; nowSeconds: number };

/** The file, if it exists and is in the state that the caller names. Throws file_not_found, revision_mismatch. */
export function existingFile(current: File | undefined, path: Path, ifMatch: string | undefined): File {
  if (!current) throw problem("file_not_found", { argument: "path", path });
  refuseOtherRevision(ifMatch, current.revision);
  return current;
}

/** Throws data_too_large for a text of a file above its limit: its title, its description, all meta fields. */
export function refuseTooLarge(argument: string, text: string): void {
  if (Buffer.byteLength(text) > maxDataBytes) throw problem("data_too_large", { argument, limit: maxDataBytes });
}

/**
 * The file that an upload creates. A replaced file keeps its clients' fields; the bytes and what is derived from them
 * are new. Throws data_too_large.
 */
export function uploadedFile(
  current: File | undefined,
  path: Path,
  input: FileInput,
  stamp: Stamp & { uuid: string; actor: string },
): File {
  refuseTooLarge("title", input.title ?? "");
  refuseTooLarge("description", input.description ?? "");
  return {
    path,
    title: input.title ?? current?.title ?? titleOf(input.sentName ?? "", nameOf(path)),
    description: input.description ?? current?.description ?? "",
    type: input.type,
    hash: input.hash,
    size: input.size,
    uploadedAt: input.uploadedAt ?? stamp.nowSeconds,
    image: input.image,
    meta: input.meta ?? current?.meta ?? "{}",
    createdAt: current?.createdAt ?? stamp.nowSeconds,
    modifiedAt: Math.max(stamp.nowSeconds, current?.modifiedAt ?? 0),
    revision: stamp.revision,
    contentRevision: stamp.revision,
    uuid: current?.uuid ?? stamp.uuid,
    sentName: input.sentName ?? null,
    givenName: input.sentName === undefined || input.givenName === null ? null : nameOf(path),
    uploader: stamp.actor,
  };
}

/** The file under another path; its type may change with the extension. Throws file_type_refused. */
export function renamedFile(file: File, newPath: Path, extensions: readonly string[], revision: number): File {
  const type = typeAfterRename(file.type, nameOf(file.path), nameOf(newPath), extensions);
  return { ...file, path: newPath, type, revision };
}
