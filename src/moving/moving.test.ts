// Slow: it starts a process for each command of two guides, and one that is killed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project0912, writeFiles } from "../../test/cli/flextype.ts";
import { beginOctavo, makeStore, octavoProgram, runOctavo, shell } from "../../test/cli/octavo.ts";
import { temporaryFolder, until } from "../../test/harness.ts";

/** The commands of docs/moving-in.md and docs/content-in-git.md; an import that is killed. */

const root = new URL("../../", import.meta.url).pathname;
const folder = temporaryFolder();
await makeStore(join(folder, "data"));
writeFiles(join(folder, "old-site"), project0912);
writeFiles(join(folder, "notes"), { "one.md": "---\ntitle: One\n---\nText" });

for (const page of ["moving-in", "content-in-git"]) {
  test(`every command of docs/${page}.md works in order`, async () => {
    const text = readFileSync(join(root, `docs/${page}.md`), "utf8");
    const lines = [...text.matchAll(/```sh\n([\s\S]+?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));
    assert.ok(lines.length > 3);
    for (const line of lines) {
      const here = line
        .replace(/^npx octavo/, `'${process.execPath}' '${octavoProgram}'`)
        .replace(/^git /, "git -c user.name=test -c user.email=test@example.test ");
      const { code, err } = await shell(`cd '${folder}' && ${here}`);
      assert.equal(code, 0, `${line}: ${err}`);
    }
  });
}

test("an import that is killed is continued by the same command", async () => {
  const data = join(folder, "killed");
  await makeStore(data);
  const count = 3000;
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `n${i}.md`,
      `---\ntitle: Number ${i}\nuuid: 3a1f2a56-2f3f-4d6d-8f52-${String(i).padStart(12, "0")}\n---\n`,
    ]),
  );
  const dir = join(folder, "many");
  writeFiles(dir, files);
  const { openStores } = await import("../stores.ts");
  const { readSettings } = await import("../settings.ts");
  const stores = await openStores(readSettings({ flags: { data }, env: {}, file: undefined }));
  try {
    const { pid, ended } = beginOctavo(["import", dir, "--data", data], { cwd: folder });
    await until(async () => (await stores.entries.count()) > 0, "nothing was imported");
    process.kill(pid, "SIGKILL");
    await ended;
  } finally {
    await stores.close();
  }
  const { code, out, err } = await runOctavo(["import", dir, "--data", data, "--json"], { cwd: folder });
  assert.equal(code, 0, err);
  const { entries, notes } = JSON.parse(out);
  assert.equal(entries.created + entries.unchanged, count);
  assert.ok(entries.unchanged > 0);
  assert.deepEqual(notes, [], "each has its own uuid");
  assert.equal((await runOctavo(["verify", "--data", data], { cwd: folder })).code, 0);
});
