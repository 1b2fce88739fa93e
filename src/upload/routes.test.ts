import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "../../test/ending.ts";
import { allResources, type Reply, temporaryFolder, until, useWorld, type World } from "../../test/harness.ts";
import { smallDisk } from "../../test/small-disk.ts";
import type { Path } from "../core/path.ts";
import { signatureOf } from "../image/signature.ts";

/** What the acceptance suite cannot reach: the store's folder, settings, time. */

const folder = temporaryFolder();
const world = useWorld({
  data: folder,
  "upload-max-bytes": "300KiB",
  "upload-spools": "2",
  "upload-spool-bytes": "400KiB",
  "trust-proxy": "127.0.0.1",
});
const limitMs = 50;
/** Each has one limit of time that is short: the requests of other tests would not keep it on a busy machine. */
const idleFolder = temporaryFolder();
const idle = useWorld({ data: idleFolder }, {}, { uploadIdleSeconds: limitMs / 1000 });
const hasty = useWorld({}, {}, { requestTimeoutSeconds: limitMs / 1000 });

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

type Part = { name: string; value: string | Uint8Array; filename?: string };

function form(parts: Part[]): { type: string; body: Buffer } {
  const pieces = parts.flatMap(({ name, value, filename }) => [
    `--edge\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n`,
    Buffer.from(value as string),
    "\r\n",
  ]);
  const body = Buffer.concat([...pieces, "--edge--\r\n"].map((piece) => Buffer.from(piece as string)));
  return { type: "multipart/form-data; boundary=edge", body };
}

const tokensOf = ({ token }: World) => ({
  Authorization: `Bearer ${token.management}`,
  "X-Access-Token": token.access,
});

function upload(
  to: World,
  name: string,
  value: string | Uint8Array,
  fields: Record<string, string> = {},
): Promise<Reply> {
  const parts = Object.entries({ folder: "", ...fields }).map(([key, text]) => ({ name: key, value: text }));
  const { type, body } = form([...parts, { name: "file", value, filename: name }]);
  return to.send("POST", "/api/files", { headers: { ...tokensOf(to), "Content-Type": type }, body });
}

/** The files below the store that are neither the database nor the tree. */
const bytesOnDisk = (data = folder) => ({
  blobs: globSync("blobs/*/*", { cwd: data }).length,
  temporary: existsSync(join(data, "tmp")) ? readdirSync(join(data, "tmp")).length : 0,
});

/** Temporary files are removed shortly after the reply, or after the server sees the end of the connection. */
const tidied = (data = folder): Promise<void> =>
  until(() => bytesOnDisk(data).temporary === 0, "temporary files are left");

async function leavesNothing(action: () => Promise<unknown>, { app } = world, data = folder): Promise<void> {
  const look = async () => ({
    ...bytesOnDisk(data),
    files: await app.stores.files.count(),
    kept: await app.stores.ledger.size(),
  });
  await tidied(data);
  const earlier = await look();
  await action();
  await tidied(data);
  assert.deepEqual(await look(), earlier);
}

type Begun = { to?: World; isKnown?: boolean; length?: number; address?: string };

/** A connection that has sent the beginning of an upload. */
function begin(sent: number, { to = world, isKnown = true, length = 200_000, address = "192.0.2.1" }: Begun): Socket {
  const { type, body } = form([
    { name: "folder", value: "begun" },
    { name: "file", value: "x".repeat(length), filename: "begun.txt" },
  ]);
  const { Authorization, "X-Access-Token": access } = tokensOf(to);
  const tokens = isKnown ? `Authorization: ${Authorization}\r\nX-Access-Token: ${access}\r\n` : "";
  const socket = connect(Number(new URL(to.app.url).port), "127.0.0.1");
  atEnd(() => socket.destroy());
  socket.on("error", () => undefined);
  const head = `Host: x\r\nX-Forwarded-For: ${address}\r\n${tokens}Content-Type: ${type}`;
  socket.write(`POST /api/files HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.write(body.subarray(0, sent));
  return socket;
}

/** The same, when it is on the disk. */
async function begun(sent: number, options: Omit<Begun, "to"> = {}): Promise<Socket> {
  const before = bytesOnDisk().temporary;
  const socket = begin(sent, options);
  await until(() => bytesOnDisk().temporary > before, "nothing of it is on the disk");
  return socket;
}

function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (/\}\s*$/.test(text)) resolve(text);
    });
    socket.on("close", () => resolve(text));
  });
}

test("a successful upload leaves one blob and no temporary file", async () => {
  const reply = await upload(world, "kept.txt", "kept");
  assert.equal(reply.status, 200, reply.text);
  await tidied();
  assert.deepEqual(bytesOnDisk(), { blobs: 1, temporary: 0 });
});

test("a refused, too large or unreadable upload leaves no row, no blob and no temporary file", async () => {
  const statuses: number[] = [];
  await leavesNothing(async () => {
    const { type, body } = form([
      { name: "folder", value: "" },
      { name: "file", value: "cut off", filename: "a.txt" },
    ]);
    const headers = { ...tokensOf(world), "Content-Type": type };
    const replies = [
      await upload(world, "wrong.png", "not a picture"),
      await upload(world, "large.txt", "x".repeat(301 * 1024)),
      await upload(world, "bad.txt", "x", { folder: "../up" }),
      await upload(world, "bad.txt", "x", { title: "\0" }),
      await upload(world, "kept.txt", "other bytes", { on_conflict: "fail" }),
      await world.send("POST", "/api/files", { headers, body: body.subarray(0, body.length - 15) }),
      await world.send("POST", "/api/files", { headers: { "Content-Type": type }, body }),
    ];
    statuses.push(...replies.map(({ status }) => status));
  });
  assert.deepEqual(statuses, [415, 413, 400, 400, 409, 400, 401]);
});

test("a token after the file that differs from the one before it is refused and leaves nothing", async () => {
  const sendWith = (field: string, value: string) => {
    const { type, body } = form([
      { name: "folder", value: "" },
      // More than one chunk, so that the upload is authorized before the field is read.
      { name: "file", value: "x".repeat(290_000), filename: "behind.txt" },
      { name: field, value },
    ]);
    return world.send("POST", "/api/files", { headers: { ...tokensOf(world), "Content-Type": type }, body });
  };
  const second = await world.issue("management", allResources);
  await leavesNothing(async () => {
    for (const [field, value] of [
      ["token", second.secret],
      ["token", "nonsense"],
      ["access_token", world.token.management],
    ] as const) {
      const reply = await sendWith(field, value);
      assert.deepEqual([reply.status, reply.json.code], [400, "token_ambiguous"], reply.text);
    }
  });
  assert.equal((await sendWith("token", world.token.management)).status, 200, "the same token twice is one token");
});

test("an upload whose connection breaks leaves nothing", async () => {
  await leavesNothing(async () => {
    const socket = await begun(100_000);
    socket.destroy();
  });
});

test("an idle upload is ended with 408 and leaves nothing", async () => {
  const end = async () => {
    const socket = begin(100_000, { to: idle });
    assert.match(await answerOf(socket), /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/);
    socket.destroy();
  };
  await leavesNothing(end, idle, idleFolder);
});

test("a progressing upload may exceed the request timeout, other requests may not", async () => {
  const slow = begin(50_000, { to: hasty });
  const answer = answerOf(slow);
  const { body } = form([
    { name: "folder", value: "begun" },
    { name: "file", value: "x".repeat(200_000), filename: "begun.txt" },
  ]);
  for (let at = 50_000; at < body.length; at += 40_000) {
    await new Promise((resolve) => setTimeout(resolve, limitMs / 2));
    slow.write(body.subarray(at, at + 40_000));
  }
  assert.match(await answer, /^HTTP\/1\.1 200 /);
  slow.destroy();
  const late = JSON.stringify({ path: "late", token: hasty.token.management, access_token: hasty.token.access });
  const other = connect(Number(new URL(hasty.app.url).port), "127.0.0.1");
  atEnd(() => other.destroy());
  const refusal = answerOf(other);
  other.on("error", () => undefined);
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${late.length}`;
  other.write(`POST /api/folders HTTP/1.1\r\n${head}\r\n\r\n${late.slice(0, 9)}`);
  assert.match(await refusal, /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/);
  other.write(late.slice(9));
  await new Promise((resolve) => setTimeout(resolve, limitMs));
  assert.equal(await hasty.app.stores.folders.find("late" as Path), undefined, "a late body has no effect");
});

test("files before their tokens have limited space, above it 503 with Retry-After", async () => {
  await leavesNothing(async () => {
    const held = [await begun(1000, { isKnown: false }), await begun(1000, { isKnown: false })];
    const answers = held.map(answerOf);
    // The newcomer of another network gets one of their places.
    held.push(begin(1000, { isKnown: false, address: "198.51.100.1" }));
    const refused = await Promise.race(answers);
    assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*Retry-After: [1-9][\s\S]*"busy"/i);
    assert.equal((await upload(world, "kept.txt", "kept")).status, 200, "an authorized upload is not affected");
    for (const socket of held) socket.destroy();
  });
  await leavesNothing(async () => {
    const first = await begun(250_000, { isKnown: false, length: 290_000 });
    const second = begin(200_000, { isKnown: false, length: 290_000 });
    assert.match(await answerOf(second), /^HTTP\/1\.1 503 [\s\S]*"busy"/);
    first.destroy();
    second.destroy();
  });
});

test("of two concurrent uploads of one name exactly one succeeds completely", async () => {
  const texts = ["a", "b", "c", "d", "e", "f"].map((letter) => letter.repeat(50_000));
  const replies = await Promise.all(texts.map((text) => upload(world, "winner.txt", text)));
  for (const { status, text } of replies) assert.equal(status, 200, text);
  const got = await (await fetch(`${world.app.url}/project/uploads/winner.txt`)).text();
  assert.ok(texts.includes(got));
  const file = await world.app.stores.files.find("winner.txt" as Path);
  assert.equal(file?.size, got.length);
  assert.deepEqual(await world.app.stores.verify(), []);
});

const strict = useWorld({
  "uploads-private": "on",
  "upload-corrupt-images": "refuse",
  "upload-safe-names": "off",
  "upload-on-conflict": "suffix",
  "upload-types": "png,jpg,html",
  "image-max-pixels": "100",
  "uploads-tree": "off",
  "public-url": "https://content.example.org/",
});

test("the upload settings apply", async () => {
  const kept = await upload(strict, "Ünder Wegs.PNG", pixel);
  const { filename, full_url, url, dirname } = kept.json.data as Record<string, string>;
  assert.equal(filename, "Ünder Wegs.png");
  assert.equal(url, "project/uploads/Ünder Wegs.png");
  assert.equal(full_url, "https://content.example.org/project/uploads/%C3%9Cnder%20Wegs.png");
  assert.equal(dirname, "/project/uploads", "without a tree it is a name, the same on every node");
  const second = await upload(strict, "Ünder Wegs.PNG", pixel);
  assert.equal((second.json.data as Record<string, string>).filename, "Ünder Wegs-1.png");
  assert.equal((await upload(strict, "a.txt", "text")).json.code, "file_type_refused");
  const broken = Buffer.from(pixel);
  broken.writeUInt32BE(0, 16);
  assert.equal((await upload(strict, "broken.png", broken)).json.code, "image_unreadable");
  const huge = Buffer.from(pixel);
  huge.writeUInt32BE(101, 16);
  assert.equal((await upload(strict, "huge.png", huge)).json.code, "image_too_large");
});

test("private bytes need a token with the resource files, or a signed URL", async () => {
  await upload(strict, "secret.png", pixel, { on_conflict: "replace" });
  const get = (query: string, headers: Record<string, string> = {}) =>
    strict.send("GET", `/project/uploads/secret.png${query}`, { headers });
  const codes = async (query: string, headers?: Record<string, string>) => {
    const { status, json } = await get(query, headers);
    return status === 200 ? 200 : json.code;
  };
  assert.equal(await codes(""), "token_missing");
  assert.equal(await codes("?token=nonsense"), "token_invalid");
  const other = await strict.issue(
    "delivery",
    allResources.filter((resource) => resource !== "files"),
  );
  assert.equal(await codes(`?token=${other.secret}`), "scope_missing");
  assert.equal(await codes(`?token=${strict.token.delivery}`), 200);
  assert.equal(await codes("", { Authorization: `Bearer ${strict.token.management}` }), 200);
  assert.match((await get(`?token=${strict.token.delivery}`)).headers.get("cache-control") ?? "", /^private/);
  const key = strict.app.stores.signingKey;
  const now = Math.floor(Date.now() / 1000);
  const signed = (args: Record<string, string>, path = "secret.png") =>
    `?${new URLSearchParams({ ...args, s: signatureOf(key, path as Path, Object.entries(args)) })}`;
  assert.equal(await codes(signed({})), 200);
  assert.equal(await codes(signed({ expires: String(now + 60), v: "x y'z" })), 200);
  assert.equal(await codes(signed({ expires: String(now - 1) })), "signature_invalid");
  assert.equal(await codes(signed({}, "other.png")), "signature_invalid");
  assert.equal(await codes(`${signed({})}&v=1`), "signature_invalid");
  assert.equal(await codes(`${signed({})}&w[]=1`), "signature_invalid");
  assert.equal(await codes("?s=0000"), "signature_invalid");
  for (const name of ["w", "p", "download"]) {
    assert.equal(
      await codes(signed({ [name]: "1" })),
      "signature_invalid",
      `${name}: signed for an image with arguments`,
    );
  }
  assert.match(key, /^[0-9a-f]{64}$/);
});

// ---------------------------------------------------------------------------------------------- a full disk

const disk = smallDisk(3);

test("on a full disk a write is 507, says what is free and leaves nothing, and existing files stay intact", {
  skip: disk.skip,
}, async (t) => {
  const { build } = await import("../app.ts");
  const { readSettings } = await import("../settings.ts");
  const flags = { port: "0", log: "off", data: disk.folder, "uploads-tree": "off" };
  const app = await build(readSettings({ flags, env: {}, file: undefined }));
  t.after(() => app.close());
  const { createToken } = await import("../core/access/token.ts");
  const make = async (kind: "management" | "access", resources: ("files" | "entries")[]) => {
    const input = { kind, resources, label: "", environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(app.stores.tokens, input, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 }))
      .secret;
  };
  const full: World = {
    ...world,
    app,
    token: {
      ...world.token,
      management: await make("management", ["files", "entries"]),
      access: await make("access", []),
    },
  };
  const send = async (name: string, bytes: number): Promise<Reply> => {
    const { type, body } = form([
      { name: "folder", value: "" },
      { name: "file", value: name.repeat(bytes), filename: `${name}.txt` },
    ]);
    const response = await fetch(`${app.url}/api/files`, {
      method: "POST",
      headers: { ...tokensOf(full), "Content-Type": type },
      body,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  const isFull = ({ status, headers, text, json }: Reply) => {
    assert.deepEqual([status, json.code, headers.get("retry-after")], [507, "storage_full", null], text);
    assert.match(text, /the disk of the data folder is full, \d+ bytes are free; nothing was stored/);
  };
  assert.equal((await send("a", 1000)).status, 200);
  const refused = await send("b", 4_000_000);
  isFull(refused);
  assert.ok(!/ENOSPC|tmpfs|octavo-test/.test(refused.text));
  assert.deepEqual(readdirSync(join(disk.folder, "tmp")), []);
  assert.deepEqual(globSync("blobs/*/*", { cwd: disk.folder }).length, 1);
  const filler = join(disk.folder, "filler");
  assert.throws(() => writeFileSync(filler, Buffer.alloc(4_000_000)), { code: "ENOSPC" });
  const entry = async (method: string, path: string, args: object) => {
    const body = JSON.stringify({ ...args });
    const headers = { ...tokensOf(full), "Content-Type": "application/json" };
    const response = await fetch(`${app.url}${path}`, { method, headers, body });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  isFull(await entry("POST", "/api/entries", { id: "big", data: { text: "x".repeat(500_000) } }));
  isFull(await send("d", 1000));
  assert.equal((await fetch(`${app.url}/health/ready`)).status, 503);
  rmSync(filler);
  assert.equal((await send("c", 1000)).status, 200, "with free space, uploads succeed again");
  assert.deepEqual(await app.stores.verify(), []);
});
