// Slow: it starts many processes, each of which opens a store.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { octavoProgram, runOctavo, shell, startOctavo } from "./octavo.ts";

/** Runs the commands of docs/operations.md and docs/server.md. test/house/results.test.ts compares its figures with bench/results. */

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(join(root, "docs/operations.md"), "utf8");
const linesOf = (file: string): string[] => {
  const blocks = [...readFileSync(join(root, file), "utf8").matchAll(/```sh\n([\s\S]+?)```/g)];
  return blocks.flatMap(([, block = ""]) => block.trim().split("\n"));
};

/** Commands that need a separate machine, user or engine. The page says that they were not run. */
const notHere = /^(useradd|git|cd|cp|npm|systemctl|journalctl|install|docker|apt-get|certbot) /;

for (const guide of ["docs/operations.md", "docs/server.md"]) {
  test(`every command of ${guide} works in order beside a running service`, () => run(linesOf(guide)));
}

async function run(lines: string[]): Promise<void> {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const running = await startOctavo(["--demo", "--data", data], { cwd: folder });
  const here = (line: string): string =>
    line
      .replace(/^runuser -u octavo -- /, "")
      .replace(/^npx octavo/, `OCTAVO_PORT=${new URL(running.url).port} '${process.execPath}' '${octavoProgram}'`)
      .replaceAll("/var/lib/octavo", data)
      .replaceAll("/var/backups/octavo", folder)
      .replaceAll("http://127.0.0.1:8080", running.url);
  assert.ok(lines.length > 10);
  for (const line of lines.filter((line) => !notHere.test(line))) {
    assert.match(line, /^(runuser -u octavo -- )?(npx octavo|curl) /);
    const { code, out, err } = await shell(here(line));
    assert.equal(code, 0, `${line}\n${out}${err}`);
  }
  assert.equal(await running.stop("SIGTERM"), 0);
}

test("the guide explains exactly the figures of /api/stats", async () => {
  const folder = temporaryFolder();
  const running = await startOctavo(["--data", join(folder, "data")], { cwd: folder });
  const words = ["token", "create", "--kind", "management", "--resources", "admin", "--json"];
  const { out } = await runOctavo([...words, "--data", join(folder, "data")], { cwd: folder });
  const { token } = JSON.parse(out) as { token: string };
  const reply = await fetch(`${running.url}/api/stats?token=${token}`);
  const { data } = (await reply.json()) as { data: object };
  const [, table = ""] = /with `admin`:\n\n([\s\S]+?)\n\n/.exec(page) ?? [];
  const fields = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  assert.deepEqual(fields.sort(), Object.keys(data).sort());
  await running.stop("SIGTERM");
});
