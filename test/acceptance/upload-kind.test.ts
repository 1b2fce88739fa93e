/** What an upload may be: its names, its bytes and its type, the size of a picture; and how each type is served. Contract §1, §5. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { enterMedia, fetchBytes, file, files, plantFile, png, svg, upload, urlOf } from "./media.ts";
import * as small from "./small-file.ts";
import { bytesOf, handOf, partBy } from "./upload-by-hand.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused } from "./world.ts";

const world = await enterMedia("upload-kind");
const { fresh, nothingAt, served, byHand } = handOf(world);

// ---------------------------------------------------------------------------------------------- types

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
const greyBits = png({ kind: "grey", bits: 1, width: 100, height: 2 });
const greyJpeg = small.jpeg({ kind: "grey" });
const gifWithScript = Buffer.concat([small.gif(), bytesOf("<script>alert(1)</script>")]);

// Each extension and signature: src/core/bytes/media-type.test.ts, test/ports/inspect.
type Kind = [name: string, bytes: Uint8Array | string, type: RegExp, exif?: Any];
const shown: Kind[] = [
  ["colour.png", png(), /^image\/png$/, picture(1)],
  ["grey.png", png({ kind: "grey" }), /^image\/png$/, picture(0)],
  ["black-and-white.png", greyBits, /^image\/png$/, picture(0, 100, 2)],
  ["colour.jpg", small.jpeg(), /^image\/jpeg$/, picture(1)],
  ["grey.jpg", greyJpeg, /^image\/jpeg$/, picture(0)],
  ["turned.jpg", small.jpeg({ orientation: 6 }), /^image\/jpeg$/, picture(1)],
  ["a.gif", small.gif(), /^image\/gif$/, picture(1)],
  ["a.webp", small.webp(), /^image\/webp$/, picture(1)],
  ["a.avif", small.avif(), /^image\/avif$/, picture(1)],
  ["a.ico", small.ico(), /^image\/(x-icon|vnd\.microsoft\.icon)$/, picture(1, 1, 1)],
  ["a.svg", svg(), /^image\/svg\+xml(; charset=utf-8)?$/i, picture(1)],
  // A corrupt image is stored, and one with trailing bytes.
  ["size-0.png", claiming(0, 0), /^image\/png$/],
  ["script.gif", gifWithScript, /^image\/gif$/, picture(1)],
  // A raster image may have another image's extension; `type` has the actual type.
  ["really-png.jpg", png({ shade: 3 }), /^image\/png$/, picture(1)],
  ["really-webp.gif", small.webp(), /^image\/webp$/, picture(1)],
  // Text is accepted whatever it contains, or nothing.
  ["a.txt", "grün", /^text\/plain; charset=utf-8$/i],
  ["html.txt", "<!doctype html><script>alert(1)</script>", /^text\/plain; charset=utf-8$/i],
  ["marked.txt", "\ufefftext", /^text\/plain; charset=utf-8$/i],
  ["a.csv", "a,b\n1,2\n", /^text\/csv; charset=utf-8$/i],
  ["empty.csv", "", /^text\/csv; charset=utf-8$/i],
  ["a.pdf", small.pdf(), /^application\/pdf$/],
  ["a.mp3", small.mp3(), /^audio\/mpeg$/],
  ["a.wav", small.wav(), /^audio\/(x-)?(wav|wave|vnd\.wave)$/],
  ["a.m4a", small.m4a(), /^audio\/(x-m4a|mp4|m4a)$/],
  ["a.ogg", small.oggSound(), /^audio\/ogg$/],
  ["a.mp4", small.mp4(), /^video\/mp4$/],
  ["a.webm", small.webm(), /^video\/webm$/],
  ["a.m4v", small.m4v(), /^video\//],
  ["a.ogv", small.oggFilm(), /^video\/ogg$/],
];
const attached: Kind[] = [
  ["a.md", "# grün\n<script>alert(1)</script>", /^text\/markdown; charset=utf-8$/i],
  ["a.json", '{"a":1}', /^application\/json(; charset=utf-8)?$/i],
  ["a.zip", small.zip(), /^application\/zip$/],
  ["a.tgz", small.tgz(), /^application\/(x-)?gzip$/],
  ["a.docx", small.docx(), /^application\/vnd\.openxmlformats-[\w.-]+document$/],
];
const either: Kind[] = [
  ["a.wmv", small.wmv(), /^video\/|asf$/],
  ["a.avi", small.avi(), /^video\//],
];

describe("a file is accepted when its extension matches its bytes", () => {
  for (const [kinds, disposition] of [
    [shown, /^inline(;|$)/] as const,
    [attached, /^attachment; /] as const,
    [either, /./] as const,
  ]) {
    for (const [name, bytes, type, exif = {}] of kinds) {
      test(`${name} as ${type.source}, and is served so`, async () => {
        const data = dataOf(await upload(world, { folder: "kinds", name, bytes }));
        assert.deepEqual([data.exif, data.filesize], [exif, bytesOf(bytes).length]);
        const { status, headers, bytes: received } = await fetchBytes(world, `kinds/${name}`);
        assert.equal(status, 200);
        assert.ok(received.equals(bytesOf(bytes)));
        assert.match(headers["content-type"] ?? "", type);
        assert.equal(headers["content-type"]?.split(";")[0], data.type, "the type of the file object");
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.match(headers["content-disposition"] ?? "", disposition);
        if (kinds === attached) assert.ok(headers["content-disposition"]?.includes(name));
      });
    }
  }

  test("whatever type the client declares", async () => {
    for (const type of ["text/html", "image/svg+xml", "nonsense", "", "text/plain; charset=x", null]) {
      const data = dataOf(await upload(world, { folder: "claims", name: "a.png", bytes: png(), type }));
      assert.equal(data.type, "image/png", String(type));
    }
    refused(await upload(world, { folder: "claims", name: "b.png", bytes: "x", type: "image/png" }), 415);
  });

  test("images truncated anywhere, or without a header, have the right size, none, or are refused", async () => {
    const junk = Buffer.concat([png().subarray(0, 8), Buffer.alloc(25, 0xff), png().subarray(33)]);
    const all = { png: png(), jpg: small.jpeg(), gif: small.gif(), webp: small.webp(), avif: small.avif() };
    for (const [name, whole] of Object.entries(all)) {
      const cuts = [2, 12, 20, 33, whole.length - 1].map((length) => whole.subarray(0, length));
      for (const bytes of [...cuts, junk]) {
        const reply = await upload(world, { folder: "cut", name: `cut.${name}`, bytes });
        if (reply.status !== 200) refused(reply, 415, "file_type_refused");
        else if (Object.keys(dataOf(reply).exif).length > 0) assert.deepEqual(dataOf(reply).exif, picture(1));
      }
    }
  });
});

/** Names, and bytes that none of them may have. Each kind of bytes: test/ports/inspect. */
const refusedKinds: [what: string, bytes: Uint8Array | string, names: string][] = [
  ["PNG", png(), "a.txt a.svg a.pdf a.zip"],
  ["GIF with PHP", "GIF89a<?php ?>", "a.md"],
  ["HTML", "<!doctype html><html><body><script>alert(1)</script></body></html>", "a.jpg a.pdf a.svg a.json a.html"],
  ["XHTML", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', "a.svg"],
  ["a zip", small.zip(), "a.png a.txt a.docx a.epub"],
  ["a program for Windows", Buffer.concat([bytesOf("MZ"), Buffer.alloc(300)]), "a.pdf a.txt a.exe"],
  ["text", "no picture", "a.png a.pdf a.doc a.zip a.mp3 a.ico a.mp4"],
  ["text in Latin-1", Buffer.from("gr\xfcn", "latin1"), "a.txt"],
  ["nothing", "", "a.png a.json a.svg a.pdf a.zip a.mp4"],
  ["deeply nested JSON", "[".repeat(1_000_000), "a.json"],
  // Extensions: src/core/bytes/media-type.test.ts.
  ["text", "text\n", "noextension .htaccess a. .. / a.php a.txt.php a.tar.gz a.txtx a.ｔｘｔ a.txt::$DATA a.__proto__"],
];

describe("a file is refused when its extension does not match its bytes", () => {
  for (const [what, bytes, names] of refusedKinds) {
    test(`${what} named ${names} is 415 and nothing is stored`, async () => {
      const folder = fresh();
      for (const name of names.split(" "))
        refused(await upload(world, { folder, name, bytes }), 415, "file_type_refused");
      await nothingAt(folder);
    });
  }

  test("an SVG that would explode is stored as text or refused", async () => {
    const entities = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("");
    const start = '<svg xmlns="http://www.w3.org/2000/svg"';
    const bombs: [string, number][] = [
      [`<!DOCTYPE svg [<!ENTITY e0 "a">${entities}]>${start}><text>&e12;</text></svg>`, 200],
      [`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${start}><text>&x;</text></svg>`, 200],
      [svg("<g>".repeat(20_000) + "</g>".repeat(20_000)), 415],
      [svg(`<path d="${"M0 0L1 1".repeat(100_000)}"/>`), 200],
    ];
    for (const [bytes, status] of bombs) {
      const reply = await upload(world, { folder: "bombs", name: "a.svg", bytes });
      if (status === 200) assert.equal(dataOf(reply).type, "image/svg+xml");
      else refused(reply, status, "file_type_refused");
    }
  });
});

describe("an image above 100 megapixels", () => {
  /** The picture with a side of this length in the 16 bits at two offsets. */
  const sized = (bytes: Buffer, write: "writeUInt16BE" | "writeUInt16LE", at: number): Buffer => {
    for (const offset of [at, at + 2]) bytes[write](65_535, offset);
    return bytes;
  };
  const frame = small.jpeg().indexOf(Buffer.from([0xff, 0xc0, 0, 17])) + 5;
  const huge: [string, string, Buffer][] = [
    ["30000 × 30000 in PNG", "a.png", claiming(30_000, 30_000)],
    ["10001 × 10000 in PNG", "a.png", claiming(10_001, 10_000)],
    ["2147483647 × 2147483647 in PNG", "a.png", claiming(0x7fffffff, 0x7fffffff)],
    ["30000 × 30000 in PNG, named otherwise", "a.jpg", claiming(30_000, 30_000)],
    ["65535 × 65535 in JPEG", "a.jpg", sized(small.jpeg(), "writeUInt16BE", frame)],
    ["65535 × 65535 in GIF", "a.gif", sized(small.gif(), "writeUInt16LE", 6)],
  ];
  test("is 413 and nothing is stored; of exactly 100 megapixels it is stored", async () => {
    const folder = fresh();
    for (const [what, name, bytes] of huge) {
      const { detail } = refused(await upload(world, { folder, name, bytes }), 413, "image_too_large");
      assert.ok(detail, what);
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
  // How a name is made safe: src/file/name.test.ts.
  const names: [sent: string, stored: string][] = [
    ["  UPPER  CASE.TXT", "upper-case.txt"],
    ["evil.php.txt", "evil-php.txt"],
    ["Grüße aus Köln.txt", "gruesse-aus-koeln.txt"],
    [".txt", "file.txt"],
    ["../../../../etc/passwd.txt", "passwd.txt"],
    ["C:\\Users\\me\\photo.txt", "photo.txt"],
    ["__proto__.txt", "proto.txt"],
    [`${"a".repeat(300)}.txt`, `${"a".repeat(200)}.txt`],
  ];
  test("are made safe, and one that has another's safe form gets a number", async () => {
    for (const [sent, stored] of names) {
      const folder = fresh();
      for (const bytes of ["first\n", "named\n"]) {
        const data = dataOf(await upload(world, { folder, name: sent, bytes }));
        assert.deepEqual([data.filename, `${data.basename}.${data.extension}`], [stored, stored]);
        assert.equal(data.url, urlOf(world, `${folder}/${stored}`));
      }
      const numbered = stored.replace(".", "-1.");
      const other = await upload(world, { folder, name: stored.toUpperCase(), bytes: "again\n" });
      assert.equal(dataOf(other).filename, numbered);
      assert.deepEqual(Object.keys(await files(world, folder)).sort(), [stored, numbered].sort());
      assert.equal(await served(`${folder}/${stored}`), "named\n");
    }
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

allRepliesKeptTheirPromises(world);
