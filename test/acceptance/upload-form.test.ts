/** The form of an upload and its tokens: what is refused, and when. Contract §1, §2, §5. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { isLong } from "../long.ts";
import { type Call, freshAddress } from "./client.ts";
import {
  enterMedia,
  fileKeys,
  files,
  multipartOf,
  type Part,
  pairHeaders,
  plantFile,
  png,
  upload,
  urlOf,
} from "./media.ts";
import {
  asHeaders,
  asParts,
  boundary,
  bytesOf,
  field,
  filePart,
  fileStart,
  handOf,
  MiB,
  multipart,
  post,
  type Sent,
  unknown,
  unknownAccess,
} from "./upload-by-hand.ts";
import { Wire } from "./wire.ts";
import { allRepliesKeptTheirPromises, dataOf, refused, sleep } from "./world.ts";

const world = await enterMedia("upload-form");
const { pair, tokens } = world;
const { fresh, nothingAt, served, fieldsOf, byHand, headOf, fields } = handOf(world);
const base = new URL(world.url);

const [folderWriter, filesOnly, disabled] = await Promise.all([
  world.token({ kind: "management", resources: ["folders", "entries"] }),
  world.token({ kind: "management", resources: ["files"] }),
  world.token({ kind: "management", resources: ["files"] }),
]);
dataOf(await world.write("PATCH", { id: disabled.id, state: "disabled" }, "/api/tokens"));

// ---------------------------------------------------------------------------------------------- too large

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
});

test("a file of exactly 100 MiB is stored", { skip: isLong ? false : "OCTAVO_TEST_LONG" }, async () => {
  const bytes = Buffer.alloc(100 * MiB, "0123456\n");
  const data = await plantFile(world, `${fresh()}/most.txt`, { bytes });
  assert.equal(data.filesize, 100 * MiB);
});

// ---------------------------------------------------------------------------------------------- unusual bodies

const text = (name: string, value: string | Uint8Array): Part => ({ name, value });
/** An upload to `odd` with these parts, without some of its fields, or with another folder. */
const withParts = (...parts: Part[]) => post([...fields("odd"), ...parts]);
const without = (name: string, ...parts: Part[]) => post([...fields("odd", [name]), ...parts]);
const into = (folder: string) => without("folder", text("folder", folder), filePart());
const paired = pairHeaders(world);
const odd = world.id("odd");
const whole = withParts(filePart());
const b = filePart({ filename: "b.txt" });
const thumb = filePart({ name: "thumb", filename: "b.txt" });
const big = "a".repeat(3 * MiB);
const many = Array.from({ length: 9998 }, (_, n) => text(`x${n}`, ""));
const crowd = many.slice(0, 40).map(({ name }) => text(name, "a".repeat(60_000)));
const long = `${world.prefix}${`/${"s".repeat(200)}`.repeat(5)}`.slice(0, 1022);
const rawPart = (head: string) => byHand("odd", `--${boundary}\r\n${head}\r\nx\r\n`);
const typed = (type: string) => ({ ...withParts(filePart()), type });
const ended = (cut: (whole: Buffer) => number): Call => {
  const call = withParts(filePart({ value: "some text\n".repeat(10) }));
  return { ...call, body: (call.body as Buffer).subarray(0, cut(call.body as Buffer)), headers: paired };
};
const zippedHeaders = { "content-encoding": "gzip", ...paired };
const zipped: Call = { ...whole, body: gzipSync(whole.body as Buffer), headers: zippedHeaders };
const plain = (more: Partial<Call>): Call => ({ method: "POST", path: "/api/files", ...more });

const endings: Record<string, (whole: Buffer) => number> = {
  "within the file": (whole) => whole.length - 30,
  "within the head of the file": (whole) => whole.indexOf("filename") + 10,
  "after the fields": (whole) => whole.indexOf("filename") - 60,
};

// JSON in forms: src/core/http/json-text.test.ts; sizes of other bodies: request.
type Odd = [name: string, call: Call, status: number | number[], code?: string, about?: RegExp];
const odds: Odd[] = [
  ["no file", withParts(), 400, "argument_missing", /file/],
  ["no folder", without("folder", filePart()), 400, "argument_missing", /folder/],
  ["two files", withParts(filePart(), b), 400, "argument_repeated"],
  ["a text field instead of the file", withParts(text("file", "text")), 400, "argument_invalid", /file/],
  ["another file beside it", withParts(filePart(), thumb), 400, "argument_invalid"],
  ["the folder as a file", without("folder", { name: "folder", filename: "x.txt", value: odd }, filePart()), 400],
  ["an empty file input", withParts(filePart({ filename: "", value: "" })), [400, 415]],
  ["a folder and another after the file", withParts(filePart(), text("folder", `${odd}-2`)), 400],
  ["folder as a list", without("folder", text("folder[]", odd), filePart()), 400],
  ["a title after the file that is not UTF-8", withParts(filePart(), text("title", Buffer.from([0xc3, 0x28]))), 400],
  ["a forbidden key", withParts(text("__proto__[a]", "1"), filePart()), 400],
  ["a URL-encoded form", plain({ form: { ...pair, folder: odd } }), 400, "argument_missing", /file/],
  ["the raw bytes", plain({ body: png(), type: "image/png", headers: paired }), 415, "media_type_unsupported"],
  ["multipart/mixed", typed(`multipart/mixed; boundary=${boundary}`), 415, "media_type_unsupported"],
  ...["", '; boundary=""', "; boundary=other", `; boundary=${"x".repeat(300)}`].map(
    (tail): Odd => [`a boundary given as "${tail.slice(0, 30)}"`, typed(`multipart/form-data${tail}`), [400, 415, 401]],
  ),
  ...Object.entries(endings).map(([name, cut]): Odd => [`a body that ends ${name}`, ended(cut), 400, "body_invalid"]),
  ["a compressed body", zipped, 415, "media_type_unsupported", /Content-Encoding/],
  ["a part without a name", rawPart('Content-Disposition: form-data; filename="a.txt"\r\n'), 400],
  ["10,001 fields", withParts(...many, filePart()), [400, 413]],
  ["a huge field before the file", withParts(text("title", big), filePart()), [400, 413]],
  ["a huge unknown field after the file", withParts(filePart(), text("odd", big)), [400, 413]],
  ["many fields with a large total", withParts(...crowd, filePart()), [400, 413]],
  ["a field's name of 1 MiB", withParts(text("a".repeat(MiB), ""), filePart()), [400, 413, 431]],
  // Each rule of paths: src/core/path.test.ts.
  ["a folder with a parent segment", into(`${world.prefix}/../x`), 400, "path_invalid", /folder/],
  ["a folder so long that the name exceeds the path limit", into(long), 400, "path_invalid"],
  ["a folder of 32 segments", into([world.prefix, ..."s".repeat(31)].join("/")), 400, "path_invalid"],
];

describe("malformed bodies store nothing", () => {
  for (const [name, call, status, code, about] of odds) {
    test(`${name}: ${[status].flat().join(" or ")} ${code ?? ""}`, async () => {
      refused(await world.send({ uniqueAddress: true, ...call }), status, code, about);
      await nothingAt("odd");
    });
  }

  test("none of them stored anything elsewhere", async () => {
    assert.deepEqual(Object.keys(await files(world, "")), []);
    for (const name of ["odd-2", "s", "x", "s".repeat(200)]) await nothingAt(name);
  });
});

describe("unusual but valid bodies", () => {
  const good = post([...fields("good"), filePart()]);
  const changed = (change: (body: string) => string): Call => ({ ...good, body: change(String(good.body)) });
  const special = "a'()+_,-./:=?b";
  const { body: specialBody } = multipartOf([...fields("good"), filePart()], special);
  const bodies: [string, Call][] = [
    ["the file first, everything else after it", post([filePart(), ...fields("good")])],
    ["in chunks", { ...good, chunked: true }],
    ["a preamble and an epilogue", changed((body) => `preamble\r\n${body}epilogue\r\n`)],
    ["no line break at the end", changed((body) => body.slice(0, -2))],
    ["part headers in other letter case", changed((body) => body.replaceAll("Content-D", "content-d"))],
    ["a boundary in quotes", { ...good, type: `multipart/form-data; boundary="${boundary}"` }],
    [
      "a boundary with special characters",
      { ...good, body: specialBody, type: `multipart/form-data; boundary="${special}"` },
    ],
    ["a charset that is UTF-8", { ...good, type: `${multipart}; charset=utf-8` }],
    ["the media type in upper case", { ...good, type: `Multipart/Form-Data; boundary=${boundary}` }],
  ];
  test("are stored", async () => {
    for (const [name, call] of bodies) {
      const data = dataOf(await world.send(call));
      assert.equal(data.url, urlOf(world, "good/a.txt"), name);
      assert.equal(await served("good/a.txt"), "text\n", name);
      assert.deepEqual(Object.keys(data), fileKeys, name);
      assert.equal((await world.write("DELETE", { path: world.id("good/a.txt") }, "/api/files")).status, 204);
    }
  });

  test("bytes that look like a boundary are kept", async () => {
    const bytes = `text --${boundary}\r\n--${boundary.slice(0, -1)}\r\n\r\n\r\n--\r\n--\r\n`;
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

  test("an upload that waits for 100 Continue gets it and its reply", async () => {
    const folder = fresh();
    const { body, type } = multipartOf([...fields(folder), filePart()], boundary);
    const wire = new Wire(world.url);
    await wire.write(headOf(body.length, { "Content-Type": type, Expect: "100-continue" }));
    while (!wire.isAnswered) await sleep(5);
    await wire.write(body);
    assert.equal((await wire.reply("POST")).status, 200);
    wire.destroy();
    assert.equal(await served(`${folder}/a.txt`), "text\n");
  });
});

// ---------------------------------------------------------------------------------------------- authorization

// Every other token that is refused: token, test/http/routes.
const unauthorized: [string, Sent, number, string][] = [
  ["an unknown token", { token: unknown, access_token: tokens.access }, 401, "token_invalid"],
  ["a disabled token", { token: disabled.token, access_token: tokens.access }, 401, "token_invalid"],
  ["a token of another resource", { token: folderWriter.token, access_token: tokens.access }, 403, "scope_missing"],
  ["no access token", { token: tokens.management }, 401, "access_token_missing"],
  ["an unknown access token", { token: tokens.management, access_token: unknownAccess }, 401, "access_token_invalid"],
];
describe("who may upload", () => {
  for (const [what, sent, status, code] of unauthorized) {
    test(`with ${what}: ${status} ${code}, whatever the place of the tokens, and nothing is stored`, async () => {
      const folder = fresh();
      const target = text("folder", world.id(folder));
      const calls = [
        post([target, ...asParts(sent), filePart()]),
        post([target, filePart(), ...asParts(sent)], { path: "/api/media/files" }),
        post([filePart(), target, ...asParts(sent)]),
        post([target, filePart()], { headers: asHeaders(sent) }),
        // Authentication precedes validation.
        post([...asParts(sent), filePart()]),
        post([...asParts(sent), text("folder", "../.."), filePart()]),
        post([target, filePart({ filename: "a.exe" }), text("on_conflict", "odd"), ...asParts(sent)]),
      ];
      for (const call of calls) refused(await world.send({ ...call, uniqueAddress: true }), status, code);
      await nothingAt(folder);
    });
  }
});

describe("the places of the tokens", () => {
  const target = text("folder", world.id("placed"));
  const all = fields("placed");
  const headers = pairHeaders(world);
  const { token, access_token } = pair;
  const lateAccess = { access_token };
  const late = asParts(lateAccess);
  const places: [string, Call][] = [
    ["in fields before the file", post([...all, filePart()])],
    ["in fields after the file", post([target, filePart(), ...asParts(pair)])],
    ["in headers", post([target, filePart()], { headers })],
    ["in headers, with the folder after the file", post([filePart(), target], { headers })],
    ["one before and one after the file", post([...fields("placed", ["access_token"]), filePart(), ...late])],
    ["a header, a field before", post([...fields("placed", ["token"]), filePart()], { headers: asHeaders({ token }) })],
    ["a header, a field after", post([target, filePart(), ...asParts({ token })], { headers: asHeaders(lateAccess) })],
    ["the same in every place", post([...all, filePart()], { headers })],
    ["in headers and again after the file", post([target, filePart(), ...asParts(pair)], { headers })],
    ["in the query", post([target, filePart()], { query: pair, uniqueAddress: true })],
  ];
  test("may be any, even several; no token is stored", async () => {
    for (const [where, call] of places) {
      const data = dataOf(await world.send(call));
      assert.equal(data.url, urlOf(world, "placed/a.txt"), where);
      assert.deepEqual(Object.keys(data), fileKeys, where);
    }
  });

  const other = { token: filesOnly.token, access_token: unknownAccess };
  const otherToken = asParts({ token: other.token });
  const otherAccess = { access_token: other.access_token };
  const headerToken = asHeaders({ token: other.token });
  const ambiguous: [string, Call][] = [
    ["another token in the header than in a field", post([...all, filePart()], { headers: headerToken })],
    ["another access token in the header", post([...all, filePart()], { headers: asHeaders(otherAccess) })],
    ["another token after the file than in the header", post([target, filePart(), ...otherToken], { headers })],
    ["another access token after the file than before it", post([...all, filePart(), ...asParts(otherAccess)])],
    ["two tokens before the file", post([...all, ...otherToken, filePart()])],
    ["two tokens after the file", post([target, filePart(), ...asParts(pair), ...otherToken])],
  ];
  test("are refused where they differ", async () => {
    const before = await files(world, "placed");
    for (const [what, call] of ambiguous) {
      const { code } = refused(await world.send({ ...call, uniqueAddress: true }), 400);
      assert.match(code, what.startsWith("two") ? /^(token_ambiguous|argument_repeated)$/ : /^token_ambiguous$/, what);
    }
    assert.deepEqual(await files(world, "placed"), before);
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
    test(`${what} is ${status} without reading the file`, async () => {
      const parts = asParts(sent).map(({ name, value }) => field(name, value as string));
      for (const folder of [target("x"), ""]) {
        refused(await unsent(folder + parts.join("")), status, code);
        refused(await unsent(folder, asHeaders(sent)), status, code);
      }
      await nothingAt("x");
    });
  }

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
});

// ---------------------------------------------------------------------------------------------- ended by the service

describe("an upload", () => {
  test("ended by the service: the rest of its body is never read as a request", async () => {
    await plantFile(world, "hidden/smuggled.txt", { bytes: "SMUGGLED" });
    const address = `/${urlOf(world, "hidden/smuggled.txt")}`;
    const inner = `GET ${address} HTTP/1.1\r\nHost: ${base.host}\r\n\r\n`;
    const bad = field("folder", world.id("x")) + field("token", unknown) + field("access_token", pair.access_token);
    const starts: [string, string, Record<string, string>, number[]][] = [
      ["an invalid token", bad + fileStart("a.txt"), {}, [401]],
      ["a refused extension", fieldsOf("x") + fileStart("a.exe"), {}, [415]],
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
});

allRepliesKeptTheirPromises(world);
