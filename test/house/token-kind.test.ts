import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** The access of a token is computed in one place, core/access/access.ts. Contract, part two, For all of it. */

const root = new URL("../../", import.meta.url).pathname;
/** The kinds, and the access computed from them. */
const home = ["src/core/access/token.ts", "src/core/access/access.ts"];
/** A kind that is compared or looked up in a list. Fields of Access and Reader are not kinds. */
const comparison = /(?<!reads|reader) (?:===|!==) "(?:delivery|management|images|access)"|kinds\.includes\(/g;

test("only the domain's token and access files compare the kind of a token", () => {
  const all = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] });
  const files = all.filter((file) => !home.includes(file));
  assert.ok(files.length > 100);
  const found = files.flatMap((file) => {
    const source = readFileSync(root + file, "utf8");
    return [...source.matchAll(comparison)].map(([text]) => `${file}: ${text}`);
  });
  assert.deepEqual(found, []);
});
