import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

/** Browser tests: a look at a page repeats until it holds, and no wait has a fixed time. test/eventually.ts. */

const root = join(import.meta.dirname, "../..");
const files = globSync(["test/**/*.ts", "src/**/*.test.ts"], { cwd: root }).filter((file) => {
  const text = readFileSync(join(root, file), "utf8");
  return file !== "test/house/look.test.ts" && /from "playwright-core"|from "\.\/browser\.ts"/.test(text);
});

/** What reads a page once. */
const looks =
  /\.(?:count|textContent|allTextContents|innerText|innerHTML|inputValue|getAttribute|is(?:Visible|Hidden|Enabled|Disabled|Checked)|evaluate|evaluateAll|boundingBox)\(/;

test("no assertion of a browser test reads the page once", () => {
  assert.ok(files.length > 25, files.join());
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const assertions = text.matchAll(/^ *assert\.\w+\([^;]*?\);$/gm);
    return [...assertions].filter(([part]) => /\bawait\b/.test(part) && looks.test(part)).map(([part]) => file + part);
  });
  assert.deepEqual(found, []);
});

test("no browser test waits for a fixed time, and none draws lots", () => {
  const found = files.filter((file) =>
    /waitForTimeout|node:timers|\bsetTimeout\((?!resolve\))|Math\.random/.test(readFileSync(join(root, file), "utf8")),
  );
  assert.deepEqual(found, []);
});
