/** The form of an upload and its tokens: what is refused, and when. Contract §1, §2, §5. */
import assert from "node:assert/strict";
import http from "node:http";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { isLong } from "../long.ts";
import { type Call, freshAddress } from "./client.ts";
import {
  dialects,
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
  Wire,
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
  partBy,
  post,
  type Sent,
  unknown,
  unknownAccess,
} from "./upload-by-hand.ts";
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

// ---------------------------------------------------------------------------------------------- ended by the service

describe("an upload", () => {
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
