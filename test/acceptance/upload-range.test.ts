/** Conditions and ranges of GET and HEAD /project/uploads/<path>. Contract §5; RFC 9110 §8.8, §13, §14. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { random } from "../random.ts";
import type { Reply } from "./client.ts";
import { enterMedia, fetchBytes, plantFile, urlOf } from "./media.ts";
import { Wire } from "./wire.ts";
import { allRepliesKeptTheirPromises, refused, tagOf } from "./world.ts";

const world = await enterMedia("upload-range");
type Headers = Record<string, string>;
const get = (name: string, headers: Headers = {}) => fetchBytes(world, name, headers);
const head = (name: string, headers: Headers = {}): Promise<Reply> =>
  world.send({ method: "HEAD", path: `/${urlOf(world, name)}`, headers });
/** The reply to a GET with these lines, as they are. */
async function byHand(lines: string): Promise<Reply> {
  const wire = new Wire(world.url);
  const start = `GET /${urlOf(world, "large.txt")} HTTP/1.1\r\nHost: ${new URL(world.url).host}\r\n`;
  await wire.write(`${start}${lines}Connection: close\r\n\r\n`);
  return wire.reply();
}

/** Lines that all differ, so that bytes from a wrong offset are detected. */
const large = Buffer.from(Array.from({ length: 38_400 }, (_, n) => `${String(n).padStart(7, "0")}\n`).join(""));
const size = large.length;
const { uploaded_on: uploadedOn } = await plantFile(world, "large.txt", { bytes: large });
await plantFile(world, "small.txt", { bytes: "01234567890" });
await plantFile(world, "empty.txt", { bytes: "" });

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
    for (const reply of [await get("large.txt", headers), await head("large.txt", headers)]) {
      const { method } = reply.call;
      assert.ok([expected].flat().includes(reply.status), `${method} ${JSON.stringify(headers)}: ${reply.status}`);
      if (reply.status === 412) refused(reply, 412, "precondition_failed");
      else assert.equal(tagOf(reply), tag);
      if (reply.status === 200) assert.equal(reply.headers["content-length"], String(size));
      if (reply.status === 200 && method !== "HEAD") assert.ok(reply.bytes.equals(large));
      if (reply.status === 304 || method === "HEAD") assert.equal(reply.bytes.length, 0);
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
    const two = await byHand(`If-None-Match: ${none}\r\nIf-None-Match: ${tag}\r\n`);
    assert.equal(two.status, 304);
    const others = Array.from({ length: 1000 }, (_, n) => `"${n}"`);
    assert.equal((await get("large.txt", { "if-none-match": [...others, tag].join(", ") })).status, 304);
    assert.equal((await get("large.txt", { "if-none-match": others.join(", ") })).status, 200);
    const commas = await get("large.txt", { "if-none-match": `${",".repeat(15_000)}"` });
    assert.equal(commas.status, 200);
  });

  test("have no effect on a missing file", async () => {
    const held: Headers[] = [{ "if-none-match": "*" }, { "if-modified-since": exact }, { range: "bytes=0-1" }];
    for (const headers of held) refused(await get("nothing.txt", headers), 404, "file_not_found");
    refused(await get("nothing.txt", { "if-match": "*" }), [404, 412]);
  });
});

// ---------------------------------------------------------------------------------------------- ranges

const last = size - 1;
/** The expected part of the file: from and to, both included; "whole" is 200, "none" is 416. */
type Part = [number, number] | "whole" | "none";
const far = "9".repeat(30);
const thousand = Array.from({ length: 1000 }, (_, n) => `${n}-${n}`).join(",");

/** What a Range is answered, and the values that are answered so. */
const ranges: [accepted: Part[], values: string][] = [
  // The rows of Go's TestServeContent and of parseRange, for a file of another length.
  [[[0, 4]], "bytes=0-4"],
  [[[2, last]], "bytes=2-"],
  [[[last - 4, last]], "bytes=-5"],
  [[[0, 0]], "bytes=0-0"],
  [[[last, last]], `bytes=-1 | bytes=${last}-${last} | bytes=${last}- | bytes=${last}-${size}`],
  [[[0, last - 1]], `bytes=0-${last - 1}`],
  [[[5, last]], `bytes=5-${size * 10} | bytes=5-${far}`],
  [[[3, 5]], "bytes=00000000000000000000000000003-000000000000000000000000000005"],
  // Across chunk boundaries.
  [[[65_535, 65_536]], "bytes=65535-65536"],
  [[[1, 262_143]], "bytes=1-262143"],
  [[[0, 2], "whole"], `bytes=0-2,${size}-`],
  [["none", "whole"], `bytes=${size}-,${size + 5}-`],
  [
    [[0, last], "whole"],
    `bytes=0- | bytes=0-${last} | bytes=0-${size} | bytes=-${size} | bytes=-${size + 1} | bytes=0-${far} | bytes=-${far}`,
  ],
  [
    ["none"],
    `bytes=${size}- | bytes=${size}-${size + 1} | bytes=${size + 1}- | bytes=${size * 3}-${size * 4} | bytes=-0`,
  ],
  // Numbers larger than a machine word.
  [["none"], `bytes=${far}- | bytes=${far}-${far} | bytes=9007199254740993- | bytes=4294967296-4294967300`],
  // Not a valid range: the complete file, RFC 9110 §14.2.
  [
    ["whole"],
    "bytes=5-4 | bytes= | bytes | bytes=- | bytes=-- | bytes=--5 | bytes=-5- | bytes=-5-3 | bytes=1-2-3 | bytes=7",
  ],
  [
    ["whole"],
    "bytes=1-b | bytes=a-1 | bytes=0x01-0x02 | bytes=1.0-2 | bytes=1e0-2 | bytes=+1-2 | bytes=1_0-20 | bytes=,",
  ],
  [["whole"], "bytes=1–2 | bytes:0-4 | bytes 0-4 | bytes=0-4;q=1 | 0-4 | =0-4 | bytes=,,,"],
  // Units other than bytes; several ranges.
  [
    ["whole"],
    "lines=0-4 | byte=0-4 | bytesx=0-4 | none | bytes=0-0,-1 | bytes=0-1,5-8 | bytes=0-1, 5-8 | bytes=0-9,5-14",
  ],
  [["whole"], `bytes=0-0,0-0 | bytes=0-,1-,2- | bytes=0-2,5-4 | bytes=5-4,0-2 | bytes=0-2,x | bytes=${thousand}`],
  // The letter case of the unit and spaces: accepted or ignored.
  [[[0, 4], "whole"], "Bytes=0-4 | BYTES=0-4 | bytes= 0-4 | bytes=0 - 4 | bytes =0-4 | bytes=0-4, | bytes=,0-4"],
];

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
    for (const [accepted, values] of ranges) {
      for (const range of values.split(" | ")) {
        checkPart(await byHand(`Range: ${range}\r\n`), accepted, large, range);
        if (!/^[\x20-\x7e]*$/.test(range)) continue;
        const { status, headers } = await head("large.txt", { range });
        assert.deepEqual([status, headers["content-length"], headers["content-range"]], [200, String(size), undefined]);
      }
    }
  });

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

  const range = "bytes=2-5";
  const past = `bytes=${size}-`;
  /** What the conditions leave of a range: each with what is answered. */
  const conditional: [Part | 304 | 412, Headers[]][] = [
    [
      [2, 5],
      [
        ...[tag, exact].map((value) => ({ range, "if-range": value })),
        { range, "if-none-match": none },
        { range, "if-modified-since": httpDate(-1) },
        { range, "if-match": tag },
        { range, "if-unmodified-since": exact },
        { range, "if-match": tag, "if-range": tag },
        { range, "if-match": tag, "if-none-match": none, "if-range": exact },
      ],
    ],
    [
      "whole",
      [
        none,
        `W/${tag}`,
        `${tag}, "b"`,
        "*",
        tag.slice(1, -1),
        httpDate(-1),
        httpDate(1),
        "Thu, 01 Jan 1970 00:00:00 GMT",
      ]
        .map((value): Headers => ({ range, "if-range": value }))
        .concat({ range: past, "if-range": none }),
    ],
    ["none", [{ range: past, "if-range": tag }]],
    [
      304,
      [
        { range, "if-none-match": tag },
        { range, "if-modified-since": exact },
        { range: past, "if-none-match": tag },
        { range, "if-none-match": tag, "if-range": none },
      ],
    ],
    [
      412,
      [
        { range, "if-match": none },
        { range, "if-unmodified-since": httpDate(-1) },
        { range: past, "if-match": none },
      ],
    ],
  ];
  test("with conditions", async () => {
    for (const [expected, all] of conditional) {
      for (const headers of all) {
        const [reply, onHead] = [await get("large.txt", headers), await head("large.txt", headers)];
        const said = JSON.stringify(headers);
        if (typeof expected !== "number") checkPart(reply, [expected], large, said);
        else assert.equal(reply.status, expected, said);
        assert.equal(onHead.status, typeof expected === "number" ? expected : 200, said);
      }
    }
  });
});

allRepliesKeptTheirPromises(world);
