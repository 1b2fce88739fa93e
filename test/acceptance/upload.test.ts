/** The bytes of files, GET and HEAD /project/uploads/<path>. Contract §5; RFC 9110 §8.8, §13, §14. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { random } from "../random.ts";
import type { Call, Reply } from "./client.ts";
import {
  avif,
  docx,
  enterMedia,
  file,
  gif,
  ico,
  jpeg,
  m4a,
  mp3,
  mp4,
  oggSound,
  pdf,
  plantFile,
  png,
  svg,
  tgz,
  urlOf,
  Wire,
  wav,
  webm,
  webp,
  zip,
} from "./media.ts";
import { allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, sleep, tagOf } from "./world.ts";

const world = await enterMedia("upload");
const base = new URL(world.url);

type Headers = Record<string, string>;
const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
const addressOf = (path: string): string => `/${encoded(urlOf(world, path))}`;
const get = (path: string, headers: Headers = {}, more: Partial<Call> = {}): Promise<Reply> =>
  world.send({ path: addressOf(path), headers, ...more });
const head = (path: string, headers: Headers = {}): Promise<Reply> => get(path, headers, { method: "HEAD" });
const move = (from: string, to: string): Promise<Reply> =>
  world.write("PUT", { path: world.id(from), new_path: world.id(to) }, "/api/files");
const remove = async (path: string): Promise<void> => {
  assert.equal((await world.write("DELETE", { path: world.id(path) }, "/api/files")).status, 204);
};

/** Lines that all differ, so that bytes from a wrong offset are detected. */
const lines = (bytes: number): Buffer =>
  Buffer.from(Array.from({ length: bytes / 8 }, (_, n) => `${String(n).padStart(7, "0")}\n`).join(""));
const large = lines(300 * 1024);
const size = large.length;
await plantFile(world, "large.txt", { bytes: large });
await plantFile(world, "small.txt", { bytes: "01234567890" });
await plantFile(world, "empty.txt", { bytes: "" });
const uploadedOn: number = (await file(world, "large.txt")).uploaded_on;

// ---------------------------------------------------------------------------------------------- complete replies

describe("a file is served", () => {
  test("byte for byte, without a token, with caching headers", async () => {
    const reply = await get("large.txt");
    assert.equal(reply.status, 200);
    assert.ok(reply.bytes.equals(large));
    tagOf(reply);
    const { headers } = reply;
    assert.equal(headers["content-type"]?.toLowerCase(), "text/plain; charset=utf-8");
    assert.equal(headers["content-length"], String(size));
    assert.equal(headers["accept-ranges"], "bytes");
    assert.equal(headers["cache-control"], "public, max-age=0, must-revalidate");
    assert.equal(headers["last-modified"], new Date(uploadedOn * 1000).toUTCString());
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["content-encoding"], undefined);
    assert.equal(headers["content-range"], undefined);
    assert.equal(headers["set-cookie"], undefined);
    assert.match(headers["content-disposition"] ?? "", /^inline(;|$)/);
    const object = await file(world, "large.txt");
    assert.equal(object.full_url, `${world.url}/${object.url}`);
    assert.equal((await fetch(object.full_url)).status, 200);
  });

  test("with any token, an invalid one or unknown arguments", async () => {
    const headers: Headers[] = [
      { authorization: "Bearer wrong" },
      { authorization: "Basic eDp5" },
      { accept: "image/png" },
    ];
    const queries: Partial<Call>[] = [{ query: { token: world.tokens.images } }, { query: "token=wrong&w=100&q=1" }];
    const same: Partial<Call>[] = [...queries, ...headers.map((one) => ({ headers: one }))];
    for (const more of same) {
      const reply = await world.send({ path: addressOf("small.txt"), ...more });
      assert.equal(reply.status, 200, JSON.stringify(more));
      assert.equal(reply.text, "01234567890");
    }
  });

  test("even if it is empty", async () => {
    const reply = await get("empty.txt");
    assert.equal(reply.status, 200);
    assert.equal(reply.bytes.length, 0);
    assert.equal(reply.headers["content-length"], "0");
    assert.equal((await get("empty.txt", { "if-none-match": tagOf(reply) })).status, 304);
  });

  test("never compressed, whatever the client accepts", async () => {
    const tag = tagOf(await get("large.txt"));
    for (const accepted of ["gzip, br, deflate, zstd", "*", "br;q=1, identity;q=0.1"]) {
      const reply = await get("large.txt", { "accept-encoding": accepted });
      assert.equal(reply.status, 200, accepted);
      assert.equal(reply.headers["content-encoding"], undefined, accepted);
      assert.equal(reply.headers["content-length"], String(size));
      assert.equal(tagOf(reply), tag);
      assert.ok(reply.bytes.equals(large));
    }
  });

  test("over connections that are opened for one reply and by HTTP/1.0 clients", async () => {
    for (const request of [
      `GET ${addressOf("large.txt")} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: close\r\n\r\n`,
      `GET ${addressOf("large.txt")} HTTP/1.0\r\nHost: ${base.host}\r\n\r\n`,
    ]) {
      const wire = new Wire(world.url);
      await wire.write(request);
      const reply = await wire.reply();
      assert.equal(reply.status, 200);
      assert.ok(reply.bytes.equals(large));
      assert.ok(await wire.closed());
    }
  });
});

// ---------------------------------------------------------------------------------------------- types

type Kind = { name: string; bytes: Uint8Array | string; type: RegExp; shown?: "attachment" };
const kinds: Kind[] = [
  { name: "a.png", bytes: png(), type: /^image\/png$/ },
  { name: "a.jpg", bytes: jpeg(), type: /^image\/jpeg$/ },
  { name: "a.gif", bytes: gif(), type: /^image\/gif$/ },
  { name: "a.webp", bytes: webp(), type: /^image\/webp$/ },
  { name: "a.avif", bytes: avif(), type: /^image\/avif$/ },
  { name: "a.ico", bytes: ico(), type: /^image\/(x-icon|vnd\.microsoft\.icon)$/ },
  { name: "wrong.jpg", bytes: png({ shade: 3 }), type: /^image\/png$/ },
  { name: "a.svg", bytes: svg(), type: /^image\/svg\+xml(; charset=utf-8)?$/i },
  { name: "a.txt", bytes: "grün", type: /^text\/plain; charset=utf-8$/i },
  { name: "a.csv", bytes: "a,b\n1,2\n", type: /^text\/csv; charset=utf-8$/i },
  { name: "a.pdf", bytes: pdf(), type: /^application\/pdf$/ },
  { name: "a.mp3", bytes: mp3(), type: /^audio\/mpeg$/ },
  { name: "a.wav", bytes: wav(), type: /^audio\/(x-)?(wav|wave|vnd\.wave)$/ },
  { name: "a.m4a", bytes: m4a(), type: /^audio\/(x-m4a|mp4|m4a)$/ },
  { name: "a.ogg", bytes: oggSound(), type: /^audio\/ogg$/ },
  { name: "a.mp4", bytes: mp4(), type: /^video\/mp4$/ },
  { name: "a.webm", bytes: webm(), type: /^video\/webm$/ },
  { name: "a.md", bytes: "# grün\n", type: /^text\/markdown; charset=utf-8$/i, shown: "attachment" },
  { name: "a.json", bytes: '{"a":1}', type: /^application\/json(; charset=utf-8)?$/i, shown: "attachment" },
  { name: "a.zip", bytes: zip(), type: /^application\/zip$/, shown: "attachment" },
  { name: "a.tgz", bytes: tgz(), type: /^application\/(x-)?gzip$/, shown: "attachment" },
  { name: "a.docx", bytes: docx(), type: /^application\/vnd\.openxmlformats-[\w.-]+document$/, shown: "attachment" },
];

describe("each type is served under its media type", () => {
  test("with its headers", async () => {
    for (const { name, bytes, type, shown } of kinds) {
      const object = await plantFile(world, `kinds/${name}`, { bytes });
      const { status, headers, bytes: served } = await get(`kinds/${name}`);
      assert.equal(status, 200, name);
      assert.ok(served.equals(Buffer.from(bytes as string)), name);
      assert.match(headers["content-type"] ?? "", type);
      assert.equal(headers["content-type"]?.split(";")[0], object.type, "the type of the file object");
      assert.equal(headers["x-content-type-options"], "nosniff");
      const disposition = headers["content-disposition"] ?? "";
      assert.match(disposition, shown ? /^attachment; / : /^inline(;|$)/, name);
      if (shown) assert.ok(disposition.includes(name));
    }
  });

  test("an SVG runs and loads nothing, in every reply", async () => {
    const bytes = svg('<script>alert(1)</script><rect width="4" height="3"/>');
    await plantFile(world, "kinds/script.svg", { bytes });
    const tag = tagOf(await get("kinds/script.svg"));
    const forms: [Headers, string, number][] = [
      [{}, "GET", 200],
      [{}, "HEAD", 200],
      [{ range: "bytes=0-9" }, "GET", 206],
      [{ "if-none-match": tag }, "GET", 304],
    ];
    for (const [headers, method, status] of forms) {
      const reply = await get("kinds/script.svg", headers, { method });
      assert.equal(reply.status, status);
      const policy = reply.headers["content-security-policy"];
      assert.equal(policy, "sandbox; default-src 'none'; style-src 'unsafe-inline'");
      assert.equal(reply.headers["x-content-type-options"], "nosniff");
    }
  });

  test("a name with special characters is quoted and encoded, RFC 6266", async () => {
    const names = ['say "hi".zip', "grün café 照片.zip", "100%.zip", "a;b=c.zip", "it's.zip", "a\u2028b.zip"];
    for (const [n, name] of names.entries()) {
      await plantFile(world, `names/n${n}.zip`, { bytes: zip() });
      dataOf(await move(`names/n${n}.zip`, `names/${name}`));
      const disposition = (await get(`names/${name}`)).headers["content-disposition"] ?? "";
      assert.match(disposition, /^attachment; filename/, name);
      assert.match(disposition, /^[\x20-\x7e]+$/, name);
      const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
      const quoted = /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, "$1");
      assert.equal(extended === undefined ? quoted : decodeURIComponent(extended), name, disposition);
      if (extended !== undefined) assert.match(extended, /^[\w!#$&+.^`|~%-]+$/, "RFC 8187 value characters");
    }
  });
});

// ---------------------------------------------------------------------------------------------- validators

describe("the validators", () => {
  test("the tag changes exactly with the bytes", async () => {
    await plantFile(world, "tag.txt", { bytes: "one" });
    const tags = new Set<string>();
    for (const bytes of ["one", "two", "three"]) {
      await plantFile(world, "tag.txt", { bytes });
      const tag = tagOf(await get("tag.txt"));
      assert.equal(tagOf(await get("tag.txt")), tag);
      assert.equal(tagOf(await head("tag.txt")), tag);
      tags.add(tag);
    }
    assert.equal(tags.size, 3);
    dataOf(await world.write("POST", { path: world.id("tag.txt"), field: "f", value: "a" }, "/api/files/meta"));
    assert.ok(tags.has(tagOf(await get("tag.txt"))), "a meta field does not change it");
  });

  test("revalidation after a replacement gives the new bytes", async () => {
    await plantFile(world, "cached.txt", { bytes: "old" });
    const old = await get("cached.txt");
    await plantFile(world, "cached.txt", { bytes: "new" });
    const checked = await get("cached.txt", { "if-none-match": tagOf(old) });
    assert.equal(checked.status, 200);
    assert.equal(checked.text, "new");
    const resumed = await get("cached.txt", { range: "bytes=1-", "if-range": tagOf(old) });
    assert.equal(resumed.status, 200, "the rest of the new bytes is not appended to the start of the old ones");
    assert.equal(resumed.text, "new");
    const both = { "if-none-match": tagOf(old), "if-modified-since": old.headers["last-modified"] as string };
    assert.equal((await get("cached.txt", both)).text, "new", "also within the same second");
  });
});

describe("?v=", () => {
  const forever = "public, max-age=31536000, immutable";
  const checked = "public, max-age=0, must-revalidate";
  const cacheOf = async (path: string, query: string, headers: Headers = {}) =>
    (await get(path, headers, { query })).headers["cache-control"];

  test("the file's version may be cached forever, anything else is revalidated", async () => {
    const { version } = await plantFile(world, "v.txt", { bytes: "version one" });
    assert.match(version, /^[0-9a-f]{16}$/);
    assert.equal(await cacheOf("v.txt", `v=${version}`), forever);
    assert.equal(await cacheOf("v.txt", `a=b&v=${version}`), forever);
    for (const v of ["", "1", version.slice(1), `${version}0`, version.toUpperCase().replace(/^\d+$/, "x")]) {
      if (v !== version) assert.equal(await cacheOf("v.txt", `v=${v}`), checked, v);
    }
    const tag = tagOf(await get("v.txt"));
    assert.equal(await cacheOf("v.txt", `v=${version}`, { "if-none-match": tag }), forever, "on 304");
    assert.equal(await cacheOf("v.txt", `v=${version}`, { range: "bytes=0-1" }), forever, "on 206");
  });

  test("the version of replaced bytes is not cached forever", async () => {
    const { version } = await file(world, "v.txt");
    const { version: next } = await plantFile(world, "v.txt", { bytes: "version two" });
    const reply = await get("v.txt", {}, { query: `v=${version}` });
    assert.equal(reply.text, "version two");
    assert.equal(reply.headers["cache-control"], checked);
    assert.equal(await cacheOf("v.txt", `v=${next}`), forever);
  });

  test("malformed values never cause a 500", async () => {
    for (const query of ["v", "v=&v=", "v[]=a", "v[a]=b", "v=%zz", "v=%00", "v=%ff", "&&&", "=", "__proto__=1"]) {
      const reply = await get("small.txt", {}, { query });
      if (reply.status === 200) assert.equal(reply.headers["cache-control"], checked, query);
      else refused(reply, 400);
    }
  });

  test("an error is never cacheable", async () => {
    const failed = [get("never.txt", {}, { query: "v=0123456789abcdef" }), get("small.txt", { range: "bytes=99-" })];
    for (const { status, headers } of await Promise.all(failed)) {
      assert.ok(status >= 400);
      assert.deepEqual([headers["cache-control"], headers["last-modified"]], ["no-store", undefined]);
    }
  });
});

// ---------------------------------------------------------------------------------------------- conditions

const tag = tagOf(await get("large.txt"));
const modified = uploadedOn * 1000;
const httpDate = (shiftSeconds: number): string => new Date(modified + shiftSeconds * 1000).toUTCString();
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
function obsolete(shiftSeconds: number): { rfc850: string; asctime: string } {
  const [day = "", date = "", month = "", year = "", time = ""] = httpDate(shiftSeconds).split(" ");
  const weekday = days[new Date(modified + shiftSeconds * 1000).getUTCDay()] as string;
  return {
    rfc850: `${weekday}, ${date}-${month}-${year.slice(2)} ${time} GMT`,
    asctime: `${day.slice(0, 3)} ${month} ${date.replace(/^0/, " ")} ${time} ${year}`,
  };
}
const exact = httpDate(0);
const none = '"none-of-them"';

const tagged = (text: string): string => text.replaceAll("TAG", tag);
const iso = new Date(modified + 60_000).toISOString();
const dateOf = obsolete(0);
const earlier = obsolete(-1);
/** A status, then values of one header that give it. */
const byHeader: [header: string, status: number | number[], values: string[]][] = [
  // RFC 9110 §13.1.2: compared weakly.
  ["if-none-match", 304, ["TAG", "W/TAG", "*", '"a", TAG, "b"', '"a",TAG,"b"', '"a, b" , W/"c",TAG'].map(tagged)],
  ["if-none-match", [304, 200], [`, ,${tag},`]],
  ["if-none-match", 200, [none, `${none}, "b"`, '"*"', "", tag.slice(1, -1), tag.slice(0, -1)]],
  ["if-none-match", 200, [`"${tag.slice(1, -1)}0"`, `"x${tag.slice(1, -1)}"`]],
  // §13.1.3: ignored unless it is an HTTP-date.
  ["if-modified-since", 304, [exact, httpDate(1), dateOf.rfc850, dateOf.asctime]],
  ["if-modified-since", [304, 200], [httpDate(365 * 86_400), "Tue, 31 Feb 2998 10:00:00 GMT"]],
  ["if-modified-since", 200, [httpDate(-1), earlier.rfc850, earlier.asctime, "Thu, 01 Jan 1970 00:00:00 GMT"]],
  ["if-modified-since", 200, ["Wed, 31 Dec 1969 23:59:59 GMT", iso, String(uploadedOn + 60), "2999", "yesterday", ""]],
  // §13.1.1.
  ["if-match", 200, [tag, "*", `"a", ${tag}`]],
  ["if-match", 412, [none, `${none}, "b"`]],
  ["if-match", [412, 200], [`W/${tag}`]],
  // §13.1.4.
  ["if-unmodified-since", 200, [exact, httpDate(3600), "yesterday", "1999-01-01T00:00:00Z"]],
  ["if-unmodified-since", 412, [httpDate(-1), earlier.rfc850]],
];
/** Precedence, §13.2.2. */
const together: [headers: Headers, status: number][] = [
  [{ "if-none-match": none, "if-modified-since": httpDate(60) }, 200],
  [{ "if-none-match": tag, "if-modified-since": httpDate(-60) }, 304],
  [{ "if-match": tag, "if-unmodified-since": httpDate(-60) }, 200],
  [{ "if-match": none, "if-unmodified-since": exact }, 412],
  [{ "if-match": none, "if-none-match": tag }, 412],
  [{ "if-match": tag, "if-none-match": tag }, 304],
  [{ "if-unmodified-since": httpDate(-1), "if-none-match": tag }, 412],
  [{ "if-unmodified-since": exact, "if-none-match": tag }, 304],
];

describe("conditions", () => {
  async function check(headers: Headers, expected: number | number[]): Promise<void> {
    for (const method of ["GET", "HEAD"]) {
      const reply = await get("large.txt", headers, { method });
      assert.ok([expected].flat().includes(reply.status), `${method} ${JSON.stringify(headers)}: ${reply.status}`);
      if (reply.status === 200 && method === "GET") assert.ok(reply.bytes.equals(large));
      if (reply.status === 304 || method === "HEAD") assert.equal(reply.bytes.length, 0);
      if (reply.status === 412) refused(reply, 412, "precondition_failed");
      else assert.equal(tagOf(reply), tag);
      if (reply.status === 200) assert.equal(reply.headers["content-length"], String(size));
    }
  }
  for (const header of new Set(byHeader.map(([name]) => name))) {
    test(header, async () => {
      for (const [name, status, values] of byHeader)
        for (const value of values) if (name === header) await check({ [name]: value }, status);
    });
  }
  test("several of them", async () => {
    for (const [headers, status] of together) await check(headers, status);
  });

  test("a 304 has the caching headers", async () => {
    const [full, reply] = [await get("large.txt"), await get("large.txt", { "if-none-match": tag })];
    for (const name of ["etag", "cache-control", "vary", "last-modified"]) {
      if (name !== "last-modified" || reply.headers[name]) assert.equal(reply.headers[name], full.headers[name], name);
    }
    assert.ok([undefined, String(size)].includes(reply.headers["content-length"]));
  });

  test("in two headers of one name, or in a list of a thousand tags, are read together", async () => {
    const wire = new Wire(world.url);
    const two = `If-None-Match: ${none}\r\nIf-None-Match: ${tag}\r\n`;
    await wire.write(`GET ${addressOf("large.txt")} HTTP/1.1\r\nHost: ${base.host}\r\n${two}Connection: close\r\n\r\n`);
    assert.equal((await wire.reply()).status, 304);
    const others = Array.from({ length: 1000 }, (_, n) => `"${n}"`);
    assert.equal((await get("large.txt", { "if-none-match": [...others, tag].join(", ") })).status, 304);
    assert.equal((await get("large.txt", { "if-none-match": others.join(", ") })).status, 200);
    const commas = await get("large.txt", { "if-none-match": `${",".repeat(15_000)}"` });
    assert.equal(commas.status, 200);
  });

  test("have no effect on a missing file", async () => {
    const held: Headers[] = [{ "if-none-match": "*" }, { "if-modified-since": exact }, { range: "bytes=0-1" }];
    for (const headers of held) {
      refused(await get("nothing.txt", headers), 404, "file_not_found");
    }
    refused(await get("nothing.txt", { "if-match": "*" }), [404, 412]);
  });
});

// ---------------------------------------------------------------------------------------------- ranges

const last = size - 1;
/** The expected part of the file: from and to, both included; "whole" is 200, "none" is 416. */
type Part = [number, number] | "whole" | "none";
type Range = [range: string, ...accepted: Part[]];
const far = "9".repeat(30);

const ranges: Range[] = [
  // The rows of Go's TestServeContent and of parseRange, for a file of another length.
  ["bytes=0-4", [0, 4]],
  ["bytes=2-", [2, last]],
  ["bytes=-5", [last - 4, last]],
  ["bytes=0-0", [0, 0]],
  ["bytes=-1", [last, last]],
  [`bytes=0-${last - 1}`, [0, last - 1]],
  [`bytes=5-${size * 10}`, [5, last]],
  [`bytes=${last}-${last}`, [last, last]],
  [`bytes=${last}-`, [last, last]],
  [`bytes=${last}-${size}`, [last, last]],
  [`bytes=7-${far}`, [7, last]],
  ["bytes=00000000000000000000000000003-000000000000000000000000000005", [3, 5]],
  // Across chunk boundaries.
  ["bytes=65535-65536", [65_535, 65_536]],
  ["bytes=1-262143", [1, 262_143]],
  [`bytes=0-2,${size}-`, [0, 2], "whole"],
  [`bytes=${size}-,${size + 5}-`, "none", "whole"],
  [`bytes=${Array.from({ length: 1000 }, (_, n) => `${n}-${n}`).join(",")}`, "whole"],
  [`bytes=${"0-,".repeat(3000)}0-`, "whole"],
];
const add = (texts: string, ...accepted: Part[]) => {
  for (const text of texts.split(" | ")) ranges.push([text, ...accepted]);
};
add(
  `0- | 0-${last} | 0-${size} | -${size} | -${size + 1} | 0-${far} | -${far}`.replaceAll(/(^|\| )/g, "$1bytes="),
  [0, last],
  "whole",
);
add(
  `bytes=${size}- | bytes=${size}-${size + 1} | bytes=${size + 1}- | bytes=${size * 3}-${size * 4} | bytes=-0`,
  "none",
);
// Numbers larger than a machine word.
add(`bytes=${far}- | bytes=${far}-${far} | bytes=9007199254740993- | bytes=4294967296-4294967300`, "none");
// Not a valid range: the complete file, RFC 9110 §14.2.
add(
  "bytes=5-4 | bytes= | bytes | bytes=- | bytes=-- | bytes=--5 | bytes=-5- | bytes=-5-3 | bytes=1-2-3 | bytes=a-b",
  "whole",
);
add(
  "bytes=1-b | bytes=a-1 | bytes=0x01-0x02 | bytes=1.0-2 | bytes=1e0-2 | bytes=+1-2 | bytes=1_0-20 | bytes=7",
  "whole",
);
add("bytes=1–2 | bytes:0-4 | bytes 0-4 | bytes=0-4;q=1 | 0-4 | =0-4 | bytes=, | bytes=,,,", "whole");
// Units other than bytes; several ranges.
add(
  "lines=0-4 | byte=0-4 | bytesx=0-4 | none | bytes=0-0,-1 | bytes=0-1,5-8 | bytes=0-1, 5-8 | bytes=0-9,5-14",
  "whole",
);
add("bytes=0-0,0-0 | bytes=0-,1-,2-,3-,4- | bytes=0-2,5-4 | bytes=5-4,0-2 | bytes=0-2,x", "whole");
// The letter case of the unit and spaces: accepted or ignored.
add("Bytes=0-4 | BYTES=0-4 | bytes= 0-4 | bytes=0 - 4 | bytes =0-4 | bytes=0-4, | bytes=,0-4", [0, 4], "whole");

function checkPart(reply: Reply, accepted: Part[], bytes: Buffer, what = ""): void {
  const said = `${what.slice(0, 60)}: ${reply.status} ${reply.headers["content-range"] ?? ""}`;
  if (reply.status === 416) {
    assert.ok(accepted.includes("none"), said);
    refused(reply, 416, "range_not_satisfiable");
    assert.equal(reply.headers["content-range"], `bytes */${bytes.length}`);
  } else if (reply.status === 200) {
    assert.ok(accepted.includes("whole"), said);
    assert.equal(reply.headers["content-range"], undefined);
    assert.ok(reply.bytes.equals(bytes), "all bytes");
  } else {
    const one = accepted.find((part) => Array.isArray(part));
    assert.ok(reply.status === 206 && one, said);
    const [from, to] = one;
    assert.equal(reply.headers["content-range"], `bytes ${from}-${to}/${bytes.length}`);
    assert.equal(reply.headers["content-length"], String(to - from + 1));
    assert.ok(reply.bytes.equals(bytes.subarray(from, to + 1)), "just those bytes");
  }
}

describe("Range", () => {
  test("each form: a part, the complete file, or 416; on HEAD it is ignored", async () => {
    for (const [range, ...accepted] of ranges) {
      if (!/^[\x20-\x7e]*$/.test(range)) {
        checkPart(await byHand(`Range: ${range}\r\n`), accepted, large, range);
        continue;
      }
      checkPart(await get("large.txt", { range }), accepted, large, range);
      const { status, headers } = await head("large.txt", { range });
      assert.deepEqual([status, headers["content-length"], headers["content-range"]], [200, String(size), undefined]);
    }
  });

  async function byHand(lines: string): Promise<Reply> {
    const wire = new Wire(world.url);
    await wire.write(
      `GET ${addressOf("large.txt")} HTTP/1.1\r\nHost: ${base.host}\r\n${lines}Connection: close\r\n\r\n`,
    );
    return wire.reply();
  }

  test("two headers are one list: answered completely or refused", async () => {
    const reply = await byHand("Range: bytes=0-4\r\nRange: bytes=6-7\r\n");
    if (reply.status === 400) refused(reply, 400);
    else checkPart(reply, ["whole", [0, 4]], large);
  });

  test("a 206 has the headers of the 200", async () => {
    const [full, part] = [await get("large.txt"), await get("large.txt", { range: "bytes=8-15" })];
    const kept = ["etag", "last-modified", "cache-control", "content-type", "vary", "content-disposition"];
    for (const name of [...kept, "x-content-type-options", "accept-ranges"]) {
      assert.equal(part.headers[name], full.headers[name], name);
    }
    assert.equal(part.text, "0000001\n");
  });

  test("of an empty file is never satisfied", async () => {
    for (const range of ["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=1-", `bytes=-${far}`]) {
      checkPart(await get("empty.txt", { range }), ["none"], Buffer.alloc(0));
    }
    checkPart(await get("empty.txt", { range: "bytes=5-4" }), ["whole"], Buffer.alloc(0));
    assert.equal((await head("empty.txt", { range: "bytes=0-" })).status, 200);
  });

  test("every range of a small file", async () => {
    const bytes = Buffer.from("01234567890");
    for (let from = 0; from <= 12; from++) {
      for (let to = 0; to <= 12; to++) {
        const accepted: Part = to < from ? "whole" : from > 10 ? "none" : [from, Math.min(to, 10)];
        const all: Part[] = from === 0 && to >= 10 ? [accepted, "whole"] : [accepted];
        checkPart(await get("small.txt", { range: `bytes=${from}-${to}` }), all, bytes);
      }
    }
  });

  test("no value of the header causes a 500", async () => {
    const alphabet = [...Array.from('0123456789--, ="*/\té'), "bytes", "bytes="];
    const pick = random(12_345);
    for (let n = 0; n < 150; n++) {
      const tail = Array.from({ length: pick(12) }, () => alphabet[pick(alphabet.length)]).join("");
      const reply = await get("small.txt", { range: (n % 3 === 0 ? tail : `bytes=${tail}`).trim() });
      assert.ok([200, 206, 400, 416].includes(reply.status), `${tail}: ${reply.status}`);
      if (reply.status === 206) {
        const [, from, to] = /^bytes (\d+)-(\d+)\/11$/.exec(reply.headers["content-range"] ?? "") ?? [];
        assert.equal(reply.text, "01234567890".slice(Number(from), Number(to) + 1), tail);
      }
    }
  });

  const part: Part = [2, 5];
  const range = "bytes=2-5";
  const conditional: [string, Headers, Part | 304 | 412][] = [
    ["If-Range with the tag", { range, "if-range": tag }, part],
    ["If-Range with another tag", { range, "if-range": none }, "whole"],
    ["If-Range with the tag marked weak", { range, "if-range": `W/${tag}` }, "whole"],
    ["If-Range with the tag in a list", { range, "if-range": `${tag}, "b"` }, "whole"],
    ["If-Range with *", { range, "if-range": "*" }, "whole"],
    ["If-Range with the tag without quotes", { range, "if-range": tag.slice(1, -1) }, "whole"],
    ["If-Range with the date", { range, "if-range": exact }, part],
    ["If-Range with an older date", { range, "if-range": httpDate(-1) }, "whole"],
    ["If-Range with a later date", { range, "if-range": httpDate(1) }, "whole"],
    ["If-Range with 1970", { range, "if-range": "Thu, 01 Jan 1970 00:00:00 GMT" }, "whole"],
    ["If-Range with another tag and a range past the end", { range: `bytes=${size}-`, "if-range": none }, "whole"],
    ["If-Range with the tag and a range past the end", { range: `bytes=${size}-`, "if-range": tag }, "none"],
    ["If-None-Match with the tag", { range, "if-none-match": tag }, 304],
    ["If-None-Match with another tag", { range, "if-none-match": none }, part],
    ["If-Modified-Since with the date", { range, "if-modified-since": exact }, 304],
    ["If-Modified-Since with an older date", { range, "if-modified-since": httpDate(-1) }, part],
    ["If-Match with the tag", { range, "if-match": tag }, part],
    ["If-Match with another tag", { range, "if-match": none }, 412],
    ["If-Unmodified-Since with the date", { range, "if-unmodified-since": exact }, part],
    ["If-Unmodified-Since with an older date", { range, "if-unmodified-since": httpDate(-1) }, 412],
    ["If-None-Match before a range past the end", { range: `bytes=${size}-`, "if-none-match": tag }, 304],
    ["If-Match before a range past the end", { range: `bytes=${size}-`, "if-match": none }, 412],
    ["If-None-Match before If-Range", { range, "if-none-match": tag, "if-range": none }, 304],
    ["If-Match and If-Range", { range, "if-match": tag, "if-range": tag }, part],
    ["all of them hold", { range, "if-match": tag, "if-none-match": none, "if-range": exact }, part],
  ];
  test("with conditions", async () => {
    for (const [name, headers, expected] of conditional) {
      const [reply, onHead] = [await get("large.txt", headers), await head("large.txt", headers)];
      if (typeof expected === "number") {
        assert.deepEqual([reply.status, onHead.status], [expected, expected], name);
        continue;
      }
      checkPart(reply, [expected], large, name);
      assert.equal(onHead.status, 200);
    }
  });
});

// ---------------------------------------------------------------------------------------------- HEAD and other methods

test("HEAD has every header of GET, and no body", async () => {
  const names = ["large.txt", "small.txt", "empty.txt", "kinds/a.svg", "kinds/a.zip", "kinds/a.png", "nothing.txt", ""];
  for (const name of names) {
    const [got, asked] = [await get(name), await head(name)];
    assert.equal(asked.status, got.status, name);
    assert.equal(asked.bytes.length, 0);
    const kept = ({ headers }: Reply) =>
      Object.entries(headers).filter(([header]) => !["date", "x-request-id", "request-id"].includes(header));
    if (got.status === 200) assert.deepEqual(kept(asked), kept(got), name);
  }
});

describe("no other method", () => {
  test("is answered but 405, and Allow names GET and HEAD", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const call of [{}, { json: world.pair }, { body: "x", type: "text/plain" }] as Partial<Call>[]) {
        const reply = await get("small.txt", {}, { method, ...call });
        refused(reply, 405, "method_not_allowed");
        assert.deepEqual((reply.headers.allow ?? "").match(/GET|HEAD|PUT|POST|PATCH|DELETE/g)?.sort(), ["GET", "HEAD"]);
      }
    }
  });

  test("nor is a method override", async () => {
    for (const value of ["DELETE", "PUT", "GET"]) {
      refused(await get("small.txt", { "x-http-method-override": value }, { method: "POST" }), [404, 405]);
    }
    assert.equal((await get("small.txt", { "x-http-method-override": "DELETE" })).text, "01234567890");
  });
});

// ---------------------------------------------------------------------------------------------- names

describe("names", () => {
  test("of every kind are served at their full_url, and with every letter encoded that can be", async () => {
    const odd = "two words|café ñ|照片|😀|100%|100%41|what?|a#b|a+b|a&b=c|a;b:c@d,e|it's (so) [x] {y}!*~$^`<b>";
    const names = [...odd.split("|"), '"q"', "..", "a..b", "..x", " padded ", "é".repeat(120)].map(
      (name) => `${name}.txt`,
    );
    for (const [n, name] of [...names, "UPPER.TXT"].entries()) {
      const bytes = `odd ${n}`;
      await plantFile(world, `plain/n${n}.txt`, { bytes });
      const moved = dataOf(await move(`plain/n${n}.txt`, `odd/${name}`));
      assert.equal(moved.url, urlOf(world, `odd/${name}`));
      const address = moved.full_url.slice(world.url.length);
      assert.match(address, /^\/[\w!$&'()*+,;=:@~./%-]+$/, "only characters that a URL can contain");
      assert.equal(address.split("/").map(decodeURIComponent).join("/"), `/${moved.url}`);
      assert.equal((await world.send({ path: address })).text, bytes, address);
      assert.equal((await get(`odd/${name}`)).text, bytes);
      assert.equal(await (await fetch(moved.full_url)).text(), bytes, "through a client that reads URLs");
    }
  });

  test("composed and decomposed Unicode name one file", async () => {
    for (const name of ["odd/café ñ.txt", "odd/cafe\u0301 n\u0303.txt"]) assert.equal((await get(name)).text, "odd 1");
  });

  test("names are case-sensitive, and a plus is no space", async () => {
    refused(await get("SMALL.txt"), 404, "file_not_found");
    refused(await get("small.TXT"), 404, "file_not_found");
    refused(await world.send({ path: addressOf("odd/two words.txt").replace("%20", "+") }), 404, "file_not_found");
  });

  test("what is below a file, beside it, a folder or the root has no bytes", async () => {
    for (const name of [
      "small.txt/x",
      "small.tx",
      "small.txt.",
      "small.txt.txt",
      "small",
      "small.txt ",
      "~small.txt",
      "kinds",
    ])
      refused(await get(name), 404, "file_not_found");
    for (const path of [addressOf(""), `${addressOf("kinds")}/`, "/project/uploads", "/project/uploads/"])
      refused(await world.send({ path }), 404);
    for (const path of "/project /project/ /project/config /project/uploadsx/a.txt /project/Uploads/a.txt".split(" "))
      refused(await world.send({ path }), 404, "route_not_found");
  });

  test("overlong URLs are refused", async () => {
    for (const path of ["a".repeat(300), "a/".repeat(40), "a".repeat(2000), "é".repeat(200), "a".repeat(20_000)]) {
      refused(await world.send({ path: `/project/uploads/${encoded(path)}` }), [400, 404, 414, 431]);
    }
  });
});

// ---------------------------------------------------------------------------------------------- traversal

describe("a URL outside the uploads never answers bytes", () => {
  const here = addressOf("").replace(/\/$/, "");
  // Each spelling by itself: test/http/encoded-path.
  const climbs =
    "../ %2e%2e/ %2E%2E/ .%2e/ ..%2f %2e%2e%2F ..%5c ..\\ %2e%2e%5C %252e%252e/ ..%252f %252e%252e%252f %25252e%25252e%25252f %c0%ae%c0%ae/ ..%c0%af %e0%80%ae%e0%80%ae/ %uff0e%uff0e/ ..;/ ....// ..%00/ %ef%bc%8e%ef%bc%8e/";
  const targets = ["etc/passwd", "octavo.db", "data/octavo.db", "package.json", "README.md"];
  const deep = 12;

  async function nothing(path: string): Promise<void> {
    const reply = await world.send({ path });
    refused(reply, [400, 404]);
    assert.ok(!/root:|SQLite format|"octavo"|^# Octavo/.test(reply.text), path);
  }

  test("up, by any spelling", async () => {
    for (const climb of climbs.split(" ")) {
      for (const target of targets)
        for (const times of [1, 3, deep]) await nothing(`/project/uploads/${climb.repeat(times)}${target}`);
      await nothing(`${here}/kinds/${climb.repeat(deep)}etc/passwd`);
      await nothing(`${here}/kinds/${climb}small.txt`);
      await nothing(`${here}/small.txt/${climb}small.txt`);
    }
  });

  test("dots, absolute paths, drives, device names, URLs", async () => {
    const names =
      "/etc/passwd %2fetc%2fpasswd %2Fetc/passwd file:///etc/passwd file%3a%2f%2f%2fetc%2fpasswd C:/windows/win.ini C:%5cwindows%5cwin.ini %5c%5cserver%5cshare proc/self/environ dev/null . .. %2e %2e%2e ./ ~root/.ssh/id_rsa $HOME ../uploads/x";
    for (const name of names.split(" ")) await nothing(`/project/uploads/${name}`);
    const own =
      "./small.txt %2e/small.txt x/../small.txt kinds/../small.txt kinds/%2e%2e/small.txt kinds\\..\\small.txt";
    for (const name of own.split(" ")) await nothing(`${here}/${name}`);
  });

  test("NUL, control characters, invalid UTF-8, invalid percent escapes", async () => {
    const tails = [
      ...["%00", "small.txt%00", "small.txt%00.png", "%00small.txt", "small%00.txt"],
      ...["small.txt%0a", "small.txt%0d%0aX-Evil:%201", "%09", "%7f", "%1b", "%c2%85"],
      ...["%ff", "%fe%ff", "%c3", "%e2%82", "%ed%a0%80", "%f5%80%80%80", "%c0%80", "sm%c1%a1ll.txt"],
      ...["%", "%%", "%zz", "%4", "small.txt%", "%u0073mall.txt", "%-1", "%2"],
    ];
    for (const tail of tails) await nothing(`${here}/${tail}`);
  });

  test("a name cannot inject a header", async () => {
    const reply = await world.send({ path: `${here}/x%0d%0aSet-Cookie:%20a=b%0d%0a.txt` });
    refused(reply, [400, 404]);
    assert.equal(reply.headers["set-cookie"], undefined);
  });

  test("an absolute URL is read as its path", async () => {
    const wire = new Wire(world.url);
    const address = `${world.url}${addressOf("small.txt")}`;
    await wire.write(`GET ${address} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: close\r\n\r\n`);
    const reply = await wire.reply();
    assert.ok([200, 400, 404].includes(reply.status), `${reply.status}`);
    if (reply.status === 200) assert.equal(reply.text, "01234567890");
  });
});

// ---------------------------------------------------------------------------------------------- changes are visible at once

describe("after the reply to a write", () => {
  test("a replaced file has its new bytes, a deleted one is gone", async () => {
    for (let n = 0; n < 10; n++) {
      await plantFile(world, "often.txt", { bytes: `round ${n}` });
      assert.equal((await get("often.txt")).text, `round ${n}`);
    }
    await remove("often.txt");
    refused(await get("often.txt"), 404, "file_not_found");
    refused(await head("often.txt"), 404);
    await plantFile(world, "often.txt", { bytes: "again" });
    assert.equal((await get("often.txt")).text, "again");
  });

  test("Last-Modified does not go back when a file is replaced", async () => {
    await plantFile(world, "dated.txt", { bytes: "a" });
    const dated = async () => Date.parse((await get("dated.txt")).headers["last-modified"] as string);
    const first = await dated();
    await sleep(1100);
    const { uploaded_on } = await plantFile(world, "dated.txt", { bytes: "b" });
    assert.ok((await dated()) > first);
    assert.equal(await dated(), uploaded_on * 1000);
    assert.ok((await dated()) <= (nowSeconds() + 1) * 1000);
  });
});

// ---------------------------------------------------------------------------------------------- connections

describe("connections", () => {
  const request = (path: string, headers = "", method = "GET") =>
    `${method} ${addressOf(path)} HTTP/1.1\r\nHost: ${base.host}\r\n${headers}\r\n`;

  test("pipelined requests of every kind are answered in order", async () => {
    const wire = new Wire(world.url);
    const range = "Range: bytes=8-15\r\n";
    const asked: [string, string, number][] = [
      [request("large.txt"), "GET", 200],
      [request("large.txt", range), "GET", 206],
      [request("large.txt", "", "HEAD"), "HEAD", 200],
      [request("nothing.txt"), "GET", 404],
      [request("large.txt", `If-None-Match: ${tag}\r\n`), "GET", 304],
      [request("large.txt", "Range: bytes=99999999-\r\n"), "GET", 416],
      [request("empty.txt"), "GET", 200],
      [request("large.txt", `If-Match: ${none}\r\n`), "GET", 412],
      [request("small.txt", "Connection: close\r\n"), "GET", 200],
    ];
    await wire.write(asked.map(([text]) => text).join(""));
    const replies: Reply[] = [];
    for (const [, method, status] of asked) {
      const reply = await wire.reply(method);
      assert.equal(reply.status, status);
      replies.push(reply);
    }
    assert.ok(replies[0]?.bytes.equals(large));
    assert.equal(replies[1]?.text, "0000001\n");
    assert.equal(replies[8]?.text, "01234567890");
  });

  test("forty concurrent replies are complete", async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => get("large.txt")));
    for (const reply of replies) assert.ok(reply.bytes.equals(large));
  });

  test("a slow reader does not delay others, and gets the old bytes, whole", async () => {
    const old = Buffer.alloc(12 * 1024 * 1024, large);
    await plantFile(world, "slow.txt", { bytes: old });
    const wire = new Wire(world.url);
    await wire.write(request("slow.txt", "Connection: close\r\n"));
    while (!wire.isAnswered) await sleep(5);
    wire.socket.pause();
    for (let n = 0; n < 10; n++) assert.equal((await get("small.txt")).text, "01234567890");
    await plantFile(world, "slow.txt", { bytes: "short and new" });
    assert.equal((await get("slow.txt")).text, "short and new");
    await remove("slow.txt");
    wire.socket.resume();
    assert.ok((await wire.reply("GET", 20_000)).bytes.equals(old));
  });
});

allRepliesKeptTheirPromises(world);
