/** What an upload may be: its names, its bytes and its type, the size of a picture. Contract §1, §5. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import {
  avi,
  avif,
  docx,
  enterMedia,
  fetchBytes,
  file,
  files,
  gif,
  ico,
  jpeg,
  m4v,
  mp3,
  mp4,
  oggFilm,
  pdf,
  plantFile,
  png,
  svg,
  upload,
  urlOf,
  webm,
  webp,
  wmv,
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
/** A PNG whose header says this size, with a valid checksum. */
function claiming(width: number, height: number): Buffer {
  const bytes = png();
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

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
    // A corrupt image is stored.
    ["width-0.png", claiming(0, 3), /^image\/png$/, {}],
    ["size-0.png", claiming(0, 0), /^image\/png$/, {}],
  ];
  for (const [name, bytes, type, exif] of pictures) {
    test(`of ${name}`, async () => {
      const data = dataOf(await upload(world, { folder: "exif", name, bytes }));
      assert.match(data.type, type);
      assert.deepEqual(data.exif, exif);
      assert.ok((await fetchBytes(world, `exif/${name}`)).bytes.equals(bytesOf(bytes)));
    });
  }

  test("of images truncated anywhere, or without a header: some, none, or the file is refused", async () => {
    const cuts = (whole: Buffer) =>
      [2, 8, 12, 16, 20, 24, 33, Math.floor(whole.length / 2), whole.length - 1].map((length) =>
        whole.subarray(0, length),
      );
    const junk = [Buffer.alloc(25, 0xff), Buffer.alloc(25)].map((header) =>
      Buffer.concat([png().subarray(0, 8), header, png().subarray(33)]),
    );
    const all = { png: png(), jpg: jpeg(), gif: gif(), webp: webp(), avif: avif() };
    for (const [name, whole] of Object.entries(all)) {
      for (const bytes of [...cuts(whole), ...(name === "png" ? junk : [])]) {
        const reply = await upload(world, { folder: "cut", name: `cut.${name}`, bytes });
        if (reply.status !== 200) refused(reply, 415, "file_type_refused");
        else if (Object.keys(dataOf(reply).exif).length > 0) assert.deepEqual(dataOf(reply).exif, picture(1));
      }
    }
  });
});

describe("an image above 100 megapixels", () => {
  /** The picture with a side of this length in the 16 bits at two offsets. */
  const sized = (bytes: Buffer, write: "writeUInt16BE" | "writeUInt16LE", at: number): Buffer => {
    for (const offset of [at, at + 2]) bytes[write](65_535, offset);
    return bytes;
  };
  const frame = jpeg().indexOf(Buffer.from([0xff, 0xc0, 0, 17])) + 5;
  const huge: [string, string, Buffer][] = [
    ["30000 × 30000 in PNG", "a.png", claiming(30_000, 30_000)],
    ["10001 × 10000 in PNG", "a.png", claiming(10_001, 10_000)],
    ["2147483647 × 2147483647 in PNG", "a.png", claiming(0x7fffffff, 0x7fffffff)],
    ["30000 × 30000 in PNG, named otherwise", "a.jpg", claiming(30_000, 30_000)],
    ["65535 × 65535 in JPEG", "a.jpg", sized(jpeg(), "writeUInt16BE", frame)],
    ["65535 × 65535 in GIF", "a.gif", sized(gif(), "writeUInt16LE", 6)],
  ];
  test("is 413 and nothing is stored; of exactly 100 megapixels it is stored", async () => {
    const folder = fresh();
    for (const [what, name, bytes] of huge) {
      const reply = await upload(world, { folder, name, bytes });
      assert.equal(reply.status, 413, `${what}: ${reply.text}`);
      refused(reply, 413, "image_too_large");
    }
    await nothingAt(folder);
    const { exif } = dataOf(await upload(world, { folder, name: "most.png", bytes: claiming(10_000, 10_000) }));
    assert.equal(exif.Width * exif.Height, 100_000_000);
  });

  test("or of a refused type leaves the existing file unchanged", async () => {
    for (const [name, bytes, other] of [
      ["a.png", png(), claiming(30_000, 30_000)],
      ["b.txt", "before", png()],
    ] as const) {
      const before = await plantFile(world, `keep/${name}`, { bytes });
      refused(await upload(world, { folder: "keep", name, bytes: other }), [413, 415]);
      assert.deepEqual(await file(world, `keep/${name}`), before);
      assert.ok((await fetchBytes(world, `keep/${name}`)).bytes.equals(bytesOf(bytes)));
    }
  });
});

// ---------------------------------------------------------------------------------------------- names

describe("names", () => {
  // How a name is made safe: test/domain/file-name; which extensions are accepted: test/domain/media-type.
  const names: [sent: string, stored: string][] = [
    ["plain.txt", "plain.txt"],
    ["  UPPER  CASE.TXT", "upper-case.txt"],
    ["archive.tar.txt", "archive-tar.txt"],
    ["evil.php.txt", "evil-php.txt"],
    ["Grüße aus Köln.txt", "gruesse-aus-koeln.txt"],
    ["照片.txt", "zhaopian.txt"],
    ["<script>.txt", "script.txt"],
    ["!!!.txt", "file.txt"],
    [".txt", "file.txt"],
    ["../../../../etc/passwd.txt", "passwd.txt"],
    ["C:\\Users\\me\\photo.txt", "photo.txt"],
    ["folder/inner.txt", "inner.txt"],
    ["__proto__.txt", "proto.txt"],
    [`${"a".repeat(300)}.txt`, `${"a".repeat(200)}.txt`],
  ];
  for (const [sent, stored] of names) {
    test(`${sent.slice(0, 40)} is stored as ${stored.slice(0, 40)}`, async () => {
      const folder = fresh();
      const data = dataOf(await upload(world, { folder, name: sent, bytes: "named\n" }));
      assert.deepEqual([data.filename, `${data.basename}.${data.extension}`], [stored, stored]);
      assert.equal(data.url, urlOf(world, `${folder}/${stored}`));
      assert.equal(data.title, data.basename);
      assert.deepEqual(Object.keys(await files(world, folder)), [stored]);
      assert.equal(await served(`${folder}/${stored}`), "named\n");
    });
  }

  test("a name without an accepted extension is 415", async () => {
    const folder = fresh();
    const none =
      "noextension .htaccess a. .. / a.php a.txt.php a.html a.xml a.js a.exe a.tar.gz a.txtx a.ｔｘｔ a.txt::$DATA a.__proto__";
    for (const name of none.split(" ")) {
      const reply = await upload(world, { folder, name, bytes: "text\n" });
      assert.equal(reply.status, 415, `${name}: ${reply.text}`);
      refused(reply, 415, "file_type_refused");
    }
    await nothingAt(folder);
  });

  test("names with the same safe form are the same file", async () => {
    const folder = fresh();
    for (const name of ["My File.txt", "my-file.TXT", "MY  FILE.txt"]) {
      dataOf(await upload(world, { folder, name, bytes: name }));
    }
    assert.deepEqual(Object.keys(await files(world, folder)), ["my-file.txt"]);
    assert.equal(await served(`${folder}/my-file.txt`), "MY  FILE.txt");
  });

  // Raw part headers: RFC 7578 §4.2, RFC 6266, and those of real clients. `undefined`: stored or not, never a 500.
  const dispositions: [string, string | Buffer, RegExp | "refused" | undefined][] = [
    ["quotes escaped by a backslash", 'filename="say \\"hi\\".txt"', /^say-hi\.txt$/],
    ["quotes as browsers escape them", 'filename="say %22hi%22.txt"', /^say-(22)?hi-?(22)?\.txt$/],
    ["no quotes", "filename=plain.txt", /^plain\.txt$/],
    ["the parameter in upper case", 'FILENAME="upper.txt"', /^upper\.txt$/],
    ["spaces around", ' filename = "spaced.txt" ', undefined],
    ["single quotes", "filename='single.txt'", undefined],
    ["an encoded name", "filename*=UTF-8''gr%C3%BCn.txt", /^gruen\.txt$/],
    ["both", `filename="plain.txt"; filename*=UTF-8''encoded.txt`, /^(plain|encoded)\.txt$/],
    ["an encoded path", "filename*=UTF-8''..%2F..%2Fup.txt", /^up\.txt$/],
    ["raw UTF-8", Buffer.from('filename="grün.txt"'), /^gruen\.txt$/],
    ["raw Latin-1", Buffer.from('filename="gr\xfcn.txt"', "latin1"), undefined],
    ["a name in another charset", "filename*=ISO-8859-1''gr%FCn.txt", undefined],
    ["an encoded word", 'filename="=?UTF-8?B?Z3LDvG4=?=.txt"', undefined],
    ["a semicolon in the name", 'filename="a;b.txt"', /^a-?b\.txt$/],
    ["a line break in the name", 'filename="a%0D%0Ab.txt"', undefined],
    ["a NUL", 'filename="a.txt\0.txt"', "refused"],
    ["a NUL after an extension", 'filename="a.php\0.txt"', "refused"],
    ["an encoded NUL", "filename*=UTF-8''a%00.txt", "refused"],
    ["an incomplete percent escape", "filename*=UTF-8''%zz.txt", undefined],
    ["percent-encoded bytes that are not UTF-8", "filename*=UTF-8''%ff%fe.txt", undefined],
    ["an unknown charset", "filename*=KLINGON''a.txt", undefined],
    ["an unclosed quote", 'filename="a.txt', undefined],
    ["an empty value", "filename=", undefined],
    ["a name of 20,000 letters", `filename="${"a".repeat(20_000)}.txt"`, undefined],
    ["a name of 200,000 letters", `filename="${"a".repeat(200_000)}.txt"`, undefined],
  ];
  for (const [what, disposition, expected] of dispositions) {
    test(`the header of a part with ${what}`, async () => {
      const folder = fresh();
      const reply = await world.send(byHand(folder, partBy(Buffer.from(disposition as string), "odd name\n")));
      if (reply.status !== 200 && !(expected instanceof RegExp)) {
        refused(reply, [400, 413, 415, 431]);
        return nothingAt(folder);
      }
      const { filename } = dataOf(reply);
      assert.ok(expected !== "refused", filename);
      assert.match(filename, expected ?? /^[a-z0-9-]{1,200}\.txt$/);
      assert.equal(await served(`${folder}/${filename}`), "odd name\n");
    });
  }
});

// ---------------------------------------------------------------------------------------------- types

// What each signature and extension is: test/domain/media-type, test/ports/inspect. Their headers when served: upload.
type Kind = [name: string, bytes: Uint8Array | string, type: RegExp];
const accepted: Kind[] = [
  ["a.m4v", m4v(), /^video\//],
  ["a.ogv", oggFilm(), /^video\/ogg$/],
  ["a.wmv", wmv(), /^video\/|asf$/],
  ["a.avi", avi(), /^video\//],
  // A raster image may have another image's extension; `type` has the actual type.
  ["really-png.jpg", png(), /^image\/png$/],
  ["really-webp.gif", webp(), /^image\/webp$/],
  // Text is accepted whatever it contains, or nothing.
  ["html.txt", "<!doctype html><script>alert(1)</script>", /^text\/plain$/],
  ["marked.txt", "\ufefftext", /^text\/plain$/],
  ["html.md", "<script>alert(1)</script>", /^text\/markdown$/],
  ["empty.csv", "", /^text\/csv$/],
  ["list.json", "[]", /^application\/json$/],
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
    for (const type of ["text/html", "image/svg+xml", "nonsense", "", "text/plain; charset=x", null]) {
      const data = dataOf(await upload(world, { folder: "claims", name: "a.png", bytes: png(), type }));
      assert.equal(data.type, "image/png", String(type));
    }
    refused(await upload(world, { folder: "claims", name: "b.png", bytes: "x", type: "image/png" }), 415);
  });
});

const html = "<!doctype html><html><body><script>alert(1)</script></body></html>";
const program = Buffer.concat([bytesOf("MZ"), Buffer.alloc(300)]);
/** Names, and bytes that none of them may have. */
const refusedKinds: [what: string, bytes: Uint8Array | string, names: string][] = [
  ["PNG", png(), "a.txt a.svg a.pdf a.zip"],
  ["GIF with a script", Buffer.concat([gif(), bytesOf("<script>")]), "a.txt"],
  ["GIF with PHP", "GIF89a<?php ?>", "a.md"],
  ["PDF", pdf(), "a.txt a.png a.json"],
  ["HTML", html, "a.jpg a.pdf a.svg a.json a.html"],
  ["XHTML", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', "a.svg"],
  ["SVG that is not closed", '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>', "a.svg"],
  ["text about SVG", "not a picture, but <svg> is named", "a.svg"],
  ["SVG", svg(), "a.png"],
  ["a zip", zip(), "a.png a.txt a.docx a.epub"],
  ["a word document", docx(), "a.xlsx"],
  ["a program for Windows", program, "a.pdf a.txt a.exe"],
  ["a program for Linux", Buffer.concat([bytesOf("\x7fELF"), Buffer.alloc(300)]), "a.jpg"],
  ["a film", webm(), "a.txt a.jpg"],
  ["text", "no picture", "a.png a.pdf a.doc a.zip a.mp3 a.ico a.mp4"],
  ["text with NUL", "a\0b", "a.txt a.csv"],
  ["text in UTF-16", Buffer.from("\ufefftext", "utf16le"), "a.txt"],
  ["text in Latin-1", Buffer.from("gr\xfcn", "latin1"), "a.txt"],
  ["text that ends within a character", Buffer.from([0x61, 0xc3]), "a.txt"],
  ["JSON that ends early", '{"a": [1', "a.json"],
  ["two JSON values", "{} {}", "a.json"],
  ["JSON with NUL", '{"a": "\0"}', "a.json"],
  ["nothing", "", "a.png a.json a.svg a.pdf a.zip a.mp4"],
  ["spaces", "   ", "a.json a.svg"],
  ["deeply nested JSON", "[".repeat(1_000_000), "a.json"],
  ["closed nested JSON", "[".repeat(100_000) + "]".repeat(100_000), "a.json"],
];

describe("a file is refused when its extension does not match its bytes", () => {
  for (const [what, bytes, names] of refusedKinds) {
    test(`${what} named ${names} is 415 and nothing is stored`, async () => {
      const folder = fresh();
      for (const name of names.split(" ")) {
        const reply = await upload(world, { folder, name, bytes });
        assert.equal(reply.status, 415, `${name}: ${reply.text}`);
        refused(reply, 415, "file_type_refused");
      }
      await nothingAt(folder);
    });
  }

  test("an SVG that would explode is stored as text or refused", async () => {
    const entities = Array.from({ length: 12 }, (_, n) =>
      n === 0 ? '<!ENTITY e0 "aaaaaaaaaa">' : `<!ENTITY e${n} "${`&e${n - 1};`.repeat(10)}">`,
    );
    const start = '<svg xmlns="http://www.w3.org/2000/svg"';
    const attributes = Array.from({ length: 50_000 }, (_, n) => `a${n}="1"`).join(" ");
    const bombs: [string, number][] = [
      [`<?xml version="1.0"?><!DOCTYPE svg [${entities.join("")}]>${start}><text>&e11;</text></svg>`, 200],
      [`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${start}><text>&x;</text></svg>`, 200],
      [svg("<g>".repeat(20_000) + "</g>".repeat(20_000)), 415],
      [svg(`<path d="${"M0 0L1 1".repeat(100_000)}"/>`), 200],
      [`${start} ${attributes}/>`, 415],
    ];
    for (const [bytes, status] of bombs) {
      const reply = await upload(world, { folder: "bombs", name: "a.svg", bytes });
      if (status === 200) assert.equal(dataOf(reply).type, "image/svg+xml");
      else refused(reply, status, "file_type_refused");
    }
  });
});

allRepliesKeptTheirPromises(world);
