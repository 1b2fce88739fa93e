import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** `octavo search`: how words become a call, and a reply a table. */

const folder = temporaryFolder();
const data = join(folder, "data");
const run = (...words: string[]) => runOctavo([...words, "--data", data], { cwd: folder });
const world = useWorld();

test.before(async () => {
  await makeStore(data);
  await run(
    "call",
    "POST",
    "/api/entries",
    "id=films/solaris",
    'data={"title":"Solaris","text":"An ocean that answers","genre":"drama"}',
  );
  await run("call", "POST", "/api/entries", "id=films/stalker", 'data={"title":"Stalker","text":"No ocean"}');
});

test("words find entries, the best first, with where they stand", async () => {
  const { out, err } = await run("search", "solaris");
  assert.match(out, /^ID +TITLE +FOUND IN\nfilms\/solaris +Solaris +title\n$/, err);
  assert.match((await run("search", "ocean", "--", "-answers")).out, /^ID.*\nfilms\/stalker +Stalker +text\n$/);
  assert.equal((await run("search", "ocean", "--id", "films", "--limit", "1")).out.trim().split("\n").length, 2);
  assert.match((await run("search", "submarine")).out, /^Nothing has these words\.$/m);
});

test("words that were left out are told on standard error", async () => {
  const { out, err } = await run("search", "solaris", "submarine");
  assert.match(out, /films\/solaris/);
  assert.match(err, /nothing has all words; left out: submarine/);
});

test("with --json the answer of the route is printed", async () => {
  const { out } = await run("search", "solaris", "--facets", "genre", "--json");
  const {
    data: [entry],
    matches,
    facets,
    total,
  } = JSON.parse(out);
  assert.deepEqual(
    [entry.title, matches[0].highlights, facets, total],
    ["Solaris", { title: [[0, 7]] }, { genre: { drama: 1 } }, 1],
  );
});

test("a service is asked with --url, and its refusals are said", async () => {
  const env = { OCTAVO_TOKEN: world.token.management };
  const found = await runOctavo(["search", "solaris", "--url", world.app.url], { cwd: folder, env });
  assert.match(found.out, /^Nothing has these words\.$/m, found.err);
  const { code, err } = await run("search", "x", "--id", "nowhere");
  assert.deepEqual([code, /there is no entry with this id/.test(err)], [1, true], err);
  assert.equal((await run("search", "x", "--files", "--staged")).code, 2);
});
