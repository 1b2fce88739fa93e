// Slow: it imports thousands of entries and files while another process writes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Slug } from "../../src/domain/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { beginOctavo } from "./octavo.ts";

/** octavo import beside a process that writes to the same store. Decision 69. */

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
    const settings = readSettings({ flags: { data, busy_timeout_ms: "300" }, env, file: undefined });
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
      assert.equal(await entries.count(), many + created);
      assert.ok(created > 20, `only ${created} writes came between`);
    });
  });
}
