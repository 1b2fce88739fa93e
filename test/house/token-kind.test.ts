import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** What a token gives access to is computed once, in domain/access.ts. Contract, part two, For all of it. */

const root = new URL("../../", import.meta.url).pathname;
/** The kinds themselves, and what is computed of them. */
const home = ["src/domain/token.ts", "src/domain/access.ts"];
/** A kind compared, or looked for in a list. What an Access reads, and a Reader, are no kinds. */
const comparison = /(?<!reads|reader) (?:===|!==) "(?:delivery|management|images|access)"|kinds\.includes\(/g;

test("only the domain's token and access files compare the kind of a token", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !home.includes(file));
  assert.ok(files.length > 100);
  const found = files.flatMap((file) => {
    const source = readFileSync(root + file, "utf8");
    return [...source.matchAll(comparison)].map(([text]) => `${file}: ${text}`);
  });
  assert.deepEqual(found, []);
});
