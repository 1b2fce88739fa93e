// Slow: it imports thousands of entries and files while another process writes.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginOctavo, makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import type { Slug } from "../core/path.ts";
import { readSettings } from "../settings.ts";
import { openStores } from "../stores.ts";

/** octavo import beside a process that writes to the same store. Decision 65. */

const many = 5000;
const site = temporaryFolder();
for (let n = 0; n < many; n++)
  writeFileSync(join(site, `e${n}.md`), `---\ntitle: Entry ${n}\nyear: ${n % 90}\n---\n${"A text. ".repeat(60)}`);

for (const engine of ["SQLite", "PostgreSQL"] as const) {
  const skip = engine === "PostgreSQL" ? lacksPostgres() : undefined;
  test(`no write is refused beside an import, on ${engine}`, { skip: skip ?? false }, async () => {
    const data = temporaryFolder();
    const env: Record<string, string> = engine === "SQLite" ? {} : { OCTAVO_POSTGRES_URL: await createDatabase() };
    // Far longer than a transaction of the import, far shorter than all of it.
    const settings = readSettings({ flags: { data, busy_timeout_ms: "1000" }, env, file: undefined });
    await closing(openStores(settings), async ({ entries }) => {
      const importing = beginOctavo(["import", site, "--into", "moved", "--data", data], { cwd: data, env });
      const state = { isOver: false };
      void importing.ended.then(() => {
        state.isOver = true;
      });
      let created = 0;
      for (; !state.isOver; created++) {
        const input = { data: `{"n":${created}}`, isMergePatch: false, fields: {} };
        await entries.create(`mine/e${created}` as Slug, input, { actor: "test", nowSeconds: 1000 });
      }
      assert.equal(await importing.ended, 0, importing.output.err);
      assert.match(importing.output.err, /^(\d+ things\n)*$/);
      assert.equal(await entries.count(), many + created);
      assert.ok(created > 20, `only ${created} writes came between`);
    });
  });
}

test("an import of many files that is killed loses none that has a row, and is continued", async () => {
  const [data, from] = [temporaryFolder(), temporaryFolder()];
  const count = 2000;
  for (let n = 0; n < count; n++) {
    const folder = join(from, "uploads", `f${n % 7}`, "deep");
    mkdirSync(folder, { recursive: true });
    // Some have the same bytes.
    writeFileSync(join(folder, `${n}.txt`), `This is the file ${n % 1500}.`);
  }
  await makeStore(data);
  const killed = beginOctavo(["import", from, "--data", data], { cwd: data });
  const blobs = join(data, "blobs");
  while (!existsSync(blobs) || readdirSync(blobs).length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
  killed.kill();
  await killed.ended;
  const run = (...words: string[]) => runOctavo([...words, "--data", data], { cwd: data });
  const verified = await run("verify");
  assert.equal(verified.code, 0, verified.out);
  const { code, out, err } = await run("import", from, "--json");
  assert.equal(code, 0, err);
  const { files, folders, conflicts } = JSON.parse(out);
  assert.equal(files.created + files.unchanged, count);
  assert.equal(folders.created + folders.unchanged, 14);
  assert.deepEqual(conflicts, []);
  assert.ok(files.created > 0, "it was killed before its end");
  const again = await run("verify");
  assert.equal(again.code, 0, again.out);
});
