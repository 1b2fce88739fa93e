// Slow: each check is a process of its own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createRaw } from "node:net";
import { join } from "node:path";
import { before, test } from "node:test";
import pg from "pg";
import { makeStore, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { openDatabase } from "../../test/database.ts";
import { closing } from "../../test/ending.ts";
import { freePort } from "../../test/free-port.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { bucketEnv, useS3 } from "../../test/s3-server.ts";
import { smallDisk } from "../../test/small-disk.ts";
import { Bucket } from "../core/bytes/s3/bucket.ts";
import type { Finding } from "../core/finding.ts";
import { readSettings } from "../settings.ts";
import { examine } from "./doctor-service.ts";

/** octavo health and octavo doctor: what they say, and their exit codes. */

const cwd = temporaryFolder();
const data = join(cwd, "data");
const nowhere = `http://127.0.0.1:${await freePort()}`;
const disk = smallDisk(40);
const makeBucket = useS3();
before(() => makeStore(data));

type Env = Record<string, string>;

const own = (env: Env): Env => ({ OCTAVO_DATA: data, OCTAVO_PORT: new URL(nowhere).port, ...env });

/** The findings of each check, each as `state text`. */
async function examined(env: Env) {
  const findings = await examine(readSettings({ flags: {}, env: own(env), file: undefined }));
  return {
    hasFault: findings.some(({ state }) => state === "fault"),
    of: (check: string) => findings.filter((each) => each.check === check).map(({ state, text }) => `${state} ${text}`),
  };
}

/** The same by the command. */
async function command(env: Env) {
  const { code, out, err } = await runOctavo(["doctor", "--json"], { cwd, env: own(env) });
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
  return { code, err, ok, findings: findings.map(({ check, state, text }) => `${check} ${state} ${text}`) };
}

// ---------------------------------------------------------------------------------------------------------- octavo health

test("octavo health answers one line: 0 while the service is well, 1 when it is not there or is something else", async (t) => {
  const running = await startOctavo([], { cwd });
  const { port } = new URL(running.url);
  for (const [words, path] of [
    [[], "ready"],
    [["--live"], "live"],
  ] as const) {
    const { code, out, err } = await runOctavo(["health", "--port", port, ...words], { cwd });
    assert.deepEqual([code, out, err], [0, `ok: http://127.0.0.1:${port}/health/${path}\n`, ""]);
  }
  const everywhere = await runOctavo(["health", "--json"], { cwd, env: { OCTAVO_HOST: "0.0.0.0", OCTAVO_PORT: port } });
  assert.deepEqual(JSON.parse(everywhere.out), { status: "ok", url: `http://127.0.0.1:${port}` });
  assert.equal(await running.stop("SIGTERM"), 0);
  const gone = await runOctavo(["health", "--port", port], { cwd });
  assert.deepEqual([gone.code, gone.out], [1, ""]);
  assert.equal(gone.err, `octavo: no service answers at http://127.0.0.1:${port}: nothing listens there\n`);
  const other = await startOther(t);
  assert.match(
    (await runOctavo(["health", "--port", other], { cwd })).err,
    /^octavo: no Octavo at .*: it answers 200\n$/,
  );
  const any = await runOctavo(["health", "--port", "0"], { cwd });
  assert.match(`${any.code} ${any.err}`, /^1 octavo: the port is 0, any free one; .*--port.*\n$/);
});

/** A program that is not Octavo; answers its port. */
async function startOther(t: { after(work: () => void): void }): Promise<string> {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return String((server.address() as AddressInfo).port);
}

test("a port that browsers refuse is asked, too", async () => {
  const port = "10080";
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server
      .once("error", () => resolve(false))
      .listen(Number(port), "127.0.0.1", () => server.close(() => resolve(true)));
  });
  const said = await runOctavo(["health", "--port", port], { cwd });
  if (isFree) assert.match(said.err, /^octavo: no service answers at .*: nothing listens there\n$/);
  else assert.doesNotMatch(said.err, /bad port/);
});

test("what is no HTTP, and what never answers, is no service", async (t) => {
  const raw = createRaw((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
  const silent = createRaw(() => undefined);
  for (const [server, reason] of [
    [raw, /cannot be asked \(what answers there is not HTTP\): check host and port$/],
    [silent, /cannot be asked \(no answer in time\): check host and port$/],
  ] as const) {
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    assert.match((await examined({ OCTAVO_PORT: String(port) })).of("address").join(), reason);
  }
});

test("octavo health tells a store that accepts no writes from a process that is gone", async () => {
  const own = join(cwd, "marked");
  await makeStore(own);
  writeFileSync(join(own, "octavo.db-damaged"), "on purpose\n");
  const running = await startOctavo(["--data", own], { cwd });
  const { port } = new URL(running.url);
  const ready = await runOctavo(["health", "--port", port], { cwd });
  const live = await runOctavo(["health", "--live", "--port", port], { cwd });
  await running.stop("SIGTERM");
  assert.match(`${ready.code} ${ready.err}`, /^(1 octavo: the service is not ready: .+\n|0 )$/);
  assert.equal(live.code, 0);
});

// ---------------------------------------------------------------------------------------------------------- octavo doctor

test("a store in order has no fault, before the first start and after it, and nothing is created", async () => {
  const fresh = join(cwd, "fresh");
  const before = await examined({ OCTAVO_DATA: fresh });
  assert.equal(before.hasFault, false);
  assert.match(before.of("folder").join(), /^ok .*fresh is not there yet: the first start makes it$/);
  assert.match(before.of("database").join(), /^ok .*octavo.db is not there yet/);
  assert.ok(!existsSync(fresh));
  const names = readdirSync(data).filter((name) => !/-(shm|wal)$/.test(name));
  const after = await examined({});
  assert.equal(after.hasFault, false);
  for (const check of ["folder", "database", "clock", "address", "proxy"])
    assert.match(after.of(check)[0] ?? "", /^ok /, check);
  assert.match(after.of("database").join(), /^ok SQLite 3[\d.]+, schema \d+, journal wal, /);
  assert.match(after.of("address").join(), /^ok http:\/\/127\.0\.0\.1:\d+ is free: the service does not run$/);
  assert.deepEqual(after.of("bucket"), []);
  assert.deepEqual(
    readdirSync(data).filter((name) => !/-(shm|wal)$/.test(name)),
    names,
  );
  const { code, out } = await runOctavo(["doctor", "--data", data, "--port", new URL(nowhere).port], { cwd });
  assert.equal(code, 0);
  assert.match(out, /^ok {2,}settings {2}all are valid; 2 set, /);
});

test("settings that are wrong are faults, a sentence each, in place of everything else; the exit code is 1", async () => {
  const { code, err, ok, findings } = await command({ OCTAVO_PORTT: "1", OCTAVO_WORKERS: "many" });
  assert.deepEqual([code, ok, findings.length], [1, false, 2]);
  assert.match(findings.join("\n"), /settings fault OCTAVO_PORTT.*did you mean/);
  assert.match(findings.join("\n"), /settings fault workers: .*"many"/);
  assert.deepEqual(JSON.parse(err), { error: "there are 2 faults" });
  assert.match(
    (await command({ OCTAVO_CONFIG: join(cwd, "none.json") })).findings.join(),
    /^settings fault .*none\.json/,
  );
});

test("folders: a file in its place, files of another user, modes that are too open, bytes without a database", async () => {
  const file = join(cwd, "file");
  writeFileSync(file, "");
  assert.match((await examined({ OCTAVO_DATA: file })).of("folder").join(), /^fault .*file is a file; /);
  assert.match((await examined({ OCTAVO_DATA: join(file, "x") })).of("folder").join(), /^fault .*x cannot be made/);

  const own = join(cwd, "own");
  await makeStore(own);
  chmodSync(join(own, "octavo.db"), 0o644);
  const open = await examined({ OCTAVO_DATA: own });
  assert.match(open.of("folder").join(), /^warning .*octavo\.db has the mode 0644: /);
  assert.equal(open.hasFault, false);
  if (process.getuid?.() === 0) {
    chownSync(join(own, "octavo.db"), 65534, 65534);
    const strange = await examined({ OCTAVO_DATA: own });
    assert.match(
      strange.of("folder").join(),
      /fault .*octavo\.db belongs to the user 65534, the folder to 0: chown -R 0 /,
    );
  }
  rmSync(join(own, "octavo.db"));
  mkdirSync(join(own, "blobs", "ab"), { recursive: true });
  assert.match(
    (await examined({ OCTAVO_DATA: own })).of("database").join(),
    /^fault .*octavo\.db is missing beside the bytes/,
  );
});

test("a full disk and one that is read-only are named, and no owner is blamed for them", {
  skip: disk.skip,
}, async () => {
  const own = join(disk.folder, "store");
  await makeStore(own);
  assert.throws(() => writeFileSync(join(disk.folder, "rest"), Buffer.alloc(40 << 20, 1)), { code: "ENOSPC" });
  const full = await examined({ OCTAVO_DATA: own });
  assert.match(full.of("disk").join(), /^fault the disk is full \([\d.]+ MiB of 40\.0 MiB free for .*does not start$/);
  execFileSync("mount", ["-o", "remount,ro", disk.folder]);
  for (const folder of [own, join(disk.folder, "none")]) {
    const closed = await examined({ OCTAVO_DATA: folder });
    assert.match(closed.of("disk").join(), /^fault the disk of .* is read-only: mount it with rw$/);
    assert.deepEqual(closed.of("folder"), []);
  }
});

test("databases: damaged, of a newer program, of an older one, no database at all", async () => {
  const own = join(cwd, "versions");
  await makeStore(own);
  const database = openDatabase(own);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  database.exec(`PRAGMA user_version = ${version + 1}`);
  assert.match(
    (await examined({ OCTAVO_DATA: own })).of("database").join(),
    /^fault its schema is \d+, .*: install the version/,
  );
  database.exec(`PRAGMA user_version = ${version - 1}`);
  const older = await examined({ OCTAVO_DATA: own });
  assert.match(older.of("database").join(), /^warning its schema is \d+, .*migrates it; make a backup first$/);
  assert.equal(older.hasFault, false);
  database.exec(`PRAGMA user_version = ${version}`);
  const ahead = Math.floor(Date.now() / 1000) + 86_400;
  database.exec(
    `INSERT INTO event (at, actor, kind, subject, count) VALUES (${ahead}, 'test', 'registry.set', 'x', 1)`,
  );
  database.close();
  assert.match(
    (await examined({ OCTAVO_DATA: own })).of("clock").join(),
    /^fault the clock is 8\d{4} seconds behind .*NTP/,
  );
  writeFileSync(join(own, "octavo.db-damaged"), "on purpose\n");
  assert.match(
    (await examined({ OCTAVO_DATA: own })).of("database").join(),
    /^fault .*octavo\.db was found damaged: octavo verify/,
  );
  rmSync(join(own, "octavo.db-damaged"));
  writeFileSync(join(own, "octavo.db"), "no database, and longer than nothing".repeat(100));
  assert.match((await examined({ OCTAVO_DATA: own })).of("database").join(), /^fault .*octavo\.db cannot be read/);
});

test("PostgreSQL: not laid out, laid out, not there, wrong database, wrong encoding", {
  skip: lacksPostgres(),
}, async () => {
  const url = await createDatabase();
  const env = { OCTAVO_POSTGRES_URL: url };
  const empty = await examined(env);
  // The servers of the tests do without what makes writes durable, which is a fault elsewhere.
  assert.match(empty.of("database").join(), /fault synchronous_commit is off.*/);
  assert.match(empty.of("database").join(), /warning the database is empty: the first start lays it out$/);
  const running = await startOctavo(["--data", join(cwd, "pg")], { cwd, env });
  const { port } = new URL(running.url);
  const full = await examined({ ...env, OCTAVO_DATA: join(cwd, "pg"), OCTAVO_PORT: port });
  assert.doesNotMatch(full.of("database").join(), /empty|schema|create|connections/);
  assert.match(full.of("clock").join(), /^ok /);
  assert.match(full.of("address").join(), /^ok the service answers at .* and is ready$/);
  await running.stop("SIGTERM");
  const replica = await examined({ ...env, OCTAVO_POSTGRES_READ_URL: await createDatabase() });
  assert.match(replica.of("database").join(), /fault the replica has another store/);
  const others = await createDatabase();
  const client = new pg.Client(others);
  await client.connect();
  await client.query("CREATE TABLE customers (x int); CREATE TABLE entry (x int)");
  const foreign = await examined({ OCTAVO_POSTGRES_URL: others });
  assert.match(foreign.of("database").join(), /fault the database has tables of another program, as "customers": name/);
  for (const version of [undefined, "id int", "version text"]) {
    if (version) await client.query(`DROP TABLE IF EXISTS schema_version; CREATE TABLE schema_version (${version})`);
    const started = await runOctavo(["serve", "--port", "0"], { cwd, env: { OCTAVO_POSTGRES_URL: others } });
    assert.equal(
      `${started.code} ${started.err}`,
      "1 octavo: PostgreSQL cannot be used: the database has tables of another program; check postgres_url\n",
    );
  }
  await client.end();
  const missing = new URL(url);
  missing.pathname = "/none";
  assert.match(
    (await examined({ OCTAVO_POSTGRES_URL: missing.href })).of("database").join(),
    /^fault .*none.*createdb -E UTF8/,
  );
  const gone = `postgres://octavo:secret@127.0.0.1:${new URL(nowhere).port}/octavo`;
  const refused = (await examined({ OCTAVO_POSTGRES_URL: gone })).of("database").join();
  assert.match(refused, /^fault PostgreSQL cannot be used .*: start the server/);
  assert.doesNotMatch(refused, /secret/);
});

test("a bucket is written to, read, listed and cleaned up; what is wrong with it is said", async () => {
  const options = await makeBucket();
  const env = bucketEnv(options);
  const good = await examined(env);
  assert.deepEqual(good.of("bucket"), [`ok ${options.bucket} takes, gives, lists and deletes an object`]);
  const left = await closing(new Bucket(options), (bucket) => Array.fromAsync(bucket.list("")));
  assert.deepEqual(left, []);
  const wrong = await examined({ ...env, OCTAVO_S3_BUCKET: "octavo-there-is-none" });
  assert.match(
    wrong.of("bucket").join(),
    /^fault octavo-there-is-none at .* cannot be reached \(404.*\): make the bucket/,
  );
  const gone = await examined({ ...env, OCTAVO_S3_ENDPOINT: nowhere });
  assert.match(gone.of("bucket").join(), /^fault .* \(ECONNREFUSED\): nothing listens there: check s3_endpoint$/);
  assert.doesNotMatch(gone.of("bucket").join(), new RegExp(options.secretKey));
});

test("the address and the proxy: another program on the port, a public address that leads nowhere, a proxy nobody named", async (t) => {
  const other = await startOther(t);
  assert.match((await examined({ OCTAVO_PORT: other })).of("address").join(), /^fault another program answers at /);
  const running = await startOctavo(["--data", data], { cwd });
  const { port } = new URL(running.url);
  const led = await examined({ OCTAVO_PORT: port, OCTAVO_PUBLIC_URL: running.url });
  assert.match(
    led.of("address").join("\n"),
    /^ok the service answers at .* is ready\nok .* leads to a service, from here$/,
  );
  const lost = await examined({ OCTAVO_PORT: port, OCTAVO_PUBLIC_URL: nowhere });
  assert.match(
    lost.of("address").join("\n"),
    /\nwarning .* does not lead to the service, from here \(nothing listens there\)/,
  );
  await running.stop("SIGTERM");
  const proxies: [Env, RegExp][] = [
    [{ OCTAVO_PUBLIC_URL: "https://content.example.org" }, /^fault .*trust_proxy does not name it/],
    [
      { OCTAVO_PUBLIC_URL: "https://content.example.org", OCTAVO_TRUST_PROXY: "10.0.0.1" },
      /^ok .*counts from 10\.0\.0\.1$/,
    ],
    [{ OCTAVO_TRUST_PROXY: "10.0.0.1,0.0.0.0/0" }, /^fault trust_proxy is 0\.0\.0\.0\/0, everybody/],
    [{ OCTAVO_TRUST_PROXY: "10.0.0.1" }, /^warning .*public_url is not set/],
    [{ OCTAVO_HOST: "0.0.0.0" }, /^warning host 0\.0\.0\.0 can be reached from elsewhere/],
    [{ OCTAVO_PUBLIC_URL: "http://content.example.org" }, /^warning .* has no TLS/],
    [{ OCTAVO_METRICS_HOST: "0.0.0.0", OCTAVO_METRICS_PORT: "9100" }, /^warning metrics_host/],
  ];
  for (const [env, said] of proxies) assert.match((await examined(env)).of("proxy").join("\n"), said);
});
