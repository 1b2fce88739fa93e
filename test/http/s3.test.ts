import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { Bucket, type BucketOptions } from "../../src/core/bytes/s3/bucket.ts";
import { startWorld, temporaryFolder, useWorld, type World } from "../harness.ts";
import { bucketEnv, startProxy, useS3 } from "../s3-server.ts";

/** The service with its bytes in a bucket, beyond what the acceptance suite (--store s3) can reach. */

const folder = temporaryFolder();
const made = useS3()();
const world = useWorld({ data: folder, "renditions-store": "s3" }, made.then(bucketEnv));
let options: BucketOptions;
let bucket: Bucket;

before(async () => {
  options = await made;
  bucket = new Bucket(options);
  await world.ready;
});

async function upload(to: Omit<World, "ready">, name: string, bytes: Uint8Array): Promise<Record<string, unknown>> {
  const form = new FormData();
  form.set("folder", "");
  form.set("file", new File([new Uint8Array(bytes)], name));
  const headers = { Authorization: `Bearer ${to.token.management}`, "X-Access-Token": to.token.access };
  const response = await fetch(`${to.app.url}/api/files`, { method: "POST", headers, body: form });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

const keys = async (prefix: string) => (await Array.fromAsync(bucket.list(prefix))).map(({ key }) => key);

test("the bytes are only in the bucket; dirname is the same on every node", async () => {
  const bytes = Buffer.from("in the bucket");
  const { dirname, url } = await upload(world, "note.txt", bytes);
  assert.equal((await keys("blobs/")).length, 1);
  assert.deepEqual(globSync("{blobs,uploads,tmp}/**/*", { cwd: folder }), []);
  assert.equal(dirname, "/project/uploads");
  assert.ok(!existsSync(join(folder, "uploads")));
  const part = await world.send("GET", `/${url}`, { headers: { Range: "bytes=3-5" } });
  assert.deepEqual([part.status, part.text], [206, "the"]);
  assert.equal(world.app.stores.rebuildUploads, undefined);
  assert.deepEqual(await world.app.stores.verify(), []);
});

test("an image is drawn from the bucket and cached there, and no link of its source is left", async () => {
  const pixels = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, i) => (i * 7) % 256));
  const jpeg = await sharp(pixels, { raw: { width: 300, height: 200, channels: 3 } })
    .jpeg()
    .toBuffer();
  await upload(world, "a.jpg", jpeg);
  const draw = () => fetch(`${world.app.url}/api/images/a.jpg?w=30&token=${world.token.images}`);
  const first = Buffer.from(await (await draw()).arrayBuffer());
  const { width, height } = await sharp(first).metadata();
  assert.deepEqual([width, height], [30, 20]);
  assert.equal((await keys("renditions/")).length, 1);
  assert.equal(globSync("originals/*/*", { cwd: folder }).length, 1);
  assert.deepEqual(globSync("tmp/*", { cwd: folder }), []);
  assert.deepEqual(Buffer.from(await (await draw()).arrayBuffer()), first);
  assert.equal((await world.app.stores.renditions.usage()).count, 1);
  assert.equal(await world.app.stores.renditions.clear(), 1);
  assert.deepEqual(await keys("renditions/"), []);
});

test("without its bucket the service is ready and says so, refuses bytes as busy, and probes rarely", async (t) => {
  const proxy = await startProxy(t, options.endpoint);
  const env = bucketEnv({ ...options, endpoint: proxy.endpoint });
  const other = await startWorld({ data: temporaryFolder() }, env);
  t.after(() => other.app.close());
  assert.equal((await other.send("GET", "/health/ready")).status, 200);
  const probes = () => proxy.seen.filter((what) => /^HEAD \/[^/]+\/$/.test(what)).length;
  assert.ok(probes() <= 2, "one probe at the start, one for the first request");
  const before = probes();
  await upload(other, "kept.txt", Buffer.from("kept"));
  proxy.fate = () => "AccessDenied";
  const form = { headers: { Authorization: `Bearer ${other.token.management}` } };
  const refused = await other.send("GET", "/project/uploads/kept.txt", form);
  assert.deepEqual([refused.status, refused.json.code], [503, "busy"]);
  assert.ok(refused.headers.get("retry-after"));
  assert.ok(!refused.text.includes(options.bucket) && !refused.text.includes(options.accessKey));
  const said = async (text: string) => {
    for (let n = 0; n < 80; n++) {
      const reply = await other.send("GET", "/health/ready");
      assert.equal(reply.status, 200, "a load balancer would take the node out, which answers entries");
      if (reply.text === text) return;
      await delay(100);
    }
    assert.fail(`it never says ${text}`);
  };
  await said('{"status":"ok","degraded":["bucket"]}');
  const query = { id: "none", token: other.token.management };
  assert.equal((await other.send("GET", "/api/entries", { query })).status, 404, "entries are answered");
  assert.ok(probes() <= before + 1);
  const live = await other.send("GET", "/health/live");
  assert.equal(live.status, 200);
  proxy.fate = () => "pass";
  await said('{"status":"ok"}');
});
