import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder, until, useWorld, type World } from "../../../test/harness.ts";

/** Uploads whose tokens follow the file: the settings of their places, bytes, rate and time. spool-room.test.ts has the rules. */

const places = 3;
const limitMs = 50;
const folder = temporaryFolder();
const shared = useWorld({
  data: folder,
  "upload-spools": String(places),
  "upload-spool-bytes": "500KiB",
  "trust-proxy": "127.0.0.1",
});
/** Above what any client of these tests sends. */
const swift = useWorld({ "upload-spool-rate-bytes": "1GiB" }, {}, { uploadIdleSeconds: limitMs / 1000 });
const hasty = useWorld({}, {}, { uploadSpoolSeconds: limitMs / 1000 });
before(() => Promise.all([shared.ready, swift.ready, hasty.ready]));

const closing = "\r\n--edge--\r\n";
const field = (name: string, value: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** An upload in progress: the file first, then its tokens. */
class Upload {
  readonly answer: Promise<string>;
  private readonly socket: Socket;
  private readonly tail: string;

  constructor(t: TestContext, to: World, name: string, fileBytes: number, address = "192.0.2.1") {
    const head = `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}.txt"\r\n\r\n`;
    const { management, access } = to.token;
    const fields = field("folder", "") + field("token", management) + field("access_token", access);
    this.tail = `\r\n${fields.slice(0, -2)}${closing}`;
    const length = head.length + fileBytes + this.tail.length;
    this.socket = connect(Number(new URL(to.app.url).port), "127.0.0.1");
    t.after(() => this.socket.destroy());
    this.answer = answerOf(this.socket);
    const type = `X-Forwarded-For: ${address}\r\nContent-Type: multipart/form-data; boundary=edge`;
    this.socket.write(`POST /api/files HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${length}\r\n\r\n${head}`);
  }

  /** Sends bytes of the file. */
  send(bytes: number): this {
    this.socket.write("x".repeat(bytes));
    return this;
  }

  /** Sends so many bytes of the file again and again until the reply. */
  async keepSending(bytes: number): Promise<string> {
    let isAnswered = false;
    const answer = this.answer.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await sleep(5, this.send(bytes));
    return answer;
  }

  /** Sends the tokens, behind the whole file. */
  end(): Promise<string> {
    this.socket.write(this.tail);
    return this.answer;
  }
}

/** The reply; what came of it when the connection ends. */
function answerOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("error", () => undefined);
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.endsWith("}")) resolve(text);
    });
    socket.on("close", () => resolve(text));
  });
}

const statusOf = (answer: string): number => Number(answer.slice(9, 12));
const isBusy = /^HTTP\/1\.1 503 [\s\S]*Retry-After: \d[\s\S]*"code":"busy"/i;
const isLate = /^HTTP\/1\.1 408 [\s\S]*"request_timeout"/;
/** The service stops reading a body that is late: who goes on sending gets the reply, or a reset in its place. */
const isCutOff = /^(?:HTTP\/1\.1 408 [\s\S]*"request_timeout"[\s\S]*)?$/;

/** Waits until this number of uploads is on the disk. */
function areStaged(count: number): Promise<void> {
  const temporary = join(folder, "tmp");
  const staged = () => (existsSync(temporary) ? readdirSync(temporary).length : 0);
  return until(
    () => staged() === count,
    () => `${staged()} are staged`,
  );
}

test("one network in all places does not lock out another one", async (t) => {
  const strangers = Array.from({ length: places }, (_, i) => new Upload(t, shared, `stranger-${i}`, 1000).send(10));
  await areStaged(places);
  const other = new Upload(t, shared, "other", 10, "198.51.100.1").send(10);
  assert.match(await Promise.race(strangers.map(({ answer }) => answer)), isBusy);
  assert.equal(statusOf(await other.end()), 200);
});

test("a network that holds most bytes makes room for another one", async (t) => {
  await areStaged(0);
  const [heavy, other] = [400 * 1024, 150 * 1024];
  const first = new Upload(t, shared, "heavy", 2 * heavy, "203.0.113.1").send(heavy);
  await areStaged(1);
  const second = new Upload(t, shared, "light", other, "198.51.100.1").send(other);
  assert.match(await first.answer, isBusy);
  assert.equal(statusOf(await second.end()), 200);
});

test("an upload below the minimum rate is aborted, even without long pauses", async (t) => {
  assert.match(await new Upload(t, swift, "given-up", 10_000_000).keepSending(1000), isCutOff);
});

test("an upload past its time limit is aborted, whatever its rate", async (t) => {
  assert.match(await new Upload(t, hasty, "endless", 1e9).keepSending(100_000), isCutOff);
});

test("a form without a file has the same time limit", async (t) => {
  const socket = connect(Number(new URL(hasty.app.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  const type = "Content-Type: multipart/form-data; boundary=edge";
  socket.write(`POST /api/files HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 90000\r\n\r\n`);
  socket.write('--edge\r\nContent-Disposition: form-data; name="folder"\r\n\r\n');
  assert.match(await answerOf(socket), isLate);
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
  const answer = answerOf(socket);
  const known = bytes.indexOf("known.txt") + 60;
  socket.write(bytes.subarray(0, known));
  for (let at = known; at < bytes.length; at += 50) {
    await sleep(limitMs / 2);
    socket.write(bytes.subarray(at, at + 50));
  }
  assert.equal(statusOf(await answer), 200);
  socket.destroy();
});

async function formBytes(form: FormData): Promise<{ type: string; bytes: Buffer }> {
  const response = new Response(form);
  return {
    type: response.headers.get("content-type") as string,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
