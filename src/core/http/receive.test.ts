import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { BlobStore, StagedBlob } from "../bytes/blob.ts";
import { Receiver } from "./receive.ts";

const idleMs = 50;

/** A disk whose last write is slow. */
const slowDisk = {
  stage: async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const _ of bytes);
    await sleep(2 * idleMs);
    return {} as StagedBlob;
  },
} as unknown as BlobStore;

const sender = { credentialsIn: () => "", isKnownBy: () => true, authenticate: async () => "sender" };

test("a completely received upload is not timed out, however slow the disk", async (t) => {
  const spools = { maxSpools: 1, maxSpoolBytes: 1e6, leastSpoolBytesPerSecond: 0, maxSpoolMs: 1e6 };
  const receiver = new Receiver({ blobs: slowDisk, maxUploadBytes: 1e6, ...spools, idleMs });
  const server = createServer((request, response) => {
    receiver.receive({ request, response, address: "192.0.2.1" }, sender).then(
      ({ file }) => response.end(file?.filename),
      (error) => response.end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const body = new FormData();
  body.append("file", new Blob(["text"]), "whole.txt");
  const { port } = server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
  assert.equal(await reply.text(), "whole.txt");
});
