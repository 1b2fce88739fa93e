/** Uploading, POST /api/files and /api/media/files. Contract §1, §2, §5. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { describe, test } from "node:test";
import { crc32, gzipSync } from "node:zlib";
import { meanwhile } from "../ending.ts";
import { isLong } from "../long.ts";
import { type Call, freshAddress, type Reply } from "./client.ts";
import {
  avi,
  avif,
  dialects,
  docx,
  enterMedia,
  epub,
  fetchBytes,
  file,
  fileKeys,
  files,
  gif,
  hasUploadsTree,
  heic,
  ico,
  jpeg,
  m4a,
  m4v,
  mp3,
  mp4,
  multipartOf,
  oggFilm,
  oggSound,
  ole,
  type Part,
  pairHeaders,
  pdf,
  plantFile,
  png,
  pptx,
  readFile,
  readFolder,
  svg,
  tgz,
  type Upload,
  upload,
  urlOf,
  Wire,
  wav,
  webm,
  webp,
  wmv,
  xlsx,
  zip,
} from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, sleep, tagOf } from "./world.ts";

const world = await enterMedia("file-upload");
const { pair, tokens } = world;
const base = new URL(world.url);

let made = 0;
/** The name of an unused folder. */
const fresh = (): string => `f${made++}`;
const bytesOf = (value: string | Uint8Array): Buffer => Buffer.from(value as string);
const boundary = "octavo-odd";
const multipart = `multipart/form-data; boundary=${boundary}`;

/** The folder was not created, so it is empty. */
async function nothingAt(folder: string): Promise<void> {
  refused(await readFolder(world, folder), 404, "folder_not_found");
}
const served = async (path: string): Promise<string> => {
  const reply = await fetchBytes(world, path);
  assert.equal(reply.status, 200, path);
  return reply.text;
};

// ---------------------------------------------------------------------------------------------- the answer

function holdsFile(data: Any, folder: string, name: string, bytes: Uint8Array): void {
  assert.deepEqual(Object.keys(data), fileKeys, "these keys in this order");
  const dot = name.lastIndexOf(".");
  assert.equal(data.filename, name);
  assert.equal(data.basename, name.slice(0, dot));
  assert.equal(data.extension, name.slice(dot + 1));
  assert.equal(data.filesize, bytes.length);
  assert.ok(Number.isInteger(data.uploaded_on) && Math.abs(data.uploaded_on - nowSeconds()) < 60, "just now");
  assert.match(data.dirname, /^([A-Za-z]:)?[\\/]/, "an absolute directory");
  assert.ok(data.dirname.replaceAll("\\", "/").endsWith(`/${world.id(folder)}`.replace(/\/$/, "")));
  assert.equal(data.url, `project/uploads/${world.id(folder)}/${name}`);
  assert.equal(data.full_url, `${world.url}/${data.url}`);
  assert.match(data.version, /^[0-9a-f]{16}$/);
}

for (const dialect of dialects) {
  const { files: path } = dialect;
  describe(`POST ${path}`, () => {
    test("answers the complete file object, as a later read does", async () => {
      const folder = fresh();
      const bytes = png({ width: 7, height: 5 });
      const fields = { title: "A título", description: "Of «7 × 5» pixels" };
      const reply = await upload(world, { path, folder, name: "cover.png", bytes, fields });
      const data = dataOf(reply);
      holdsFile(data, folder, "cover.png", bytes);
      const { title, description, type, exif } = data;
      assert.deepEqual(
        { title, description, type, exif },
        { ...fields, type: "image/png", exif: { html: 'width="7" height="5"', Height: 5, Width: 7, IsColor: 1 } },
      );
      assert.deepEqual(Object.keys(exif), ["html", "Height", "Width", "IsColor"]);
      for (const other of dialects) assert.deepEqual(await file(world, `${folder}/cover.png`, other), data);
      const read = await readFile(world, `${folder}/cover.png`, dialect);
      assert.deepEqual(Object.keys(dataOf(read)), fileKeys);
      if (reply.headers.etag) assert.equal(reply.headers.etag, tagOf(read));
      assert.equal(reply.headers["cache-control"]?.includes("public"), false);
    });

    test("stores the bytes as they were sent", async () => {
      const folder = fresh();
      const noise = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * n * 31 + (n >> 3)) & 255));
      const bytes = Buffer.concat([gif(), noise, Buffer.from("\r\n--\r\n----octavo-media-51c\r\n\r\n")]);
      const data = dataOf(await upload(world, { path, folder, name: "noise.gif", bytes }));
      const reply = await world.send({ path: `/${data.url}` });
      assert.ok(reply.bytes.equals(bytes));
      const onDisk = `${data.dirname}/${data.filename}`;
      if (hasUploadsTree(world)) {
        assert.ok(readFileSync(onDisk).equals(bytes), "also in the directory of dirname");
        await plantFile(world, `${folder}/noise.gif`, { path, bytes: gif() });
        assert.ok(readFileSync(onDisk).equals(gif()), "replaced there, too");
        await world.write("DELETE", { path: world.id(`${folder}/noise.gif`) }, path);
        assert.ok(!existsSync(onDisk), "and gone");
      }
    });

    test("without title and description: the stored name without extension, and an empty text", async () => {
      const folder = fresh();
      const data = dataOf(await upload(world, { path, folder, name: "My Holiday.TXT", bytes: "x" }));
      holdsFile(data, folder, "my-holiday.txt", Buffer.from("x"));
      assert.equal(data.title, "my-holiday");
      assert.equal(data.description, "");
      assert.equal(data.type, "text/plain");
      assert.deepEqual(data.exif, {});
    });

    test("with a title or a description of more than 1 MiB is refused, and nothing is stored", async () => {
      const folder = fresh();
      for (const field of ["title", "description"]) {
        const send = { path, folder, name: "a.txt", bytes: "x", fields: { [field]: "x".repeat(1_100_000) } };
        refused(await upload(world, send), 413, "data_too_large");
      }
      refused(await readFile(world, `${folder}/a.txt`), 404);
    });

    test("into a folder by its full path in any accepted form, created when missing", async () => {
      const id = fresh();
      const folders: [string, string][] = [
        [id, id],
        [`/${id}/a/b/`, `${id}/a/b`],
        [`${id}/Two Words/grün 照片`, `${id}/Two Words/grün 照片`],
        [`${id}/cafe\u0301`, `${id}/café`],
      ];
      for (const [sent, stored] of folders) {
        const folder = sent.startsWith("/") ? `/${world.id(sent.slice(1))}` : world.id(sent);
        const data = dataOf(await upload(world, { path, name: "a.txt", fields: { folder } }));
        assert.equal(data.url, urlOf(world, `${stored}/a.txt`));
        assert.equal((await readFolder(world, stored, dialect)).status, 200);
        assert.equal(await served(`${stored}/a.txt`), "a.txt\n");
        assert.deepEqual(Object.keys(await files(world, stored)), ["a.txt"]);
      }
    });

    test("into the root", async () => {
      const name = `${world.prefix}-${dialect.at}.txt`;
      for (const folder of ["", "/"]) {
        const data = dataOf(await upload(world, { path, name, bytes: "root", fields: { folder } }));
        assert.equal(data.url, `project/uploads/${name}`);
        assert.equal((await world.send({ path: `/${data.url}` })).text, "root");
      }
      assert.equal((await world.write("DELETE", { path: name }, path)).status, 204);
    });
  });
}

// ---------------------------------------------------------------------------------------------- exif

const picture = (IsColor: 0 | 1, Width = 4, Height = 3) => ({
  html: `width="${Width}" height="${Height}"`,
  Height,
  Width,
  IsColor,
});
/** A PNG with a changed header and a valid checksum. */
function pngWith(change: (header: Buffer) => void, whole = png()): Buffer {
  const bytes = Buffer.from(whole);
  change(bytes.subarray(16, 29));
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}
const claiming = (width: number, height: number): Buffer =>
  pngWith((header) => {
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
  });

describe("exif", () => {
  const pictures: [name: string, bytes: Uint8Array | string, type: RegExp, exif: Any][] = [
    ["colour.png", png(), /^image\/png$/, picture(1)],
    ["grey.png", png({ kind: "grey" }), /^image\/png$/, picture(0)],
    ["black-and-white.png", png({ kind: "grey", bits: 1, width: 100, height: 2 }), /^image\/png$/, picture(0, 100, 2)],
    ["wide.png", png({ width: 1000, height: 1 }), /^image\/png$/, picture(1, 1000, 1)],
    ["colour.jpg", jpeg(), /^image\/jpeg$/, picture(1)],
    ["grey.jpg", jpeg({ kind: "grey" }), /^image\/jpeg$/, picture(0)],
    ["turned.jpg", jpeg({ orientation: 6 }), /^image\/jpeg$/, picture(1)],
    ["a.gif", gif(), /^image\/gif$/, picture(1)],
    ["a.webp", webp(), /^image\/webp$/, picture(1)],
    ["a.avif", avif(), /^image\/avif$/, picture(1)],
    ["a.svg", svg(), /^image\/svg\+xml$/, picture(1)],
    ["a.ico", ico(), /^image\/(x-icon|vnd\.microsoft\.icon)$/, picture(1, 1, 1)],
    ["a.txt", "text", /^text\/plain$/, {}],
    ["a.pdf", pdf(), /^application\/pdf$/, {}],
    ["a.mp3", mp3(), /^audio\/mpeg$/, {}],
    ["a.mp4", mp4(), /^video\/mp4$/, {}],
    ["a.zip", zip(), /^application\/zip$/, {}],
  ];
  for (const [name, bytes, type, exif] of pictures) {
    test(`of ${name}`, async () => {
      const data = dataOf(await upload(world, { folder: "exif", name, bytes }));
      assert.match(data.type, type);
      assert.deepEqual(data.exif, exif);
      assert.deepEqual((await file(world, `exif/${name}`)).exif, exif);
    });
  }

  const broken: [string, Buffer][] = [
    ["a header with width 0", claiming(0, 3)],
    ["a header with size 0", claiming(0, 0)],
  ];
  for (const [n, [what, bytes]] of broken.entries()) {
    test(`of a corrupt image, ${what}: {}, and it is stored`, async () => {
      const data = dataOf(await upload(world, { folder: "exif", name: `broken-${n}.png`, bytes }));
      assert.equal(data.type, "image/png");
      assert.deepEqual(data.exif, {});
      assert.ok((await fetchBytes(world, `exif/broken-${n}.png`)).bytes.equals(bytes));
    });
  }

  test("of an image without a header: {}, or the file is refused", async () => {
    const headless = [
      Buffer.concat([png().subarray(0, 12), Buffer.from("JUNK"), png().subarray(16)]),
      Buffer.concat([png().subarray(0, 8), Buffer.alloc(25, 0xff), png().subarray(33)]),
      Buffer.concat([png().subarray(0, 8), Buffer.alloc(25), png().subarray(33)]),
    ];
    for (const bytes of headless) {
      const reply = await upload(world, { folder: "cut", name: "headless.png", bytes });
      if (reply.status === 200) assert.deepEqual(dataOf(reply).exif, {});
      else refused(reply, 415, "file_type_refused");
    }
  });

  test("of images truncated anywhere: some, none, or the file is refused", async () => {
    for (const [name, whole] of Object.entries({ png: png(), jpg: jpeg(), gif: gif(), webp: webp(), avif: avif() })) {
      for (const length of [2, 8, 12, 16, 20, 24, 33, Math.floor(whole.length / 2), whole.length - 1]) {
        const bytes = whole.subarray(0, Math.min(length, whole.length));
        const reply = await upload(world, { folder: "cut", name: `cut.${name}`, bytes });
        if (reply.status !== 200) refused(reply, 415, "file_type_refused");
        else if (Object.keys(dataOf(reply).exif).length > 0) assert.deepEqual(dataOf(reply).exif, picture(1));
      }
    }
  });
});

describe("an image above 100 megapixels", () => {
  const jpegOf = (side: number): Buffer => {
    const bytes = jpeg();
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0, 0, 17]));
    bytes.writeUInt16BE(side, frame + 5);
    bytes.writeUInt16BE(side, frame + 7);
    return bytes;
  };
  const gifOf = (side: number): Buffer => {
    const bytes = gif();
    bytes.writeUInt16LE(side, 6);
    bytes.writeUInt16LE(side, 8);
    return bytes;
  };
  const huge: [string, string, Buffer][] = [
    ["30000 × 30000 in PNG", "a.png", claiming(30_000, 30_000)],
    ["10001 × 10000 in PNG", "a.png", claiming(10_001, 10_000)],
    ["2147483647 × 2147483647 in PNG", "a.png", claiming(0x7fffffff, 0x7fffffff)],
    ["30000 × 30000 in PNG, named otherwise", "a.jpg", claiming(30_000, 30_000)],
    ["65535 × 65535 in JPEG", "a.jpg", jpegOf(65_535)],
    ["65535 × 65535 in GIF", "a.gif", gifOf(65_535)],
  ];
  for (const [what, name, bytes] of huge) {
    test(`${what} is 413 and nothing is stored`, async () => {
      const folder = fresh();
      refused(await upload(world, { folder, name, bytes }), 413, "image_too_large");
      await nothingAt(folder);
    });
  }

  test("of exactly 100 megapixels is stored", async () => {
    const data = dataOf(await upload(world, { folder: "exif", name: "most.png", bytes: claiming(10_000, 10_000) }));
    assert.equal(data.exif.Width * data.exif.Height, 100_000_000);
  });

  test("leaves the existing file unchanged", async () => {
    const before = await plantFile(world, "keep/a.png", { bytes: png() });
    const reply = await upload(world, { folder: "keep", name: "a.png", bytes: claiming(30_000, 30_000) });
    refused(reply, 413, "image_too_large");
    assert.deepEqual(await file(world, "keep/a.png"), before);
    assert.ok((await fetchBytes(world, "keep/a.png")).bytes.equals(png()));
  });
});

// ---------------------------------------------------------------------------------------------- names

describe("names", () => {
  const names: [sent: string, stored: string | RegExp][] = [
    ["plain.txt", "plain.txt"],
    ["Hello World.txt", "hello-world.txt"],
    ["  padded  name  .txt", "padded-name.txt"],
    ["UPPER CASE.TXT", "upper-case.txt"],
    ["under_score.txt", /^under[_-]score\.txt$/],
    ["a.b.txt", /^a[.-]b\.txt$/],
    ["archive.tar.txt", /^archive[.-]tar\.txt$/],
    ["evil.php.txt", /^evil[.-]php\.txt$/],
    ["page.html.txt", /^page[.-]html\.txt$/],
    ["Grüße aus Köln.txt", "gruesse-aus-koeln.txt"],
    ["Ärger.txt", "aerger.txt"],
    ["café crème.txt", "cafe-creme.txt"],
    ["cafe\u0301.txt", "cafe.txt"],
    ["Łódź.txt", "lodz.txt"],
    ["фото.txt", "foto.txt"],
    ["照片.txt", "zhaopian.txt"],
    ["Ελλάδα.txt", /^[a-z]+\.txt$/],
    ["مرحبا.txt", /^[a-z0-9-]+\.txt$/],
    ["日本語 テスト.txt", /^[a-z0-9-]+\.txt$/],
    ["😀.txt", /^[a-z0-9-]+\.txt$/],
    ["100% & more.txt", /^100[a-z0-9-]*more\.txt$/],
    ["it's.txt", /^it-?s\.txt$/],
    ["a+b=c.txt", /^a-?[a-z0-9-]*c\.txt$/],
    ["<script>.txt", "script.txt"],
    ["$(rm -rf).txt", /^rm-rf\.txt$|^[a-z0-9-]+\.txt$/],
    ["--help.txt", "help.txt"],
    ["007.txt", "007.txt"],
    ["!!!.txt", "file.txt"],
    ["   .txt", "file.txt"],
    ["-.txt", "file.txt"],
    [".txt", "file.txt"],
    ["...txt", "file.txt"],
    ["folder/.txt", "file.txt"],
    ["../../../../etc/passwd.txt", "passwd.txt"],
    ["..\\..\\windows\\win.txt", "win.txt"],
    ["/etc/passwd.txt", "passwd.txt"],
    ["C:\\Users\\me\\photo.txt", "photo.txt"],
    ["C:/Users/me/photo 2.txt", "photo-2.txt"],
    ["folder/inner.txt", "inner.txt"],
    ["a/b\\c/d.txt", "d.txt"],
    ["%2e%2e%2fup.txt", /^[a-z0-9-]+\.txt$/],
    ["..%2f..%2fup.txt", /^[a-z0-9-]+\.txt$/],
    ["con.txt", "con.txt"],
    ["__proto__.txt", "proto.txt"],
    ["constructor.txt", "constructor.txt"],
    [`${"a".repeat(200)}.txt`, `${"a".repeat(200)}.txt`],
    [`${"a".repeat(300)}.txt`, `${"a".repeat(200)}.txt`],
    [`${"ü".repeat(150)}.txt`, `${"ue".repeat(100)}.txt`],
    [`${"long name ".repeat(400)}.txt`, /^[a-z-]{150,200}\.txt$/],
  ];
  for (const [sent, stored] of names) {
    test(`${sent.slice(0, 40)} is stored as ${String(stored).slice(0, 40)}`, async () => {
      const folder = fresh();
      const bytes = "named\n";
      const data = dataOf(await upload(world, { folder, name: sent, bytes }));
      if (typeof stored === "string") assert.equal(data.filename, stored);
      else assert.match(data.filename, stored);
      holdsFile(data, folder, data.filename, Buffer.from(bytes));
      assert.equal(data.title, data.basename);
      assert.deepEqual(Object.keys(await files(world, folder)), [data.filename]);
      assert.equal(await served(`${folder}/${data.filename}`), bytes);
    });
  }

  const without: string[] = [
    ...["noextension", ".htaccess", ".env", "a.", ".", "..", "...", "/", "a.txt/"],
    ...[
      "a.php",
      "a.txt.php",
      "a.phtml",
      "a.html",
      "a.htm",
      "a.xml",
      "a.js",
      "a.mjs",
      "a.css",
      "a.exe",
      "a.sh",
      "a.bat",
    ],
    ...[
      "a.gz",
      "a.tar.gz",
      "a.tif",
      "a.bmp",
      "a.swf",
      "a.jar",
      "a.wasm",
      "a.yaml",
      "a.md5",
      "a.txtx",
      "a.tx",
      "a.ｔｘｔ",
    ],
    ...["a.txt::$DATA", "a.txt;.png;x", "a.constructor", "a.__proto__"],
  ];
  for (const name of without) {
    test(`${name} is 415 for its extension`, async () => {
      const folder = fresh();
      const reply = await upload(world, { folder, name, bytes: "text\n" });
      if (name.endsWith("/")) refused(reply, [400, 415]);
      else refused(reply, 415, "file_type_refused");
      await nothingAt(folder);
    });
  }

  test("extensions are case-insensitive and stored in lower case", async () => {
    for (const [name, stored, bytes] of [
      ["Photo.JPG", "photo.jpg", jpeg()],
      ["Photo.JpEg", "photo.jpeg", jpeg()],
      ["Doc.PDF", "doc.pdf", pdf()],
    ] as const) {
      assert.equal(dataOf(await upload(world, { folder: "case", name, bytes })).filename, stored);
    }
  });

  test("names with the same safe form are the same file", async () => {
    const folder = fresh();
    for (const name of ["My File.txt", "my-file.TXT", "MY  FILE.txt"]) {
      dataOf(await upload(world, { folder, name, bytes: name }));
    }
    assert.deepEqual(Object.keys(await files(world, folder)), ["my-file.txt"]);
    assert.equal(await served(`${folder}/my-file.txt`), "MY  FILE.txt");
  });

  // Raw part headers: RFC 7578 §4.2, RFC 6266, and those of real clients.
  const dispositions: [string, string | Buffer, RegExp][] = [
    ["quotes escaped by a backslash", 'filename="say \\"hi\\".txt"', /^say-hi\.txt$|^hi\.txt$/],
    ["quotes as browsers escape them", 'filename="say %22hi%22.txt"', /^say-(22)?hi-?(22)?\.txt$/],
    ["no quotes", "filename=plain.txt", /^plain\.txt$/],
    ["the parameter in upper case", 'FILENAME="upper.txt"', /^upper\.txt$/],
    ["spaces around", ' filename = "spaced.txt" ', /^spaced\.txt$/],
    ["single quotes", "filename='single.txt'", /^single\.txt$/],
    ["an encoded name", "filename*=UTF-8''gr%C3%BCn.txt", /^gruen\.txt$/],
    ["both", `filename="plain.txt"; filename*=UTF-8''encoded.txt`, /^(plain|encoded)\.txt$/],
    ["an encoded path", "filename*=UTF-8''..%2F..%2Fup.txt", /^up\.txt$/],
    ["raw UTF-8", Buffer.from('filename="grün.txt"'), /^gruen\.txt$/],
    ["raw Latin-1", Buffer.from('filename="gr\xfcn.txt"', "latin1"), /^gr[a-z-]*n\.txt$/],
    ["a name in another charset", "filename*=ISO-8859-1''gr%FCn.txt", /^gr[a-z-]*n\.txt$/],
    ["an encoded word", 'filename="=?UTF-8?B?Z3LDvG4=?=.txt"', /^[a-z0-9-]+\.txt$/],
    ["a semicolon in the name", 'filename="a;b.txt"', /^a-?b\.txt$/],
    ["a line break in the name", 'filename="a%0D%0Ab.txt"', /^[a-z0-9-]+\.txt$/],
  ];
  for (const [what, disposition, stored] of dispositions) {
    test(`${what}: stored, or refused`, async () => {
      const folder = fresh();
      const reply = await world.send(byHand(folder, partBy(Buffer.from(disposition as string), "odd name\n")));
      if (reply.status === 200) {
        assert.match(dataOf(reply).filename, stored);
        assert.equal(await served(`${folder}/${dataOf(reply).filename}`), "odd name\n");
      } else {
        refused(reply, [400, 415]);
        await nothingAt(folder);
      }
    });
  }

  test("the common forms are stored", async () => {
    for (const disposition of ['filename="say \\"hi\\".txt"', "filename=plain.txt", 'filename="grün.txt"']) {
      assert.equal((await world.send(byHand("usual", partBy(Buffer.from(disposition), "x")))).status, 200, disposition);
    }
  });

  for (const name of ['filename="a.txt\0.txt"', 'filename="a.php\0.txt"', "filename*=UTF-8''a%00.txt"]) {
    test(`a NUL in it is refused: ${JSON.stringify(name)}`, async () => {
      const folder = fresh();
      refused(await world.send(byHand(folder, partBy(Buffer.from(name), "odd name\n"))), [400, 415]);
      await nothingAt(folder);
    });
  }

  const never: [string, Buffer][] = [
    ["an incomplete percent escape", Buffer.from("filename*=UTF-8''%zz.txt")],
    ["percent-encoded bytes that are not UTF-8", Buffer.from("filename*=UTF-8''%ff%fe.txt")],
    ["an unknown charset", Buffer.from("filename*=KLINGON''a.txt")],
    ["an unclosed quote", Buffer.from('filename="a.txt')],
    ["an empty value", Buffer.from("filename=")],
    ["a name of 20,000 letters", Buffer.from(`filename="${"a".repeat(20_000)}.txt"`)],
    ["a name of 200,000 letters", Buffer.from(`filename="${"a".repeat(200_000)}.txt"`)],
  ];
  for (const [what, disposition] of never) {
    test(`${what} in it never causes a 500`, async () => {
      const folder = fresh();
      const reply = await world.send(byHand(folder, partBy(disposition, "odd name\n")));
      if (reply.status === 200) assert.match(dataOf(reply).filename, /^[a-z0-9-]{1,200}\.txt$/);
      else {
        refused(reply, [400, 413, 415, 431]);
        await nothingAt(folder);
      }
    });
  }
});

/** A file part whose Content-Disposition continues with these bytes. */
function partBy(disposition: Buffer, value: string | Uint8Array, more = ""): Buffer {
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="file"; `;
  return Buffer.concat([
    Buffer.from(start),
    disposition,
    Buffer.from(`${more}\r\n\r\n`),
    bytesOf(value),
    bytesOf("\r\n"),
  ]);
}
const field = (name: string, value: string, more = ""): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const fieldsOf = (folder: string): string =>
  field("folder", world.id(folder)) + field("token", pair.token) + field("access_token", pair.access_token);
/** An upload to a folder of the chapter with raw parts. */
function byHand(folder: string, ...parts: (string | Buffer)[]): Call {
  const body = Buffer.concat([fieldsOf(folder), ...parts, `--${boundary}--\r\n`].map((part) => bytesOf(part)));
  return { method: "POST", path: "/api/files", body, type: multipart };
}

// ---------------------------------------------------------------------------------------------- a taken name

describe("a taken name", () => {
  test("is replaced: the new bytes at the same URL, the client's fields kept", async () => {
    for (const on_conflict of [null, "replace"]) {
      const folder = fresh();
      const sent = { title: "Kept", description: "Too" };
      const first = dataOf(await upload(world, { folder, name: "a.png", bytes: png({ width: 9 }), fields: sent }));
      const path = world.id(`${folder}/a.png`);
      dataOf(await world.write("POST", { path, field: "tags", value: "a, b" }, "/api/files/meta"));
      if (on_conflict === null) await sleep(1050);
      const bytes = jpeg();
      const data = dataOf(await upload(world, { folder, name: "a.png", bytes, fields: { on_conflict } }));
      assert.equal(data.url, first.url);
      assert.equal(data.title, "Kept");
      assert.equal(data.description, "Too");
      assert.equal(data.tags, "a, b");
      assert.equal(data.type, "image/jpeg");
      assert.equal(data.filesize, bytes.length);
      assert.deepEqual(data.exif, picture(1));
      assert.notEqual(data.version, first.version);
      assert.ok(data.uploaded_on > first.uploaded_on || on_conflict !== null);
      assert.deepEqual(await file(world, `${folder}/a.png`), data);
      assert.ok((await fetchBytes(world, `${folder}/a.png`)).bytes.equals(bytes));
      assert.deepEqual(Object.keys(await files(world, folder)), ["a.png"]);
    }
  });

  test("is replaced with the sent title and description", async () => {
    const folder = fresh();
    await plantFile(world, `${folder}/a.txt`, { fields: { title: "one", description: "first" } });
    const titled = dataOf(await upload(world, { folder, name: "a.txt", fields: { title: "two" } }));
    assert.deepEqual([titled.title, titled.description], ["two", "first"]);
    const told = dataOf(await upload(world, { folder, name: "a.txt", fields: { description: "" } }));
    assert.deepEqual([told.title, told.description], ["two", ""]);
  });

  test("is replaced atomically: every read after the reply has the new bytes and a new tag", async () => {
    const folder = fresh();
    const tags = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const bytes = `${n}`.repeat(n + 1);
      await plantFile(world, `${folder}/a.txt`, { bytes });
      assert.equal(await served(`${folder}/a.txt`), bytes);
      tags.add(tagOf(await readFile(world, `${folder}/a.txt`)));
    }
    assert.equal(tags.size, 8);
  });

  test("with on_conflict=fail is 409, and the file stays", async () => {
    const before = await plantFile(world, "fail/a.txt", { bytes: "before" });
    const fields = { on_conflict: "fail", title: "other" };
    refused(await upload(world, { folder: "fail", name: "A.TXT", bytes: "after", fields }), 409, "file_exists");
    assert.deepEqual(await file(world, "fail/a.txt"), before);
    assert.equal(await served("fail/a.txt"), "before");
  });

  test("with on_conflict=suffix keeps both", async () => {
    const folder = fresh();
    const fields = { on_conflict: "suffix" };
    for (const [n, name] of ["a.txt", "a-1.txt", "a-2.txt"].entries()) {
      const data = dataOf(await upload(world, { folder, name: "a.txt", bytes: `${n}`, fields }));
      assert.equal(data.filename, name);
      assert.equal(data.title, name.slice(0, -4));
      assert.equal(data.url, urlOf(world, `${folder}/${name}`));
    }
    await world.write("DELETE", { path: world.id(`${folder}/a-1.txt`) }, "/api/files");
    assert.equal(dataOf(await upload(world, { folder, name: "a.txt", fields })).filename, "a-1.txt", "the first free");
    assert.equal(await served(`${folder}/a.txt`), "0");
  });

  test("with on_conflict=suffix and the longest name stays within the limit", async () => {
    const folder = fresh();
    const name = `${"a".repeat(250)}.txt`;
    for (let n = 0; n < 3; n++) {
      const data = dataOf(await upload(world, { folder, name, fields: { on_conflict: "suffix" } }));
      assert.ok(data.filename.length <= 255);
    }
    assert.equal(Object.keys(await files(world, folder)).length, 3);
  });

  test("on_conflict has no effect while the name is free", async () => {
    for (const on_conflict of ["replace", "fail", "suffix"]) {
      const folder = fresh();
      const data = dataOf(await upload(world, { folder, name: "a.txt", fields: { on_conflict } }));
      assert.equal(data.filename, "a.txt");
      assert.deepEqual(Object.keys(data), fileKeys, "nor is it a field of the file");
    }
  });

  for (const on_conflict of ["overwrite", "Fail!", "rename", "1", "true", "__proto__", "fail replace"]) {
    test(`on_conflict=${on_conflict} is 400`, async () => {
      const folder = fresh();
      refused(
        await upload(world, { folder, name: "a.txt", fields: { on_conflict } }),
        400,
        "argument_invalid",
        /on_conflict/,
      );
      await nothingAt(folder);
    });
  }

  test("by a folder is 409, except with a suffix", async () => {
    const folder = fresh();
    const path = world.id(`${folder}/a.txt`);
    dataOf(await world.write("POST", { path }, "/api/folders"));
    await plantFile(world, `${folder}/a.txt/inner.txt`);
    for (const on_conflict of [null, "fail", "replace"]) {
      refused(await upload(world, { folder, name: "a.txt", fields: { on_conflict } }), 409, "folder_exists");
    }
    const suffixed = await upload(world, { folder, name: "a.txt", fields: { on_conflict: "suffix" } });
    assert.equal(dataOf(suffixed).filename, "a-1.txt");
    assert.equal(await served(`${folder}/a.txt/inner.txt`), "inner.txt\n");
  });

  test("by a file in place of the folder is 409", async () => {
    const folder = fresh();
    await plantFile(world, `${folder}/a.txt`, { bytes: "in the way" });
    for (const below of [`${folder}/a.txt`, `${folder}/a.txt/b/c`]) {
      refused(await upload(world, { folder: below, name: "x.txt" }), 409, "file_exists");
    }
    assert.equal(await served(`${folder}/a.txt`), "in the way");
    assert.deepEqual(Object.keys(await files(world, folder)), ["a.txt"]);
  });

  test("by a file of the same bytes has the same version", async () => {
    const bytes = "the same bytes";
    const first = await plantFile(world, "version/a.txt", { bytes });
    const again = await plantFile(world, "version/a.txt", { bytes });
    const other = await plantFile(world, "version/b.txt", { bytes });
    const changed = await plantFile(world, "version/b.txt", { bytes: `${bytes}.` });
    assert.equal(again.version, first.version);
    assert.equal(other.version, first.version);
    assert.notEqual(changed.version, first.version);
    assert.equal(await served("version/a.txt"), bytes);
  });
});

describe("concurrent uploads", () => {
  const bodies = (count: number) => Array.from({ length: count }, (_, n) => `${n}-`.repeat(5000 + n * 100));
  const race = (folder: string, texts: string[], on_conflict: string): Promise<Reply[]> =>
    Promise.all(texts.map((bytes) => upload(world, { folder, name: "a.txt", bytes, fields: { on_conflict } })));

  test("of one name with suffix are all kept", async () => {
    const folder = fresh();
    const texts = bodies(6);
    const names = (await race(folder, texts, "suffix")).map((reply) => dataOf(reply).filename);
    assert.deepEqual([...names].sort(), ["a-1.txt", "a-2.txt", "a-3.txt", "a-4.txt", "a-5.txt", "a.txt"]);
    for (const [n, name] of names.entries()) assert.equal(await served(`${folder}/${name}`), texts[n], name);
    assert.equal(Object.keys(await files(world, folder)).length, 6);
  });

  test("of one name that replace leave exactly one, complete", async () => {
    for (let round = 0; round < 3; round++) {
      const folder = fresh();
      const texts = bodies(5);
      const answers = (await race(folder, texts, "replace")).map(dataOf);
      const bytes = await served(`${folder}/a.txt`);
      const winner = texts.indexOf(bytes);
      assert.ok(winner >= 0, "one of the texts");
      const left = await file(world, `${folder}/a.txt`);
      assert.equal(left.filesize, Buffer.byteLength(bytes));
      assert.equal(left.version, answers[winner].version);
      assert.deepEqual(Object.keys(await files(world, folder)), ["a.txt"]);
    }
  });

  test("of one name with fail: exactly one succeeds", async () => {
    const folder = fresh();
    const texts = bodies(5);
    const replies = await race(folder, texts, "fail");
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409, 409, 409]);
    assert.equal(await served(`${folder}/a.txt`), texts[replies.findIndex((reply) => reply.status === 200)]);
  });

  test("of twenty names all succeed, in a folder that each of them creates", async () => {
    const folder = `${fresh()}/a/b/c`;
    const sent = Array.from({ length: 20 }, (_, n) => ({ name: `n${n}.txt`, bytes: `${n}\n`.repeat(20_000 + n) }));
    const replies = await Promise.all(sent.map((one) => upload(world, { folder, ...one })));
    for (const [n, reply] of replies.entries()) assert.equal(dataOf(reply).filesize, sent[n]?.bytes.length);
    for (const { name, bytes } of sent) assert.ok((await served(`${folder}/${name}`)) === bytes, name);
    assert.equal(Object.keys(await files(world, folder)).length, 20);
  });

  test("during the deletion or move of their folder leave no file without bytes and none listed twice", async () => {
    for (let round = 0; round < 8; round++) {
      const [folder, target] = [fresh(), fresh()];
      await plantFile(world, `${folder}/old.txt`, { bytes: "old" });
      const change: Record<string, unknown> = { path: world.id(folder), new_path: world.id(target) };
      const method = round % 2 ? "PUT" : "DELETE";
      const [stored, changed] = await Promise.all([
        upload(world, { folder, name: "new.txt", bytes: `new ${round}` }),
        world.write(method, change, "/api/folders"),
      ]);
      assert.ok([200, 204].includes(changed.status), changed.text);
      const where: string[] = [];
      for (const one of [folder, target]) {
        const listed = await readFile(world, one, dialects[0], { collection: true });
        if (listed.status !== 200) continue;
        for (const name of Object.keys(dataOf(listed))) {
          assert.equal(await served(`${one}/${name}`), name === "new.txt" ? `new ${round}` : "old");
          where.push(name);
        }
      }
      assert.equal(new Set(where).size, where.length, where.join(", "));
      if (method === "PUT" && stored.status === 200) assert.deepEqual(where.sort(), ["new.txt", "old.txt"]);
    }
  });

  test("files with equal bytes are created and deleted independently", async () => {
    const folder = fresh();
    const bytes = "the same bytes, come and gone\n".repeat(3000);
    await plantFile(world, `${folder}/stays.txt`, { bytes });
    for (let round = 0; round < 8; round++) {
      await plantFile(world, `${folder}/goes.txt`, { bytes });
      const [gone, ...stored] = await Promise.all([
        world.write("DELETE", { path: world.id(`${folder}/goes.txt`) }, "/api/files"),
        upload(world, { folder, name: "comes.txt", bytes: round % 2 ? bytes : `${round}` }),
        upload(world, { folder, name: "too.txt", bytes }),
      ]);
      assert.equal(gone.status, 204);
      for (const reply of stored) dataOf(reply);
      assert.equal(await served(`${folder}/comes.txt`), round % 2 ? bytes : `${round}`);
      for (const name of ["stays.txt", "too.txt"]) assert.equal(await served(`${folder}/${name}`), bytes);
    }
  });

  test("a reader gets the complete old file or the complete new one", async () => {
    const folder = fresh();
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(200_000));
    await plantFile(world, `${folder}/a.txt`, { bytes: texts[0] });
    const read = async () => assert.ok(texts.includes(await served(`${folder}/a.txt`)));
    const write = async () => {
      for (let n = 0; n < 12; n++) await plantFile(world, `${folder}/a.txt`, { bytes: texts[n % 4] });
    };
    await meanwhile(write(), () => Promise.all([read(), read()]));
  });
});

// ---------------------------------------------------------------------------------------------- types

type Kind = [name: string, bytes: Uint8Array | string, type: RegExp];
const accepted: Kind[] = [
  ["a.gif", gif(), /^image\/gif$/],
  ["a.jpg", jpeg(), /^image\/jpeg$/],
  ["a.jpeg", jpeg(), /^image\/jpeg$/],
  ["a.png", png(), /^image\/png$/],
  ["a.ico", ico(), /^image\/(x-icon|vnd\.microsoft\.icon)$/],
  ["a.webp", webp(), /^image\/webp$/],
  ["a.avif", avif(), /^image\/avif$/],
  ["a.heic", heic(), /^image\/heic$/],
  ["a.svg", svg(), /^image\/svg\+xml$/],
  ["a.zip", zip(), /^application\/zip$/],
  ["a.tgz", tgz(), /^application\/(x-)?(gzip|gtar|tar|compressed-tar)$/],
  ["a.txt", "text\n", /^text\/plain$/],
  ["a.md", "# text\n", /^text\/markdown$/],
  ["a.csv", "a;b\n1;2\n", /^text\/csv$/],
  ["a.json", '{"a": [1, null]}\n', /^application\/json$/],
  ["list.json", "[]", /^application\/json$/],
  ["a.pdf", pdf(), /^application\/pdf$/],
  ["a.doc", ole(), /^application\/(msword|x-cfb)$/],
  ["a.xls", ole(), /^application\/(vnd\.ms-excel|x-cfb)$/],
  ["a.ppt", ole(), /^application\/(vnd\.ms-powerpoint|x-cfb)$/],
  ["a.docx", docx(), /wordprocessingml\.document$/],
  ["a.xlsx", xlsx(), /spreadsheetml\.sheet$/],
  ["a.pptx", pptx(), /presentationml\.presentation$/],
  ["a.epub", epub(), /^application\/epub\+zip$/],
  ["a.mp3", mp3(), /^audio\/mpeg$/],
  ["a.ogg", oggSound(), /^audio\/ogg$/],
  ["a.wav", wav(), /^audio\//],
  ["a.m4a", m4a(), /^audio\//],
  ["a.mp4", mp4(), /^video\/mp4$/],
  ["a.m4v", m4v(), /^video\//],
  ["a.ogv", oggFilm(), /^video\/ogg$/],
  ["a.wmv", wmv(), /^video\/|asf$/],
  ["a.avi", avi(), /^video\//],
  ["a.webm", webm(), /^video\/webm$/],
  // A raster image may have another image's extension; `type` has the actual type.
  ["really-png.jpg", png(), /^image\/png$/],
  ["really-jpg.png", jpeg(), /^image\/jpeg$/],
  ["really-gif.webp", gif(), /^image\/gif$/],
  ["really-webp.gif", webp(), /^image\/webp$/],
  ["really-avif.jpeg", avif(), /^image\/avif$/],
  // Text is accepted whatever it contains.
  ["html.txt", "<!doctype html><script>alert(1)</script>", /^text\/plain$/],
  ["shell.txt", "#!/bin/sh\nrm -rf /\n", /^text\/plain$/],
  ["php.txt", "<?php phpinfo();", /^text\/plain$/],
  ["unicode.txt", "grün 照片 😀", /^text\/plain$/],
  ["marked.txt", "\ufefftext", /^text\/plain$/],
  ["html.md", "<script>alert(1)</script>", /^text\/markdown$/],
  ["svg.txt", "plain text about <svg>", /^text\/plain$/],
  // No bytes at all.
  ["empty.txt", "", /^text\/plain$/],
  ["empty.md", "", /^text\/markdown$/],
  ["empty.csv", "", /^text\/csv$/],
  // An image with trailing bytes is an image.
  ["script.gif", Buffer.concat([gif(), bytesOf("<script>alert(1)</script>")]), /^image\/gif$/],
];

describe("a file is accepted when its extension matches its bytes", () => {
  for (const [name, bytes, type] of accepted) {
    test(`${name} as ${type.source}`, async () => {
      const data = dataOf(await upload(world, { folder: "kinds", name, bytes }));
      assert.match(data.type, type);
      assert.equal(data.filesize, bytesOf(bytes).length);
      const reply = await fetchBytes(world, `kinds/${name}`);
      assert.ok(reply.bytes.equals(bytesOf(bytes)));
      assert.equal(reply.headers["content-type"]?.split(";")[0], data.type);
    });
  }

  test("whatever type the client declares", async () => {
    for (const type of [
      "text/html",
      "application/x-php",
      "image/svg+xml",
      "nonsense",
      "",
      "text/plain; charset=x",
      null,
    ]) {
      const data = dataOf(await upload(world, { folder: "claims", name: "a.png", bytes: png(), type }));
      assert.equal(data.type, "image/png", String(type));
    }
    refused(await upload(world, { folder: "claims", name: "b.png", bytes: "x", type: "image/png" }), 415);
  });
});

const html = "<!doctype html><html><body><script>alert(1)</script></body></html>";
const refusedKinds: [what: string, name: string, bytes: Uint8Array | string][] = [
  ["PNG", "a.txt", png()],
  ["GIF with a script", "a.txt", Buffer.concat([gif(), bytesOf("<script>")])],
  ["GIF with PHP", "a.md", bytesOf("GIF89a<?php ?>")],
  ["PDF", "a.txt", pdf()],
  ["PDF", "a.png", pdf()],
  ["PDF", "a.json", pdf()],
  ["HTML", "a.jpg", html],
  ["HTML", "a.pdf", html],
  ["HTML", "a.svg", html],
  ["HTML", "a.json", html],
  ["HTML", "a.zip", html],
  ["HTML", "a.html", html],
  ["XHTML", "a.svg", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
  ["SVG that is not closed", "a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>'],
  ["text about SVG", "a.svg", "not a picture, but <svg> is named"],
  ["SVG", "a.png", svg()],
  ["PNG", "a.svg", png()],
  ["PNG", "a.pdf", png()],
  ["PNG", "a.mp3", png()],
  ["PNG", "a.zip", png()],
  ["JPEG", "a.mp4", jpeg()],
  ["a zip", "a.png", zip()],
  ["a zip", "a.txt", zip()],
  ["a zip", "a.docx", zip()],
  ["a zip", "a.epub", zip()],
  ["a zip", "a.pdf", zip()],
  ["a word document", "a.xlsx", docx()],
  ["a program for Windows", "a.pdf", Buffer.concat([bytesOf("MZ"), Buffer.alloc(300)])],
  ["a program for Windows", "a.txt", Buffer.concat([bytesOf("MZ"), Buffer.alloc(300)])],
  ["a program for Windows", "a.exe", Buffer.concat([bytesOf("MZ"), Buffer.alloc(300)])],
  ["a program for Linux", "a.jpg", Buffer.concat([bytesOf("\x7fELF"), Buffer.alloc(300)])],
  ["sound", "a.png", mp3()],
  ["a film", "a.jpg", mp4()],
  ["a film", "a.txt", webm()],
  ["text", "a.mp4", "no film"],
  ["text", "a.png", "no picture"],
  ["text", "a.jpg", "no picture"],
  ["text", "a.pdf", "no document"],
  ["text", "a.docx", "no document"],
  ["text", "a.doc", "no document"],
  ["text", "a.zip", "no archive"],
  ["text", "a.tgz", "no archive"],
  ["text", "a.mp3", "no sound"],
  ["text", "a.webm", "no film"],
  ["text", "a.ico", "no picture"],
  ["text", "a.heic", "no picture"],
  ["text with NUL", "a.txt", "a\0b"],
  ["text with NUL", "a.csv", "a\0b"],
  ["text in UTF-16", "a.txt", Buffer.from("\ufefftext", "utf16le")],
  ["text in Latin-1", "a.txt", Buffer.from("gr\xfcn", "latin1")],
  ["text that ends within a character", "a.txt", Buffer.from([0x61, 0xc3])],
  ["JSON that does not parse", "a.json", "{a: 1}"],
  ["JSON that ends early", "a.json", '{"a": [1'],
  ["two JSON values", "a.json", "{} {}"],
  ["JSON with NUL", "a.json", '{"a": "\0"}'],
  ["nothing", "a.png", ""],
  ["nothing", "a.json", ""],
  ["nothing", "a.svg", ""],
  ["nothing", "a.pdf", ""],
  ["nothing", "a.zip", ""],
  ["nothing", "a.mp4", ""],
  ["spaces", "a.json", "   "],
  ["spaces", "a.svg", "   "],
];

describe("a file is refused when its extension does not match its bytes", () => {
  for (const [what, name, bytes] of refusedKinds) {
    test(`${what} named ${name} is 415 and nothing is stored`, async () => {
      const folder = fresh();
      refused(await upload(world, { folder, name, bytes }), 415, "file_type_refused");
      await nothingAt(folder);
    });
  }

  test("a refused file leaves the existing one unchanged", async () => {
    const before = await plantFile(world, "keep/b.txt", { bytes: "before" });
    refused(await upload(world, { folder: "keep", name: "b.txt", bytes: png() }), 415, "file_type_refused");
    assert.deepEqual(await file(world, "keep/b.txt"), before);
    assert.equal(await served("keep/b.txt"), "before");
  });

  test("an SVG with expanding entities is stored as text or refused", async () => {
    const entities = Array.from({ length: 12 }, (_, n) =>
      n === 0 ? '<!ENTITY e0 "aaaaaaaaaa">' : `<!ENTITY e${n} "${`&e${n - 1};`.repeat(10)}">`,
    );
    const bombs: [string, number][] = [
      [
        `<?xml version="1.0"?><!DOCTYPE svg [${entities.join("")}]><svg xmlns="http://www.w3.org/2000/svg"><text>&e11;</text></svg>`,
        200,
      ],
      [
        `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>`,
        200,
      ],
      [svg("<g>".repeat(20_000) + "</g>".repeat(20_000)).toString(), 415],
      [svg(`<path d="${"M0 0L1 1".repeat(100_000)}"/>`).toString(), 200],
      [
        `<svg xmlns="http://www.w3.org/2000/svg" ${Array.from({ length: 50_000 }, (_, n) => `a${n}="1"`).join(" ")}/>`,
        415,
      ],
    ];
    for (const [bytes, status] of bombs) {
      const reply = await upload(world, { folder: "bombs", name: "a.svg", bytes });
      if (status === 200) assert.equal(dataOf(reply).type, "image/svg+xml");
      else refused(reply, status, "file_type_refused");
    }
  });

  test("deeply nested JSON is stored as text or refused", async () => {
    for (const bytes of ["[".repeat(100_000) + "]".repeat(100_000), "[".repeat(1_000_000), '{"a":'.repeat(50_000)]) {
      const reply = await upload(world, { folder: "bombs", name: "a.json", bytes });
      refused(reply, 415, "file_type_refused");
    }
  });
});

// ---------------------------------------------------------------------------------------------- too large

/** The head of an upload on a raw connection. `length` is the Content-Length; undefined sends chunks. */
function headOf(length: number | undefined, headers: Record<string, string> = {}, path = "/api/files"): string {
  const framing = length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  const lines = Object.entries({ "Content-Type": multipart, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\nHost: ${base.host}\r\n${framing}\r\n${lines.join("\r\n")}\r\n\r\n`;
}
/** The head of a file part and its first bytes: a parser may buffer a line break, which can begin a boundary. */
const fileStart = (name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nthe file begins\n`;
const MiB = 1024 * 1024;

describe("a file above 100 MiB", () => {
  test("with a Content-Length is 413 before it is sent", async () => {
    const folder = fresh();
    const wire = new Wire(world.url);
    await wire.write(headOf(300 * MiB) + fieldsOf(folder) + fileStart("a.txt") + "a".repeat(1000));
    let sent = 0;
    while (!wire.isAnswered && sent < 120 * MiB) {
      if (!(await wire.write(Buffer.alloc(MiB, 97)))) break;
      sent += MiB;
    }
    refused(await wire.reply("POST"), 413, "file_too_large");
    wire.destroy();
    await nothingAt(folder);
  });

  test("without a Content-Length is cut off while it streams", async () => {
    const folder = fresh();
    const wire = new Wire(world.url);
    const chunk = (bytes: string | Uint8Array) =>
      Buffer.concat([bytesOf(`${Buffer.byteLength(bytes).toString(16)}\r\n`), bytesOf(bytes), bytesOf("\r\n")]);
    await wire.write(headOf(undefined));
    await wire.write(chunk(fieldsOf(folder) + fileStart("a.txt")));
    const piece = chunk(Buffer.alloc(MiB, 97));
    let sent = 0;
    while (!wire.isAnswered && sent < 125) {
      if (!(await wire.write(piece))) break;
      sent++;
      if (sent > 100) await sleep(20);
    }
    assert.ok(sent > 90 && sent < 125, `answered after ${sent} MiB`);
    refused(await wire.reply("POST"), 413, "file_too_large");
    wire.destroy();
    await nothingAt(folder);
  });

  test("is not read without a token", async () => {
    const wire = new Wire(world.url, freshAddress(world.url));
    const bad = field("folder", world.id("x")) + field("token", "oct_m_bad") + field("access_token", "x");
    await wire.write(headOf(300 * MiB) + bad + fileStart("a.txt"));
    refused(await wire.reply("POST"), [401, 413]);
    wire.destroy();
  });

  test("the service works afterwards", async () => {
    assert.equal((await plantFile(world, `${fresh()}/a.txt`)).filename, "a.txt");
  });
});

test("a file of exactly 100 MiB is stored", { skip: isLong ? false : "OCTAVO_TEST_LONG" }, async () => {
  const bytes = Buffer.alloc(100 * MiB, "0123456\n");
  const data = await plantFile(world, `${fresh()}/most.txt`, { bytes });
  assert.equal(data.filesize, 100 * MiB);
});

// ---------------------------------------------------------------------------------------------- unusual bodies

const filePart = (more: Partial<Part> = {}): Part => ({ name: "file", filename: "a.txt", value: "text\n", ...more });
const fields = (folder: string, without: string[] = []): Part[] =>
  Object.entries({ folder: world.id(folder), ...pair })
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => ({ name, value }));
const post = (parts: Part[], more: Partial<Call> = {}): Call => ({
  method: "POST",
  path: "/api/files",
  ...multipartOf(parts, boundary),
  ...more,
});

type Odd = { name: string; call: (folder: string) => Call; status: number | number[]; code?: string; about?: RegExp };
const odds: Odd[] = [
  {
    name: "no file",
    call: (folder) => post(fields(folder)),
    status: 400,
    code: "argument_missing",
    about: /file/,
  },
  {
    name: "no folder",
    call: (folder) => post([...fields(folder, ["folder"]), filePart()]),
    status: 400,
    code: "argument_missing",
    about: /folder/,
  },
  {
    name: "two files",
    call: (folder) => post([...fields(folder), filePart(), filePart({ filename: "b.txt" })]),
    status: 400,
    code: "argument_repeated",
  },
  {
    name: "two files of one name",
    call: (folder) => post([...fields(folder), filePart(), filePart()]),
    status: 400,
    code: "argument_repeated",
  },
  {
    name: "a text field instead of the file",
    call: (folder) => post([...fields(folder), { name: "file", value: "text" }]),
    status: 400,
    code: "argument_invalid",
    about: /file/,
  },
  {
    name: "a file in another field",
    call: (folder) => post([...fields(folder), filePart({ name: "upload" })]),
    status: 400,
  },
  {
    name: "another file beside it",
    call: (folder) => post([...fields(folder), filePart(), filePart({ name: "thumb", filename: "b.txt" })]),
    status: 400,
    code: "argument_invalid",
  },
  {
    name: "another file before it",
    call: (folder) => post([...fields(folder), filePart({ name: "thumb", filename: "b.txt" }), filePart()]),
    status: 400,
    code: "argument_invalid",
  },
  {
    name: "a list of files",
    call: (folder) => post([...fields(folder), filePart({ name: "file[]" }), filePart({ name: "file[]" })]),
    status: 400,
  },
  {
    name: "the folder as a file",
    call: (folder) =>
      post([...fields(folder, ["folder"]), { name: "folder", filename: "x.txt", value: world.id(folder) }, filePart()]),
    status: 400,
  },
  {
    name: "a file and a text under its name",
    call: (folder) => post([...fields(folder), filePart(), { name: "file", value: "text" }]),
    status: 400,
  },
  {
    name: "an empty file input",
    call: (folder) => post([...fields(folder), filePart({ filename: "", value: "" })]),
    status: [400, 415],
  },
  {
    name: "two folders",
    call: (folder) => post([...fields(folder), { name: "folder", value: world.id(`${folder}-2`) }, filePart()]),
    status: 400,
  },
  {
    name: "a folder and another after the file",
    call: (folder) => post([...fields(folder), filePart(), { name: "folder", value: world.id(`${folder}-2`) }]),
    status: 400,
  },
  {
    name: "folder as a list",
    call: (folder) => post([...fields(folder, ["folder"]), { name: "folder[]", value: world.id(folder) }, filePart()]),
    status: 400,
  },
  {
    name: "folder as an object",
    call: (folder) => post([...fields(folder, ["folder"]), { name: "folder[a]", value: world.id(folder) }, filePart()]),
    status: 400,
  },
  {
    name: "a title that is a list",
    call: (folder) => post([...fields(folder), { name: "title[]", value: "a" }, filePart()]),
    status: 400,
  },
  {
    name: "a title with NUL",
    call: (folder) => post([...fields(folder), { name: "title", value: "a\0b" }, filePart()]),
    status: 400,
  },
  {
    name: "a title that is not UTF-8",
    call: (folder) => post([...fields(folder), { name: "title", value: Buffer.from([0x61, 0xff, 0xfe]) }, filePart()]),
    status: 400,
  },
  {
    name: "a title after the file that is not UTF-8",
    call: (folder) => post([...fields(folder), filePart(), { name: "title", value: Buffer.from([0xc3, 0x28]) }]),
    status: 400,
  },
  {
    name: "a forbidden key",
    call: (folder) => post([...fields(folder), { name: "__proto__[a]", value: "1" }, filePart()]),
    status: 400,
  },
  {
    name: "a forbidden key after the file",
    call: (folder) => post([...fields(folder), filePart(), { name: "x[constructor]", value: "1" }]),
    status: 400,
  },
  {
    name: "JSON",
    call: (folder) => ({ method: "POST", path: "/api/files", json: { ...pair, folder: world.id(folder) } }),
    status: 400,
    code: "argument_missing",
    about: /file/,
  },
  {
    name: "JSON with a file in it",
    call: (folder) => ({ method: "POST", path: "/api/files", json: { ...pair, folder: world.id(folder), file: "x" } }),
    status: 400,
  },
  {
    name: "a URL-encoded form",
    call: (folder) => ({ method: "POST", path: "/api/files", form: { ...pair, folder: world.id(folder) } }),
    status: 400,
    code: "argument_missing",
    about: /file/,
  },
  {
    name: "the raw bytes",
    call: () => ({
      method: "POST",
      path: "/api/files",
      body: png(),
      type: "image/png",
      headers: pairHeaders(world),
    }),
    status: 415,
    code: "media_type_unsupported",
  },
  {
    name: "multipart/mixed",
    call: (folder) => post([...fields(folder), filePart()], { type: `multipart/mixed; boundary=${boundary}` }),
    status: 415,
    code: "media_type_unsupported",
  },
  ...["", "; boundary=", '; boundary=""', "; boundary=other", `; boundary=${"x".repeat(300)}`].map(
    (tail): Odd => ({
      name: `a boundary given as "${tail.slice(0, 30)}"`,
      call: (folder) => post([...fields(folder), filePart()], { type: `multipart/form-data${tail}` }),
      status: [400, 415, 401],
    }),
  ),
  ...["koi8-r", "utf-16", "nonsense"].map(
    (charset): Odd => ({
      name: `the charset ${charset} for the form`,
      call: (folder) => post([...fields(folder), filePart()], { type: `${multipart}; charset=${charset}` }),
      status: [400, 415],
    }),
  ),
  {
    name: "an unknown charset of a field",
    call: (folder) => ({
      ...post([]),
      body: `${fieldsOf(folder)}${field("title", "a", "\r\nContent-Type: text/plain; charset=klingon")}${fileStart("a.txt")}x\r\n--${boundary}--\r\n`,
    }),
    status: [200, 400, 415],
  },
  ...(
    [
      ["within the file", (whole) => whole.subarray(0, whole.length - 30)],
      ["before the last line break", (whole) => whole.subarray(0, whole.length - boundary.length - 8)],
      ["within the last boundary", (whole) => whole.subarray(0, whole.length - 10)],
      ["within the head of the file", (whole) => whole.subarray(0, whole.indexOf("filename") + 10)],
      ["after the fields", (whole) => whole.subarray(0, whole.indexOf("filename") - 60)],
    ] as [string, (whole: Buffer) => Buffer][]
  ).map(
    ([where, cut]): Odd => ({
      name: `a body that ends ${where}`,
      call: (folder) => {
        const call = post([...fields(folder), filePart({ value: "some text\n".repeat(10) })]);
        return { ...call, body: cut(call.body as Buffer), headers: pairHeaders(world) };
      },
      status: 400,
      code: "body_invalid",
    }),
  ),
  {
    name: "garbage",
    call: () => ({ ...post([]), body: Buffer.alloc(5000, 0xa5), headers: pairHeaders(world) }),
    status: 400,
  },
  {
    name: "a compressed body",
    call: (folder) => {
      const call = post([...fields(folder), filePart()]);
      const headers = { "content-encoding": "gzip", ...pairHeaders(world) };
      return { ...call, body: gzipSync(call.body as Buffer), headers };
    },
    status: 415,
    code: "media_type_unsupported",
    about: /Content-Encoding/,
  },
  { name: "nothing", call: () => ({ ...post([]), body: "", headers: pairHeaders(world) }), status: 400 },
  { name: "only the last boundary", call: () => ({ ...post([]), headers: pairHeaders(world) }), status: 400 },
  {
    name: "a part without a name",
    call: (folder) => byHand(folder, `--${boundary}\r\nContent-Disposition: form-data; filename="a.txt"\r\n\r\nx\r\n`),
    status: 400,
  },
  {
    name: "a part without headers",
    call: (folder) => byHand(folder, `--${boundary}\r\n\r\nx\r\n`),
    status: 400,
  },
  {
    name: "10,001 fields",
    call: (folder) =>
      post([...fields(folder), ...Array.from({ length: 9998 }, (_, n) => ({ name: `x${n}`, value: "" })), filePart()]),
    status: [400, 413],
  },
  {
    name: "10,001 fields after the file",
    call: (folder) =>
      post([...fields(folder), filePart(), ...Array.from({ length: 9998 }, (_, n) => ({ name: `x${n}`, value: "" }))]),
    status: [400, 413],
  },
  {
    name: "a huge field before the file",
    call: (folder) => post([...fields(folder), { name: "title", value: "a".repeat(3 * MiB) }, filePart()]),
    status: [400, 413],
  },
  {
    name: "a huge field after the file",
    call: (folder) => post([...fields(folder), filePart(), { name: "title", value: "a".repeat(3 * MiB) }]),
    status: [400, 413],
  },
  {
    name: "a huge unknown field",
    call: (folder) => post([...fields(folder), { name: "odd", value: "a".repeat(3 * MiB) }, filePart()]),
    status: [400, 413],
  },
  {
    name: "many fields with a large total",
    call: (folder) =>
      post([
        ...fields(folder),
        ...Array.from({ length: 40 }, (_, n) => ({ name: `x${n}`, value: "a".repeat(60_000) })),
        filePart(),
      ]),
    status: [400, 413],
  },
  {
    name: "a field's name of 1 MiB",
    call: (folder) => post([...fields(folder), { name: "a".repeat(MiB), value: "" }, filePart()]),
    status: [400, 413, 431],
  },
  ...(
    [
      ["..", ".."],
      ["a parent segment", `${world.prefix}/../x`],
      ["a dot segment", `${world.prefix}/./x`],
      ["an empty segment", `${world.prefix}//x`],
      ["a backslash", `${world.prefix}\\..\\x`],
      ["a line feed", `${world.prefix}/a\nb`],
      ["a segment of 256 bytes", `${world.prefix}/${"s".repeat(256)}`],
      ["33 segments", [world.prefix, ..."s".repeat(32)].join("/")],
      ["1,025 bytes", `${world.prefix}${`/${"s".repeat(200)}`.repeat(5)}`.padEnd(1025, "t")],
      ["an encoded parent segment", `${world.prefix}/%2e%2e/x`],
    ] as [string, string][]
  ).map(
    ([what, folder]): Odd => ({
      name: `a folder with ${what}`,
      call: () => post([...fields("", ["folder"]), { name: "folder", value: folder }, filePart()]),
      status: 400,
      code: "path_invalid",
      about: /folder/,
    }),
  ),
  {
    name: "a folder so long that the name exceeds the path limit",
    call: () => {
      const folder = `${world.prefix}${`/${"s".repeat(200)}`.repeat(5)}`.slice(0, 1022);
      return post([...fields("", ["folder"]), { name: "folder", value: folder }, filePart()]);
    },
    status: 400,
    code: "path_invalid",
  },
  {
    name: "a folder of 32 segments, with which the file's would be the 33rd",
    call: () =>
      post([
        ...fields("", ["folder"]),
        { name: "folder", value: [world.prefix, ..."s".repeat(31)].join("/") },
        filePart(),
      ]),
    status: 400,
    code: "path_invalid",
  },
  {
    name: "a folder with NUL",
    call: (folder) =>
      post([...fields("", ["folder"]), { name: "folder", value: world.id(`${folder}/\0`) }, filePart()]),
    status: 400,
  },
];

describe("malformed bodies store nothing", () => {
  for (const { name, call, status, code, about } of odds) {
    test(`${name}: ${[status].flat().join(" or ")} ${code ?? ""}`, async () => {
      const folder = fresh();
      const reply = await world.send({ uniqueAddress: true, ...call(folder) });
      if (reply.status === 200) assert.ok([status].flat().includes(200), `stored: ${reply.text}`);
      else {
        refused(reply, status, code, about);
        await nothingAt(folder);
      }
    });
  }

  test("none of them stored anything", async () => {
    const names = Object.keys(await files(world, ""));
    assert.deepEqual(names, []);
    for (const odd of ["s", "x", "s".repeat(200)]) await nothingAt(odd);
  });
});

describe("unusual but valid bodies", () => {
  const good: [string, (folder: string) => Call][] = [
    ["the file first, everything else after it", (folder) => post([filePart(), ...fields(folder)])],
    [
      "fields on both sides of the file",
      (folder) => post([...fields(folder, ["folder", "token"]), filePart(), ...fields(folder, ["access_token"])]),
    ],
    ["in chunks", (folder) => post([...fields(folder), filePart()], { chunked: true })],
    ["a preamble and an epilogue", (folder) => withBody(folder, (body) => `preamble\r\n${body}epilogue\r\n`)],
    ["no line break at the end", (folder) => withBody(folder, (body) => body.slice(0, -2))],
    [
      "part headers in other letter case",
      (folder) => withBody(folder, (body) => body.replaceAll("Content-Disposition", "content-DISPOSITION")),
    ],
    [
      "more headers of the part",
      (folder) => byHand(folder, partBy(bytesOf('filename="a.txt"'), "text\n", "\r\nContent-Length: 5\r\nX-Odd: 1")),
    ],
    [
      "a boundary in quotes",
      (folder) => post([...fields(folder), filePart()], { type: `multipart/form-data; boundary="${boundary}"` }),
    ],
    [
      "a boundary with special characters",
      (folder) => {
        const { body } = multipartOf([...fields(folder), filePart()], "a'()+_,-./:=?b");
        return post([], { body, type: 'multipart/form-data; boundary="a\'()+_,-./:=?b"' });
      },
    ],
    [
      "a charset that is UTF-8",
      (folder) => post([...fields(folder), filePart()], { type: `${multipart}; charset=utf-8` }),
    ],
    [
      "the media type in upper case",
      (folder) => post([...fields(folder), filePart()], { type: `Multipart/Form-Data; boundary=${boundary}` }),
    ],
    ["an empty unknown field", (folder) => post([...fields(folder), { name: "MAX_FILE_SIZE", value: "" }, filePart()])],
    [
      "another method's name in the headers",
      (folder) => post([...fields(folder), filePart()], { headers: { "x-http-method-override": "POST" } }),
    ],
    ["a trailing slash", (folder) => post([...fields(folder), filePart()], { path: "/api/files/" })],
  ];
  const withBody = (folder: string, change: (body: string) => string): Call => {
    const call = post([...fields(folder), filePart()]);
    return { ...call, body: change(String(call.body)) };
  };
  for (const [name, call] of good) {
    test(name, async () => {
      const folder = fresh();
      const data = dataOf(await world.send(call(folder)));
      assert.equal(data.url, urlOf(world, `${folder}/a.txt`));
      assert.equal(await served(`${folder}/a.txt`), "text\n");
      assert.deepEqual(Object.keys(data), fileKeys);
    });
  }

  test("a title is kept as sent, at any position", async () => {
    for (const title of ["Zwölf & <b>", " spaces ", "a\r\nb", "😀", "0", "true", "a".repeat(10_000)]) {
      for (const late of [[], ["title"]]) {
        const data = dataOf(await upload(world, { folder: "titles", name: "a.txt", fields: { title }, late }));
        assert.equal(data.title, title);
      }
    }
  });

  test("bytes that look like a boundary are kept", async () => {
    const bytes = [
      "text ",
      `--${boundary}`,
      `\r\n--${boundary.slice(0, -1)}\r\n`,
      "\r\n\r\n--",
      "\r",
      "\n",
      "--",
      "\r\n",
    ].join("");
    const folder = fresh();
    dataOf(await world.send(post([...fields(folder), filePart({ value: bytes })])));
    assert.equal(await served(`${folder}/a.txt`), bytes);
    for (const end of ["\r", "\r\n", "\r\n-", `\r\n--${boundary.slice(0, -1)}`]) {
      dataOf(await world.send(post([...fields(folder), filePart({ value: `text${end}` })])));
      assert.equal(await served(`${folder}/a.txt`), `text${end}`);
    }
  });

  test("a body sent byte by byte", async () => {
    const folder = fresh();
    const { body } = multipartOf([...fields(folder), filePart()], boundary);
    const wire = new Wire(world.url);
    wire.socket.setNoDelay(true);
    await wire.write(headOf(body.length));
    for (let n = 0; n < body.length; n++) {
      await wire.write(body.subarray(n, n + 1));
      if (n % 20 === 0) await sleep(1);
    }
    assert.equal(dataOf(await wire.reply("POST")).filename, "a.txt");
    wire.destroy();
    assert.equal(await served(`${folder}/a.txt`), "text\n");
  });

  test("a method override in the headers is no upload", async () => {
    const folder = fresh();
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const headers = { "x-http-method-override": method };
      refused(await world.send(post([...fields(folder), filePart()], { headers })), [400, 404, 405, 413, 415]);
    }
    await nothingAt(folder);
  });

  test("an upload that waits for 100 Continue gets it and its reply", async () => {
    const folder = fresh();
    const { body, type } = multipartOf([...fields(folder), filePart()], boundary);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    let wasAsked = false;
    const headers = { "content-type": type, "content-length": body.length, expect: "100-continue" };
    const options = { host: base.hostname, port: base.port, method: "POST", path: "/api/files", headers, agent: false };
    const request = http.request(options as http.RequestOptions, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("error", reject);
    request.on("continue", () => {
      wasAsked = true;
      request.end(body);
    });
    request.flushHeaders();
    assert.equal(await promise, 200);
    assert.ok(wasAsked);
    assert.equal(await served(`${folder}/a.txt`), "text\n");
  });
});

// ---------------------------------------------------------------------------------------------- authorization

const unknown = "oct_m_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const unknownAccess = "oct_a_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const [folderWriter, filesOnly, disabled, limited, limitedAccess, spent] = await Promise.all([
  world.token({ kind: "management", resources: ["folders", "entries"] }),
  world.token({ kind: "management", resources: ["files"] }),
  world.token({ kind: "management", resources: ["files"] }),
  world.token({ kind: "management", resources: ["files"], limit_calls: 1000 }),
  world.token({ kind: "access", limit_calls: 1000 }),
  world.token({ kind: "management", resources: ["files"], limit_calls: 1 }),
]);
dataOf(await world.write("PATCH", { id: disabled.id, state: "disabled" }, "/api/tokens"));

type Sent = { token?: string; access_token?: string };
const unauthorized: [string, Sent, number, string][] = [
  ["no token", {}, 401, "token_missing"],
  ["only an access token", { access_token: tokens.access }, 401, "token_missing"],
  ["an unknown token", { token: unknown, access_token: tokens.access }, 401, "token_invalid"],
  ["a word", { token: "secret", access_token: tokens.access }, 401, "token_invalid"],
  ["a disabled token", { token: disabled.token, access_token: tokens.access }, 401, "token_invalid"],
  ["a delivery token", { token: tokens.delivery, access_token: tokens.access }, 403, "scope_missing"],
  ["an images token", { token: tokens.images, access_token: tokens.access }, 403, "scope_missing"],
  ["a token of another resource", { token: folderWriter.token, access_token: tokens.access }, 403, "scope_missing"],
  ["two access tokens", { token: tokens.access, access_token: tokens.access }, 403, "scope_missing"],
  ["no access token", { token: tokens.management }, 401, "access_token_missing"],
  ["an unknown access token", { token: tokens.management, access_token: unknownAccess }, 401, "access_token_invalid"],
  [
    "the management token twice",
    { token: tokens.management, access_token: tokens.management },
    401,
    "access_token_invalid",
  ],
];
const asHeaders = ({ token, access_token }: Sent): Record<string, string> => ({
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  ...(access_token === undefined ? {} : { "x-access-token": access_token }),
});
const asParts = (sent: Sent): Part[] => Object.entries(sent).map(([name, value]) => ({ name, value }));

for (const { files: path } of dialects) {
  describe(`who may POST ${path}`, () => {
    for (const [what, sent, status, code] of unauthorized) {
      test(`with ${what}: ${status} ${code}, whatever the place of the tokens, and nothing is stored`, async () => {
        const folder = fresh();
        const target: Part = { name: "folder", value: world.id(folder) };
        const calls: Call[] = [
          post([target, ...asParts(sent), filePart()], { path }),
          post([target, filePart(), ...asParts(sent)], { path }),
          post([filePart(), target, ...asParts(sent)], { path }),
          post([target, filePart()], { path, headers: asHeaders(sent) }),
        ];
        for (const call of calls) refused(await world.send({ ...call, uniqueAddress: true }), status, code);
        await nothingAt(folder);
      });
    }

    test("a token with only the resource files may, even if folders are created", async () => {
      const folder = `${fresh()}/a/b`;
      const sent = { token: filesOnly.token, access_token: tokens.access };
      dataOf(await upload(world, { path, folder, name: "a.txt", fields: sent }));
      assert.equal(await served(`${folder}/a.txt`), "a.txt\n");
    });
  });
}

describe("the places of the tokens", () => {
  const places: [string, (folder: string) => Call][] = [
    ["in fields before the file", (folder) => post([...fields(folder), filePart()])],
    [
      "in fields after the file",
      (folder) => post([...fields(folder, ["token", "access_token"]), filePart(), ...asParts(pair)]),
    ],
    [
      "in headers",
      (folder) => post([...fields(folder, ["token", "access_token"]), filePart()], { headers: pairHeaders(world) }),
    ],
    [
      "in headers, with the folder after the file",
      (folder) => post([filePart(), { name: "folder", value: world.id(folder) }], { headers: pairHeaders(world) }),
    ],
    [
      "one before and one after the file",
      (folder) =>
        post([...fields(folder, ["access_token"]), filePart(), ...asParts({ access_token: pair.access_token })]),
    ],
    [
      "one in a header, one in a field before",
      (folder) => post([...fields(folder, ["token"]), filePart()], { headers: asHeaders({ token: pair.token }) }),
    ],
    [
      "one in a header, one in a field after",
      (folder) =>
        post([{ name: "folder", value: world.id(folder) }, filePart(), ...asParts({ token: pair.token })], {
          headers: asHeaders({ access_token: pair.access_token }),
        }),
    ],
    ["the same in every place", (folder) => post([...fields(folder), filePart()], { headers: pairHeaders(world) })],
    [
      "in headers and again after the file",
      (folder) =>
        post([{ name: "folder", value: world.id(folder) }, filePart(), ...asParts(pair)], {
          headers: pairHeaders(world),
        }),
    ],
  ];
  for (const [where, call] of places) {
    test(where, async () => {
      const folder = fresh();
      const data = dataOf(await world.send(call(folder)));
      assert.equal(data.url, urlOf(world, `${folder}/a.txt`));
      assert.equal(await served(`${folder}/a.txt`), "text\n");
      assert.ok(!("token" in data) && !("access_token" in data));
    });
  }

  const other = { token: filesOnly.token, access_token: unknownAccess };
  const ambiguous: [string, (folder: string) => Call][] = [
    [
      "another token in the header than in a field before",
      (folder) => post([...fields(folder), filePart()], { headers: asHeaders({ token: other.token }) }),
    ],
    [
      "another access token in the header than in a field before",
      (folder) => post([...fields(folder), filePart()], { headers: asHeaders({ access_token: other.access_token }) }),
    ],
    [
      "another token after the file than in the header",
      (folder) =>
        post([{ name: "folder", value: world.id(folder) }, filePart(), ...asParts({ token: other.token })], {
          headers: pairHeaders(world),
        }),
    ],
    [
      "another access token after the file than before it",
      (folder) => post([...fields(folder), filePart(), ...asParts({ access_token: other.access_token })]),
    ],
    [
      "two tokens before the file",
      (folder) => post([...fields(folder), ...asParts({ token: other.token }), filePart()]),
    ],
    [
      "two tokens after the file",
      (folder) =>
        post([
          ...fields(folder, ["token", "access_token"]),
          filePart(),
          ...asParts(pair),
          ...asParts({ token: other.token }),
        ]),
    ],
  ];
  for (const [what, call] of ambiguous) {
    test(`${what} is 400`, async () => {
      const folder = fresh();
      const problem = refused(await world.send({ ...call(folder), uniqueAddress: true }), 400);
      assert.ok(["token_ambiguous", "argument_repeated", "body_invalid"].includes(problem.code), problem.code);
      if (!what.startsWith("two")) assert.equal(problem.code, "token_ambiguous");
      await nothingAt(folder);
    });
  }

  test("a token as a file, a list or an object is ignored", async () => {
    const folder = fresh();
    const odd: Part[] = [
      { name: "token", filename: "token.txt", value: pair.token },
      { name: "token[]", value: pair.token },
      { name: "token[a]", value: pair.token },
    ];
    for (const part of odd) {
      const call = post([...fields(folder, ["token"]), part, filePart()], { uniqueAddress: true });
      refused(await world.send(call), [400, 401]);
    }
    await nothingAt(folder);
  });

  test("both tokens may be in the query of an upload", async () => {
    const folder = fresh();
    const call = post([...fields(folder, ["token", "access_token"]), filePart()], { query: pair, uniqueAddress: true });
    dataOf(await world.send(call));
    assert.equal(await served(`${folder}/a.txt`), "text\n");
  });

  test("no token is stored as a field of the file", async () => {
    const data = dataOf(await upload(world, { folder: fresh(), name: "a.txt", late: ["token", "access_token"] }));
    assert.deepEqual(Object.keys(data), fileKeys);
  });
});

describe("the order of checks", () => {
  /** The bytes before the file, on a connection that then sends nothing. */
  async function unsent(parts: string, headers: Record<string, string> = {}, from = freshAddress(world.url)) {
    const wire = new Wire(world.url, from);
    await wire.write(headOf(20 * MiB, headers) + parts + fileStart("a.txt"));
    try {
      return await wire.reply("POST", 3000);
    } finally {
      wire.destroy();
    }
  }
  const target = (folder: string) => field("folder", world.id(folder));

  for (const [what, sent, status, code] of unauthorized.filter(([, sent]) => sent.token && sent.access_token)) {
    test(`${what} before the file is ${status} without reading the file`, async () => {
      const folder = fresh();
      const parts = asParts(sent).map(({ name, value }) => field(name, value as string));
      refused(await unsent(target(folder) + parts.join("")), status, code);
      refused(await unsent(parts.join("")), status, code);
      await nothingAt(folder);
    });

    test(`${what} in the headers is ${status} without reading the file`, async () => {
      refused(await unsent(target("x"), asHeaders(sent)), status, code);
      refused(await unsent("", asHeaders(sent)), status, code);
    });
  }

  test("authentication precedes validation", async () => {
    const bad = asParts({ token: unknown, access_token: tokens.access });
    const asked: Part[][] = [
      [filePart()],
      [{ name: "folder", value: "../.." }, filePart()],
      [{ name: "folder", value: world.id("x") }],
      [{ name: "folder", value: world.id("x") }, filePart({ value: png() })],
      [{ name: "folder", value: world.id("x") }, filePart({ filename: "a.exe" })],
      [{ name: "folder", value: world.id("x") }, { name: "on_conflict", value: "odd" }, filePart()],
    ];
    for (const parts of asked) {
      refused(await world.send(post([...bad, ...parts], { uniqueAddress: true })), 401, "token_invalid");
      refused(await world.send(post([...parts, ...bad], { uniqueAddress: true })), 401, "token_invalid");
      refused(await world.send(post(parts, { uniqueAddress: true })), 401, "token_missing");
    }
  });

  test("without a token the reply does not reveal whether a file exists", async () => {
    await plantFile(world, "secret/a.txt");
    const told = async (folder: string, fields: Record<string, string | null>) => {
      const reply = await upload(world, { folder, name: "a.txt", fields, uniqueAddress: true });
      return reply.text.replaceAll(/"request_id":"[^"]*"/g, "");
    };
    for (const token of [null, unknown]) {
      const sent = { token, on_conflict: "fail" };
      assert.equal(await told("secret", sent), await told("nothing", sent));
    }
  });

  test("the request's form is checked before its tokens", async () => {
    const call = { method: "POST", path: "/api/files", uniqueAddress: true };
    refused(await world.send({ ...call, body: "x", type: "text/plain" }), 415, "media_type_unsupported");
    refused(await world.send({ ...call, json: "{" }), 400, "body_invalid");
    refused(await world.send({ ...call, body: png(), type: "image/png" }), 415, "media_type_unsupported");
  });

  test("a file before its tokens is received, then refused with them", async () => {
    const folder = fresh();
    const bytes = "text\n".repeat(500_000);
    const late = ["folder", "token", "access_token"];
    const bad = { folder, name: "a.txt", bytes, late, uniqueAddress: true };
    refused(await upload(world, { ...bad, fields: { token: unknown } }), 401, "token_invalid");
    refused(await upload(world, { ...bad, fields: { token: null } }), 401, "token_missing");
    refused(await upload(world, { ...bad, fields: { access_token: null } }), 401, "access_token_missing");
    await nothingAt(folder);
    assert.equal(dataOf(await upload(world, { folder, name: "a.txt", bytes, late })).filesize, bytes.length);
  });
});

// ---------------------------------------------------------------------------------------------- counting

describe("calls are counted", () => {
  const sent = { token: limited.token, access_token: limitedAccess.token };
  const counts = async () => [(await world.row(limited.id)).calls, (await world.row(limitedAccess.id)).calls];
  const outcomes: [string, Upload, number, boolean][] = [
    ["a valid upload", { name: "a.txt" }, 200, true],
    ["one with its tokens after the file", { name: "b.txt", late: ["token", "access_token"] }, 200, true],
    ["one with a refused type", { name: "a.png", bytes: "x" }, 415, true],
    ["one without a folder", { name: "a.txt", fields: { folder: null } }, 400, true],
    ["one to a taken name", { name: "a.txt", fields: { on_conflict: "fail" } }, 409, true],
    ["one with an invalid access token", { name: "a.txt", fields: { access_token: unknownAccess } }, 401, false],
    ["one with an invalid token", { name: "a.txt", fields: { token: unknown } }, 401, false],
    ["one with a token of another resource", { name: "a.txt", fields: { token: folderWriter.token } }, 403, false],
  ];
  for (const [what, call, status, isCounted] of outcomes) {
    test(`${what} is ${isCounted ? "one call of both tokens" : "no call of either"}`, async () => {
      const before = await counts();
      const fields = { ...sent, ...call.fields };
      const reply = await upload(world, { folder: "counted", ...call, fields, uniqueAddress: status === 401 });
      assert.equal(reply.status, status, reply.text);
      const after = await counts();
      assert.deepEqual(
        after.map((count, n) => count - (before[n] as number)),
        isCounted ? [1, 1] : [0, 0],
      );
    });
  }

  test("of concurrent uploads exactly as many succeed as the token has calls left", async () => {
    const folder = fresh();
    const few = await world.token({ kind: "management", resources: ["files"], limit_calls: 3 });
    const one = (n: number) => {
      const late = n % 2 ? ["token", "access_token"] : [];
      return upload(world, { folder, name: `n${n}.txt`, fields: { token: few.token }, late });
    };
    const replies = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(one));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 200, 200, 429, 429, 429, 429, 429]);
    assert.equal(Object.keys(await files(world, folder)).length, 3);
    assert.equal((await world.row(few.id)).calls, 3);
  });

  test("a token without calls left is 429 before the file is sent", async () => {
    const folder = fresh();
    const fields = { token: spent.token };
    dataOf(await upload(world, { folder, name: "a.txt", fields }));
    refused(await upload(world, { folder, name: "b.txt", fields }), 429, "call_limit_reached");
    refused(await upload(world, { folder, name: "b.txt", fields, late: ["token"] }), 429, "call_limit_reached");
    const wire = new Wire(world.url);
    const tokens = field("token", spent.token) + field("access_token", pair.access_token);
    await wire.write(headOf(20 * MiB) + field("folder", world.id(folder)) + tokens + fileStart("b.txt"));
    refused(await wire.reply("POST", 3000), 429, "call_limit_reached");
    wire.destroy();
    assert.deepEqual(Object.keys(await files(world, folder)), ["a.txt"]);
  });
});

// ---------------------------------------------------------------------------------------------- If-Match

describe("If-Match on an upload", () => {
  const put = (folder: string, ifMatch: string, bytes: string) =>
    upload(world, { folder, name: "a.txt", bytes, headers: { "if-match": ifMatch } });

  test("the current tag permits one replacement", async () => {
    const folder = fresh();
    await plantFile(world, `${folder}/a.txt`, { bytes: "one" });
    const tag = tagOf(await readFile(world, `${folder}/a.txt`));
    dataOf(await put(folder, tag, "two"));
    refused(await put(folder, tag, "three"), 412, "revision_mismatch");
    assert.equal(await served(`${folder}/a.txt`), "two");
    dataOf(await put(folder, "*", "four"));
    const list = `"x", W/${tagOf(await readFile(world, `${folder}/a.txt`))}`;
    dataOf(await put(folder, list, "five"));
    assert.equal(await served(`${folder}/a.txt`), "five");
  });

  test("another tag is 412, and a change of the fields changes the tag", async () => {
    const folder = fresh();
    const before = await plantFile(world, `${folder}/a.txt`, { bytes: "one" });
    refused(await put(folder, '"none-of-them"', "two"), 412, "revision_mismatch");
    const tag = tagOf(await readFile(world, `${folder}/a.txt`));
    assert.deepEqual(await file(world, `${folder}/a.txt`), before);
    const meta = { path: world.id(`${folder}/a.txt`), field: "title", value: "new" };
    dataOf(await world.write("PATCH", meta, "/api/files/meta"));
    refused(await put(folder, tag, "three"), 412, "revision_mismatch");
    assert.equal(await served(`${folder}/a.txt`), "one");
  });

  test("without an existing file it is 404, and nothing is stored", async () => {
    const folder = fresh();
    for (const tag of ["*", '"x"']) refused(await put(folder, tag, "two"), 404, "file_not_found");
    await nothingAt(folder);
  });

  test("of many uploads with one tag exactly one succeeds", async () => {
    const folder = fresh();
    await plantFile(world, `${folder}/a.txt`, { bytes: "one" });
    const tag = tagOf(await readFile(world, `${folder}/a.txt`));
    const replies = await Promise.all(["a", "b", "c", "d"].map((bytes) => put(folder, tag, bytes)));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 412, 412, 412]);
    const winner = replies.findIndex((reply) => reply.status === 200);
    assert.equal(await served(`${folder}/a.txt`), "abcd"[winner]);
  });
});

// ---------------------------------------------------------------------------------------------- broken connections

describe("an interrupted upload", () => {
  /** Sends a part of the upload and disconnects. */
  async function broken(folder: string, name: string, size: number, headers = {}, before = fieldsOf(folder)) {
    const wire = new Wire(world.url);
    await wire.write(headOf(size + 100_000, headers) + before + fileStart(name));
    await wire.write(Buffer.alloc(size, "half a file\n"));
    await sleep(20);
    wire.destroy();
  }

  test("leaves nothing", async () => {
    const folder = fresh();
    for (const size of [0, 1, 1000, 300_000, 3_000_000]) await broken(folder, `n${size}.txt`, size);
    await broken(folder, "late.txt", 300_000, {}, "");
    await broken(folder, "headers.txt", 300_000, pairHeaders(world), field("folder", world.id(folder)));
    await sleep(100);
    await nothingAt(folder);
  });

  test("leaves the existing file unchanged", async () => {
    const folder = fresh();
    const before = await plantFile(world, `${folder}/a.txt`, { bytes: "before" });
    await broken(folder, "a.txt", 500_000);
    await sleep(50);
    assert.deepEqual(await file(world, `${folder}/a.txt`), before);
    assert.equal(await served(`${folder}/a.txt`), "before");
    assert.deepEqual(Object.keys(await files(world, folder)), ["a.txt"]);
  });

  test("ended early by the client stores nothing", async () => {
    const folder = fresh();
    const wire = new Wire(world.url);
    await wire.write(headOf(5000) + fieldsOf(folder) + fileStart("a.txt"));
    wire.socket.end("half");
    const reply = await wire.reply("POST", 2000).catch(() => undefined);
    if (reply) refused(reply, [400, 408]);
    wire.destroy();
    await nothingAt(folder);
  });

  test("repeated among other uploads does not affect them", async () => {
    const folder = fresh();
    const breaking = Array.from({ length: 12 }, (_, n) => broken(folder, `broken${n}.txt`, 200_000));
    const whole = Array.from({ length: 8 }, (_, n) => plantFile(world, `${folder}/whole${n}.txt`));
    await Promise.all([...breaking, ...whole]);
    await sleep(100);
    assert.deepEqual(
      Object.keys(await files(world, folder)),
      Array.from({ length: 8 }, (_, n) => `whole${n}.txt`),
    );
  });

  test("ended by the service: the rest of its body is never read as a request", async () => {
    await plantFile(world, "hidden/smuggled.txt", { bytes: "SMUGGLED" });
    const address = `/${urlOf(world, "hidden/smuggled.txt")}`;
    const inner = `GET ${address} HTTP/1.1\r\nHost: ${base.host}\r\n\r\n`;
    const bad = field("folder", world.id("x")) + field("token", unknown) + field("access_token", pair.access_token);
    const target = field("folder", world.id("x"));
    const starts: [string, string, Record<string, string>, number[]][] = [
      ["an invalid token", bad + fileStart("a.txt"), {}, [401]],
      ["an invalid token in the headers", target + fileStart("a.txt"), asHeaders({ token: unknown }), [401]],
      [
        "another resource",
        target + fileStart("a.txt"),
        { ...pairHeaders(world), authorization: `Bearer ${folderWriter.token}` },
        [403],
      ],
      [
        "an invalid folder",
        field("folder", "..") +
          asParts(pair)
            .map(({ name, value }) => field(name, value as string))
            .join("") +
          fileStart("a.txt"),
        {},
        [400],
      ],
      ["a refused extension", fieldsOf("x") + fileStart("a.exe"), {}, [415]],
      ["an invalid image", fieldsOf("x") + fileStart("a.png"), {}, [415]],
      ["an unsupported media type", target, { ...pairHeaders(world), "Content-Type": "text/plain" }, [415]],
      ["garbage", "no boundary at all\r\n", pairHeaders(world), [400]],
    ];
    for (const [what, start, headers, status] of starts) {
      for (const times of [1, 3000]) {
        const body = `${start + inner.repeat(times)}\r\n--${boundary}--\r\n`;
        const wire = new Wire(world.url, freshAddress(world.url));
        await wire.write(
          `${headOf(Buffer.byteLength(body), headers)}${body}GET /health/live HTTP/1.1\r\nHost: ${base.host}\r\n\r\n`,
        );
        refused(await wire.reply("POST"), status);
        const next = await wire.reply("GET", 1000).catch(() => undefined);
        assert.ok(
          next === undefined || (next.status === 200 && !next.text.includes("SMUGGLED")),
          `${what}: ${next?.text}`,
        );
        wire.destroy();
      }
    }
    await nothingAt("x");
  });

  test("idle for 30 s before its tokens is closed, and nothing is stored", {
    skip: isLong ? false : "OCTAVO_TEST_LONG",
  }, async () => {
    const wire = new Wire(world.url, freshAddress(world.url));
    await wire.write(headOf(5 * MiB) + fileStart("a.txt"));
    const reply = await wire.reply("POST", 45_000).catch(() => undefined);
    if (reply) refused(reply, [400, 408, 503]);
    else assert.ok(await wire.closed(1000));
    wire.destroy();
  });
});

allRepliesKeptTheirPromises(world);
