// Slow: starts the service and commands several times.
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { type Running, runOctavo, startOctavo } from "./octavo.ts";

/** After a clean stop octavo.db is the whole database: nothing is left in its write-ahead log. */

const count = 200;

/** A folder that has only what backups by hand take along. */
function copyOf(data: string): string {
  const copy = join(temporaryFolder(), "data");
  for (const name of ["octavo.db", "blobs"])
    if (existsSync(join(data, name))) cpSync(join(data, name), join(copy, name), { recursive: true });
  return copy;
}

const logsOf = (data: string): string[] => readdirSync(data).filter((name) => /-(wal|shm)$/.test(name));

async function entriesIn(data: string): Promise<number> {
  const cwd = temporaryFolder();
  const { code, out, err } = await runOctavo(["export", "out", "--json", "--data", data], { cwd });
  assert.equal(code, 0, err);
  return JSON.parse(out).entries;
}

async function create(service: Running, cwd: string, data: string): Promise<void> {
  const token = async (...words: string[]) => {
    const { out } = await runOctavo(["token", "create", ...words, "--data", data], { cwd });
    return /oct_\S+/.exec(out)?.[0] ?? "";
  };
  const management = await token("--kind", "management", "--resources", "entries");
  const headers = {
    Authorization: `Bearer ${management}`,
    "X-Access-Token": await token("--kind", "access"),
    "Content-Type": "application/json",
  };
  const made = Array.from({ length: count }, async (_, n) => {
    const body = JSON.stringify({ id: `made/${n}`, data: { title: `Made ${n}` } });
    const reply = await fetch(`${service.url}/api/entries`, { method: "POST", headers, body });
    assert.equal(reply.status, 200, await reply.text());
  });
  await Promise.all(made);
  // Starts the readers' threads, too.
  const read = await fetch(`${service.url}/api/entries?id=made&options[collection]=true&filter[search]=Made`, {
    headers,
  });
  assert.equal(read.status, 200, await read.text());
}

for (const workers of [[], ["--workers", "2"]]) {
  test(`200 entries are in octavo.db after SIGTERM ${workers.join(" ")}`, async () => {
    const cwd = temporaryFolder();
    const data = join(cwd, "data");
    const service = await startOctavo(["--data", data, ...workers], { cwd });
    await create(service, cwd, data);
    assert.equal(await service.stop("SIGTERM"), 0);
    assert.deepEqual(logsOf(data), []);
    assert.equal(await entriesIn(copyOf(data)), count);
  });
}

describe("a store whose service was killed", () => {
  const cwd = temporaryFolder();
  const data = join(cwd, "data");

  test("has its log, and a start and a clean stop without a write merge it", async () => {
    const service = await startOctavo(["--data", data], { cwd });
    await create(service, cwd, data);
    await service.stop("SIGKILL");
    assert.notDeepEqual(logsOf(data), []);
    const next = await startOctavo(["--data", data], { cwd });
    assert.equal(await next.stop("SIGTERM"), 0);
    assert.deepEqual(logsOf(data), []);
  });

  test("and each command that ends leaves none", async () => {
    for (const words of [["token", "list"], ["registry", "set", "a.b", "1"], ["verify"], ["trash", "list"]]) {
      const { code, err } = await runOctavo([...words, "--data", data], { cwd });
      assert.equal(code, 0, err);
      assert.deepEqual(logsOf(data), [], words.join(" "));
    }
    assert.equal(await entriesIn(copyOf(data)), count);
  });
});
