import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { globSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { type Reply, temporaryFolder, until, useWorld, type World } from "../../test/harness.ts";
import { bucketEnv, useS3 } from "../../test/s3-server.ts";
import { chores } from "../chores.ts";
import { Bucket } from "../core/bytes/s3/bucket.ts";
import { readSettings } from "../settings.ts";

/** /api/uploads, the tus protocol: its edges over HTTP, on a disk and on a bucket. Contract, part three, §16. */

const MiB = 1024 * 1024;
const folder = temporaryFolder();
const flags = { "upload-max-bytes": "40MiB", "upload-idle-seconds": "30" };
const disk = useWorld({ data: folder, ...flags });
const made = useS3()();
const cloud = useWorld(flags, made.then(bucketEnv));

type Headers = Record<string, string>;
const pair = ({ token }: Pick<World, "token">): Headers => ({
  Authorization: `Bearer ${token.management}`,
  "X-Access-Token": token.access,
});
const tus = { "Tus-Resumable": "1.0.0" };
const bytesType = { "Content-Type": "application/offset+octet-stream" };

const metadata = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");

const begin = (
  world: World,
  length: number | string,
  fields: Record<string, string>,
  more: Headers = {},
  body?: Uint8Array,
) =>
  world.send("POST", "/api/uploads", {
    headers: {
      ...pair(world),
      ...tus,
      "Upload-Length": String(length),
      "Upload-Metadata": metadata(fields),
      ...(body && bytesType),
      ...more,
    },
    body,
  });

const addressOf = ({ headers }: Reply): string =>
  new URL(headers.get("location") as string, "http://service/api/uploads").pathname;

async function begun(world: World, length: number, fields: Record<string, string>): Promise<string> {
  const reply = await begin(world, length, fields);
  assert.equal(reply.status, 201, reply.text);
  return addressOf(reply);
}

const append = (world: World, address: string, offset: number, body: Uint8Array | undefined, more: Headers = {}) =>
  world.send("PATCH", address, {
    headers: { ...pair(world), ...tus, ...bytesType, "Upload-Offset": String(offset), ...more },
    body,
  });
const look = (world: World, address: string, more: Headers = {}) =>
  world.send("HEAD", address, { headers: { ...pair(world), ...tus, ...more } });
const offsetOf = async (world: World, address: string) =>
  Number((await look(world, address)).headers.get("upload-offset"));
const bytesOf = async (world: World, path: string) =>
  Buffer.from(await (await fetch(`${world.app.url}/project/uploads/${path}`)).arrayBuffer());
const sha256 = (bytes: Uint8Array) => `sha256 ${createHash("sha256").update(bytes).digest("base64")}`;

function refused(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
  assert.equal(reply.headers.get("tus-resumable"), "1.0.0");
}

/** A request by hand, whose body goes on when the test says so. */
function rawPatch(world: World, address: string, offset: number, length: number, more: Headers = {}): Socket {
  const { hostname, port } = new URL(world.app.url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  const headers = { ...pair(world), ...tus, ...bytesType, "Upload-Offset": String(offset), ...more };
  const lines = Object.entries({ Host: "service", "Content-Length": String(length), ...headers });
  socket.write(`PATCH ${address} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  return socket;
}

const replyOn = async (socket: Socket): Promise<string> => {
  let text = "";
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes("\r\n\r\n")) break;
  }
  return text;
};

const pendingKeys = async () => {
  const bucket = new Bucket(await made);
  try {
    return (await Array.fromAsync(bucket.list("pending/"))).map(({ key }) => key);
  } finally {
    bucket.close();
  }
};
const pendingFiles = async () => globSync("pending/*", { cwd: folder });

for (const [place, world, pending] of [
  ["on a disk", disk, pendingFiles],
  ["on a bucket", cloud, pendingKeys],
] as const) {
  describe(place, () => {
    test("an upload goes on in parts, and its last one makes the file", async () => {
      const whole = Buffer.concat([Buffer.from("one\n"), Buffer.alloc(9 * MiB, "two\n"), Buffer.from("three\n")]);
      const fields = { folder: "parts/of", filename: "Long Text.txt", title: "Ä title", description: "of it" };
      const first = await begin(world, whole.length, { ...fields, filetype: "text/plain" });
      assert.equal(first.status, 201, first.text);
      assert.match(first.headers.get("location") ?? "", /^uploads\/[0-9a-f-]{36}$/);
      assert.equal(first.headers.get("upload-offset"), "0");
      assert.equal(first.headers.get("octavo-file"), null);
      const address = addressOf(first);
      const cuts = [0, 4, 5, MiB, whole.length];
      for (const [i, from] of cuts.slice(0, -1).entries()) {
        const reply = await append(world, address, from, whole.subarray(from, cuts[i + 1]));
        assert.equal(reply.status, 204, reply.text);
        assert.equal(Number(reply.headers.get("upload-offset")), cuts[i + 1]);
        const head = await look(world, address);
        assert.equal(head.status, 200);
        assert.equal(Number(head.headers.get("upload-offset")), cuts[i + 1]);
        assert.equal(Number(head.headers.get("upload-length")), whole.length);
        assert.equal(head.headers.get("cache-control"), "no-store");
        assert.equal(head.headers.get("upload-metadata"), metadata({ ...fields, filetype: "text/plain" }));
        const isLast = i === cuts.length - 2;
        assert.equal(reply.headers.get("octavo-file"), isLast ? "parts/of/long-text.txt" : null);
        assert.equal(head.headers.get("octavo-file"), isLast ? "parts/of/long-text.txt" : null);
        const until = Date.parse(reply.headers.get("upload-expires") ?? "") - Date.now();
        assert.ok(until > 23.9 * 3600e3 && until < 24.1 * 3600e3);
        const got = await world.send("GET", address, { headers: pair(world) });
        if (isLast) {
          const { title, description, filesize, url } = got.json.data as Record<string, unknown>;
          assert.deepEqual(
            { title, description, filesize, url },
            {
              title: "Ä title",
              description: "of it",
              filesize: whole.length,
              url: "project/uploads/parts/of/long-text.txt",
            },
          );
        } else refused(got, 409, "upload_unfinished");
      }
      assert.ok((await bytesOf(world, "parts/of/long-text.txt")).equals(whole));
      assert.deepEqual(await pending(), []);
      assert.deepEqual(await world.app.stores.verify(), []);
      // What comes again after the end is told that it is done.
      const again = await append(world, address, whole.length, undefined);
      assert.equal(again.headers.get("octavo-file"), "parts/of/long-text.txt", again.text);
      refused(await append(world, address, whole.length, Buffer.from("x")), 413, "upload_too_long");
    });

    test("an upload of 0 bytes, and one that comes whole with its beginning, are done with it", async () => {
      for (const [name, body] of [
        ["empty.txt", undefined],
        ["whole.txt", Buffer.from("the whole")],
      ] as const) {
        const reply = await begin(world, body?.length ?? 0, { folder: "", filename: name }, {}, body);
        assert.equal(reply.status, 201, reply.text);
        assert.equal(reply.headers.get("octavo-file"), name);
        assert.equal(reply.headers.get("upload-offset"), String(body?.length ?? 0));
        assert.deepEqual(await bytesOf(world, name), Buffer.from(body ?? ""));
        const head = await look(world, addressOf(reply));
        assert.equal(head.headers.get("octavo-file"), name);
      }
      const part = await begin(world, 8, { folder: "", filename: "part.txt" }, {}, Buffer.from("some"));
      assert.deepEqual([part.status, part.headers.get("upload-offset")], [201, "4"]);
      const rest = await append(world, addressOf(part), 4, Buffer.from("more"));
      assert.equal(rest.headers.get("octavo-file"), "part.txt");
      assert.equal((await bytesOf(world, "part.txt")).toString(), "somemore");
      assert.deepEqual(await pending(), []);
    });

    test("what a client that disconnects has sent is kept", async () => {
      const whole = randomBytes(3 * MiB)
        .toString("base64")
        .slice(0, 3 * MiB);
      const address = await begun(world, whole.length, { folder: "", filename: "cut.txt" });
      const socket = rawPatch(world, address, 0, whole.length);
      socket.write(whole.slice(0, 2 * MiB));
      await until(() => socket.bytesWritten > 2 * MiB, "the bytes are not sent");
      socket.end();
      await until(async () => (await offsetOf(world, address)) > 0, "the bytes are not kept");
      const rest = async () => {
        const offset = await offsetOf(world, address);
        assert.ok(offset <= 2 * MiB);
        return append(world, address, offset, Buffer.from(whole.slice(offset)));
      };
      let last = await rest();
      // The one before it may not have ended.
      for (; last.status === 423 || last.status === 409; ) last = await rest();
      assert.equal(last.status, 204, last.text);
      assert.equal((await bytesOf(world, "cut.txt")).toString(), whole);
    });

    test("a checksum that does not match keeps nothing of its request", async () => {
      const [good, bad] = [Buffer.from("good bytes"), Buffer.from("bad bytes!")];
      const address = await begun(world, 20, { folder: "", filename: "sum.txt" });
      refused(await append(world, address, 0, bad, { "Upload-Checksum": sha256(good) }), 460, "checksum_mismatch");
      assert.equal(await offsetOf(world, address), 0);
      assert.equal((await append(world, address, 0, good, { "Upload-Checksum": sha256(good) })).status, 204);
      refused(await append(world, address, 10, bad, { "Upload-Checksum": sha256(good) }), 460, "checksum_mismatch");
      const last = await append(world, address, 10, good, { "Upload-Checksum": sha256(good) });
      assert.equal(last.headers.get("octavo-file"), "sum.txt");
      assert.equal((await bytesOf(world, "sum.txt")).toString(), "good bytesgood bytes");
      for (const checksum of ["md5 AAAA", "sha256", "sha256 AAAA", "sha256 !", ""]) {
        const reply = await append(world, address, 20, undefined, { "Upload-Checksum": checksum });
        refused(reply, 400, "checksum_unsupported");
      }
    });

    test("one ends by DELETE, and by its time", async () => {
      const address = await begun(world, 9, { folder: "", filename: "gone.txt" });
      await append(world, address, 0, Buffer.from("some"));
      assert.equal((await pending()).length, 1);
      const drop = () => world.send("DELETE", address, { headers: { ...pair(world), ...tus } });
      assert.equal((await drop()).status, 204);
      refused(await drop(), 404, "upload_not_found");
      refused(await append(world, address, 4, Buffer.from("moree")), 404, "upload_not_found");
      assert.deepEqual(await pending(), []);
      const old = await begun(world, 9, { folder: "", filename: "old.txt" });
      await append(world, old, 0, Buffer.from("some"));
      await sweep(world, 23.9 * 3600);
      assert.equal(await offsetOf(world, old), 4);
      await sweep(world, 24.1 * 3600);
      assert.equal((await look(world, old)).status, 404);
      assert.deepEqual(await pending(), []);
      assert.deepEqual(await world.app.stores.verify(), []);
    });
  });
}

/** Runs the chore some seconds from now. */
async function sweep(world: World, seconds: number): Promise<void> {
  const chore = chores.find(({ name }) => name === "expire unfinished uploads");
  const settings = readSettings({ flags: {}, env: {}, file: undefined });
  await chore?.run(world.app.stores, settings, Math.floor(Date.now() / 1000) + seconds, () => undefined);
}

describe("the protocol", () => {
  const world = disk;

  test("OPTIONS tells what is spoken, without tokens", async () => {
    const id = crypto.randomUUID();
    for (const address of ["/api/uploads", "/api/uploads/", `/api/uploads/${id}`]) {
      const { status, headers } = await world.send("OPTIONS", address);
      assert.equal(status, 204);
      assert.equal(headers.get("tus-version"), "1.0.0");
      assert.equal(headers.get("tus-max-size"), String(40 * MiB));
      assert.equal(headers.get("tus-extension"), "creation,creation-with-upload,expiration,termination,checksum");
      assert.equal(headers.get("tus-checksum-algorithm"), "sha256");
      assert.match(headers.get("access-control-allow-headers") ?? "", /Tus-Resumable.*Upload-Offset/);
    }
    assert.equal((await world.send("OPTIONS", "/api/files")).headers.get("tus-version"), null);
  });

  test("Location is relative to the address of the request", async () => {
    const fields = { "Upload-Length": "3", "Upload-Metadata": metadata({ filename: "a.txt" }) };
    const at = async (path: string, query?: Record<string, string>) => {
      const headers = query ? { ...tus, ...fields } : { ...pair(world), ...tus, ...fields };
      const reply = await world.send("POST", path, { headers, ...(query && { query }) });
      assert.equal(reply.status, 201, reply.text);
      const base = `https://example.org/cms${path}${query ? "?x=1" : ""}`;
      return new URL(reply.headers.get("location") as string, base).pathname.replace(/[^/]*$/, "");
    };
    assert.equal(await at("/api/uploads"), "/cms/api/uploads/");
    assert.equal(await at("/api/uploads/"), "/cms/api/uploads/");
    const { management: token, access } = world.token;
    assert.equal(await at("/api/uploads", { token, access_token: access }), "/cms/api/uploads/");
  });

  test("a wrong version is 412 with the right one", async () => {
    const address = await begun(world, 3, { filename: "a.txt" });
    for (const version of [undefined, "0.2.2", "2"]) {
      const headers: Headers = { ...pair(world), ...bytesType, "Upload-Offset": "0", "Upload-Length": "3" };
      const more: Headers = version === undefined ? {} : { "Tus-Resumable": version };
      for (const [method, path] of [
        ["POST", "/api/uploads"],
        ["PATCH", address],
        ["DELETE", address],
        ["HEAD", address],
      ] as const) {
        const meta = { "Upload-Metadata": metadata({ filename: "a.txt" }) };
        const reply = await world.send(method, path, { headers: { ...headers, ...meta, ...more } });
        assert.equal(reply.status, 412, method);
        assert.equal(reply.headers.get("tus-version"), "1.0.0");
        if (method !== "HEAD") assert.equal(reply.json.code, "tus_version_unsupported");
      }
    }
    assert.equal(await offsetOf(world, address), 0);
  });

  test("what a beginning does not say rightly is refused", async () => {
    const name = { folder: "", filename: "a.txt" };
    const post = (more: Headers, fields = name) => begin(world, 3, fields, more);
    refused(await begin(world, "", name), 400, "argument_invalid");
    for (const length of ["-1", "1.5", "x", "1e3", "9".repeat(30)])
      refused(await begin(world, length, name), 400, "argument_invalid");
    refused(await begin(world, 40 * MiB + 1, name), 413, "file_too_large");
    refused(await post({ "Upload-Defer-Length": "1" }), 400, "argument_invalid");
    refused(await post({ "Upload-Concat": "partial" }), 400, "argument_invalid");
    refused(await post({ "Upload-Metadata": "filename !!!" }), 400, "argument_invalid");
    refused(await post({ "Upload-Metadata": "filename YQ== b" }), 400, "argument_invalid");
    refused(await post({ "Upload-Metadata": "filename YQ==,,folder" }), 400, "argument_invalid");
    refused(await post({ "Upload-Metadata": "filename YQ==,filename Yg==" }), 400, "argument_repeated");
    refused(await post({ "Upload-Metadata": "filename /w==" }), 400, "text_invalid");
    refused(await post({ "Upload-Metadata": "" }), 400, "argument_missing");
    refused(await post({}, { ...name, folder: "../up" }), 400, "path_invalid");
    refused(await post({}, { ...name, filename: "a.exe" }), 415, "file_type_refused");
    refused(await begin(world, 3, { ...name, on_conflict: "whatever" }), 400, "argument_invalid");
    refused(
      await world.send("POST", "/api/uploads", {
        headers: { ...pair(world), ...tus, "Upload-Metadata": metadata(name) },
      }),
      400,
      "argument_missing",
    );
    refused(
      await world.send("POST", "/api/uploads", {
        query: { foo: "1" },
        headers: { ...pair(world), ...tus, "Upload-Length": "3", "Upload-Metadata": metadata(name) },
      }),
      400,
      "argument_unknown",
    );
    refused(
      await begin(world, 3, name, { "Content-Type": "text/plain" }, Buffer.from("abc")),
      415,
      "media_type_unsupported",
    );
    refused(await begin(world, 3, name, {}, Buffer.from("abcd")), 413, "upload_too_long");
  });

  test("what a PATCH does not say rightly is refused", async () => {
    const address = await begun(world, 5, { filename: "b.txt" });
    const bytes = Buffer.from("bytes");
    refused(await append(world, address, 1, bytes), 409, "upload_offset_mismatch");
    for (const offset of ["-1", "x", ""])
      refused(await append(world, address, 0, bytes, { "Upload-Offset": offset }), 400, "argument_invalid");
    refused(
      await append(world, address, 0, bytes, { "Content-Type": "application/json" }),
      415,
      "media_type_unsupported",
    );
    refused(await append(world, address, 0, bytes, { "Content-Encoding": "gzip" }), 415, "media_type_unsupported");
    refused(await append(world, address, 0, Buffer.from("six by")), 413, "upload_too_long");
    refused(await append(world, "/api/uploads/none", 0, bytes), 404, "upload_not_found");
    const { "Upload-Offset": _, ...headers } = { ...pair(world), ...tus, ...bytesType, "Upload-Offset": "" };
    refused(await world.send("PATCH", address, { headers, body: bytes }), 400, "argument_missing");
    assert.equal(await offsetOf(world, address), 0);
    const override = { ...pair(world), ...tus, ...bytesType, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH" };
    const done = await world.send("POST", address, { headers: override, body: bytes });
    assert.deepEqual([done.status, done.headers.get("octavo-file")], [204, "b.txt"]);
  });

  test("chunks that go past the length end as 413, and make no file", async () => {
    const address = await begun(world, 5, { filename: "past.txt" });
    const socket = rawPatch(world, address, 0, 0, { "Content-Length": "", "Transfer-Encoding": "chunked" });
    socket.write("5\r\nbytes\r\n1\r\n!\r\n0\r\n\r\n");
    assert.match(await replyOn(socket), /^HTTP\/1.1 (413|400) /);
    const { hostname, port } = new URL(world.app.url);
    const raw = connect(Number(port), hostname);
    const lines = Object.entries({ Host: "service", ...pair(world), ...tus, ...bytesType, "Upload-Offset": "0" });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    raw.write(
      `PATCH ${address} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\nbytes\r\n1\r\n!\r\n0\r\n\r\n`,
    );
    assert.match(await replyOn(raw), /^HTTP\/1.1 413 /);
    assert.equal((await world.send("GET", address, { headers: pair(world) })).json.code, "upload_unfinished");
    assert.equal((await append(world, address, 0, Buffer.from("right"))).status, 204);
    assert.equal((await bytesOf(world, "past.txt")).toString(), "right");
  });

  test("two at once: the second is 423, and so is a DELETE", async () => {
    const address = await begun(world, 10, { filename: "two.txt" });
    const socket = rawPatch(world, address, 0, 10);
    socket.write("first");
    const id = address.split("/").at(-1);
    await until(async () => (await pendingFiles()).includes(`pending/${id}`), "the request never began to write");
    refused(await append(world, address, 0, Buffer.from("other")), 423, "upload_locked");
    refused(await world.send("DELETE", address, { headers: { ...pair(world), ...tus } }), 423, "upload_locked");
    socket.write("again");
    assert.match(await replyOn(socket), /^HTTP\/1.1 204 /);
    assert.equal((await bytesOf(world, "two.txt")).toString(), "firstagain");
  });
});
