// Slow: it starts many services, on damaged stores.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createToken, type TokenKind } from "../../src/core/access/token.ts";
import type { Slug } from "../../src/core/path.ts";
import { openStores } from "../../src/stores.ts";
import { openDatabase } from "../database.ts";
import { allResources, temporaryFolder } from "../harness.ts";
import { settingsOf } from "./answers.ts";
import { makeStore, type Running, runOctavo, shell, startOctavo } from "./octavo.ts";

/** A database file with damaged pages: detection, what continues and what is refused, repair. */

const folder = temporaryFolder();
const good = join(folder, "good");
const octavo = (words: string[]) => runOctavo(words, { cwd: folder });
const secrets = {} as Record<TokenKind, string>;

before(async () => {
  const stores = await openStores(settingsOf({ data: good }));
  const context = { actor: "test", nowSeconds: 1 };
  const input = (n: number) => ({
    data: JSON.stringify({ n, text: "x".repeat(500) }),
    isMergePatch: false,
    fields: {},
  });
  await Promise.all(Array.from({ length: 300 }, (_, n) => stores.entries.create(`e/${n}` as Slug, input(n), context)));
  await stores.registry.put("site", { value: '"x"' }, context);
  for (const kind of ["management", "access"] as const) {
    const resources = kind === "management" ? [...allResources, "admin" as const] : [];
    const wanted = { kind, resources, label: "", environment: "", limitCalls: 0, expiresAt: null };
    secrets[kind] = (await createToken(stores.tokens, wanted, { ...context, id: kind })).secret;
  }
  await stores.close();
  // A page in the WAL would be read instead of the one in the file.
  const database = openDatabase(good);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
});

/** A copy of the intact store. */
function copied(name: string): string {
  const data = join(folder, name);
  cpSync(good, data, { recursive: true });
  chmodSync(data, 0o711);
  return data;
}

const pageBytes = 4096;

const lacksShell = (): string | false =>
  spawnSync("sqlite3", ["--version"]).status === 0 ? false : "sqlite3 is not installed";

/** Writes garbage over the first page of a table or index. */
function damage(data: string, name: string): void {
  const file = join(data, "octavo.db");
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name) as { rootpage: number };
  database.close();
  overwrite(file, row.rootpage);
}

function overwrite(file: string, page: number): void {
  const opened = openSync(file, "r+");
  writeSync(opened, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(opened);
}

type Reply = { status: number; code: string | undefined; data: Record<string, unknown> };

async function ask(running: Running, path: string, body?: object): Promise<Reply> {
  const init = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  // Each on a new connection, so that every worker gets requests.
  const reply = await fetch(`${running.url}${path}`, { ...init, headers: { ...init?.headers, Connection: "close" } });
  const json = (await reply.json()) as { code?: string; data: Record<string, unknown> };
  return { status: reply.status, code: json.code, data: json.data };
}

let last = 0;
const create = (running: Running) =>
  ask(running, "/api/entries", {
    ...{ id: `new/${++last}`, data: {} },
    ...{ token: secrets.management, access_token: secrets.access },
  });
const read = (running: Running, what: string) => ask(running, `${what}&token=${secrets.management}`);
const stats = async (running: Running, more = "") => (await read(running, `/api/stats?${more}`)).data;

async function until(isSo: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, failure);
    await sleep(20);
  }
}

const isReady = async (running: Running) => (await ask(running, "/health/ready")).status === 200;
const untilDamaged = (running: Running) => until(async () => !(await isReady(running)), "the damage is not found");

async function refusesWrites(running: Running): Promise<void> {
  assert.deepEqual(await create(running).then(({ status, code }) => [status, code]), [503, "store_damaged"]);
}

describe("a damaged page that no request reads is found after the start", { concurrency: 2 }, () => {
  // Rows that are read one by one, an index, the event log that every write needs.
  for (const name of ["registry_item", "file_by_blob", "event"]) {
    test(`of ${name}`, async () => {
      const data = copied(`of-${name}`);
      damage(data, name);
      const running = await startOctavo(["--data", data], { cwd: folder });
      await untilDamaged(running);
      assert.equal((await ask(running, "/health/ready")).code, "store_damaged");
      assert.equal((await ask(running, "/health/live")).status, 200);
      await refusesWrites(running);
      assert.equal((await read(running, "/api/entries?id=e/7")).status, 200, "reads that still work go on");
      const shown = await stats(running);
      assert.equal(shown.store_state, "damaged");
      assert.match(String(shown.store_faults), /^The database/);
      assert.equal("registry_items" in shown, name !== "registry_item");
      assert.equal(shown.entries, 300);
      assert.equal(await running.stop("SIGTERM"), 0);
      // A restarted service knows the damage from its first request on.
      const again = await startOctavo(["--data", data], { cwd: folder });
      await refusesWrites(again);
      await again.stop("SIGTERM");
    });
  }
});

test("octavo verify reports the damage in sentences, with exit code 1", async () => {
  for (const name of ["registry_item", "entry", "file_by_blob", "event"]) {
    const data = copied(`verified-${name}`);
    damage(data, name);
    const { code, out, err } = await octavo(["verify", "--data", data]);
    assert.equal(code, 1, name);
    assert.match(out, /^The database file: \S/m, name);
    assert.doesNotMatch(out + err, /try again/);
    assert.match(err, /^octavo: there are faults in the store in /);
    const json = JSON.parse((await octavo(["verify", "--json", "--data", data])).out);
    assert.equal(json.ok, false);
  }
});

test("a truncated file refuses the start, too: SQLite cannot read it", async () => {
  const data = copied("cut");
  const file = join(data, "octavo.db");
  truncateSync(file, Math.floor(statSync(file).size / pageBytes / 2) * pageBytes);
  const { code, out } = await octavo(["verify", "--data", data]);
  assert.equal(code, 1);
  assert.match(out, /^The database file: \S/m);
  const served = await octavo(["serve", "--port", "0", "--data", data]);
  assert.deepEqual([served.code, /^octavo: the database is damaged/.test(served.err)], [1, true]);
});

test("a damage record of a deleted database does not affect the next one", async () => {
  const data = join(folder, "gone");
  mkdirSync(data);
  writeFileSync(join(data, "octavo.db-damaged"), "Found\nThe database file: a page\n");
  await makeStore(data);
  const { code, err } = await octavo(["registry", "set", "a", "1", "--data", data]);
  assert.equal(code, 0, err);
});

test("an index that does not match its table is reported by octavo verify, and refuses writes from then on", async () => {
  const data = copied("index");
  const running = await startOctavo(["--data", data], { cwd: folder });
  assert.equal((await create(running)).status, 200);
  const database = openDatabase(data);
  // Only the full check finds this: the values in the index differ from its rows.
  database.enableDefensive(false);
  database.exec("PRAGMA writable_schema = ON; BEGIN");
  database.exec("UPDATE sqlite_schema SET sql = replace(sql, 'slug', 'uuid') WHERE name = 'entry_by_parent'");
  database.exec("PRAGMA schema_version = 99; COMMIT");
  database.close();
  const { code, out } = await octavo(["verify", "--data", data]);
  assert.equal(code, 1, out);
  assert.match(out, /^The database file: /m);
  await until(async () => (await create(running)).code === "store_damaged", "the running service does not learn of it");
  await running.stop("SIGTERM");
});

test("an overwritten database file refuses the start with a message, and octavo verify reports it", async () => {
  const data = copied("no-database");
  overwrite(join(data, "octavo.db"), 1);
  const served = await octavo(["serve", "--port", "0", "--data", data]);
  assert.equal(served.code, 1);
  assert.match(served.err, /^octavo: the database is damaged \(file is not a database\): octavo verify .*\n$/);
  const { code, out } = await octavo(["verify", "--data", data]);
  assert.deepEqual([code, out], [1, "The database file: file is not a database\n"]);
});

test("every worker refuses writes, whichever of them found the damage", async () => {
  const data = copied("workers");
  damage(data, "registry_item");
  const running = await startOctavo(["--workers", "3", "--data", data], { cwd: folder });
  // No request reads the registry: only the leader's check can find it.
  let refused = 0;
  await until(async () => {
    refused = (await create(running)).code === "store_damaged" ? refused + 1 : 0;
    return refused >= 30;
  }, "a worker goes on writing");
  assert.equal(await running.stop("SIGTERM"), 0);
});

/** A service on a copy whose first check has found nothing. */
async function startWhole(name: string): Promise<{ data: string; running: Running }> {
  const data = copied(name);
  const running = await startOctavo(["--data", data], { cwd: folder });
  await until(async () => Number((await stats(running)).store_checked_at) > 0, "the first check does not end");
  return { data, running };
}

describe("damage found later is known from then on", { concurrency: 2 }, () => {
  const scan = "/api/entries?id=e&filter[order_by][field]=n&filter[order_by][direction]=desc";
  const meetings: [what: string, name: string, meet: (running: Running) => Promise<Reply>][] = [
    ["a read", "registry_item", (running) => read(running, "/api/registry?id=site")],
    ["a write", "entry_by_parent", create],
    ["a scan", "entry", (running) => read(running, scan)],
  ];
  for (const [what, name, meet] of meetings) {
    test(`by ${what}`, async () => {
      const { data, running } = await startWhole(`met-${name}`);
      damage(data, name);
      assert.equal((await stats(running)).store_state, "ok", "no request has found it");
      assert.equal((await meet(running)).code, "store_damaged");
      await refusesWrites(running);
      assert.equal((await stats(running)).store_state, "damaged");
      assert.equal(await running.stop("SIGTERM"), 0);
    });
  }
});

test("a check on demand finds damage that no request has met", async () => {
  const { data, running } = await startWhole("asked");
  damage(data, "file_by_blob");
  assert.equal((await stats(running)).store_state, "ok");
  assert.equal((await stats(running, "check=true")).store_state, "damaged");
  await refusesWrites(running);
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("octavo verify --url prints the lines of the service's own check", async () => {
  const data = copied("asked");
  const running = await startOctavo(["--data", data], { cwd: folder });
  const env = { OCTAVO_TOKEN: secrets.management };
  const remote = (...more: string[]) => runOctavo(["verify", "--url", running.url, ...more], { cwd: folder, env });
  const sound = await remote();
  assert.deepEqual(sound, { code: 0, out: "The store is in order.\n", err: "" });
  damage(data, "file_by_blob");
  const found = await remote();
  assert.deepEqual([found.code, found.err], [1, `octavo: there are faults in the store of ${running.url}\n`]);
  const local = await octavo(["verify", "--data", data]);
  assert.deepEqual(
    found.out.split("\n"),
    local.out.split("\n").filter((line) => line === "" || line.startsWith("The database")),
  );
  const json = JSON.parse((await remote("--json")).out);
  assert.deepEqual(json, { ok: false, faults: found.out.trim().split("\n") });
  await running.stop("SIGTERM");
});

test("when the file is good again the next start detects it, and writes continue", async () => {
  const data = copied("repaired");
  damage(data, "registry_item");
  assert.equal((await octavo(["verify", "--data", data])).code, 1);
  const note = join(data, "octavo.db-damaged");
  assert.ok(existsSync(note));
  const refused = await octavo(["registry", "set", "a", "1", "--data", data]);
  assert.deepEqual([refused.code, /damaged/.test(refused.err)], [1, true]);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `octavo.db${end}`), { force: true });
  copyFileSync(join(good, "octavo.db"), join(data, "octavo.db"));
  const running = await startOctavo(["--data", data], { cwd: folder });
  await until(async () => (await create(running)).status === 200, "writes are still refused");
  assert.ok(!existsSync(note));
  // The answer before is kept for a moment.
  await until(() => isReady(running), "the service is not ready");
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("rows beside a broken page are saved with sqlite3, as operations.md says", { skip: lacksShell() }, async () => {
  const data = copied("saved");
  const file = join(data, "octavo.db");
  const bytes = readFileSync(file);
  overwrite(file, Math.floor(bytes.indexOf("x".repeat(500), bytes.length / 2) / pageBytes) + 1);
  const { code, out } = await shell(`
    set -e; cd '${data}'; version=$(sqlite3 octavo.db "PRAGMA user_version")
    (sqlite3 octavo.db .dump | sed "s/^ROLLBACK;.*/COMMIT;/"; echo "PRAGMA user_version = $version;") > left.sql
    rm octavo.db; sqlite3 octavo.db < left.sql; grep -c CORRUPTION left.sql`);
  assert.deepEqual([code, out], [0, "1\n"]);
  const tar = join(folder, "saved.tar");
  assert.equal((await octavo(["backup", tar, "--data", data])).code, 0);
  const restored = await octavo(["restore", tar, "--data", join(folder, "saved-anew"), "--json"]);
  assert.equal(restored.code, 0, restored.err);
  const { entry } = JSON.parse(restored.out).rows;
  assert.ok(entry > 280 && entry < 300, `${entry} of 300 entries`);
});

test("a backup of the readable rows is still possible", async () => {
  const data = copied("backed-up");
  const file = join(folder, "left.tar");
  // Backups do not contain the field index: it is rebuilt.
  damage(data, "entry_field");
  assert.equal((await octavo(["verify", "--data", data])).code, 1);
  for (const words of [
    ["backup", file, "--data", data],
    ["restore", file, "--data", join(folder, "restored")],
  ]) {
    const { code, err } = await octavo(words);
    assert.equal(code, 0, err);
  }
});
