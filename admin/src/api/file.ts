import type { FileObject, FolderObject } from "../../../client/src/api.ts";
import { encodePath } from "../../../client/src/query.ts";
import type { Json, JsonObject } from "./json.ts";
import { escapePattern, formatQuery, nextCursor, type Query, request } from "./request.ts";

/** A file as the service answers it: its own fields, and those that clients gave it. */
export type File = JsonObject & FileObject;

const files = "/api/files";
const folders = "/api/folders";
const uploads = "project/uploads/";
const filesPage = 120;

/** A file's path below the uploads. */
export const pathOf = (file: { url: string }): string => file.url.slice(uploads.length);

type FilePage = { files: File[]; next: string | undefined; total: number };

export async function listFiles(path: string, filter: Query, cursor?: string): Promise<FilePage> {
  const query = { path, collection: true, "filter[limit]": filesPage, "filter[total]": true, ...filter, cursor };
  const { data, headers } = await request<Record<string, File>>("GET", files, { query });
  const found = Object.values(data);
  return { files: found, next: nextCursor(headers), total: Number(headers.get("x-total-count") ?? found.length) };
}

/** Arguments that find files by part of their name, title or description; the service's own search does not read names. */
export function namedLike(text: string): Query {
  if (text === "") return {};
  const value = `(?i)${escapePattern(text)}`;
  const conditions = ["filename", "title", "description"].map((key, i) => {
    const group = `filter[or_where][${i}]`;
    return { [`${group}[key]`]: key, [`${group}[expr]`]: "regexp", [`${group}[value]`]: value };
  });
  return Object.assign({}, ...conditions);
}

/** Also in all folders below. */
export const atAnyDepth: Query = { "options[recursive]": true };

export const readFile = async (path: string): Promise<File> =>
  (await request<File>("GET", files, { query: { path } })).data;

export const listFolders = async (path: string): Promise<FolderObject[]> =>
  (await request<FolderObject[]>("GET", folders, { query: { path, collection: true } })).data;

export const createFolder = async (path: string): Promise<void> =>
  void (await request("POST", folders, { body: { path } }));

/** A file or a folder. */
export type Thing = { noun: "file" | "folder"; path: string };
const urlOf = ({ noun }: Thing): string => (noun === "file" ? files : folders);

export const move = async (thing: Thing, newPath: string): Promise<void> =>
  void (await request("PUT", urlOf(thing), { body: { path: thing.path, new_path: newPath } }));

export const copy = async (thing: Thing, newPath: string): Promise<void> =>
  void (await request("PUT", `${urlOf(thing)}/copy`, { body: { path: thing.path, new_path: newPath } }));

export const remove = async (thing: Thing, keepalive: boolean): Promise<void> =>
  void (await request("DELETE", urlOf(thing), { body: { path: thing.path }, keepalive }));

export const addMeta = async (path: string, field: string, value: Json): Promise<File> =>
  (await request<File>("POST", `${files}/meta`, { body: { path, field, value } })).data;

export const setMeta = async (path: string, field: string, value: Json, keepalive: boolean): Promise<File> =>
  (await request<File>("PATCH", `${files}/meta`, { body: { path, field, value }, keepalive })).data;

export const deleteMeta = async (path: string, field: string): Promise<File> =>
  (await request<File>("DELETE", `${files}/meta`, { body: { path, field } })).data;

/** Fields that the service itself gives a file. */
const ownFields = new Set([
  ...["title", "description", "type", "filesize", "uploaded_on", "exif", "filename", "basename", "extension"],
  ...["dirname", "url", "full_url", "version"],
]);
/** The fields that clients gave a file. */
export const metaOf = (file: File): [string, Json][] => Object.entries(file).filter(([name]) => !ownFields.has(name));

const drawable = /^image\/(jpeg|png|apng|gif|webp|avif|heic|heif|svg\+xml)$/;
export const isPicture = (file: { type: string }): boolean => drawable.test(file.type);

/** The address of the current bytes. */
export const uploadUrl = (path: string): string => `/${uploads}${encodePath(path)}`;

/** The address of the bytes, with their version. */
export const bytesUrl = (file: File): string => `${uploadUrl(pathOf(file))}?v=${file.version}`;

/** The address of a rendition. */
export const imageUrl = (path: string, args: Query): string => `/api/images/${encodePath(path)}${formatQuery(args)}`;

/** A small rendition of the file for lists, at twice the displayed resolution. */
export const thumbnailUrl = (file: File, width: number, height: number): string =>
  imageUrl(pathOf(file), { w: width, h: height, fit: "max", dpr: 2, fm: "webp", q: 80, v: file.version });
