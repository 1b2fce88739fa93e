import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../test/database.ts";
import { temporaryFolder, until } from "../test/harness.ts";
import { build } from "./app.ts";
import type { Path } from "./core/path.ts";
import { readSettings } from "./settings.ts";

/** A failed start leaves nothing open. */

const settingsOf = (flags: Record<string, string>) =>
  readSettings({ flags: { port: "0", log: "off", ...flags }, env: {}, file: undefined });

/** The files below the folder that this process has open. */
function openBelow(data: string): string[] {
  const targets = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.startsWith(data));
}

function takePort(port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().once("error", reject);
  server.listen(port, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
  return promise;
}

test("a service that fails to start closes the store", async () => {
  const data = temporaryFolder();
  await assert.rejects(build({ ...settingsOf({ data }), imageDefaults: "fm=%zz" }));
  assert.deepEqual(openBelow(data), []);
});

test("a service whose uploads tree fails to start releases its port and closes the store", async () => {
  const data = temporaryFolder();
  await (await build(settingsOf({ data }))).close();
  const store = openDatabase(data);
  store.exec("DROP TABLE event_position");
  store.close();
  const port = await takePort(0);
  await assert.rejects(build(settingsOf({ data, port: String(port) })), /event_position/);
  assert.equal(await takePort(port), port);
  assert.deepEqual(openBelow(data), []);
});

test("a service without an uploads tree drops the position of the tree, which would keep events", async () => {
  const data = temporaryFolder();
  const app = await build(settingsOf({ data }));
  await app.stores.folders.create("a" as Path, { actor: "test", nowSeconds: 1 });
  await app.close();
  const without = await build(settingsOf({ data, "uploads-tree": "off" }));
  try {
    await until(async () => (await without.stores.events.position("uploads_tree")) === undefined, "the position stays");
  } finally {
    await without.close();
  }
  const again = await build(settingsOf({ data }));
  await again.close();
  assert.deepEqual(readdirSync(join(data, "uploads")), ["a"]);
});

test("a service with a taken port closes the store", async (t) => {
  const data = temporaryFolder();
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  await assert.rejects(build(settingsOf({ data, port: String(port) })), /EADDRINUSE/);
  assert.deepEqual(openBelow(data), []);
});
