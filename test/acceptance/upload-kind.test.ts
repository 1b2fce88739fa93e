/** What an upload may be: its names, its bytes and its type, the size of a picture. Contract §1, §5. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import {
  avi,
  avif,
  docx,
  enterMedia,
  epub,
  fetchBytes,
  file,
  files,
  gif,
  heic,
  ico,
  jpeg,
  m4a,
  m4v,
  mp3,
  mp4,
  oggFilm,
  oggSound,
  ole,
  pdf,
  plantFile,
  png,
  pptx,
  svg,
  tgz,
  upload,
  urlOf,
  wav,
  webm,
  webp,
  wmv,
  xlsx,
  zip,
} from "./media.ts";
import { bytesOf, handOf, partBy } from "./upload-by-hand.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused } from "./world.ts";

const world = await enterMedia("upload-kind");
const { fresh, nothingAt, served, byHand } = handOf(world);

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
      assert.equal(`${data.basename}.${data.extension}`, data.filename);
      assert.equal(data.url, urlOf(world, `${folder}/${data.filename}`));
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

allRepliesKeptTheirPromises(world);
