// Slow: it starts the service on stores of earlier versions.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { layOut, type OldStore, oldStores, unpackStore } from "../old-store.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { runOctavo, saidIn, startOctavo } from "./octavo.ts";

/**
 * Stores of earlier versions are opened, migrated and verified. test/fixtures/stores/ has them as those versions left them:
 * `films` with `alien` (changed once) and the draft `solaris`, a registry item, a file, and the secret of a delivery token.
 */

async function unpacked(name: OldStore): Promise<{ cwd: string; data: string }> {
  const cwd = temporaryFolder();
  const data = join(cwd, "data");
  mkdirSync(data, { mode: 0o711 });
  return { cwd, data: await unpackStore(name, data) };
}

const asked = async (url: string, token: string) => {
  const { data } = (await (await fetch(`${url}/api/entries?id=films/alien&token=${token}`)).json()) as {
    data: Record<string, unknown>;
  };
  const list = await fetch(
    `${url}/api/entries?id=films&filter[where][key]=year&filter[where][expr]=eq&filter[where][value]=1980&token=${token}`,
  );
  const found = ((await list.json()) as { data: unknown[] }).data;
  const note = await (await fetch(`${url}/project/uploads/note.txt`)).text();
  const draft = (await fetch(`${url}/api/entries?id=films/solaris&token=${token}`)).status;
  return { title: data.title, year: data.year, found: found.length, note, draft };
};
const expected = { title: "Alien", year: 1980, found: 1, note: "hello\n", draft: 404 };

for (const [name, schema] of Object.entries(oldStores) as [OldStore, number][]) {
  test(`the store of ${name} on SQLite is migrated, with a line that says so, served and in order`, async () => {
    const { cwd, data } = await unpacked(name);
    const token = readFileSync(join(data, "delivery-token"), "utf8").trim();
    const words = ["--data", data];
    const doctor = await runOctavo(["doctor", "--port", "0", ...words], { cwd });
    assert.match(doctor.out, new RegExp(`warning +database +its schema is ${schema}, .* make a backup first`));
    const running = await startOctavo(words, { cwd });
    assert.match(saidIn(running.errors.join("\n")), /^info: upgrading the store: migration 1 of \d+$/m);
    assert.deepEqual(await asked(running.url, token), expected);
    assert.equal(await running.stop("SIGTERM"), 0);
    const again = await startOctavo(words, { cwd });
    assert.doesNotMatch(again.errors.join("\n"), /upgrading/);
    assert.equal(await again.stop("SIGTERM"), 0);
    assert.equal((await runOctavo(["verify", ...words], { cwd })).out, "The store is in order.\n");
  });

  test(`the same store on PostgreSQL: ${name}`, { skip: lacksPostgres() }, async () => {
    const { cwd, data } = await unpacked(name);
    const token = readFileSync(join(data, "delivery-token"), "utf8").trim();
    const env = { OCTAVO_POSTGRES_URL: await createDatabase() };
    await layOut(env.OCTAVO_POSTGRES_URL, join(data, "octavo.db"), schema);
    const running = await startOctavo(["--data", data], { cwd, env });
    assert.match(saidIn(running.errors.join("\n")), /^info: upgrading the store: migration 1 of \d+$/m);
    assert.deepEqual(await asked(running.url, token), expected);
    assert.equal(await running.stop("SIGTERM"), 0);
    assert.equal((await runOctavo(["verify", "--data", data], { cwd, env })).out, "The store is in order.\n");
  });
}

test("a backup that 0.3.0 made is verified, restored and served", async () => {
  const { cwd, data } = await unpacked("0.3.0");
  const token = readFileSync(join(data, "delivery-token"), "utf8").trim();
  const backup = join(data, "backup.tar");
  const verified = await runOctavo(["verify", backup], { cwd });
  assert.match(verified.out, /^The backup is in order: /, verified.err);
  const words = ["--data", join(cwd, "restored")];
  const restored = await runOctavo(["restore", backup, ...words], { cwd });
  assert.equal(restored.code, 0, restored.err);
  const running = await startOctavo(words, { cwd });
  assert.deepEqual(await asked(running.url, token), expected);
  assert.equal(await running.stop("SIGTERM"), 0);
  assert.equal((await runOctavo(["verify", ...words], { cwd })).out, "The store is in order.\n");
});
