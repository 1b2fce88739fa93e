/** Shared by the chapters about files and folders: a folder per chapter, uploads part by part, small real files as bytes. */
import assert from "node:assert/strict";
import net from "node:net";
import { crc32, deflateSync, gzipSync } from "node:zlib";
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

// ------------------------------------------------------------------------------------------------ small real files

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

const base64 = (text: string): Buffer => Buffer.from(text, "base64");
const jpegColour = base64(
  "/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAADAAQDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCYAJVf/9k=",
);
const jpegGrey = base64(
  "/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAADAAQBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AJ//Z",
);

/** A JPEG of 4 by 3 pixels; with an orientation it has EXIF that says so. */
export function jpeg({
  kind = "colour",
  orientation,
}: {
  kind?: "grey" | "colour";
  orientation?: number;
} = {}): Buffer {
  const plain = kind === "grey" ? jpegGrey : jpegColour;
  if (orientation === undefined) return Buffer.from(plain);
  const exif = Buffer.from("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0", "latin1");
  exif.writeUInt16BE(orientation, 24);
  const segment = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([plain.subarray(0, 2), segment, exif, plain.subarray(2)]);
}

/** A GIF, a WebP and an AVIF of 4 by 3 pixels. */
export const gif = (): Buffer => base64("R0lGODlhBAADAIAAAExpccg8FCH5BAUAAAAALAAAAAAEAAMAAAIDjI9WADs=");
export const webp = (): Buffer =>
  base64("UklGRjQAAABXRUJQVlA4ICgAAACQAQCdASoEAAMABABoJaACdLoAA5gA/uLgvoTY9qK//BBbUemHEAAA");
export const avif = (): Buffer =>
  base64(
    "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACIAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAQAAAADAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAqbWRhdBIACgg4BHmkBDQaQDIUHEJi5OAAFgAAkDWOPHZkgcca3FA=",
  );

export const svg = (inner = '<rect width="4" height="3" fill="#c83c14"/>'): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3" viewBox="0 0 4 3">${inner}</svg>\n`;

/** A PDF of one empty page. */
export function pdf(): Buffer {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
  ];
  let text = "%PDF-1.4\n";
  const starts = objects.map((object, n) => {
    const start = text.length;
    text += `${n + 1} 0 obj${object}endobj\n`;
    return `${String(start).padStart(10, "0")} 00000 n \n`;
  });
  const xref = text.length;
  const trailer = `trailer<</Size 4/Root 1 0 R>>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 4\n0000000000 65535 f \n${starts.join("")}${trailer}`, "latin1");
}

/** A zip archive with uncompressed entries. */
export function zip(entries: Record<string, string> = { "read.me": "hello\n" }): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const [bytes, nameBytes] = [Buffer.from(content), Buffer.from(name)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(0x5a21, 12);
    local.writeUInt32LE(crc32(bytes), 14);
    local.writeUInt32LE(bytes.length, 18);
    local.writeUInt32LE(bytes.length, 22);
    local.writeUInt16LE(nameBytes.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    local.copy(central, 6, 4, 30);
    central.writeUInt32LE(offset, 42);
    locals.push(local, nameBytes, bytes);
    directory.push(central, nameBytes);
    offset += local.length + nameBytes.length + bytes.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(entries).length, 8);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

const office = "application/vnd.openxmlformats-officedocument";
export const docx = (): Buffer =>
  zip({
    "[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="${office}.wordprocessingml.document.main+xml"/></Types>`,
    "word/document.xml": '<?xml version="1.0" encoding="UTF-8"?><x/>',
  });

// ------------------------------------------------------------------------------------------------ sound and film

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const iso = (brand: string): Buffer => {
  const box = Buffer.alloc(24);
  box.writeUInt32BE(24, 0);
  box.write(`ftyp${brand}`, 4, "latin1");
  box.write(`${brand}mp42`, 16, "latin1");
  return Buffer.concat([box, latin1("\0\0\0\x08free")]);
};
export const mp4 = (): Buffer => iso("isom");
export const m4a = (): Buffer => iso("M4A ");
export const m4v = (): Buffer => iso("M4V ");
export const webm = (): Buffer =>
  Buffer.concat([
    Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806780", "hex"),
    Buffer.alloc(64),
  ]);
const ogg = (codec: string): Buffer =>
  Buffer.concat([latin1("OggS\0\x02"), Buffer.alloc(22), latin1(codec), Buffer.alloc(40)]);
export const oggSound = (): Buffer => ogg("\x01vorbis");
export const oggFilm = (): Buffer => ogg("\x80theora");
export const mp3 = (): Buffer =>
  Buffer.concat([latin1("ID3\x04\0\0\0\0\0\0"), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
export const avi = (): Buffer => Buffer.concat([latin1("RIFF\x20\0\0\0AVI LIST"), Buffer.alloc(32)]);
export const wmv = (): Buffer => {
  const film = Buffer.from("9107dcb7b7a9cf118ee600c00c2053654e00000000000000c0ef19bc4d5bcf11a8fd00805f5c442b", "hex");
  const header = Buffer.from("3026b2758e66cf11a6d900aa0062ce6c6c00000000000000010000000102", "hex");
  return Buffer.concat([header, film, Buffer.alloc(64)]);
};
export function wav(): Buffer {
  const bytes = Buffer.alloc(48);
  bytes.write("RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", 0, "latin1");
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(8000, 28);
  bytes.write("\x01\0\x08\0data\x04\0\0\0", 32, "latin1");
  return bytes;
}
export const ico = (): Buffer =>
  Buffer.from(
    "000001000100010101000100180030000000160000002800000001000000020000000100180000000000000000000000000000000000000000000000000000000000ffffff0000000000",
    "hex",
  );
export const tgz = (): Buffer => gzipSync("hello\n");
// ------------------------------------------------------------------------------------------------ a connection by hand

/** A raw connection: the test writes bytes and reads the replies one by one. */
export class Wire {
  readonly socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(base: string, from?: string) {
    const { hostname, port } = new URL(base);
    this.socket = net.connect({ host: hostname, port: Number(port || 80), localAddress: from });
    this.socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
    this.socket.on("error", () => undefined);
  }

  /** Writes bytes; false when the other side has closed or does not accept them in time. */
  write(bytes: string | Uint8Array, timeoutMs = 3000): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), timeoutMs);
    const done = (error?: Error | null) => {
      clearTimeout(timer);
      resolve(!error && !this.#isClosed);
    };
    if (this.#isClosed) done();
    else this.socket.write(bytes, done);
    return promise;
  }

  /** Waits for data or the end of the connection. */
  get isAnswered(): boolean {
    return this.#received.length > 0 || this.#isClosed;
  }

  /** The next reply, without 100 Continue. `method` is that of the request: HEAD has no body. */
  async reply(method = "GET", timeoutMs = 5000): Promise<Reply> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const parsed = parseReply(this.#received, method, this.#isClosed);
      if (parsed) {
        this.#received = this.#received.subarray(parsed.length);
        if (parsed.reply.status !== 100) return parsed.reply;
        continue;
      }
      const left = until - Date.now();
      const said = JSON.stringify(this.#received.subarray(0, 200).toString());
      assert.ok(left > 0, `no whole reply within ${timeoutMs} ms, only ${said}`);
      assert.ok(!this.#isClosed, `the connection was closed without a whole reply, only ${said}`);
      await this.#change(left);
    }
  }

  /** True once the other side has closed; false when it has not in time. */
  async closed(timeoutMs = 3000): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    while (!this.#isClosed && Date.now() < until) await this.#change(until - Date.now());
    return this.#isClosed;
  }

  destroy(): void {
    this.socket.destroy();
  }

  #change(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }
}

type Parsed = { reply: Reply; length: number };

function parseReply(all: Buffer, method: string, isClosed: boolean): Parsed | undefined {
  const end = all.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = all.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  assert.ok(status >= 100, `a status line, not ${first}`);
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  const headers: Record<string, string> = {};
  for (const [name = "", value = ""] of pairs) headers[name.toLowerCase()] = value;
  const hasBody = method !== "HEAD" && status >= 200 && status !== 204 && status !== 304;
  const body = hasBody ? parseBody(all.subarray(end + 4), headers, isClosed) : { bytes: Buffer.alloc(0), length: 0 };
  if (!body) return undefined;
  const { bytes, length } = body;
  const call: Call = { method, path: "(by hand)" };
  const reply = { status, headers, rawHeaders: pairs.flat(), bytes, text: bytes.toString(), call };
  return { reply, length: end + 4 + length };
}

function parseBody(rest: Buffer, headers: Record<string, string>, isClosed: boolean) {
  if (headers["transfer-encoding"] === "chunked") return parseChunks(rest);
  const length = headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  if (length === undefined) return isClosed ? { bytes: Buffer.from(rest), length: rest.length } : undefined;
  return rest.length < length ? undefined : { bytes: Buffer.from(rest.subarray(0, length)), length };
}

function parseChunks(rest: Buffer): { bytes: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = rest.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, line).toString("latin1"), 16);
    if (rest.length < line + 2 + size + 2) return undefined;
    chunks.push(rest.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: at };
  }
}
