/** Shared by the chapters about files and folders: a folder per chapter, uploads part by part, a PNG and an SVG. */
import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import { atEnd } from "../ending.ts";
import type { Arguments, Call, Reply } from "./client.ts";
import { type Any, dataOf, enter, refused, type World } from "./world.ts";

// ------------------------------------------------------------------------------------------------ the two dialects

export type Dialect = {
  /** The names of the identifier, the target, and the absolute directory in a folder object. */
  at: "path" | "id";
  to: "new_path" | "new_id";
  full: "full_path" | "full_id";
  files: string;
  folders: string;
};

export const pathDialect: Dialect = {
  at: "path",
  to: "new_path",
  full: "full_path",
  files: "/api/files",
  folders: "/api/folders",
};
export const idDialect: Dialect = {
  at: "id",
  to: "new_id",
  full: "full_id",
  files: "/api/media/files",
  folders: "/api/media/folders",
};
export const dialects: Dialect[] = [pathDialect, idDialect];

/** The keys of a file object without meta fields, in order. */
export const fileKeys = [
  ...["title", "description", "type", "filesize", "uploaded_on", "exif"],
  ...["filename", "basename", "extension", "dirname", "url", "full_url", "version"],
];
/** The number of them before the meta fields. */
export const keysBeforeMeta = 6;

// ------------------------------------------------------------------------------------------------ a chapter's place

/** A chapter with its own folder, `world.prefix`, which is deleted at its end. */
export async function enterMedia(chapter: string): Promise<World> {
  const world = await enter(chapter);
  const made = await world.write("POST", { path: world.prefix }, "/api/folders");
  assert.equal(made.status, 200, `the chapter's folder could not be made: ${made.text}`);
  atEnd(() => world.write("DELETE", { path: world.prefix }, "/api/folders"));
  return world;
}

const isLoopback = (world: World): boolean => /^(127\.|localhost$|\[::1\]$)/.test(new URL(world.url).hostname);

/**
 * True if the service runs on this machine and has a readable uploads directory: OCTAVO_TEST_UPLOADS_TREE=off says that
 * it has none.
 */
export const hasUploadsTree = (world: World): boolean =>
  isLoopback(world) && process.env.OCTAVO_TEST_UPLOADS_TREE !== "off";

/** The pair as headers. */
export const pairHeaders = (world: World): Record<string, string> => ({
  authorization: `Bearer ${world.pair.token}`,
  "x-access-token": world.pair.access_token,
});

// ------------------------------------------------------------------------------------------------ uploads

export type Part = {
  name: string;
  /** With a filename it is a file part, even if the filename is empty. */
  filename?: string;
  type?: string;
  value: string | Uint8Array;
};

export type Upload = {
  /** Below the chapter's folder; "" is that folder. */
  folder?: string;
  name?: string;
  bytes?: string | Uint8Array;
  /** The Content-Type of the file part; null sends none. */
  type?: string | null;
  /** Additional form fields, or other values of folder, token and access_token; null omits a field. */
  fields?: Record<string, string | null>;
  /** The names of the fields after the file. */
  late?: string[];
  /** Parts after all others. */
  more?: Part[];
  /** The URL; by default that of the path dialect. */
  path?: string;
  headers?: Record<string, string>;
  uniqueAddress?: boolean;
};

/** A multipart body, part by part in the order given; names are escaped as browsers do it. */
export function multipartOf(parts: Part[], boundary = "----octavo-media-51c2"): { body: Buffer; type: string } {
  const quoted = (text: string) => text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const chunks: (string | Uint8Array)[] = [];
  for (const { name, filename, type, value } of parts) {
    const file = filename === undefined ? "" : `; filename="${quoted(filename)}"`;
    const typed = type === undefined ? "" : `\r\nContent-Type: ${type}`;
    chunks.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}${typed}\r\n\r\n`);
    chunks.push(value, "\r\n");
  }
  chunks.push(`--${boundary}--\r\n`);
  const body = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string)));
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

/** The parts of an upload: the fields, the file, the late fields. */
function uploadParts(world: World, upload: Upload): Part[] {
  const { folder = "", name = "file.txt", bytes = `${name}\n`, type = "application/octet-stream" } = upload;
  const fields = { folder: world.id(folder), ...world.pair, ...upload.fields };
  const late = new Set(upload.late);
  const texts = Object.entries(fields).flatMap(([field, value]) => (value === null ? [] : [{ name: field, value }]));
  const file: Part = { name: "file", filename: name, ...(type === null ? {} : { type }), value: bytes };
  return [
    ...texts.filter((part) => !late.has(part.name)),
    file,
    ...texts.filter((part) => late.has(part.name)),
    ...(upload.more ?? []),
  ];
}

function uploadCall(world: World, upload: Upload): Call {
  const { body, type } = multipartOf(uploadParts(world, upload));
  const { headers, uniqueAddress } = upload;
  return { method: "POST", path: upload.path ?? "/api/files", body, type, headers: { ...headers }, uniqueAddress };
}

export const upload = (world: World, what: Upload): Promise<Reply> => world.send(uploadCall(world, what));

/** Uploads to a path below the chapter's folder; it must succeed with exactly that name. */
export async function plantFile(world: World, path: string, what: Omit<Upload, "folder" | "name"> = {}): Promise<Any> {
  const cut = path.lastIndexOf("/");
  const reply = await upload(world, { ...what, folder: path.slice(0, Math.max(cut, 0)), name: path.slice(cut + 1) });
  const data = dataOf(reply);
  assert.equal(data.url, urlOf(world, path), "the name is kept");
  return data;
}

/** Uploads text files with their paths as content, several concurrently. */
export async function plantFiles(world: World, paths: string[]): Promise<void> {
  const left = [...paths];
  const worker = async () => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) await plantFile(world, path);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

// ------------------------------------------------------------------------------------------------ reads

/** The `url` of a path below the chapter's folder. */
export const urlOf = (world: World, path: string): string => `project/uploads/${world.id(path)}`;

export const readFile = (world: World, path: string, dialect = pathDialect, more: Arguments = {}): Promise<Reply> =>
  world.read({ [dialect.at]: world.id(path), ...more }, undefined, dialect.files);
export const readFolder = (
  world: World,
  path: string,
  dialect = pathDialect,
  more: Arguments = {},
  token?: string,
): Promise<Reply> => world.read({ [dialect.at]: world.id(path), ...more }, token, dialect.folders);

/** The file as read with a management token; it must exist. */
export const file = async (world: World, path: string, dialect = pathDialect): Promise<Any> =>
  dataOf(await readFile(world, path, dialect));
/** The files of a folder, by name. */
export const files = async (world: World, folder: string, more: Arguments = {}): Promise<Any> =>
  dataOf(await readFile(world, folder, pathDialect, { collection: true, ...more }));
export const folder = async (world: World, path: string, dialect = pathDialect): Promise<Any> =>
  dataOf(await readFolder(world, path, dialect));
/** The root folder, and what the service's URLs begin with. */
export async function placeUrl(world: World): Promise<{ root: Any; base: string }> {
  const root = dataOf(await world.read({ path: "" }, undefined, "/api/folders"));
  return { root, base: root.full_url.slice(0, -"/project/uploads".length) };
}

/** The bytes of a file, as served to anybody. */
export const fetchBytes = (world: World, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  world.send({ path: `/project/uploads/${world.id(path).split("/").map(encodeURIComponent).join("/")}`, headers });

/** Everything below a folder: file objects by path, and the paths of the folders. */
export async function tree(world: World, path: string): Promise<{ files: Record<string, Any>; folders: string[] }> {
  const [all, below] = await Promise.all([
    files(world, path, { options: { recursive: true } }),
    readFolder(world, path, pathDialect, { collection: true, options: { recursive: true } }),
  ]);
  return { files: all, folders: dataOf(below).map((one: Any) => one.path.slice(world.id(path).length + 1)) };
}

/** Asserts that an action changes nothing below a folder. */
export async function unchangedBy(world: World, name: string, action: () => Promise<Reply>): Promise<Reply> {
  const before = await tree(world, name);
  const reply = await action();
  assert.deepEqual(await tree(world, name), before, "nothing changed");
  return reply;
}

/** Asserts that it is refused because a file or folder exists. */
export function isTaken(reply: Reply): void {
  const { code } = refused(reply, 409);
  assert.ok(["file_exists", "folder_exists"].includes(code), code);
}

/** The number of the reply that succeeded; all others were refused so. */
export function oneSucceeds(replies: Reply[], status: number, code: string): number {
  const winners = replies.filter((reply) => reply.status < 300);
  assert.equal(winners.length, 1, replies.map((reply) => reply.status).join());
  for (const reply of replies) if (reply !== winners[0]) refused(reply, status, code);
  return replies.indexOf(winners[0] as Reply);
}

/** The events of an action for paths below a name: kind, subject, target, count. */
export async function eventsOf(world: World, below: string, action: () => Promise<unknown>): Promise<Any[]> {
  const start = await world.newestEvent();
  await action();
  const all = await world.eventsAfter(start);
  const ours = all.filter(({ subject }) => String(subject).startsWith(`${world.id(below)}/`));
  return ours.map(({ kind, subject, target, count }) => [kind, subject, target, count]);
}

// ------------------------------------------------------------------------------------------------ pictures

const chunk = (name: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
};

export type Picture = {
  width?: number;
  height?: number;
  kind?: "grey" | "colour";
  /** 0 to 255; each shade is a different file. */
  shade?: number;
  /** Bits per grey pixel; with 1 even a huge image is a small file. */
  bits?: 1 | 8;
};

/** A valid PNG of one shade. */
export function png({ width = 4, height = 3, kind = "colour", shade = 90, bits = 8 }: Picture = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bits;
  header[9] = kind === "grey" ? 0 : 2;
  const row = Math.ceil((width * bits * (kind === "grey" ? 1 : 3)) / 8);
  const pixels = Buffer.alloc((row + 1) * height, shade);
  for (let y = 0; y < height; y++) pixels[y * (row + 1)] = 0;
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(pixels, { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array())]);
}

export const svg = (inner = '<rect width="4" height="3" fill="#c83c14"/>'): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3" viewBox="0 0 4 3">${inner}</svg>\n`;
