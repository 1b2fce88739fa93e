// Slow: it waits for the pipes of a process that is left.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";

/** The runner of the tests. */

test("a file that ends before its cleanup, and leaves a process in a group of its own, does not keep the runner", () => {
  const folder = temporaryFolder();
  const [file, left, runner] = ["leaves.mjs", "left", "run.ts"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    file,
    `import { spawn } from "node:child_process";
     import { writeFileSync } from "node:fs";
     writeFileSync(${JSON.stringify(left)}, String(spawn("sleep", ["60"], { stdio: "inherit", detached: true }).pid));
     process.exit(3);`,
  );
  atEnd(() => process.kill(Number(readFileSync(left, "utf8"))));
  writeFileSync(
    runner,
    `import { runFiles } from ${JSON.stringify(join(import.meta.dirname, "../runner.ts"))};
     const held = await runFiles([[${JSON.stringify(file)}]], { concurrency: 1, envOf: () => ({}) });
     process.exit(held ? 1 : 0);`,
  );
  const printed = execFileSync(process.execPath, [runner], { encoding: "utf8", timeout: 20_000 });
  assert.match(printed, /leaves\.mjs ended with code 3/);
});
