import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, closeSync, openSync, readFileSync, statSync, utimesSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import sharp from "sharp";
import { blobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import { temporaryFolder, useWorld } from "../harness.ts";

/** A blob is changed in place by a user or the disk; then the intact file is uploaded again. Decision 4. */

const data = temporaryFolder();
const world = useWorld({ data, log: "off" });

async function upload(folder: string, name: string, bytes: Buffer): Promise<number> {
  const form = new FormData();
  for (const [field, value] of Object.entries({ ...tokens(), folder })) form.set(field, value);
  form.set("file", new File([new Uint8Array(bytes)], name));
  return (await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status;
}
const tokens = () => ({ token: world.token.management, access_token: world.token.access });

async function get(path: string): Promise<{ status: number; bytes: Buffer }> {
  const reply = await fetch(world.app.url + path);
  return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) };
}

const blobOf = (bytes: Buffer) => blobFile(join(data, "blobs"), createHash("sha256").update(bytes).digest("hex"));

/** Changes eight bytes in the middle; `how` says whether the modification time changes, too. */
function damage(file: string, how: "edited" | "rotten"): void {
  const { mode, size, atimeMs, mtimeMs } = statSync(file);
  chmodSync(file, 0o644);
  const handle = openSync(file, "r+");
  writeSync(handle, "8 bytes.", Math.floor(size / 2));
  closeSync(handle);
  chmodSync(file, mode);
  if (how === "rotten") utimesSync(file, atimeMs / 1000, mtimeMs / 1000);
}

for (const how of ["edited", "rotten"] as const) {
  for (const size of [1000, 300_000]) {
    test(`uploading the intact file repairs a blob of ${size} bytes that is ${how}, under any name`, async () => {
      const bytes = Buffer.alloc(size, `${how} ${size} `);
      const top = `${how}-${size}`;
      assert.equal(await upload(`${top}/a`, "x.txt", bytes), 200);
      assert.equal(await upload(`${top}/b`, "y.txt", bytes), 200);
      const damaged = async () => {
        damage(blobOf(bytes), how);
        // No cache may store a reply from now on.
        const { status, bytes: got } = await get(`/project/uploads/${top}/a/x.txt`);
        if (size < 100_000) assert.ok(status === 500 || got.equals(bytes), String(status));
      };
      const isGood = async (names: string[]) => {
        for (const name of names) {
          const { status, bytes: got } = await get(`/project/uploads/${top}/${name}`);
          assert.ok(status === 200 && got.equals(bytes), `${name} is answered with ${status}`);
          assert.ok(readFileSync(join(data, "uploads", top, name)).equals(bytes), name);
        }
      };
      await damaged();
      assert.equal(await upload(`${top}/a`, "x.txt", bytes), 200);
      await isGood(["a/x.txt", "b/y.txt"]);
      await damaged();
      assert.equal(await upload(`${top}/c`, "z.txt", bytes), 200);
      await isGood(["a/x.txt", "b/y.txt", "c/z.txt"]);
      assert.deepEqual(await world.app.stores.verify(), []);
    });
  }

  test(`no image is drawn from a source that is ${how}`, async () => {
    const background = how === "edited" ? "#c04020" : "#2040c0";
    const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
    // An image with eight changed bytes can still be decoded.
    const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background, noise } })
      .jpeg()
      .toBuffer();
    assert.equal(await upload(how, "p.jpg", picture), 200);
    const draw = (w: number) => get(`/api/images/${how}/p.jpg?w=${w}&token=${world.token.images}`);
    const good = await draw(50);
    assert.equal(good.status, 200);
    damage(blobOf(picture), how);
    assert.equal((await draw(60)).status, 500);
    assert.equal(await upload(how, "p.jpg", picture), 200);
    const repaired = await draw(60);
    assert.equal(repaired.status, 200);
    assert.equal((await sharp(repaired.bytes).metadata()).width, 60);
  });
}
