import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { operators } from "../../src/core/list/match.ts";

/** Every operator of filters has its cases in the table of src/core/list/filter.test.ts: a value that matches and one that does not. */

const table = readFileSync(new URL("../../src/core/list/filter.test.ts", import.meta.url), "utf8");
/** `stored operator value expected`, one row a line. */
const cases = [...table.matchAll(/^ {2}\[.+?, "(\w+)", .+, (true|false)\],$/gm)].map(([, name, is]) => `${name} ${is}`);

test("every operator has a case that matches and one that does not in src/core/list/filter.test.ts", () => {
  const wanted = operators.flatMap((name) => [`${name} true`, `${name} false`]);
  assert.deepEqual(
    wanted.filter((one) => !cases.includes(one)),
    [],
    "operators without this case",
  );
});
