// Slow: it waits for clients that stop reading.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Running, startOctavo } from "../../../test/cli/octavo.ts";
import { temporaryFolder } from "../../../test/harness.ts";
import { readSettings } from "../../settings.ts";
import { openStores } from "../../stores.ts";
import { createToken } from "../access/token.ts";
import type { Slug } from "../path.ts";

/** Memory of a real service with default settings while clients request large lists. */

const clients = 60;
/** Includes the threads that a first list starts, beside the replies. */
const allowedMiB = 200;
const folder = temporaryFolder();
let request: string;
let listBytes: number;

before(async () => {
  const stores = await openStores(readSettings({ flags: { data: folder }, env: {}, file: undefined }));
  // 15 MB in a thousand entries.
  const context = { actor: "test", nowSeconds: 1 };
  const input = { data: JSON.stringify({ text: "long text, ".repeat(1400) }), isMergePatch: false, fields: {} };
  const ids = Array.from({ length: 1000 }, (_, i) => `list/${i}` as Slug);
  await Promise.all(ids.map((id) => stores.entries.create(id, input, context)));
  const scope = { kind: "delivery" as const, resources: ["entries" as const], label: "", environment: "" };
  const { secret } = await createToken(
    stores.tokens,
    { ...scope, limitCalls: 0, expiresAt: null },
    { id: "t", ...context },
  );
  await stores.close();
  request = `GET /api/entries?id=list&filter=&token=${secret} HTTP/1.1\r\nHost: x\r\n\r\n`;
});

const start = (): Promise<Running> => startOctavo(["--data", folder], { cwd: folder });

const memoryMiB = ({ pid }: Running): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

function ask(t: TestContext, { url }: Running): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(request));
  socket.on("error", () => undefined);
  t.after(() => socket.destroy());
  return socket;
}

/** Reads the head of the reply and only that part of the body that arrives with it. */
function headOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error("the connection was closed")));
    socket.once("readable", () => resolve(String(socket.read(12))));
  });
}

test(`${clients} clients that request a list of 15 MB and never read it use less than ${allowedMiB} MiB`, async (t) => {
  const octavo = await start();
  const beforeMiB = memoryMiB(octavo);
  let mostMiB = 0;
  const heads: string[] = [];
  const asked = Array.from({ length: clients }, async () => heads.push(await headOf(ask(t, octavo))));
  let isAnswered = false;
  const answered = Promise.all(asked).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    mostMiB = Math.max(mostMiB, memoryMiB(octavo));
    assert.equal((await fetch(`${octavo.url}/health/live`)).status, 200);
    await sleep(50);
  }
  await answered;
  const refused = heads.filter((head) => head.endsWith(" 503")).length;
  assert.ok(refused > 0 && refused < clients, `${refused} of ${clients} refused`);
  assert.equal(heads.filter((head) => head.endsWith(" 200")).length, clients - refused);
  t.diagnostic(`${Math.round(mostMiB - beforeMiB)} MiB more, ${clients - refused} lists in flight`);
  assert.ok(mostMiB - beforeMiB < allowedMiB, `${beforeMiB} MiB grew to ${mostMiB} MiB`);
  assert.equal(await octavo.stop("SIGKILL"), null);
});

test(`${clients} clients that read get the whole list, while others are answered`, async (t) => {
  const octavo = await start();
  let mostMiB = 0;
  const beforeMiB = memoryMiB(octavo);
  // A client that is asked to try again does so: how many lists one token gets in two seconds depends on the machine.
  const read = async (): Promise<number> => {
    let [bytes, expected, head] = [0, Number.POSITIVE_INFINITY, ""];
    for await (const chunk of ask(t, octavo)) {
      bytes += chunk.length;
      if (head === "") {
        head = String(chunk).split("\r\n\r\n", 1)[0] as string;
        if (/^HTTP\/1\.1 503 .*\nRetry-After: 1\r/s.test(head)) return sleep(50).then(read);
        assert.match(head, /^HTTP\/1\.1 200 /);
        expected = head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
      }
      if (bytes >= expected) break;
    }
    assert.equal(bytes, expected);
    return expected - head.length - 4;
  };
  let isRead = false;
  const all = Promise.all(Array.from({ length: clients }, read)).finally(() => {
    isRead = true;
  });
  let lives = 0;
  while (!isRead) {
    assert.equal((await fetch(`${octavo.url}/health/live`)).status, 200);
    lives++;
    mostMiB = Math.max(mostMiB, memoryMiB(octavo));
    await sleep(20);
  }
  const sizes = new Set(await all);
  assert.equal(sizes.size, 1, "the same list for all");
  listBytes = [...sizes][0] as number;
  assert.ok(listBytes > 15_000_000, String(listBytes));
  assert.ok(lives > 20, `answered ${lives} times`);
  t.diagnostic(`${Math.round(mostMiB - beforeMiB)} MiB more`);
  assert.equal(await octavo.stop("SIGKILL"), null);
});
