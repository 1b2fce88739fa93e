import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** What octavo says about itself: help, usage errors, and the commands in the docs. */

const folder = temporaryFolder();
before(() => makeStore(join(folder, "data")));
const octavo = (words: string[], env: Record<string, string> = {}) => runOctavo(words, { cwd: folder, env });

test("every command has help with its arguments", async () => {
  const overview = await octavo(["--help"]);
  assert.equal(overview.code, 0);
  const commands = [...overview.out.matchAll(/^ {2}octavo ((?:token |registry )?[a-z]+)/gm)].map(
    (match) => match[1] as string,
  );
  assert.ok(commands.length >= 14, overview.out);
  for (const command of commands) {
    if (command === "help" || command === "version") continue;
    const { code, out } = await octavo([...command.split(" "), "--help"]);
    assert.equal(code, 0, command);
    assert.ok(out.includes(`octavo ${command}`), command);
  }
});

const wrongUses: [string[], RegExp][] = [
  [["sevre"], /serve/],
  [["health", "--prot", "1"], /--port/],
  [["health", "--port", "none"], /port[\s\S]*none[\s\S]*65535/],
  [["token", "create"], /--kind/],
  [["token", "create", "--kind", "delivry", "--resources", "entries"], /delivry/],
  [["token", "create", "--kind", "delivery"], /--resources/],
  [["token", "create", "--kind", "delivery", "--resources", "admin"], /admin/],
  [["token", "create", "--kind", "access", "--expires", "someday"], /someday/],
  [["token", "create", "--kind", "access", "--limit-calls", "-1"], /limit-calls/],
  [["registry", "set", "a"], /VALUE|value/],
];
for (const [words, message] of wrongUses) {
  test(`octavo ${words.join(" ")} is a usage error: exit code 2 and a helpful line`, async () => {
    const { code, out, err } = await octavo(words);
    assert.equal(code, 2, out + err);
    assert.match(err, message);
  });
}

/**
 * Pages with folders of the machine or of a site, which test/cli/operations.test.ts, src/moving/moving.test.ts and
 * src/type/model-command-guide.test.ts make; that of a translator's program, which src/translation/command-guide.test.ts runs; and those about services elsewhere, whose commands
 * src/cli/ask-rights.test.ts and src/search/mirror-command.test.ts run.
 */
const elsewhere = new Set([
  "operations.md",
  "server.md",
  "moving-in.md",
  "content-in-git.md",
  "environments.md",
  "translators.md",
  "elsewhere.md",
  "mirror.md",
]);
/** What ends by a signal only: src/feed/events-command.test.ts runs it. */
const isEndless = (words: string): boolean => words.includes("--follow");

test("every octavo command in the docs runs", async () => {
  const root = new URL("../../", import.meta.url);
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(new URL("docs/", root))
      .filter((name) => name.endsWith(".md") && !elsewhere.has(name))
      .map((name) => `docs/${name}`),
  ];
  let count = 0;
  for (const page of pages) {
    for (const [, words = ""] of readFileSync(new URL(page, root), "utf8").matchAll(/^npx octavo (.+)$/gm)) {
      if (isEndless(words)) continue;
      const { code, err } = await octavo(words.replaceAll("'", "").split(" "), { OCTAVO_DATA: join(folder, "data") });
      assert.equal(code, 0, `${page}: octavo ${words}: ${err}`);
      count++;
    }
  }
  assert.ok(count >= 4);
});
