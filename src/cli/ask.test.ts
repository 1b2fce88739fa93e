import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { makeStore, type Result, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** The same command line on a store and, with --url, on a service: the same words and the same exit code. */

const folder = temporaryFolder();
const data = join(folder, "here");
const world = useWorld();

test.before(() => makeStore(data));

const tokens = () => ({ OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });
const here = (words: string[], input = "") => runOctavo([...words, "--data", data], { cwd: folder, input });
const there = (words: string[], input = "", env: Record<string, string> = tokens()) =>
  runOctavo([...words, "--url", world.app.url], { cwd: folder, env, input });

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Without what differs from store to store: times, secrets, hosts, and ids that are drawn. */
const common = ({ code, out, err }: Result) => ({ code, out: neutral(out), err: neutral(err) });
const neutral = (text: string): string =>
  text
    .replace(new RegExp(uuid, "g"), "<id>")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, "<time>")
    .replace(/(_at":\s*)\d{10}/g, "$1<time>")
    .replace(/oct_[a-z]_\w+|(?:invite|reset)-[\w-]+/g, "<secret>")
    .replace(/http:\/\/[\w.]+(?::\d+)?/g, "<host>");

/** Commands in order; `$` is the id that the last command before printed first. */
const lines: string[][] = [
  ["token", "list", "--json"],
  ["people", "list"],
  ["people", "invite", "ada@example.org", "--role", "owner", "--json"],
  ["people", "list", "--json"],
  ["people", "role", "ADA@example.org", "editor"],
  ["people", "disable", "ada@example.org"],
  ["people", "enable", "nobody@example.org"],
  ["people", "reset", "ada@example.org"],
  ["release", "create", "Spring campaign"],
  ["release", "publish", "$", "--dry-run"],
  ["release", "publish", "$", "--at", "soon"],
  ["release", "delete", "$"],
  ["release", "delete", "$", "--json"],
  ["types", "delete", "nothing", "--json"],
  ["trash", "list"],
  ["webhook", "list"],
];

test("a command on a service has the words and the exit code that it has on a store", async () => {
  const last = { here: "", there: "" };
  const idIn = ({ out }: Result, before: string): string => uuid.exec(out)?.[0] ?? before;
  for (const line of lines.filter(([noun]) => noun !== "token")) {
    const [one, other] = [
      await here(line.map((word) => word.replace("$", last.here))),
      await there(line.map((word) => word.replace("$", last.there))),
    ];
    assert.deepEqual(common(other), common(one), line.join(" "));
    Object.assign(last, { here: idIn(one, last.here), there: idIn(other, last.there) });
  }
});
