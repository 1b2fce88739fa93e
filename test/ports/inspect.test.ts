// Long: files that use the whole time limit of an inspection.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import sharp from "sharp";
import { inspectFile } from "../../src/core/bytes/disk/inspect.ts";
import { acceptedType, type Inspection, standardExtensions } from "../../src/core/bytes/media-type.ts";

const folder = mkdtempSync(join(tmpdir(), "octavo-inspect-"));
after(() => rmSync(folder, { recursive: true }));

function inspect(bytes: Uint8Array | string): Promise<Inspection> {
  const file = join(folder, "file");
  writeFileSync(file, bytes);
  return inspectFile(file);
}

const paper = (width: number, height: number, background = "#c04020") =>
  sharp({ create: { width, height, channels: 3, background } });
const size = ({ image }: Inspection): string => (image ? `${image.width}x${image.height}` : "none");

const pictures: [name: string, type: string, bytes: () => Promise<Buffer>][] = [
  ["a JPEG", "image/jpeg", () => paper(40, 30).jpeg().toBuffer()],
  ["a progressive JPEG", "image/jpeg", () => paper(40, 30).jpeg({ progressive: true }).toBuffer()],
  ["a JPEG with a rotation", "image/jpeg", () => paper(40, 30).withMetadata({ orientation: 6 }).jpeg().toBuffer()],
  ["a CMYK JPEG", "image/jpeg", () => paper(40, 30).toColourspace("cmyk").jpeg().toBuffer()],
  ["a PNG", "image/png", () => paper(40, 30).png().toBuffer()],
  ["a PNG with a palette", "image/png", () => paper(40, 30).png({ palette: true }).toBuffer()],
  ["an interlaced PNG", "image/png", () => paper(40, 30).png({ progressive: true }).toBuffer()],
  ["a GIF", "image/gif", () => paper(40, 30).gif().toBuffer()],
  ["a WebP", "image/webp", () => paper(40, 30).webp().toBuffer()],
  ["a lossless WebP", "image/webp", () => paper(40, 30).webp({ lossless: true }).toBuffer()],
  ["a WebP with alpha", "image/webp", () => paper(40, 30).ensureAlpha(0.5).webp().toBuffer()],
  ["a WebP with EXIF", "image/webp", () => paper(40, 30).withMetadata({ orientation: 6 }).webp().toBuffer()],
  ["an AVIF", "image/avif", () => paper(40, 30).avif({ effort: 0 }).toBuffer()],
  ["an AVIF with alpha", "image/avif", () => paper(40, 30).ensureAlpha(0.5).avif({ effort: 0 }).toBuffer()],
  [
    "an AVIF with a rotation",
    "image/avif",
    () => paper(40, 30).withMetadata({ orientation: 6 }).avif({ effort: 0 }).toBuffer(),
  ],
  ["a BMP", "image/bmp", async () => bitmap(40, -30)],
];
for (const [name, type, bytes] of pictures) {
  test(`${name} has its type and stored size detected`, async () => {
    const inspection = await inspect(await bytes());
    assert.deepEqual(inspection, {
      signature: type,
      isText: false,
      parsesAs: [],
      image: { width: 40, height: 30, isColor: true },
    });
  });
}

test("sizes of every bit length agree with sharp", async () => {
  const shapes = [
    [1, 1],
    [255, 257],
    [1000, 3],
    [3, 4097],
  ] as const;
  for (const [width, height] of shapes) {
    for (const format of ["jpeg", "png", "gif", "webp"] as const) {
      assert.equal(size(await inspect(await paper(width, height).toFormat(format).toBuffer())), `${width}x${height}`);
    }
    assert.equal(
      size(await inspect(await paper(width, height).webp({ lossless: true }).toBuffer())),
      `${width}x${height}`,
    );
  }
});

test("greyscale JPEG and PNG are not in colour", async () => {
  const grey = () => paper(40, 30).toColourspace("b-w");
  for (const bytes of [await grey().jpeg().toBuffer(), await grey().png().toBuffer()]) {
    assert.deepEqual((await inspect(bytes)).image, { width: 40, height: 30, isColor: false });
  }
  const withAlpha = await grey().ensureAlpha(0.5).toColourspace("b-w").png().toBuffer();
  assert.equal((await inspect(withAlpha)).image?.isColor, false);
});

test("a JPEG with many MiB of profiles before the image has a size", async () => {
  const jpeg = await paper(40, 30).jpeg().toBuffer();
  const segment = Buffer.alloc(2 + 65_535, 7);
  segment.writeUInt32BE(0xffe2ffff);
  const big = Buffer.concat([jpeg.subarray(0, 2), ...Array(40).fill(segment), jpeg.subarray(2)]);
  assert.equal(size(await inspect(big)), "40x30");
});

test("fill bytes before a marker are skipped", async () => {
  const jpeg = await paper(40, 30).jpeg().toBuffer();
  const filled = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(9, 0xff), jpeg.subarray(2)]);
  assert.equal(size(await inspect(filled)), "40x30");
});

test("an animated PNG is distinguished from a still one", async () => {
  const png = await paper(40, 30).png().toBuffer();
  const animated = Buffer.concat([png.subarray(0, 33), pngChunk("acTL", Buffer.alloc(8, 1)), png.subarray(33)]);
  const inspection = await inspect(animated);
  assert.equal(inspection.signature, "image/apng");
  assert.equal(size(inspection), "40x30");
});

test("an icon has the size of its largest picture", async () => {
  const entry = (width: number, height: number) => Buffer.from([width, height, ...Array(14).fill(0)]);
  const icon = Buffer.concat([Buffer.from([0, 0, 1, 0, 3, 0]), entry(16, 16), entry(0, 0), entry(48, 32)]);
  const inspection = await inspect(icon);
  assert.equal(inspection.signature, "image/x-icon");
  assert.equal(size(inspection), "256x256");
});

test("a tiled HEIC has the size of its primary item, before crop and rotation", async () => {
  const inspection = await inspect(heic());
  assert.equal(inspection.signature, "image/heic");
  assert.equal(size(inspection), "4032x3024");
});

const texts: [name: string, text: string][] = [
  ["a BMP", "BMW drives"],
  ["a program", "MZ is the mark of an exe"],
  ["an MP3", "ID3 tags are found in front of a song"],
  ["a bzip2", "BZh begins a bzip2"],
  ["a Flash film", "CWS, FWS: films"],
  ["another Flash film", "FWS is a name"],
  ["a GIF", "GIF files have a palette"],
  ["PostScript", "%!TEX root = main.tex"],
  ["an ARJ", "`가` is a letter"],
  ["a Musepack", "MP+ or not"],
  ["an AIFF", "FORM 10-K of a company"],
  ["a FLIF", "FLIF is a format"],
  ["an APE", "MAC addresses, in a list"],
  ["a database", "SQLite is a library"],
  ["a Parquet", "PARENTS and children"],
  ["an STL", "solid gold"],
  ["a DWG", "AC1015 is what R2000 writes"],
  ["a DRACO", "DRACO was a lawgiver"],
  ["a cpio", "070707 is a number"],
  ["a QuickTime film", "The wide road"],
  ["an MP4", "the ftyp box comes first"],
  ["a WAV", "RIFF, a WAVE has one"],
  ["an AVI", "RIFF or AVI"],
  ["an Ogg", "OggS is the capture pattern that begins each page of a stream"],
  ["a MIDI", "MThd is a chunk"],
  ["a ZIP lookalike", "PK are two letters"],
  ["an LZH", "is -lh5- or not? no"],
  ["a transport stream", `G${"-".repeat(187)}G${"-".repeat(20)}`],
  ["a DICOM", `${"-".repeat(128)}DICM`],
  ["an ICC profile", `${"-".repeat(36)}acsp`],
  ["XML", '<?xml version="1.0"?><a/>'],
  ["captions", "WEBVTT\n\n"],
  ["a calendar", "BEGIN:VCALENDAR"],
  ["nothing", ""],
  ["a byte order mark", "\ufeffText"],
];
for (const [name, text] of texts) {
  test(`a text that begins like ${name} is detected as text`, async () => {
    const inspection = await inspect(text);
    assert.ok(inspection.isText, inspection.signature);
    assert.equal(acceptedType("a.txt", inspection, standardExtensions), "text/plain", inspection.signature);
    assert.equal(acceptedType("a.md", inspection, standardExtensions), "text/markdown");
    assert.equal(inspection.image, undefined);
  });
}

const notTexts: [name: string, bytes: () => Uint8Array | string | Promise<Buffer>][] = [
  ["a PNG", () => paper(4, 4).png().toBuffer()],
  ["a PDF", () => "%PDF-1.7\n%%EOF\n"],
  ["a GIF with a script", () => "GIF89a=1;/*<script>alert(1)</script>*/"],
  ["PostScript", () => "%!PS-Adobe-3.0\nshowpage\n"],
  ["rich text", () => "{\\rtf1 hello}"],
  ["a ZIP", () => zip({ "a.txt": "hello" })],
  ["a bitmap", () => bitmap(4, 4)],
  ["a NUL", () => "a\0b"],
  ["a NUL far from the start", () => `${"a".repeat(400_000)}\0`],
  ["Latin-1", () => Buffer.from("Grüße", "latin1")],
  ["UTF-16", () => Buffer.from("\ufeffhello", "utf16le")],
  ["an overlong slash", () => Buffer.from([0x61, 0xc0, 0xaf])],
  ["a lone surrogate", () => Buffer.from([0x61, 0xed, 0xa0, 0x80])],
  ["an incomplete character at the end", () => Buffer.from("aä").subarray(0, 2)],
];
for (const [name, bytes] of notTexts) {
  test(`${name} is not detected as text`, async () => {
    const inspection = await inspect(await bytes());
    for (const file of ["a.txt", "a.md", "a.csv", "a.json", "a.svg"]) {
      assert.throws(() => acceptedType(file, inspection, standardExtensions), { code: "file_type_refused" });
    }
  });
}

test("characters across chunk boundaries are decoded", async () => {
  for (const shift of [0, 1, 2, 3]) {
    assert.ok((await inspect(`${"x".repeat(128 * 1024 - shift)}😀${"ä".repeat(100_000)}`)).isText);
  }
});

test("JSON is parsed to its end", async () => {
  const long = JSON.stringify({ a: "ä".repeat(300_000), b: [1, true, null] });
  assert.deepEqual((await inspect(long)).parsesAs, ["json"]);
  assert.deepEqual((await inspect('["a free"]')).parsesAs, ["json"]);
  for (const text of [long.slice(0, -1), `${long},`, "\ufeff{}", "", "[".repeat(1001) + "]".repeat(1001)]) {
    const inspection = await inspect(text);
    assert.ok(inspection.isText);
    assert.deepEqual(inspection.parsesAs, []);
  }
});

const illustrator = `<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.0//EN" "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd" [
  <!ENTITY ns_svg "http://www.w3.org/2000/svg">
  <!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">
]>
<svg xmlns="&ns_svg;" xmlns:i="&ns_ai;" width="612" height="792"><g i:layer="yes">&ns_ai;</g></svg>`;
const laughs = `<!DOCTYPE svg [<!ENTITY a0 "ha">${Array.from(
  { length: 30 },
  (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`,
).join("")}]><svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"><text x="&a30;">&a30;</text></svg>`;
const svgs: [name: string, svg: string, size: string][] = [
  ["a size in pixels", '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30px"/>', "40x30"],
  ["a size in inches and points", '<svg width="1in" height="72pt"/>', "96x96"],
  ["a size in centimetres and picas", '<svg width="2.54cm" height="1pc"/>', "96x16"],
  ["a size in millimetres", '<svg width="210mm" height="297mm"/>', "794x1123"],
  ["a size in quarter millimetres", '<svg width="400Q" height="40q"/>', "378x38"],
  ["a size in ems of browsers' text", '<svg width="1em" height="2rem" viewBox="0 0 24 24"/>', "16x32"],
  ["a size in ems of its own text", '<svg width="10em" height="5em" font-size="15pt"/>', "200x100"],
  ["a size in ems of a text set by a style", '<svg width="9em" viewBox="0 0 4 3" style="font: 9px x"/>', "4x3"],
  ["a unit behind a space, which is none", '<svg width="50mm" height="50 mm" viewBox="0 0 4 2"/>', "189x94"],
  ["a view box", '<svg viewBox="0 0 40.4 29.5"/>', "40x30"],
  ["a view box with commas", '<svg viewBox="-10,-10, 40,30" width="100%" height="100%"/>', "40x30"],
  ["a size beside a view box", '<svg viewBox="0 0 1 1" width="40" height="30"/>', "40x30"],
  ["only a width, and a view box", '<svg viewBox="0 0 40 30" width="400"/>', "400x300"],
  ["a width, a relative height, and a view box", '<svg viewBox="0 0 40 30" width="1in" height="100%"/>', "96x72"],
  ["only a height, and a view box", '<svg viewBox="-5 -5 40 30" height="300px"/>', "400x300"],
  ["only a width, and a negative view box", '<svg viewBox="0 0 -4 -3" width="400"/>', "none"],
  ["only a width", '<svg width="400"/>', "none"],
  ["no size", "<svg/>", "none"],
  ["an empty size", '<svg width="0" height="30"/>', "none"],
  ["an infinite size", '<svg width="1e300" height="1e300"/>', "none"],
  ["a negative view box", '<svg viewBox="0 0 -4 -3"/>', "none"],
  ["a prefix", '<s:svg xmlns:s="http://www.w3.org/2000/svg" width="4" height="3"/>', "4x3"],
  ["a byte order mark and a declaration", '\ufeff<?xml version="1.0"?>\n<!-- x --><svg width="4" height="3"/>', "4x3"],
  ["internal entities, as Illustrator writes", illustrator, "612x792"],
  ["entities that expand beyond the memory", laughs, "5x5"],
  ["a script, which the reply's policy blocks", '<svg width="4" height="3"><script>alert(1)</script></svg>', "4x3"],
];
for (const [name, svg, expected] of svgs) {
  test(`an SVG with ${name} is an SVG`, async () => {
    const inspection = await inspect(svg);
    assert.deepEqual(inspection.parsesAs, ["svg"]);
    assert.equal(size(inspection), expected);
    assert.equal(acceptedType("a.svg", inspection, standardExtensions), "image/svg+xml");
  });
}

const nested = (depth: number) => "<svg>".repeat(depth) + "</svg>".repeat(depth);
const withAttributes = (count: number) => `<svg ${Array.from({ length: count }, (_, i) => `a${i}=""`).join(" ")}/>`;
test("an SVG is 256 elements deep at most, of any number, each of 10,000 attributes at most", async () => {
  const many = `<svg>${"<g/>".repeat(300)}</svg>`;
  for (const svg of [nested(256), many, withAttributes(10_000)])
    assert.deepEqual((await inspect(svg)).parsesAs, ["svg"]);
});

const notSvgs = [
  ...[
    "<html><svg/></html>",
    "<!DOCTYPE html><html></html>",
    "<svg>",
    "<svg></g>",
    "<svg/><svg/>",
    "<svg/>x",
    "x<svg/>",
  ],
  ...['<svg xmlns="http://www.w3.org/1999/xhtml"/>', "<svg a=1/>", '<svg a="1" a="2"/>', "<svg>&nbsp;</svg>", "<SVG/>"],
  ...['<svg><a x:href="y"/></svg>', "<svg><br></svg>", nested(257), "<svg>\u0001</svg>"],
  ...["&a;", "<!DOCTYPE svg [", '<!DOCTYPE svg [<!ENTITY a "<svg/>">]>&a;', "<svg", "<svg><![CDATA[</svg>"],
];
for (const text of notSvgs) {
  test(`${JSON.stringify(text.slice(0, 60))} is not an SVG`, async () => {
    const inspection = await inspect(text);
    assert.ok(inspection.isText);
    assert.deepEqual(inspection.parsesAs, []);
    assert.throws(() => acceptedType("a.svg", inspection, standardExtensions), { code: "file_type_refused" });
  });
}

test("an SVG may contain a large image, but no tag, comment or DOCTYPE of unlimited size", async () => {
  const MiB = 1024 * 1024;
  const holding = (bytes: number) => `<svg><image href="data:,${"x".repeat(bytes)}"/></svg>`;
  assert.deepEqual((await inspect(holding(4 * MiB))).parsesAs, ["svg"]);
  const boundless = [
    holding(33 * MiB),
    `<svg><!--${"x".repeat(33 * MiB)}--></svg>`,
    `<!DOCTYPE svg [${" ".repeat(2 * MiB)}]><svg/>`,
    withAttributes(10_001),
  ];
  for (const svg of boundless) assert.deepEqual((await inspect(svg)).parsesAs, []);
});

const office = (main: string) =>
  zip({
    "[Content_Types].xml": `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.${main}.main+xml"/></Types>`,
    "word/document.xml": "<w/>",
  });
const containers: [file: string, bytes: Buffer, type: string][] = [
  ["a.zip", zip({ "a.txt": "hello" }), "application/zip"],
  [
    "a.docx",
    office("wordprocessingml.document"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  ["a.xlsx", office("spreadsheetml.sheet"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  [
    "a.zip",
    office("presentationml.presentation"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ],
  ["a.epub", zip({ mimetype: "application/epub+zip" }), "application/epub+zip"],
  ["a.tgz", gzipSync("anything"), "application/gzip"],
  ["a.doc", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)]), "application/msword"],
  ["a.mp3", Buffer.from("ID3\x04\0\0\0\0\0\x7fxx", "latin1"), "audio/mpeg"],
  ["a.mp4", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isomiso2", "latin1"), "video/mp4"],
  ["a.m4a", Buffer.from("\0\0\0\x18ftypM4A \0\0\0\0isomiso2", "latin1"), "audio/x-m4a"],
  ["a.wav", Buffer.from("RIFF\x24\0\0\0WAVEfmt \0\0\0\0", "latin1"), "audio/wav"],
  ["a.webm", Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"), "video/webm"],
];
for (const [file, bytes, type] of containers) {
  test(`${file} with the bytes of ${type} is inspected`, async () => {
    const inspection = await inspect(bytes);
    assert.equal(acceptedType(file, inspection, standardExtensions), type);
    assert.throws(() => acceptedType("a.jpg", inspection, standardExtensions), { code: "file_type_refused" });
  });
}

test("a hostile ZIP is only a ZIP", async () => {
  const bomb = zip({ "[Content_Types].xml": "<".repeat(30 * 1024 * 1024) });
  const crowd = zip(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`n${i}`, ""])));
  const endless = Buffer.from(crowd);
  endless.writeUInt32LE(0xffffffff, 18);
  for (const bytes of [bomb, crowd, endless, crowd.subarray(0, 31), Buffer.from("PK\x03\x04")]) {
    assert.deepEqual(await inspect(bytes), {
      signature: "application/zip",
      isText: false,
      parsesAs: [],
      image: undefined,
    });
  }
});

test("a header truncated anywhere gives no size or the right one", async () => {
  const samples = [...(await Promise.all(pictures.map(([, , bytes]) => bytes()))), heic()];
  for (const whole of samples) {
    const expected = size(await inspect(whole));
    for (let length = 0; length < Math.min(whole.length, 700); length += length < 64 ? 1 : 13) {
      const found = size(await inspect(whole.subarray(0, length)));
      assert.ok(found === "none" || found === expected, `${found} of ${length} bytes`);
    }
  }
});

test("damaged headers give no size or positive integers", async () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed % below;
  };
  const samples = [...(await Promise.all(pictures.map(([, , bytes]) => bytes()))), heic()];
  for (let round = 0; round < 600; round++) {
    const bytes = Buffer.from(samples[random(samples.length)] as Buffer);
    const start = random(2) * 12;
    for (let hits = 1 + random(12); hits > 0; hits--) {
      bytes[start + random(Math.min(bytes.length, 400) - start)] = [0, 0xff, 0x7f, random(256)][random(4)] as number;
    }
    const { image } = await inspect(bytes);
    for (const side of image ? [image.width, image.height] : []) assert.ok(Number.isSafeInteger(side) && side > 0);
  }
});

test("a missing file is an error, not an unknown type", async () => {
  await assert.rejects(inspectFile(join(folder, "missing")), { code: "ENOENT" });
});

/** 24 bits per pixel; a negative height means rows from top to bottom. */
function bitmap(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(54 + width * Math.abs(height) * 4);
  bytes.write("BM");
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  return bytes;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function box(type: string, ...parts: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4);
  return Buffer.concat([head, body]);
}

/** The boxes of a phone's photograph: item 1 is a tile, item 49 the whole, rotated and cropped. Without pixels. */
function heic(): Buffer {
  const ispe = (width: number, height: number) => {
    const size = Buffer.alloc(12);
    size.writeUInt32BE(width, 4);
    size.writeUInt32BE(height, 8);
    return box("ispe", size);
  };
  const ipco = box("ipco", ispe(512, 512), ispe(4032, 3024), box("irot", [1]), box("clap", Buffer.alloc(32, 1)));
  const ipma = box("ipma", [0, 0, 0, 0], [0, 0, 0, 2], [0, 1, 1, 0x81], [0, 49, 3, 2, 0x83, 0x84]);
  const pitm = box("pitm", [0, 0, 0, 0, 0, 49]);
  const hdlr = box("hdlr", Buffer.alloc(24));
  const meta = box("meta", [0, 0, 0, 0], hdlr, pitm, box("iprp", ipco, ipma));
  return Buffer.concat([box("ftyp", Buffer.from("heic\0\0\0\0mif1heic")), meta, box("mdat", Buffer.alloc(32))]);
}

/** A ZIP of deflated files without the central directory, which no signature needs. */
function zip(files: Record<string, string>): Buffer {
  return Buffer.concat(
    Object.entries(files).flatMap(([name, text]) => {
      const [data, head] = [deflateRawSync(text), Buffer.alloc(30)];
      head.writeUInt32LE(0x04034b50);
      head.writeUInt16LE(20, 4);
      head.writeUInt16LE(8, 8);
      head.writeUInt32LE(crc32(text), 14);
      head.writeUInt32LE(data.length, 18);
      head.writeUInt32LE(Buffer.byteLength(text), 22);
      head.writeUInt16LE(Buffer.byteLength(name), 26);
      return [head, Buffer.from(name), data];
    }),
  );
}
