// Slow: starts the service many times.
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { beginOctavo, makeStore, type Running, runOctavo, shell, startOctavo } from "../../test/cli/octavo.ts";
import { openDatabase } from "../../test/database.ts";
import { freePort } from "../../test/free-port.ts";
import { temporaryFolder, until } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { sampleSite } from "../demo.ts";

const folder = temporaryFolder();
const octavo = (words: string[]) => runOctavo(words, { cwd: folder });
const dataIn = (name: string) => ["--data", join(folder, name)];

test("an empty store without --demo stays empty, prints no secret and explains the first tokens", async () => {
  const running = await startOctavo(dataIn("bare"), { cwd: folder });
  const output = running.lines.join("\n");
  assert.ok(!/oct_[dmai]_/.test(output), output);
  assert.match(output, /holds 0 entries, 0 files and 0 tokens/);
  assert.match(output, /npx octavo token create --kind management .* --data .*bare/);
  const { out } = await octavo([
    "token",
    "create",
    "--kind",
    "delivery",
    "--resources",
    "entries",
    "--json",
    ...dataIn("bare"),
  ]);
  const { token } = JSON.parse(out);
  const reply = await fetch(`${running.url}/api/entries?id=a&token=${token}`);
  assert.equal(reply.status, 404, "a token created beside the running service is valid there");
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("--demo does not change a store with content", async () => {
  await makeStore(join(folder, "used"));
  const { code } = await octavo(["token", "create", "--kind", "access", ...dataIn("used")]);
  assert.equal(code, 0);
  const running = await startOctavo(["--demo", ...dataIn("used")], { cwd: folder });
  assert.match(running.lines.join("\n"), /holds 0 entries, 0 files and 1 token\./);
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("--demo is ready only once the sample site is whole, with workers too", async () => {
  for (const more of [[], ["--workers", "2"]]) {
    const data = join(folder, `whole${more.length}`);
    const port = await freePort();
    const begun = beginOctavo(["serve", "--demo", "--port", String(port), "--data", data, ...more], { cwd: folder });
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, "it is not ready");
    const database = openDatabase(data, true);
    const count = (text: string) => (database.prepare(`SELECT count(*) AS n FROM ${text}`).get() as { n: number }).n;
    const found = [count("entry"), count("file"), count("type"), count("registry_item WHERE key LIKE 'site.%'")];
    database.close();
    const { entries, files, types, registry } = sampleSite();
    assert.deepEqual(found, [entries.length, files.length, types.length, Object.keys(registry).length]);
    await until(async () => begun.output.out.includes("answers on"), "it is not announced");
    assert.match(begun.output.out, /delivery +oct_d_/);
    begun.stop();
    assert.equal(await begun.ended, 0);
  }
});

test("--demo that cannot fill its store ends, and says why, without being ready", async () => {
  const data = join(folder, "unfilled");
  await makeStore(data);
  const database = openDatabase(data);
  database.exec("CREATE TRIGGER refuse BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'on purpose'); END");
  database.close();
  const port = await freePort();
  const { code, out, err } = await octavo(["serve", "--demo", "--port", String(port), "--data", data]);
  assert.equal(code, 1);
  assert.match(err, /on purpose|could not|failed/);
  assert.ok(!out.includes("answers on"), out);
});

/** An incomplete request: it prevents the service from draining. */
async function openRequest({ url }: Running): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(
    "POST /api/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
  );
  await sleep(100);
}

test("a repeated signal, as under npm, still drains; a later one stops at once", async () => {
  const drained = await startOctavo(["--shutdown-seconds", "1", ...dataIn("twice")], { cwd: folder });
  await openRequest(drained);
  drained.signal("SIGINT");
  await sleep(50);
  drained.signal("SIGINT");
  assert.equal(await drained.ended, 0);

  const cut = await startOctavo(["--shutdown-seconds", "60", ...dataIn("twice")], { cwd: folder });
  await openRequest(cut);
  cut.signal("SIGTERM");
  await sleep(500);
  cut.signal("SIGTERM");
  // At the end of the drain period of a minute the exit code would be 0.
  assert.notEqual(await cut.ended, 0);
});

// ---------------------------------------------------------------------------------------------- starts that fail

const oneLine = (err: string): void => assert.equal(err.trim().split("\n").length, 1, err);

test("a data folder that is a file is one clear line and exit code 1", async () => {
  writeFileSync(join(folder, "file"), "");
  for (const name of ["file", "file/below"]) {
    const { code, err } = await octavo(["serve", "--port", "0", ...dataIn(name)]);
    assert.equal(code, 1);
    assert.match(err, /^octavo: .*file.*(folder|--data)/);
    oneLine(err);
  }
});

test("a data folder that cannot be written is one clear line and exit code 1", {
  skip: process.getuid?.() === 0 && "root may write everywhere",
}, async () => {
  mkdirSync(join(folder, "closed"));
  chmodSync(join(folder, "closed"), 0o500);
  const { code, err } = await octavo(["serve", "--port", "0", ...dataIn("closed/data")]);
  assert.equal(code, 1);
  assert.match(err, /--data/);
  oneLine(err);
});

test("an invalid database file is one clear line and exit code 1, and is unchanged", async () => {
  // Looser file modes would be reported, too.
  mkdirSync(join(folder, "garbage"), { mode: 0o711 });
  const file = join(folder, "garbage", "octavo.db");
  writeFileSync(file, "this is not a database, and long enough to be taken for one".repeat(100), { mode: 0o600 });
  const before = readFileSync(file);
  const { code, err } = await octavo(["serve", "--port", "0", ...dataIn("garbage")]);
  assert.equal(code, 1);
  assert.match(err, /not a database/);
  oneLine(err);
  assert.deepEqual(readFileSync(file), before);
});

test("a store of a newer version is one clear line and exit code 1, and is unchanged", async () => {
  await makeStore(join(folder, "newer"));
  const newer = openDatabase(join(folder, "newer"));
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  for (const words of [["serve", "--port", "0"], ["verify"]]) {
    const { code, err } = await octavo([...words, ...dataIn("newer")]);
    assert.equal(code, 1);
    assert.match(err, /newer version of Octavo \(schema 99, this one knows \d+\)/);
    oneLine(err);
  }
});

const servedOn = (url: string) =>
  runOctavo(["serve", "--port", "0", ...dataIn("nodes")], { cwd: folder, env: { OCTAVO_POSTGRES_URL: url } });

test("a PostgreSQL server that is unreachable or refuses the login is one clear line and exit code 1", async () => {
  const closed = await servedOn("postgres://octavo:secret@127.0.0.1:1/octavo");
  assert.equal(closed.code, 1);
  assert.match(closed.err, /PostgreSQL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1; check postgres_url/);
  oneLine(closed.err);
  assert.ok(!closed.err.includes("secret"));
});

test("a missing database is one clear line and exit code 1", { skip: lacksPostgres() }, async () => {
  const other = await servedOn((await createDatabase()).replace(/\/[^/]*$/, "/nowhere"));
  assert.equal(other.code, 1);
  assert.match(other.err, /PostgreSQL cannot be used: database "nowhere" does not exist; check postgres_url/);
  oneLine(other.err);
});

test("a foreign host address is one clear line and exit code 1", async () => {
  const { code, err } = await octavo(["serve", "--port", "0", "--host", "192.0.2.1", ...dataIn("host")]);
  assert.equal(code, 1);
  assert.match(err, /192\.0\.2\.1.*--host/);
  oneLine(err);
});

test("a command on an existing store does not create one in a mistyped folder", async () => {
  for (const words of [
    ["token", "list"],
    ["token", "create", "--kind", "access"],
    ["token", "revoke", "x"],
    ["registry", "list"],
    ["registry", "get", "a"],
    ["registry", "set", "a", "1"],
    ["verify"],
  ]) {
    const { code, err } = await octavo([...words, ...dataIn("mistyped")]);
    assert.equal(code, 1, words.join(" "));
    assert.match(err, /mistyped.*--data/);
    assert.ok(!existsSync(join(folder, "mistyped")));
  }
});

test("a usage error creates no store", async () => {
  const { code } = await octavo(["token", "create", "--kind", "delivery", ...dataIn("wrong")]);
  assert.equal(code, 2);
  assert.ok(!existsSync(join(folder, "wrong")));
});

// ---------------------------------------------------------------------------------------------- the pages

test("every curl line of the README and of CONTRIBUTING is answered", async () => {
  const running = await startOctavo(["--demo", ...dataIn("pages")], { cwd: folder });
  const secretOf = (kind: string) => new RegExp(`oct_${kind}_[\\w-]{43}`).exec(running.lines.join("\n"))?.[0] ?? "";
  const root = new URL("../../", import.meta.url);
  let count = 0;
  for (const page of ["README.md", "CONTRIBUTING.md"]) {
    for (const [line] of readFileSync(new URL(page, root), "utf8").matchAll(/^curl .+$/gm)) {
      const isWrite = line.includes("access_token=…");
      const live = line
        .replace("http://127.0.0.1:8080", running.url)
        .replace("access_token=…", `access_token=${secretOf("a")}`)
        .replace("token=…", `token=${secretOf(isWrite ? "m" : "d")}`);
      const { code, out, err } = await shell(`${live} --silent --show-error --fail`);
      assert.equal(code, 0, `${page}: ${line}: ${err}`);
      assert.match(out, /^\{/, line);
      count++;
    }
  }
  assert.ok(count >= 2);
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("npm start is the documented command", () => {
  const { scripts, bin } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(scripts.start, "node src/octavo.ts serve --demo");
  assert.equal(bin.octavo, "src/octavo.ts");
  assert.match(readFileSync(new URL("../octavo.ts", import.meta.url), "utf8"), /^#!\/usr\/bin\/env node\n/);
  assert.ok(readdirSync(new URL("../../", import.meta.url)).includes("README.md"));
});
