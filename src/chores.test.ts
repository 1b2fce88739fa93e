import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { temporaryFolder } from "../test/harness.ts";
import { chores, choreTickSeconds, dueChores } from "./chores.ts";
import type { Path, Slug } from "./core/path.ts";
import { readSettings } from "./settings.ts";
import { openStores, type Stores } from "./stores.ts";
import { expiryOf, trashNouns } from "./trash/trash.ts";

const day = 24 * 3600;
const made = 1_700_000_000;

test("the chores remove exactly what has expired", async (t) => {
  const settings = readSettings({ flags: { data: temporaryFolder() }, env: {}, file: undefined });
  const stores = await openStores(settings);
  t.after(() => stores.close());
  const keep = async (bytes: string, nowSeconds: number) => {
    const staged = await stores.blobs.stage(Readable.from([Buffer.from(bytes)]), 1000);
    await stores.ledger.keep(staged.hash, staged.size, nowSeconds);
    await stores.blobs.put(staged);
    return staged.hash;
  };
  const now = made + (settings.eventsKeepDays + settings.blobGraceDays + 1) * day;
  const [old, young, ahead] = [await keep("old", made), await keep("young", now), await keep("ahead", now + 100 * day)];
  await stores.folders.create("old" as Path, { actor: "test", nowSeconds: made });
  await stores.folders.create("young" as Path, { actor: "test", nowSeconds: now });

  const said: string[] = [];
  const runAll = async (nowSeconds: number) => {
    for (const { run } of chores) await run(stores, settings, nowSeconds, (sentence) => said.push(sentence));
  };

  await runAll(now);

  assert.deepEqual(
    (await stores.events.list(0, 10)).map(({ subject }) => subject),
    ["young"],
  );
  assert.equal(await stores.ledger.find(old), undefined);
  assert.ok(await stores.ledger.find(young));
  assert.ok(await stores.ledger.find(ahead));
  // Its grace period is restarted by the chores, so that it ends.
  await runAll(now + (settings.blobGraceDays + 1) * day);
  assert.equal(await stores.ledger.find(ahead), undefined);
  assert.deepEqual(said, []);
});

test("how far the words of a large store are indexed is nothing to be looked at", async (t) => {
  const settings = readSettings({ flags: { data: temporaryFolder() }, env: {}, file: undefined });
  const stores = await openStores(settings);
  t.after(() => stores.close());
  // More than one write of the index has.
  const ids = Array.from({ length: 300 }, (_, n) => `e${n}` as Slug);
  const input = { data: "{}", isMergePatch: false, fields: {} };
  await Promise.all(ids.map((id) => stores.entries.create(id, input, { actor: "test", nowSeconds: made })));
  const levels: unknown[] = [];
  for (const { run } of chores) await run(stores, settings, made, (_sentence, level) => levels.push(level));
  assert.deepEqual(levels, ["info"]);
});

test("a store at rest starts no thread for its chores", async (t) => {
  const settings = readSettings({ flags: { data: temporaryFolder() }, env: {}, file: undefined });
  let threads = 0;
  const count = () => threads++;
  process.on("worker", count);
  t.after(() => process.off("worker", count));
  const reopened = async (work: (stores: Stores) => Promise<unknown>) => {
    const stores = await openStores(settings);
    await work(stores).finally(() => stores.close());
  };
  const startingChores = async (stores: Stores): Promise<string[]> => {
    const found: string[] = [];
    for (const { name, run } of chores) {
      const before = threads;
      await run(stores, settings, made, () => undefined);
      if (threads > before) found.push(name);
    }
    return found;
  };
  await reopened(async ({ types, entries }) => {
    const by = { actor: "test", nowSeconds: made };
    const movies = { title: "", description: "", paths: ["movies/*"], mode: "off", schema: "{}" } as const;
    await types.put("movie", movies, by);
    await entries.create("movies" as Slug, { data: '{"title":"Alien"}', isMergePatch: false, fields: {} }, by);
  });

  await reopened(async (stores) => assert.ok((await startingChores(stores)).includes("index texts")));
  // A reader, which ends when it is idle, once an hour.
  const reading = ["restart the grace of blobs"];
  await reopened(async (stores) => assert.deepEqual(await startingChores(stores), reading));
});

test("the trash and the grace of bytes last to the second that the settings say", async (t) => {
  const settings = readSettings({ flags: { data: temporaryFolder() }, env: {}, file: undefined });
  const stores = await openStores(settings);
  t.after(() => stores.close());
  const { folders, trash, ledger } = stores;
  const run = (called: string, nowSeconds: number) =>
    chores.find(({ name }) => name === called)?.run(stores, settings, nowSeconds, () => undefined);
  const by = { actor: "test", nowSeconds: made };

  await folders.create("gone" as Path, by);
  await folders.delete("gone" as Path, { to: "trash" }, by);
  const [item] = await trash.list({ nouns: trashNouns, paths: null, before: undefined, limit: 1 });
  assert.ok(item);
  const expiresAt = expiryOf(item, settings.trashKeepDays);
  assert.equal(expiresAt, made + settings.trashKeepDays * day);
  await run("expire the trash", expiresAt);
  assert.ok(await trash.find(item.id));
  await run("expire the trash", expiresAt + 1);
  assert.equal(await trash.find(item.id), undefined);

  const hash = "a".repeat(64);
  await ledger.keep(hash, 1, made);
  await run("sweep blobs", made + settings.blobGraceDays * day);
  assert.ok(await ledger.find(hash));
  await run("sweep blobs", made + settings.blobGraceDays * day + 1);
  assert.equal(await ledger.find(hash), undefined);
});

test("events that a follower has not handled are kept twice as long, and the log tells", async (t) => {
  const settings = readSettings({ flags: { data: temporaryFolder() }, env: {}, file: undefined });
  const { eventsKeepDays: days } = settings;
  const stores = await openStores(settings);
  t.after(() => stores.close());
  for (const name of ["a", "b", "c"]) await stores.folders.create(name as Path, { actor: "test", nowSeconds: made });
  await stores.events.savePosition("slow", 1);
  const prune = async (nowSeconds: number) => {
    const said: string[] = [];
    const chore = chores.find(({ name }) => name === "prune events");
    await chore?.run(stores, settings, nowSeconds, (sentence) => said.push(sentence));
    return [said.join(), (await stores.events.bounds()).oldest];
  };
  assert.deepEqual(await prune(made + days * day), ["", 1]);
  const told = "events after 1 are kept past events_keep_days: slow has not handled them";
  assert.deepEqual(await prune(made + days * day + 1), [told, 2]);
  assert.deepEqual(await prune(made + 2 * days * day), [told, 2]);
  const gone = "events after 1, kept twice as long as events_keep_days, are no longer kept for slow, which starts anew";
  assert.deepEqual(await prune(made + 2 * days * day + 1), [gone, 3]);
  assert.deepEqual(await prune(made + 2 * days * day + 2), ["", 3]);
});

test("each chore is due once per period, counted in ticks", () => {
  for (const chore of chores) {
    const ticks = chore.everySeconds / choreTickSeconds;
    assert.ok(Number.isInteger(ticks), `${chore.name}: not a multiple of ${choreTickSeconds} s`);
    const due = Array.from({ length: 2 * ticks }, (_, i) => dueChores((i + 1) * choreTickSeconds).includes(chore));
    assert.equal(due.filter(Boolean).length, 2, chore.name);
  }
});
