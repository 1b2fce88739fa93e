// Slow: it kills nodes and waits for times that come.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Slug } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { closing } from "../ending.ts";
import { temporaryFolder, until } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { bucketEnv, useS3 } from "../s3-server.ts";
import { start } from "./service.ts";

/** Scheduled publications come true once each, whatever happens to the nodes and to their clocks. */

/** Entries that are scheduled alone, and those of a release. */
const [alone, together] = [20, 10];
const size = alone + together;
const release = "r-1";
const hour = 3600;
const nowSeconds = () => Math.floor(Date.now() / 1000);
const by = (at = nowSeconds()) => ({ actor: "test", nowSeconds: at });
const slugOf = (n: number) => `e/${n}` as Slug;

async function schedule({ entries, staged, releases }: Stores, at: number): Promise<void> {
  await releases.create(newRelease("Spring", { ...by(), id: release }), by());
  for (let n = 0; n < size; n++) {
    const input = (value: number) => ({ data: JSON.stringify({ n: value }), isMergePatch: false, fields: {} });
    await entries.create(slugOf(n), input(0), by());
    await staged.stage(slugOf(n), { ...input(1), ...(n >= alone && { release }) }, by());
    if (n < alone) await staged.schedule(slugOf(n), { atSeconds: at + (n % 3) }, by());
  }
  await releases.publish(release, { paths: null, atSeconds: at + 1 }, by());
}

const publications = async ({ events }: Stores): Promise<string[]> =>
  (await events.list(0, 1000)).filter(({ kind }) => kind === "entry.publish").map(({ subject }) => subject);

async function checkAll(stores: Stores): Promise<void> {
  const found = await publications(stores);
  assert.deepEqual(found.toSorted(), Array.from({ length: size }, (_, n) => slugOf(n)).toSorted());
  for (let n = 0; n < size; n++) {
    assert.equal((await stores.entries.find(slugOf(n)))?.data, '{"n":1,"content":""}');
  }
  const { state, count } = await stores.releases.get(release, { paths: null });
  assert.deepEqual([state, count], ["published", together]);
  assert.deepEqual(await stores.verify(), []);
}

test("a node that was killed publishes what came due meanwhile, once each", { timeout: 120_000 }, async () => {
  const data = temporaryFolder();
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  await closing(openStores(settings), (stores) => schedule(stores, nowSeconds() + 4));
  (await start(data)).child.kill("SIGKILL");
  await closing(openStores(settings), async (stores) => assert.deepEqual(await publications(stores), []));
  // Killed again while it publishes, or before: both must be made good.
  const second = await start(data);
  await closing(openStores(settings), (stores) =>
    until(async () => (await publications(stores)).length > 0, "the first is published", 40_000),
  );
  second.child.kill("SIGKILL");
  await start(data);
  await closing(openStores(settings), async (stores) => {
    await until(async () => (await publications(stores)).length >= size, "all are published", 60_000);
    await checkAll(stores);
  });
});

describe("two nodes", { skip: lacksPostgres() ?? false }, () => {
  const makeBucket = useS3();

  test("publish what is due once each, also when one is killed", { timeout: 120_000 }, async () => {
    const env = { OCTAVO_POSTGRES_URL: await createDatabase(), ...bucketEnv(await makeBucket()) };
    const settings = readSettings({ flags: { data: temporaryFolder() }, env, file: undefined });
    await closing(openStores(settings), async (stores) => {
      await schedule(stores, nowSeconds() + 8);
      const nodes = await Promise.all([temporaryFolder(), temporaryFolder()].map((data) => start(data, env)));
      await until(async () => (await publications(stores)).length > 0, "the first is published", 60_000);
      nodes[0]?.child.kill("SIGKILL");
      await until(async () => (await publications(stores)).length >= size, "all are published", 60_000);
      await checkAll(stores);
    });
  });
});

for (const offset of [hour, -hour]) {
  test(`a clock that is set by ${offset} s publishes each once, by the clock's time`, async () => {
    const settings = readSettings({ flags: { data: temporaryFolder() }, env: {}, file: undefined });
    await closing(openStores(settings), async (stores) => {
      const start = nowSeconds();
      const at = start + hour / 2;
      await schedule(stores, at);
      const publishAt = async (now: number) => {
        await stores.staged.publishDue(now);
        await stores.releases.publishDue(now);
        return (await publications(stores)).length;
      };
      assert.equal(await publishAt(start), 0);
      // Ahead by an hour, they are due; set back, they wait for their time on the clock that is in force.
      assert.equal(await publishAt(start + offset), offset > 0 ? size : 0);
      assert.equal(await publishAt(start), offset > 0 ? size : 0);
      assert.equal(await publishAt(at + 3), size);
      assert.equal(await publishAt(at + hour), size);
      await checkAll(stores);
    });
  });
}
