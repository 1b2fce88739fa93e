import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import sharp from "sharp";
import type { RenderJob } from "../../src/image/rendition.ts";
import { SharpRenderer } from "../../src/image/sharp/renderer.ts";
import { temporaryFolder } from "../harness.ts";
import { smallDisk } from "../small-disk.ts";

const folder = temporaryFolder();
const disk = smallDisk(1);

test("an image that does not fit on the disk is refused and leaves nothing behind", {
  skip: disk.skip,
}, async (t) => {
  const source = join(folder, "source.png");
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  await sharp({ create: { width: 900, height: 900, channels: 3, background: "#000", noise } })
    .png()
    .toFile(source);
  const renderer = new SharpRenderer({
    ...{ workers: 1, maxQueue: 1, timeoutMs: 60_000, svgTimeoutMs: 60_000, maxMemoryBytes: 1e9, idleMs: 60_000 },
    limits: { maxSourcePixels: 1e8, maxOutputPixels: 1e8, maxSide: 8192 },
    sources: { hold: async () => ({ file: source, release: async () => undefined }) },
    temporaryFile: () => join(disk.folder, "result"),
    remove: async (file) => rmSync(file, { force: true }),
  });
  t.after(() => renderer.close());
  const asked = { or: "auto", fit: { kind: "contain" }, dpr: 1 } as const;
  const job: RenderJob = {
    ...{ hash: "", type: "image/png", markHash: undefined, format: "png", isStrict: false },
    modifiers: asked,
  };
  await assert.rejects(renderer.render(job, "t"), { code: "storage_full" });
  await assert.rejects(renderer.render({ ...job, modifiers: { ...asked, flip: "h", blur: 1 } }, "t"), {
    code: "storage_full",
  });
  assert.deepEqual(readdirSync(disk.folder), []);
  const { size } = await renderer.render({ ...job, modifiers: { ...asked, w: { px: 50 } } }, "t");
  assert.ok(size > 100);
});
