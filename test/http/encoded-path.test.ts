import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { before, describe, test } from "node:test";
import { jsonLog } from "../../src/core/http/log.ts";
import type { Path } from "../../src/core/path.ts";
import { signatureOf } from "../../src/image/signature.ts";
import { startWorld, useWorld } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/**
 * Generated clients encode path parameters. In the addresses of files and images an encoded slash is a slash: the path
 * is decoded once and every rule is checked afterwards. Contract §1, Paths.
 */

const world = useWorld();

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const segment = (letter: string) => letter.repeat(200);
/** 1,024 bytes in 5 segments: the longest valid path. */
const longest = [segment("a"), segment("b"), segment("c"), segment("d"), `${"e".repeat(216)}.png`].join("/");
const accented = "caf\u00e9/cr\u00e8me.png";
const copies = ["odd/100%.png", "odd/50%41.png", "entries/news/day.png", accented, longest];

before(async () => {
  await world.ready;
  const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const form = new FormData();
  form.set("folder", "a/b");
  form.set("file", new File([pixel], "c.png"));
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", headers, body: form })).status, 200);
  // An upload makes names safe; a copy keeps the name it is given.
  for (const new_path of copies) {
    const { status, text } = await world.send("PUT", "/api/files/copy", {
      headers,
      body: { path: "a/b/c.png", new_path },
    });
    assert.equal(status, 200, text);
  }
});

type Got = { status: number; code: string | undefined; detail: string; text: string; etag: string | undefined };

/** Sends the URL unchanged: fetch would resolve its dot segments. */
function get(path: string, headers: Record<string, string> = {}): Promise<Got> {
  const { hostname, port } = new URL(world.app.url);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, path, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString();
        const isProblem = response.headers["content-type"]?.includes("problem");
        const { code, detail = "" } = isProblem ? JSON.parse(text) : ({} as { code?: string; detail?: string });
        resolve({ status: response.statusCode ?? 0, code, detail, text, etag: response.headers.etag });
      });
    });
    sending.on("error", reject);
    sending.end();
  });
}

const routes = {
  "/api/images/": () => ({ Authorization: `Bearer ${world.token.images}` }),
  "/project/uploads/": () => ({}),
};

const found: [what: string, encoded: string][] = [
  ["slashes", "a/b/c.png"],
  ["encoded slashes", "a%2Fb%2Fc.png"],
  ["encoded slashes in lower case", "a%2fb%2fc.png"],
  ["both", "a%2Fb/c.png"],
  ["every letter encoded", [..."a/b/c.png"].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join("")],
  ["a leading encoded slash", "%2Fa%2Fb%2Fc.png"],
  ["a trailing encoded slash", "a%2Fb%2Fc.png%2F"],
  ["a trailing slash and encoded slash", "a%2Fb%2Fc.png%2F/"],
  ["a percent sign that was encoded", "odd%2F100%25.png"],
  ["a percent sign and digits, decoded no second time", "odd%2F50%2541.png"],
  ["a composed letter", encodeURIComponent(accented)],
  ["a decomposed letter", encodeURIComponent(accented.normalize("NFD"))],
  ["the longest path, encoded", encodeURIComponent(longest)],
  [
    "the longest path, each of its bytes encoded",
    [...longest].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(""),
  ],
];

const refused: [what: string, encoded: string][] = [
  ["a parent segment with an encoded slash", "..%2fa%2fb%2fc.png"],
  ["an encoded parent segment and slash", "%2e%2e%2fa%2fb%2fc.png"],
  ["an encoded parent segment inside", "a%2F%2E%2E%2Fa%2Fb%2Fc.png"],
  ["a parent segment behind encoded slashes", "a%2Fb%2F.."],
  ["many of them", "..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd"],
  ["a dot segment between encoded slashes", "a%2F.%2Fb%2Fc.png"],
  ["an empty segment between encoded slashes", "a%2F%2Fb%2Fc.png"],
  ["an empty segment between a slash and an encoded slash", "a/%2Fb%2Fc.png"],
  ["a slash that was encoded twice", "a%252Fb%252Fc.png"],
  ["a slash that was encoded three times", "a%25252Fb%25252Fc.png"],
  ["a parent segment that was encoded twice", "%252e%252e%252fa"],
  ["dots that were encoded twice", "a%2F%252e%252e%2Fb"],
  ["a backslash", "a%5Cb%5Cc.png"],
  ["a parent segment with backslashes", "a%2F..%5C..%5Cc.png"],
  ["a backslash that was encoded twice", "a%2Fb%255Cc.png"],
  ["NUL", "a%2Fb%2Fc.png%00"],
  ["NUL before an extension", "a%2Fb%2Fc.png%00.txt"],
  ["a line feed", "a%2Fb%0Ac.png"],
  ["a segment of 256 bytes", `a%2F${"s".repeat(256)}`],
  ["33 segments", Array(33).fill("s").join("%2F")],
  ["1,025 bytes", encodeURIComponent(`${longest}g`)],
];

/** Refused by the router before any route. */
const unreadable: [what: string, encoded: string][] = [
  ["bytes that are not UTF-8", "a%2F%ff%fe.png"],
  ["an overlong encoding of a slash", "a%c0%afb"],
  ["an incomplete percent escape", "a%2F%zz.png"],
  ["a trailing percent sign", "a%2Fb%2Fc.png%"],
];

for (const [prefix, headers] of Object.entries(routes)) {
  describe(`below ${prefix}`, () => {
    for (const [what, encoded] of found) {
      test(`${what}: the file is found`, async () => {
        const { status, text, etag } = await get(prefix + encoded, headers());
        assert.equal(status, 200, text);
        assert.ok(text.startsWith("\ufffdPNG"));
        assert.equal(etag, (await get(`${prefix}a/b/c.png`, headers())).etag);
      });
    }

    for (const [what, encoded] of refused) {
      test(`${what}: path_invalid`, async () => {
        const { status, code, detail } = await get(prefix + encoded, headers());
        assert.deepEqual([status, code], [400, "path_invalid"]);
        assert.match(detail, /"path"/);
      });
    }

    for (const [what, encoded] of unreadable) {
      test(`${what}: refused`, async () => {
        const { status } = await get(prefix + encoded, headers());
        assert.equal(status, 400);
      });
    }

    test("a slash of the route itself must not be encoded", async () => {
      const { status, code } = await get(`${prefix.slice(0, -1)}%2Fa%2Fb%2Fc.png`, headers());
      assert.deepEqual([status, code], [404, "route_not_found"]);
    });

    test("other letters of the route itself may be encoded", async () => {
      const encoded = prefix.replace("i", "%69").replace("p", "%70");
      assert.equal((await get(`${encoded}a%2Fb%2Fc.png`, headers())).status, 200);
    });

    test("an absolute URL names the same file (RFC 9112 §3.2.2)", async () => {
      assert.equal((await get(`${world.app.url}${prefix}a%2Fb%2Fc.png`, headers())).status, 200);
    });
  });
}

test("the folder of entry images is searched by the decoded path", async () => {
  const headers = routes["/api/images/"]();
  for (const path of ["news/day.png", "news%2Fday.png", "entries%2Fnews%2Fday.png"]) {
    assert.equal((await get(`/api/images/${path}`, headers)).status, 200, path);
  }
});

test("one rendition has one tag, whatever the encoding of its path; another rendition has another", async () => {
  const headers = routes["/api/images/"]();
  const tagOf = async (address: string) => (await get(`/api/images/${address}`, headers)).etag;
  const plain = await tagOf("a/b/c.png?w=4&fit=stretch&h=4");
  assert.equal(await tagOf("a%2Fb%2Fc.png?w=4&fit=stretch&h=4"), plain);
  assert.equal(await tagOf("a%2fb/c.png?h=4&fit=stretch&w=4"), plain);
  assert.notEqual(await tagOf("a%2Fb%2Fc.png?w=5&fit=stretch&h=4"), plain);
});

test("a signature covers the decoded path: it is valid for each encoding of it and for no other path", async () => {
  const key = world.app.stores.signingKey;
  const sign = (path: string) => `s=${signatureOf(key, path as Path, [["w", "4"]])}&w=4`;
  for (const path of ["a/b/c.png", "a%2Fb%2Fc.png", "a%2fb/c.png", "%2Fa%2Fb%2Fc.png"]) {
    assert.equal((await get(`/api/images/${path}?${sign("a/b/c.png")}`)).status, 200, path);
  }
  for (const path of [accented, accented.normalize("NFD")].map(encodeURIComponent)) {
    assert.equal((await get(`/api/images/${path}?${sign(accented)}`)).status, 200, path);
  }
  for (const path of ["a%252Fb%252Fc.png", "..%2Fa%2Fb%2Fc.png"]) {
    assert.equal((await get(`/api/images/${path}?${sign("a/b/c.png")}`)).code, "path_invalid", path);
  }
  assert.equal((await get(`/api/images/odd%2F100%25.png?${sign("a/b/c.png")}`)).code, "signature_invalid");
  assert.equal((await get(`/api/images/a%2Fb%2Fc.png?${sign("a%2Fb%2Fc.png")}`)).code, "signature_invalid");
});

test("without a token the reply reveals nothing about an encoded path", async () => {
  for (const path of ["a%2Fb%2Fc.png", "nowhere%2Fc.png", "..%2Fc.png", "a%252Fb"]) {
    assert.equal((await get(`/api/images/${path}`)).code, "token_missing", path);
  }
});

test("the request log has the URL as sent", () => {
  const lines: string[] = [];
  const log = jsonLog((written) => lines.push(written.toString()));
  const url = "/api/images/a%2Fb%2Fc.png?token=[redacted]";
  const [id, address, method, actor] = ["1", "127.0.0.1", "GET", ""];
  log.request({
    id,
    address,
    method,
    url: url.replace("[redacted]", "oct_i_secret"),
    status: 200,
    startedMs: 0,
    actor,
  });
  log.close();
  assert.equal(JSON.parse(lines.join("")).url, url);
});

describe("everywhere else a segment with an encoded slash is refused", () => {
  const id = "movies%2Falien";
  const calls: [string, string, Record<string, string>][] = [
    ["GET", "/api/entries", { id }],
    ["POST", "/api/entries", { id }],
    ["GET", "/api/files", { path: id }],
    ["PUT", "/api/files", { path: "a/b/c.png", new_path: id }],
    ["GET", "/api/media/folders", { id }],
    ["POST", "/api/folders", { path: id }],
  ];
  for (const [method, path, sent] of calls) {
    test(`${method} ${path} ${JSON.stringify(sent)}`, async () => {
      const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
      const options = method === "GET" ? { query: sent, headers } : { body: { ...sent, data: {} }, headers };
      const { status, json } = await world.send(method, path, options);
      assert.deepEqual([status, json.code], [400, "path_invalid"]);
    });
  }
});

test("a request line with raw bytes is refused", async () => {
  const { hostname, port } = new URL(world.app.url);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.on("data", (piece: Buffer) => {
      text += piece.toString("latin1");
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
  socket.write("GET /project/uploads/a\\..\\..\\b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match(await answer, /^HTTP\/1\.1 400 .*path_invalid/s);
});

test("what is no id in the address of an upload names none, on PostgreSQL too", {
  skip: lacksPostgres(),
}, async (t) => {
  const node = await startWorld({}, { OCTAVO_POSTGRES_URL: await createDatabase() });
  t.after(() => node.app.close());
  for (const { send, token } of [world, node]) {
    const headers = {
      ...{ Authorization: `Bearer ${token.management}`, "X-Access-Token": token.access, "Tus-Resumable": "1.0.0" },
      ...{ "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" },
    };
    for (const id of ["%00", "a%00b", "..%2F..", "%F0%9F%98%80", "x".repeat(2000)])
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const { status, json, text } = await send(method, `/api/uploads/${id}`, { headers });
        assert.deepEqual([status, json.code], [404, "upload_not_found"], `${method} ${id}: ${text}`);
      }
  }
});
