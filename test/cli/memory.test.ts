// Slow: starts the service many times.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, until } from "../harness.ts";
import { beginOctavo, makeStore, startOctavo } from "./octavo.ts";

/** The command as people run it; other tests start its main.ts. */
const program = new URL("../../src/octavo.ts", import.meta.url).pathname;
const cwd = temporaryFolder();
const young = "--max-semi-space-size=";
const skip = process.platform === "linux" ? false : "there is no /proc";

const start = (name: string, words: string[] = [], env: Record<string, string> = {}) =>
  startOctavo([...words, "--data", join(cwd, name)], { cwd, program, env });
const read = (pid: number, file: string): string[] => readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
/** The value of the flag in the command line, and of the variable in the environment, of a running process. */
const boundsOf = (pid: number) => ({
  young: read(pid, "cmdline").flatMap((word) => (word.startsWith(young) ? [word.slice(young.length)] : [])),
  arenas: read(pid, "environ").flatMap((line) => /^MALLOC_ARENA_MAX=(.*)/.exec(line)?.[1] ?? []),
});
const bounds = { young: ["8"], arenas: ["2"] };

test("serve bounds the young generation and the arenas of its own process", { skip }, async () => {
  const running = await start("alone");
  assert.deepEqual(boundsOf(running.pid), bounds, "the process that was started is the service");
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("so do its workers", { skip }, async () => {
  const running = await start("team", ["--workers", "2"]);
  const workers = readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  assert.equal(workers.length, 2);
  for (const pid of [running.pid, ...workers]) assert.deepEqual(boundsOf(pid), bounds);
  assert.equal(await running.stop("SIGTERM"), 0);
});

/** The bounds of a command that runs to its end, as soon as it has them; undefined where it ended without. */
async function boundsOfCommand(...words: string[]) {
  const running = beginOctavo(words, { cwd, program });
  let found: ReturnType<typeof boundsOf> | undefined;
  const isBound = () => {
    found = existsSync(`/proc/${running.pid}/cmdline`) ? boundsOf(running.pid) : undefined;
    return found === undefined || found.young.length > 0;
  };
  await until(isBound, `${words[0]} has no bounds`);
  assert.equal(await running.ended, 0, running.output.err);
  return found;
}

test("the commands that fill a store bound them, too", { skip }, async () => {
  const [data, site, file] = [join(cwd, "command"), join(cwd, "site"), join(cwd, "backup.tar")];
  await makeStore(data);
  mkdirSync(site);
  for (let i = 0; i < 200; i++) writeFileSync(join(site, `page-${i}.md`), "A page.");
  assert.deepEqual(await boundsOfCommand("import", site, "--data", data), bounds);
  const backup = beginOctavo(["backup", file, "--data", data], { cwd, program });
  assert.equal(await backup.ended, 0, backup.output.err);
  assert.deepEqual(await boundsOfCommand("restore", file, "--data", join(cwd, "restored")), bounds);
});

test("bounds that the operator has set stay", { skip }, async () => {
  const env = { NODE_OPTIONS: `${young}16`, MALLOC_ARENA_MAX: "4" };
  const running = await start("set", [], env);
  assert.deepEqual(boundsOf(running.pid), { young: [], arenas: ["4"] });
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("a word after the command reaches it as it was written", async () => {
  const running = await start("a folder, 'quoted' and ü");
  assert.match(running.lines.join("\n"), /a folder, 'quoted' and ü/);
  assert.equal(await running.stop("SIGTERM"), 0);
});
