// Slow: waits for the time limits of uploads.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder, useWorld, type World } from "../harness.ts";

/** Places of uploads whose tokens follow the file: admission, eviction, time limits. */

const places = 3;
const rateBytes = 2048;
const folder = temporaryFolder();
const rooms = { "upload-spools": String(places), "upload-spool-rate-bytes": String(rateBytes) };
const world = useWorld({ data: folder, ...rooms, "upload-spool-bytes": "500KiB" });
const hasty = useWorld({ ...rooms, "upload-idle-seconds": "1", "upload-spool-seconds": "2" });
const shared = useWorld({ ...rooms, "trust-proxy": "127.0.0.1" });
before(() => Promise.all([world.ready, hasty.ready, shared.ready]));

const closing = "\r\n--edge--\r\n";
const field = (name: string, value: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** An upload in progress: the file first, then its tokens. */
class Upload {
  readonly socket: Socket;
  readonly answer: Promise<string>;
  /** True once everything is sent. */
  isSent = false;
  private readonly tail: string;

  constructor(t: TestContext, to: World, name: string, fileBytes: number, address = "192.0.2.1") {
    const head = `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}.txt"\r\n\r\n`;
    const { management, access } = to.token;
    const fields = field("folder", "") + field("token", management) + field("access_token", access);
    this.tail = `\r\n${fields.slice(0, -2)}${closing}`;
    const length = head.length + fileBytes + this.tail.length;
    this.socket = connect(Number(new URL(to.app.url).port), "127.0.0.1");
    this.socket.on("error", () => undefined);
    t.after(() => this.socket.destroy());
    let text = "";
    this.answer = new Promise((resolve) => {
      this.socket.on("data", (chunk) => {
        text += chunk;
        if (text.endsWith("}")) resolve(text);
      });
      this.socket.on("close", () => resolve(text));
    });
    const type = `X-Forwarded-For: ${address}\r\nContent-Type: multipart/form-data; boundary=edge`;
    this.socket.write(`POST /api/files HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${length}\r\n\r\n${head}`);
  }

  /** Sends the file's bytes in steps of this size at this rate a second, then its tokens. */
  async send(fileBytes: number, pieceBytes = fileBytes, pauseMs = 100): Promise<string> {
    for (let sent = 0; sent < fileBytes && !this.socket.destroyed; sent += pieceBytes) {
      this.socket.write("x".repeat(Math.min(pieceBytes, fileBytes - sent)));
      // Tokens in the same chunk as the file are known before the file is written.
      await sleep(pauseMs);
    }
    this.isSent = true;
    this.socket.write(this.tail);
    return this.answer;
  }

  /** Sends a byte now and then until the reply or the end of the test. */
  drip(t: TestContext): this {
    const timer = setInterval(() => this.socket.write("x"), 300);
    t.after(() => clearInterval(timer));
    this.socket.once("close", () => clearInterval(timer));
    void this.answer.then(() => clearInterval(timer));
    return this;
  }
}

const statusOf = (answer: string): number => Number(answer.slice(9, 12));
const temporary = join(folder, "tmp");
const staged = () => (existsSync(temporary) ? readdirSync(temporary).length : 0);

/** Waits until this number of uploads is on the disk. */
async function areStaged(count: number): Promise<void> {
  while (staged() !== count) await sleep(10);
}

// The files of one test are removed before the next starts.
beforeEach(() => areStaged(0));

test("clients that send a byte now and then are evicted for a regular one, the slowest first", async (t) => {
  const drips = Array.from({ length: places }, (_, i) => new Upload(t, world, `drip-${i}`, 100_000).drip(t));
  await areStaged(places);
  const refused: string[] = [];
  for (const { answer } of drips) void answer.then((text) => refused.push(text));
  // At first no client counts as slow, and new ones are refused as busy; a regular client retries.
  let answer = "";
  do {
    assert.deepEqual(refused, []);
    answer = await new Upload(t, world, "honest", 50_000).send(50_000);
  } while (statusOf(answer) === 503);
  assert.equal(statusOf(answer), 200, answer);
  await Promise.race(drips.map((drip) => drip.answer));
  assert.equal(refused.length, 1, "exactly one is evicted");
  assert.match(String(refused), /^HTTP\/1\.1 503 [\s\S]*Retry-After: \d[\s\S]*"code":"busy"/i);
});

test("a slow client above the minimum rate keeps its place and finishes", async (t) => {
  const bytes = 10 * rateBytes;
  const slow = Array.from({ length: places }, (_, i) => new Upload(t, world, `slow-${i}`, bytes));
  const isOneSent = () => slow.some(({ isSent }) => isSent);
  // Twice the rate: five seconds.
  const answers = Promise.all(slow.map((upload) => upload.send(bytes, rateBytes / 2, 250)));
  await areStaged(places);
  while (!isOneSent()) {
    const status = statusOf(await new Upload(t, world, "newcomer", 10).send(10));
    if (!isOneSent()) assert.equal(status, 503);
  }
  assert.deepEqual((await answers).map(statusOf), [200, 200, 200]);
});

test("a new upload is admitted as soon as another leaves", async (t) => {
  const drips = Array.from({ length: places }, (_, i) => new Upload(t, world, `leaves-${i}`, 100_000).drip(t));
  await areStaged(places);
  const waiting = new Upload(t, world, "waits", 10).send(10);
  await sleep(200);
  drips[0]?.socket.destroy();
  assert.equal(statusOf(await waiting), 200);
});

test("one network that keeps up the rate in all places does not lock out another one", async (t) => {
  const strangers = Array.from({ length: places }, (_, i) => new Upload(t, shared, `stranger-${i}`, 1_000_000));
  for (const upload of strangers) void upload.send(1_000_000, 2 * rateBytes, 100);
  await sleep(500);
  const more = new Upload(t, shared, "more", 10);
  assert.equal(statusOf(await more.send(10)), 503, "of the same network");
  const other = new Upload(t, shared, "other", 10, "198.51.100.1");
  assert.equal(statusOf(await other.send(10)), 200);
  const dropped = await Promise.race(strangers.map(({ answer }) => answer));
  assert.match(dropped, /^HTTP\/1\.1 503 /);
});

test("when the bytes are exhausted, the slowest is evicted, too", async (t) => {
  const drip = new Upload(t, world, "large-drip", 1_000_000);
  drip.socket.write("x".repeat(450 * 1024));
  drip.drip(t);
  await areStaged(1);
  let status = 503;
  while (status === 503) {
    status = statusOf(await new Upload(t, world, "large", 100 * 1024).send(100 * 1024));
    await sleep(100);
  }
  assert.equal(status, 200);
  assert.equal(statusOf(await drip.answer), 503);
});

test("an upload below the minimum rate is aborted, even without long pauses", async (t) => {
  const drip = new Upload(t, hasty, "given-up", 100_000).drip(t);
  assert.match(await drip.answer, /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/);
});

test("an upload past its time limit is aborted, whatever its rate", async (t) => {
  const steady = new Upload(t, hasty, "endless", 10_000_000);
  assert.match(await steady.send(10_000_000, 2 * rateBytes, 100), /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/);
});

test("a form without a file has the same time limit", async (t) => {
  const socket = connect(Number(new URL(hasty.app.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  const type = "Content-Type: multipart/form-data; boundary=edge";
  socket.write(`POST /api/files HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 90000\r\n\r\n`);
  socket.write('--edge\r\nContent-Disposition: form-data; name="folder"\r\n\r\n');
  const timer = setInterval(() => socket.write("x"), 300);
  t.after(() => clearInterval(timer));
  let text = "";
  for await (const chunk of socket) text += chunk;
  assert.match(text, /^HTTP\/1\.1 408 /);
});

test("an authenticated upload has no time limit", async () => {
  const form = new FormData();
  form.set("folder", "");
  form.set("token", hasty.token.management);
  form.set("access_token", hasty.token.access);
  form.set("file", new Blob(["known".repeat(20)]), "known.txt");
  const { type, bytes } = await formBytes(form);
  const socket = connect(Number(new URL(hasty.app.url).port), "127.0.0.1");
  socket.write(
    `POST /api/files HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  const before = bytes.indexOf("known.txt");
  socket.write(bytes.subarray(0, before + 60));
  for (let at = before + 60; at < bytes.length; at += 10) {
    await sleep(200);
    socket.write(bytes.subarray(at, at + 10));
  }
  const answer = await new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));
  socket.destroy();
  assert.equal(statusOf(answer), 200, answer);
});

async function formBytes(form: FormData): Promise<{ type: string; bytes: Buffer }> {
  const response = new Response(form);
  return {
    type: response.headers.get("content-type") as string,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
