import assert from "node:assert/strict";
import { test } from "node:test";
import { beginOctavo, makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, until } from "../../test/harness.ts";

/** octavo events: the log of a store, and what is written to it. */

const lines = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { sequence: number; kind: string; subject: string });

test("octavo events prints the log, and with --follow what is written by others", async () => {
  const cwd = temporaryFolder();
  await makeStore(`${cwd}/data`);
  const octavo = (...words: string[]) => runOctavo(words, { cwd });
  const set = async (key: string) => {
    const { code, err } = await octavo("registry", "set", key, "1");
    assert.equal(code, 0, err);
  };
  await set("a.one");
  const follower = beginOctavo(["events", "--follow", "--since", "0"], { cwd });
  await until(
    () => lines(follower.output.out).length === 1,
    () => follower.output.err,
  );
  await set("a.two");
  await until(
    () => lines(follower.output.out).length === 2,
    () => follower.output.err,
  );
  follower.stop();
  await follower.ended;
  assert.deepEqual(
    lines(follower.output.out).map(({ kind, subject }) => `${kind} ${subject}`),
    ["registry.set a.one", "registry.set a.two"],
  );
  const { sequence } = lines(follower.output.out)[0] as { sequence: number };
  const later = await octavo("events", "--since", String(sequence));
  assert.deepEqual(
    lines(later.out).map(({ subject }) => subject),
    ["a.two"],
  );
  const refused = await octavo("events", "--since", "soon");
  assert.equal(refused.code, 2);
  assert.match(refused.err, /--since was "soon"; expected a sequence/);
});
