import assert from "node:assert/strict";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { runOctavo, startOctavo } from "../../../test/cli/octavo.ts";
import { temporaryFolder } from "../../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../../test/postgres.ts";

/** A missing database beside stored bytes: only `--new` or a restore creates an empty store there. */

const folder = temporaryFolder();
const data = join(folder, "data");
const kept = join(folder, "kept");
const backup = join(folder, "backup.tar");
const octavo = (words: string[], env: Record<string, string> = {}) =>
  runOctavo([...words, "--data", data], { cwd: folder, env });

before(async () => {
  const running = await startOctavo(["--demo", "--data", data], { cwd: folder });
  assert.equal(await running.stop("SIGTERM"), 0);
  assert.equal((await octavo(["backup", backup])).code, 0);
  renameSync(join(data, "octavo.db"), kept);
  for (const end of ["-wal", "-shm"]) rmSync(join(data, `octavo.db${end}`), { force: true });
});

const found =
  /^octavo: there is no octavo\.db in .*data, but .*blobs holds the bytes of files: .* --data, .* restore FILE, .* --new\n/;

test("a start without a database beside bytes is refused, as is every command; no database is created", async () => {
  for (const words of [
    ["serve", "--port", "0"],
    ["serve", "--port", "0", "--workers", "2"],
    ["token", "list"],
    ["verify"],
  ]) {
    const { code, out, err } = await octavo(words);
    assert.deepEqual([code, out], [1, ""], err);
    assert.match(err, found);
    assert.ok(!existsSync(join(data, "octavo.db")), words.join(" "));
  }
  writeFileSync(join(data, "octavo.db"), "");
  assert.match((await octavo(["token", "list"])).err, found, "an empty file is not a database");
  rmSync(join(data, "octavo.db"));
});

test("an empty PostgreSQL database beside bytes is refused, too", { skip: lacksPostgres() }, async () => {
  const { code, err } = await octavo(["token", "list"], { OCTAVO_POSTGRES_URL: await createDatabase() });
  assert.equal(code, 1);
  assert.match(err, /^octavo: the PostgreSQL database is empty, but .*blobs holds the bytes of files: .*postgres_url/);
});

test("the flag or the setting creates an empty store there; a restore needs neither", async () => {
  for (const [words, env] of [
    [["--new"], {}],
    [["--new-store", "on"], {}],
    [[], { OCTAVO_NEW_STORE: "on" }],
  ] as [string[], Record<string, string>][]) {
    const running = await startOctavo([...words, "--data", data], { cwd: folder, env });
    assert.ok(running.lines.some((line) => line.includes("holds 0 entries")));
    assert.equal(await running.stop("SIGTERM"), 0);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `octavo.db${end}`), { force: true });
  }
  const { code, err } = await octavo(["restore", backup]);
  assert.equal(code, 0, err);
  assert.equal((await octavo(["verify"])).code, 0);
});
