// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readSettings } from "../../src/settings.ts";
import { openStores } from "../../src/stores.ts";
import { openDatabase } from "../database.ts";
import { atEnd, closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { unpackStore } from "../old-store.ts";
import { random, seed } from "../random.ts";
import { kill, rounds } from "./service.ts";

const main = new URL("../../src/main.ts", import.meta.url).pathname;
/** Makes the upgrade take about a second. */
const copies = 60;

test(`kill -9 in the middle of an upgrade leaves the store as it was, ${rounds} times; then it is whole`, {
  timeout: rounds * 30_000,
}, async () => {
  const data = await unpackStore("0.3.0", temporaryFolder());
  const before = read(data, (store) => {
    const columns = "noun, revision, next_revision, replaced_at, replaced_by, fields, blob, bytes, data";
    for (let i = 0; i < copies; i++)
      store.exec(`INSERT INTO history (thing, ${columns})
        SELECT 'copy.${i}.' || thing, ${columns} FROM history WHERE thing NOT LIKE 'copy.%' AND noun = 'registry_item'
        UNION ALL SELECT substr(thing, 1, 24) || substr('000000000000' || (${i} * 10000 + id), -12), ${columns}
        FROM history WHERE noun = 'entry' AND thing NOT LIKE '%-000000%'`);
    const { schema } = store.prepare("SELECT user_version AS schema FROM pragma_user_version").get() as {
      schema: number;
    };
    const versions = count(store, "history") + count(store, "trash_entry") + count(store, "trash_file");
    return { schema, versions, copies: count(store, "staged") + count(store, "release_entry") };
  });
  const pick = random(seed);
  for (let round = 0; round < rounds; round++) {
    await upgradeUntilKilled(data, pick(400));
    const { schema } = read(data, (store) =>
      store.prepare("SELECT user_version AS schema FROM pragma_user_version").get(),
    ) as { schema: number };
    // A kill may come too late.
    if (schema !== before.schema) break;
  }
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  assert.deepEqual(await closing(openStores(settings), (stores) => stores.verify()), []);
  const after = read(data, (store) => ({ versions: count(store, "version"), copies: count(store, "working_copy") }));
  assert.deepEqual(after, { versions: before.versions, copies: before.copies });
});

function read<T>(data: string, look: (store: DatabaseSync) => T): T {
  const store = openDatabase(data);
  try {
    return look(store);
  } finally {
    store.close();
  }
}

const count = (store: DatabaseSync, table: string): number =>
  (store.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

/** Starts the service, and kills it so many milliseconds after it has said that it upgrades the store. */
async function upgradeUntilKilled(data: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--data", data, "--log", "off"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  atEnd(() => kill(child));
  let said = "";
  for await (const chunk of child.stderr) {
    said += chunk;
    if (/upgrading the store: migration 1 of \d+/.test(said)) break;
  }
  assert.match(said, /upgrading the store: migration 1 of \d+/);
  await sleep(afterMs);
  await kill(child);
}
