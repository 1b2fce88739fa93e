// Long: it kills processes again and again.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Path, Slug } from "../../src/core/path.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { envOf, type Place, settingsOf } from "../cli/answers.ts";
import { commonEnv, runOctavo } from "../cli/octavo.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/** Killed backups and restores: a partial one is never mistaken for a complete one, and the next attempt succeeds. */

const main = new URL("../../src/main.ts", import.meta.url).pathname;
const folder = temporaryFolder();
const source: Place = { data: join(folder, "source") };
const file = join(folder, "whole.tar");
const octavo = (words: string[], place: Place) => runOctavo(words, { cwd: folder, env: envOf(place) });

const entries = 4000;
const blobs = 60;

before(async () => {
  await closing(openStores(settingsOf(source)), fill);
  const { code, err } = await octavo(["backup", file], source);
  assert.equal(code, 0, err);
});

async function fill(stores: Stores): Promise<void> {
  const context = { actor: "test", nowSeconds: 1 };
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, `text ${i}`]));
  const create = (n: number) =>
    stores.entries.create(`e${n}` as Slug, { data: JSON.stringify(fields), isMergePatch: false, fields: {} }, context);
  for (let n = 0; n < entries; n += 200) await Promise.all(Array.from({ length: 200 }, (_, i) => create(n + i)));
  await Promise.all(Array.from({ length: blobs }, (_, n) => putFile(stores, n)));
}

async function putFile(stores: Stores, n: number): Promise<void> {
  const bytes = (async function* () {
    yield Buffer.alloc(1_000_000, `blob ${n} `);
  })();
  const staged = await stores.blobs.stage(bytes, 1e9);
  const { hash, size } = staged;
  const { generation } = await stores.ledger.keep(hash, size, 1);
  await stores.blobs.put(staged);
  await staged.discard();
  const names = { name: `f${n}.txt`, onConflict: "fail", title: undefined } as const;
  const input = { ...names, description: undefined, type: "text/plain", hash, generation, size, image: undefined };
  await stores.files.put("all" as Path, input, { actor: "test", nowSeconds: 1 });
}

/** Starts the command and kills it when `isHalfWay` is true. Fails if the command ends before. */
async function killed(words: string[], place: Place, isHalfWay: () => boolean): Promise<void> {
  const env = { ...commonEnv, ...envOf(place) };
  const child = spawn(process.execPath, [main, ...words], { cwd: folder, env, stdio: "ignore" });
  const ended = once(child, "exit");
  while (!isHalfWay() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill("SIGKILL");
  assert.deepEqual(await ended, [null, "SIGKILL"]);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function assertEmpty(place: Place): Promise<void> {
  await closing(openStores(settingsOf(place)), async (stores) => {
    assert.equal(await stores.rows.isEmpty(), true);
    assert.equal(await stores.entries.count(), 0);
    assert.deepEqual(await stores.verify(), []);
  });
}

test("a killed backup leaves no file of its name, and its partial file is refused", async () => {
  const half = join(folder, "half.tar");
  await killed(["backup", half], source, () => sizeOf(`${half}.partial`) > 10_000_000);
  assert.ok(!existsSync(half));
  const target = { data: join(folder, "from-half") };
  const { code, err } = await octavo(["restore", `${half}.partial`], target);
  assert.equal(code, 1);
  assert.match(err, /half\.tar\.partial was not restored: it (is cut off|has no end)/);
  await assertEmpty(target);
  assert.equal((await octavo(["backup", half], source)).code, 0);
  assert.ok(!existsSync(`${half}.partial`));
});

for (const [engine, skip] of [
  ["SQLite", undefined],
  ["PostgreSQL", lacksPostgres()],
] as const) {
  const make = async (name: string): Promise<Place> => ({
    data: join(folder, `${engine}-${name}`),
    ...(engine === "PostgreSQL" ? { postgresUrl: await createDatabase() } : {}),
  });

  test(`${engine}: a killed restore leaves an empty store, and the next one succeeds`, { skip }, async () => {
    const place = await make("killed");
    const put = () => globSync("blobs/*/*", { cwd: place.data }).length;
    await killed(["restore", file], place, () => put() > blobs / 2);
    await assertEmpty(place);
    let rowsAtMs = Number.POSITIVE_INFINITY;
    await killed(["restore", file], place, () => {
      if (put() === blobs && rowsAtMs === Number.POSITIVE_INFINITY) rowsAtMs = performance.now() + 150;
      return performance.now() > rowsAtMs;
    });
    await assertEmpty(place);
    const { code, out, err } = await octavo(["restore", file, "--json"], place);
    assert.equal(code, 0, err);
    const { rows } = JSON.parse(out);
    assert.deepEqual([rows.entry, rows.file], [entries, blobs]);
  });
}
