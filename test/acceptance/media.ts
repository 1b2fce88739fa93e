/** What the chapters about files and folders share: a folder of one's own, uploads part by part, small real files as bytes. */
import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import type { Arguments, Call, Reply } from "./client.ts";
import { type Any, dataOf, enter, type World } from "./world.ts";

// ------------------------------------------------------------------------------------------------ the two dialects

export type Dialect = {
  /** The name an identifier goes by, and a target's, and the absolute directory's in a folder object. */
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

/** The keys of a file object without client's fields, in the order they come. */
export const fileKeys = [
  ...["title", "description", "type", "filesize", "uploaded_on", "exif"],
  ...["filename", "basename", "extension", "dirname", "url", "full_url", "version"],
];
/** How many of them come before the client's own fields. */
export const keysBeforeMeta = 6;

// ------------------------------------------------------------------------------------------------ a chapter's place

/** A chapter with a folder of its own, `world.prefix`, which goes away with everything in it. */
export async function enterMedia(chapter: string): Promise<World> {
  const world = await enter(chapter);
  const made = await world.write("POST", { path: world.prefix }, "/api/folders");
  assert.equal(made.status, 200, `the chapter's folder could not be made: ${made.text}`);
  world.onLeave(() => world.write("DELETE", { path: world.prefix }, "/api/folders"));
  return world;
}

/** The pair as headers. */
export const pairHeaders = (world: World): Record<string, string> => ({
  authorization: `Bearer ${world.pair.token}`,
  "x-access-token": world.pair.access_token,
});

// ------------------------------------------------------------------------------------------------ uploads

export type Part = {
  name: string;
  /** With a filename it is a file part, also when the filename is empty. */
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
  /** More form fields, or others than folder, token and access_token have by themselves; null leaves a field out. */
  fields?: Record<string, string | null>;
  /** The names of the fields that come after the file. */
  late?: string[];
  /** Parts after all others. */
  more?: Part[];
  /** The address, of the path dialect by itself. */
  path?: string;
  headers?: Record<string, string>;
  stranger?: boolean;
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
export function uploadParts(world: World, upload: Upload): Part[] {
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

export function uploadCall(world: World, upload: Upload): Call {
  const { body, type } = multipartOf(uploadParts(world, upload));
  const { headers, stranger } = upload;
  return { method: "POST", path: upload.path ?? "/api/files", body, type, headers: { ...headers }, stranger };
}

export const upload = (world: World, what: Upload): Promise<Reply> => world.send(uploadCall(world, what));

/** Uploads to a place below the chapter's folder; it must work, and the file must have just that name. */
export async function plantFile(world: World, path: string, what: Omit<Upload, "folder" | "name"> = {}): Promise<Any> {
  const cut = path.lastIndexOf("/");
  const reply = await upload(world, { ...what, folder: path.slice(0, Math.max(cut, 0)), name: path.slice(cut + 1) });
  const data = dataOf(reply);
  assert.equal(data.url, urlOf(world, path), "the name is kept");
  return data;
}

/** Uploads text files, each with its own path as content, some at once. */
export async function plantFiles(world: World, paths: string[]): Promise<void> {
  const left = [...paths];
  const worker = async () => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) await plantFile(world, path);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

// ------------------------------------------------------------------------------------------------ reads

/** The `url` of a place below the chapter's folder. */
export const urlOf = (world: World, path: string): string => `project/uploads/${world.id(path)}`;

export const readFile = (world: World, path: string, dialect = pathDialect, more: Arguments = {}): Promise<Reply> =>
  world.read({ [dialect.at]: world.id(path), ...more }, undefined, dialect.files);
export const readFolder = (world: World, path: string, dialect = pathDialect, more: Arguments = {}): Promise<Reply> =>
  world.read({ [dialect.at]: world.id(path), ...more }, undefined, dialect.folders);

/** The file as management sees it; it must be there. */
export const file = async (world: World, path: string, dialect = pathDialect): Promise<Any> =>
  dataOf(await readFile(world, path, dialect));
/** The files of a folder, by name. */
export const files = async (world: World, folder: string, more: Arguments = {}): Promise<Any> =>
  dataOf(await readFile(world, folder, pathDialect, { collection: true, ...more }));
export const folder = async (world: World, path: string, dialect = pathDialect): Promise<Any> =>
  dataOf(await readFolder(world, path, dialect));
/** The names of the folders directly in a folder. */
export const folders = async (world: World, path: string, more: Arguments = {}): Promise<string[]> => {
  const reply = await readFolder(world, path, pathDialect, { collection: true, ...more });
  return dataOf(reply).map((one: Any) => one.path.slice(world.id(path).length + 1));
};

/** The bytes behind a place, as anybody gets them. */
export const fetchBytes = (world: World, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  world.send({ path: `/project/uploads/${world.id(path).split("/").map(encodeURIComponent).join("/")}`, headers });

/** Everything below a folder: files by path as they were answered, and the folders' paths. */
export async function tree(world: World, path: string): Promise<{ files: Record<string, Any>; folders: string[] }> {
  const [all, below] = await Promise.all([
    files(world, path, { options: { recursive: true } }),
    readFolder(world, path, pathDialect, { collection: true, options: { recursive: true } }),
  ]);
  return { files: all, folders: dataOf(below).map((one: Any) => one.path.slice(world.id(path).length + 1)) };
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
  /** 0 to 255; another shade is another file. */
  shade?: number;
  /** Bits of a grey pixel; 1 lets even a huge picture be small. */
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

/** A zip archive whose entries are stored as they are. */
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

const openXml = (main: string, type: string): Buffer =>
  zip({
    "[Content_Types].xml": `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/${main}" ContentType="${type}.main+xml"/></Types>`,
    "_rels/.rels": `<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${main}"/></Relationships>`,
    [main]: '<?xml version="1.0" encoding="UTF-8"?><x/>',
  });
const office = "application/vnd.openxmlformats-officedocument";
export const docx = (): Buffer => openXml("word/document.xml", `${office}.wordprocessingml.document`);
export const xlsx = (): Buffer => openXml("xl/workbook.xml", `${office}.spreadsheetml.sheet`);
export const pptx = (): Buffer => openXml("ppt/presentation.xml", `${office}.presentationml.presentation`);
export const epub = (): Buffer => zip({ mimetype: "application/epub+zip", "META-INF/container.xml": "<x/>" });
