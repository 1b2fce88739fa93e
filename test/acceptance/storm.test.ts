// Slow: hundreds of concurrent images and uploads.
/**
 * More load than a service accepts: refusals, and requests that are not affected. Contract §2, §5, §7. The refusals would
 * affect other chapters, so this one has its own service, or is skipped.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { meanwhile } from "../ending.ts";
import { multipartOf, plantFile, upload } from "./media.ts";
import { drawn, enterPictures, image, look, noise, plantPictures, seenIn } from "./picture.ts";
import { Wire } from "./wire.ts";
import { allRepliesKeptTheirPromises, dataOf, refused, sleep } from "./world.ts";

const skip = process.env.OCTAVO_TEST_URL === undefined ? false : "would slow down the other chapters";
const MiB = 1024 * 1024;
const world = await enterPictures("storm");
await plantPictures(world, { "noise.jpg": await noise(700, 460).jpeg().toBuffer() });

describe("many concurrent images", { skip }, () => {
  test("60 renditions: each is drawn or refused as busy, while entries are answered", async () => {
    await world.create("quiet", { title: "quiet" });
    const storm = Promise.all(Array.from({ length: 60 }, (_, n) => image(world, "noise.jpg", `w=${200 + n}&sharp=10`)));
    const reads = await meanwhile(storm, async () => {
      assert.equal(dataOf(await world.read({ id: world.id("quiet") })).title, "quiet");
    });
    const replies = await storm;
    for (const [n, reply] of replies.entries()) {
      if (reply.status === 200) assert.equal((await look(reply.bytes)).width, 200 + n);
      else {
        refused(reply, 503, "busy");
        assert.ok(Number(reply.headers["retry-after"]) >= 1);
      }
    }
    assert.ok(replies.some((reply) => reply.status === 200));
    // As many as images: entries do not wait in the same queue.
    assert.ok(reads >= 60, `${reads} reads`);
  });

  test("more than the queue: each is drawn or refused as busy, and cached ones are answered", async () => {
    await drawn(world, "noise.jpg", "w=50");
    const ask = (query: string) => image(world, "noise.jpg", query, { uniqueAddress: true });
    let open = 0;
    const storm = Array.from({ length: 160 }, async (_, n) => {
      open++;
      const reply = await ask(`w=${400 + n}&fm=png`);
      open--;
      return reply;
    });
    await seenIn(await ask("w=50"));
    assert.ok(open > 0, "a cached one is answered before all others");
    const statuses = new Set<number>();
    for (const reply of await Promise.all(storm)) {
      statuses.add(reply.status);
      if (reply.status === 200) continue;
      refused(reply, 503, "busy");
      assert.ok(Number(reply.headers["retry-after"]) >= 1);
    }
    assert.deepEqual([...statuses].sort(), [200, 503]);
    await seenIn(await ask("w=399"));
  });
});

describe("many concurrent uploads", { skip }, () => {
  test("nine that send their tokens last exceed the limit; the others are not delayed", async (t) => {
    const { body, type } = multipartOf([
      { name: "folder", value: world.id("spooled") },
      { name: "file", filename: "a.txt", value: "text\n".repeat(50_000) },
    ]);
    const { host } = new URL(world.url);
    const head = `POST /api/files HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: ${50 * MiB}\r\n\r\n`;
    const begin = async () => {
      const wire = new Wire(world.url);
      t.after(() => wire.destroy());
      // Without the end, so that the upload stays open.
      await wire.write(Buffer.concat([Buffer.from(head), body.subarray(0, -100)]));
      return wire;
    };
    const wires: Wire[] = [];
    for (let n = 0; n < 9; n++) wires.push(await begin());
    // Any of them: the service may accept them in another order.
    const refusal = await Promise.any(wires.map((wire) => wire.reply("POST", 20_000)));
    refused(refusal, 503, "busy");
    assert.ok(Number(refusal.headers["retry-after"]) > 0);
    assert.ok(!wires.some(({ isAnswered }) => isAnswered), "one is refused");
    assert.equal((await plantFile(world, "spooled/a.txt")).filename, "a.txt");
    for (const wire of wires) wire.destroy();
    const late = () => upload(world, { folder: "spooled", name: "b.txt", late: ["token", "access_token"] });
    let reply = await late();
    // Until the service notices the disconnects.
    for (; reply.status === 503; reply = await late()) await sleep(20);
    dataOf(reply);
  });
});

allRepliesKeptTheirPromises(world);
