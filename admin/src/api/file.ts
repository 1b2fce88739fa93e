import type { FileObject, FolderObject } from "../../../client/src/api.ts";
import {
  type CallOptions,
  condition,
  type Fields,
  type FileQuery,
  type Filter,
  OctavoProblem,
  type Page,
} from "../../../client/src/client.ts";
import { say } from "../language/say.ts";
import type { Json, JsonObject } from "./json.ts";
import { octavo, unlessSearched } from "./octavo.ts";

/** A file object: the service's fields and the meta fields. */
export type File = JsonObject & FileObject;

const uploads = "project/uploads/";
const filesPage = 120;

/** The address of a path below the site's root, as a file names it. */
export const uploadsUrl = (path: string): string => uploads + path;

/** A file's path below the uploads. */
export const pathOf = (file: { url: string }): string => file.url.slice(uploads.length);

/** One page of the files in a folder. Throws folder_not_found, and FileInstead for the path of a file. */
export async function listFiles(path: string, query: FileQuery<Fields>, options?: CallOptions): Promise<Page<File>> {
  const page = await octavo.files.list(path, { limit: filesPage, total: true, ...query }, options);
  // The service answers the file itself (contract §5, File collections), whose fields look like the items.
  if (page.items.some((item) => typeof item !== "object")) throw new FileInstead(path);
  return page as Page<File>;
}

/** What was read as a folder is a file. */
export class FileInstead extends Error {
  constructor(path: string) {
    super(say("{path} is a file", { path }));
  }
}

/**
 * Files of all folders: first what the service's search finds, the best first, then those that have the text in the middle of
 * a word. A page after the first may have some again.
 */
export async function searchFiles(
  text: string,
  { limit = filesPage, cursor }: { limit?: number; cursor?: string | undefined },
  options?: CallOptions,
): Promise<Page<File>> {
  const search = () => octavo.files.search(text, { limit: Math.min(limit, mostFound) }, options).catch(unlessSearched);
  const [found, named] = await Promise.all([
    cursor === undefined ? search() : undefined,
    listFiles("", { filter: namedLike(text), ...atAnyDepth, limit, cursor }, options),
  ]);
  return { ...named, items: eachOnce([...((found?.items ?? []) as File[]), ...named.items]) };
}

/** Of one search. */
const mostFound = 100;

export const eachOnce = (files: readonly File[]): File[] => [
  ...new Map(files.map((file) => [file.url, file])).values(),
];

/** Files with a text in their name, title or description, also in the middle of a word. */
export function namedLike(text: string): Filter | undefined {
  if (text === "") return undefined;
  const like = (key: string) => condition(key, "regexp", `(?i)${escapePattern(text)}`);
  return like("filename").or(like("title"), like("description"));
}

/** Pictures whose `alt` is missing; or anything whose is empty, since a field is set with a picture alone. */
export const lackingAlt: Filter = condition("type", "starts_with", "image/")
  .and(condition("alt", "exists", false))
  .or(condition("alt", "eq", ""));

/** The files of all folders, those uploaded last first; `recent` are those of the last thirty days. */
export const newestFirst = { recursive: true, sort: "-uploaded_on" } as const;
export const recent: Filter = condition("uploaded_on", "newer", "30 days ago");

/** The pattern (RE2) that matches this text and nothing else. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Also in all subfolders. */
export const atAnyDepth = { recursive: true } as const;

/**
 * The file at a path; null when there is none. Asks a list: browsers show a refused request in the console, and a field may
 * well name a file that is gone.
 */
export async function findFile(path: string): Promise<File | null> {
  const filter = condition("filename", "eq", path.slice(path.lastIndexOf("/") + 1));
  const { items } = await listFiles("", {
    ...atAnyDepth,
    filter: filter.and(condition("url", "eq", uploadsUrl(path))),
  });
  return items[0] ?? null;
}

/** In a locale as it is read there, with fallbacks. */
export const readFile = async (path: string, locale?: string): Promise<File> =>
  (await octavo.files.fetch(path, { locale })) as File;

export const listFolders = (path: string): Promise<FolderObject[]> => Array.fromAsync(octavo.folders.each(path));

/** A file or a folder. */
export type Thing = { noun: "file" | "folder"; path: string };

/** The calls of files, or those of folders. */
export const callsOf = ({ noun }: Thing) => (noun === "file" ? octavo.files : octavo.folders);

export const addMeta = async (path: string, field: string, value: Json): Promise<File> =>
  (await octavo.files.meta.add(path, field, value)) as File;

export const setMeta = async (path: string, field: string, value: Json, keepalive: boolean): Promise<File> =>
  (await octavo.files.meta.update(path, field, value, { keepalive })) as File;

/** Sets what a file says in a locale; nothing lets the text fall back. Answers the file as it is read there. */
export async function translateMeta(
  path: string,
  field: string,
  text: string,
  options: { locale: string; keepalive: boolean },
): Promise<File> {
  if (text !== "") return (await octavo.files.meta.update(path, field, text, options)) as File;
  try {
    return (await octavo.files.meta.delete(path, field, options)) as File;
  } catch (error) {
    // It was a fallback already.
    if (error instanceof OctavoProblem && error.code === "field_not_found") return readFile(path, options.locale);
    throw error;
  }
}

/** Sets a meta field that the file may not have yet. */
export const putMeta = (file: File, path: string, field: string, value: Json, keepalive = false): Promise<File> =>
  field in file ? setMeta(path, field, value, keepalive) : addMeta(path, field, value);

/** Keeps with a file what its picture shows, for those who do not see it. */
export const putAlt = (file: File, path: string, alt: string): Promise<File> => putMeta(file, path, "alt", alt);

export const deleteMeta = async (path: string, field: string): Promise<File> =>
  (await octavo.files.meta.delete(path, field)) as File;

/** The service's own fields of a file. */
const ownFields = new Set([
  ...["title", "description", "type", "filesize", "uploaded_on", "exif", "filename", "basename", "extension"],
  ...["dirname", "url", "full_url", "version"],
]);
/** The meta fields of a file. */
export const metaOf = (file: File): [string, Json][] => Object.entries(file).filter(([name]) => !ownFields.has(name));

const drawable = /^image\/(jpeg|png|apng|gif|webp|avif|svg\+xml)$/;
export const isPicture = (file: { type: string }): boolean => drawable.test(file.type);

/** The URL of the bytes, with their version. */
export const bytesUrl = (file: File): string => `${octavo.fileUrl(pathOf(file))}?v=${file.version}`;

/** The URL of a small rendition of the file for lists, at twice the displayed resolution. */
export const thumbnailUrl = (file: File, width: number, height: number): string =>
  octavo.imageUrl(file, { w: width, h: height, fit: "max", dpr: 2, fm: "webp", q: 80 });
