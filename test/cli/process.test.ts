import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { commonEnv, makeStore, runOctavo, runProcess } from "./octavo.ts";

/** The process of a command: its words, streams, exit code and start. The other files run commands in their own process. */

const cwd = temporaryFolder();
const program = new URL("../../src/octavo.ts", import.meta.url).pathname;

const ends: [words: string[], code: number, out: string, err: RegExp][] = [
  [["registry", "delete", "a"], 0, "a is deleted.\n", /^$/],
  [["registry", "get", "a", "--json"], 1, "", /"code":"registry_item_not_found"/],
  [["registry", "gte"], 2, "", /^octavo: octavo registry gte is not a command; did you mean/],
];

test("a process ends as its command does in this one: exit code, standard output, standard error", async () => {
  await makeStore(`${cwd}/data`);
  assert.equal((await runOctavo(["registry", "set", "a", "1"], { cwd })).code, 0);
  for (const [words, code, out, err] of ends) {
    const ended = await runProcess(words, { cwd });
    assert.deepEqual([ended.code, ended.out], [code, out], ended.err);
    assert.match(ended.err, err);
    if (code > 0) assert.deepEqual(await runOctavo(words, { cwd }), ended);
  }
});

test("a command reads its standard input", async () => {
  const words = ["token", "create", "--kind", "access", "--token-stdin", "--json"];
  const { code, out, err } = await runProcess(words, { cwd, input: "0f9a1c5e7b2d4860a1b2c3d4e5f6\n" });
  assert.deepEqual([code, JSON.parse(out || "{}").kind], [0, "access"], err);
});

test("a reader that closes the pipe early, as head does, is no error", async () => {
  const child = spawn(process.execPath, [program, "help", "serve"], { cwd, env: commonEnv });
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, "close");
  assert.deepEqual([code, err], [0, ""]);
});

test("octavo import replaces its process by one of bounded memory, with the same words and variables", async () => {
  const say = "console.error('flags', process.execArgv.join(), process.env.MALLOC_ARENA_MAX)";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(say)}` };
  const { code, out, err } = await runProcess(["import", "no where"], { cwd, env, program });
  const [first, second, last] = err.trim().split("\n");
  assert.deepEqual([code, out, first], [1, "", "flags  undefined"]);
  assert.match(second ?? "", /^flags --max-semi-space-size=\d+,.* 2$/);
  assert.equal(last, "octavo: there is no folder no where");
  const short = await runProcess(["version"], { cwd, env, program });
  assert.equal(short.err, "flags  undefined\n", "a short command keeps its process");
});
