// Slow: it starts two services, and runs each command of a guide.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOctavo, shell, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** The commands of docs/environments.md, in order, with a service for staging and one for production. */

const root = new URL("../../", import.meta.url).pathname;
const folder = temporaryFolder();

/** A service with the sample site and its types. */
async function startSite(name: string) {
  const data = join(folder, name);
  const { url, lines } = await startOctavo(["--demo", "--data", data], { cwd: folder });
  const secret = (kind: string) => new RegExp(`${kind} +(oct_\\S+)`).exec(lines.join("\n"))?.[1] ?? "";
  return { data, url, token: secret("management"), access: secret("access") };
}

const staging = await startSite("staging");
const production = await startSite("production");

const typesOf = async ({ data }: typeof staging) => {
  const { out } = await runOctavo(["types", "list", "--json", "--data", data], { cwd: folder });
  return JSON.parse(out).types as { id: string }[];
};

/** A command of octavo runs in this process, all else in a shell. */
function run(line: string) {
  const { url, token, access } = line.includes("PRODUCTION_URL") ? production : staging;
  if (!line.startsWith("npx octavo")) {
    const as = "git -c user.name=test -c user.email=test@example.test ";
    return shell(`cd '${folder}' && ${line.replace(/^git /, as)}`);
  }
  const words = line
    .replace(/ \|\| .*/, "")
    .replace(/"\$\w+_URL"/, url)
    .split(" ")
    .slice(2);
  return runOctavo(words, { cwd: folder, env: { OCTAVO_TOKEN: token, OCTAVO_ACCESS_TOKEN: access } });
}

test("every command of docs/environments.md works in order, and both stores end with the same types", async () => {
  const text = readFileSync(join(root, "docs/environments.md"), "utf8");
  const lines = [...text.matchAll(/```sh\n([\s\S]+?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));
  assert.ok(lines.length > 15);
  await shell(`git init -q '${folder}'`);
  const outputs = new Map<string, string>();
  for (const line of lines) {
    const { code, out, err } = await run(line);
    // As a shell would: a dry run that would change something has 3.
    const expected = line.endsWith("|| [ $? -eq 3 ]") ? 3 : 0;
    assert.equal(code, expected, `${line}: ${out}${err}`);
    outputs.set(line, out);
  }
  const output = (end: string) => [...outputs].findLast(([line]) => line.endsWith(end))?.[1] ?? "";
  assert.match(output('--prune --url "$PRODUCTION_URL"'), /^- article removed\n\+ genre added\n/);
  assert.match(output('--prune --url "$STAGING_URL"'), /author\.json is removed\.\n/);
  assert.match(output('--dry-run --url "$PRODUCTION_URL"'), /^Nothing changes: \d types as in the folder\.\n$/);
  const types = await typesOf(staging);
  assert.deepEqual(types, await typesOf(production));
  assert.ok(types.some(({ id }) => id === "writer"));
});
