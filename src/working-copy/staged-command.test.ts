// Slow: it opens a store thirty times, beside a service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startDemo } from "../../test/cli/demo.ts";

/** octavo staged, beside a running service whose API stages the changes. */

const { service, headers, octavo: run } = await startDemo();
const alien = "movies/alien";
const solaris = "movies/solaris";

const octavo = (...words: string[]) => run("staged", ...words);

async function stage(id: string, title: string): Promise<void> {
  const body = JSON.stringify({ id, data: { title } });
  const { status } = await fetch(`${service.url}/api/entries/staged`, { method: "PATCH", headers, body });
  assert.equal(status, 200);
}

async function titleOf(id: string): Promise<string> {
  const reply = await fetch(`${service.url}/api/entries?id=${id}`, { headers });
  return ((await reply.json()) as { data: { title: string } }).data.title;
}

test("working copies are listed, scheduled, published and dropped", async () => {
  // That of the sample site.
  assert.match((await octavo("list")).out, /^ENTRY +LOCALE +STAGED .*\nmovies\/stalker +de /);
  assert.equal((await octavo("discard", "movies/stalker")).code, 1);
  assert.equal(
    (await octavo("publish", "movies/stalker", "--locale", "de", "--locales", "en,de")).out,
    "movies/stalker is published.",
  );
  assert.equal((await octavo("list")).out, "There are no working copies.");
  await stage(alien, "Alien, restored");
  await stage(solaris, "Solyaris");
  assert.equal(
    (await octavo("publish", alien, "--at", "2040-01-15T09:00:00Z")).out.startsWith(
      `${alien} is published at 2040-01-15`,
    ),
    true,
  );
  const { staged } = JSON.parse((await octavo("list", "--json")).out);
  assert.deepEqual(
    staged.map(({ id, publish_at }: Record<string, unknown>) => [id, publish_at]),
    [
      [alien, 2_210_230_800],
      [solaris, null],
    ],
  );
  assert.match((await octavo("list")).out, /^ENTRY +STAGED +BY +PUBLISHED AT +OUTDATED\nmovies\/alien .*2040-01-15/);
  const frozen = await octavo("discard", alien);
  assert.equal(frozen.code, 1);
  assert.match(frozen.err, /"movies\/alien".*cannot change/);
  assert.equal((await octavo("publish", alien, "--unschedule")).out, `${alien} has no time any more.`);
  assert.equal((await octavo("publish", alien)).out, `${alien} is published.`);
  assert.equal(await titleOf(alien), "Alien, restored");
  assert.equal((await octavo("discard", solaris)).out, `${solaris} has no working copy any more.`);
  assert.equal(await titleOf(solaris), "Solaris");
  const nothing = await octavo("publish", alien);
  assert.equal(nothing.code, 1);
  assert.match(nothing.err, /no working copy/);
});

test("a release is made, filled, checked, published, undone and deleted", async () => {
  const release = (...words: string[]) => run("release", ...words);
  assert.equal((await release("list")).out, "There are no releases.");
  const id = (await release("create", "Space week")).out;
  await stage(alien, "Alien, again");
  assert.equal((await release("add", id, alien)).out, `${alien} is in the release.`);
  assert.match((await release("list")).out, /^RELEASE +TITLE +STATE +ENTRIES +AT\n.*Space week +open +1/);
  assert.match((await release("list", id)).out, /^ENTRY .*\nmovies\/alien/);
  assert.equal((await release("publish", id, "--dry-run")).out, "Space week can be published.");
  assert.match((await release("publish", id, "--at", "2040-01-15")).out, /^Space week is published at 2040-01-15/);
  assert.equal((await release("publish", id, "--unschedule")).out, "Space week has no time.");
  assert.equal((await release("publish", id)).out, "Space week is published.");
  assert.equal(await titleOf(alien), "Alien, again");
  const { state } = JSON.parse((await release("undo", id, "--json")).out);
  assert.deepEqual([state, await titleOf(alien)], ["open", "Alien, restored"]);
  assert.equal((await release("remove", alien)).out, `${alien} is in no release.`);
  assert.match((await release("publish", id)).err, /no working copies/);
  assert.equal((await release("delete", id)).out, "The release is deleted.");
  assert.equal((await release("undo", id)).code, 1);
  assert.equal((await release("create", " ")).code, 2);
});

test("wrong arguments are named", async () => {
  for (const [words, expected] of [
    [["publish", alien, "--at", "soon"], /--at was "soon"/],
    [["publish", alien, "--at", "2040-01-01", "--unschedule"], /cannot be combined/],
    [["discard", "../x"], /ENTRY/],
    [["discard"], /ENTRY/],
  ] as const) {
    const { code, err } = await octavo(...words);
    assert.equal(code, 2, err);
    assert.match(err, expected);
  }
});
