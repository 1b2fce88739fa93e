// Slow: it starts many processes, each of which opens a store.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { runOctavo, shell, startOctavo } from "./octavo.ts";

/** Output on a terminal that a pipe does not get: colours and progress. `script` of util-linux is the terminal. */

const skip = lacksScript();
const main = new URL("../../src/main.ts", import.meta.url).pathname;
const folder = temporaryFolder();
const data = join(folder, "data");

/** Both streams, as a terminal receives them. The environment is `env` and PATH. */
async function onTerminal(words: string, env = "TERM=xterm"): Promise<string> {
  const command = `cd '${folder}' && env -i PATH="$PATH" ${env} '${process.execPath}' '${main}' ${words}`;
  writeFileSync(join(folder, "command.sh"), command);
  return (await shell(`script -qec 'sh ${join(folder, "command.sh")}' /dev/null`)).out;
}

function lacksScript(): string | false {
  try {
    execFileSync("script", ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    return "script(1) of util-linux is not installed";
  }
}

test("headings are bold on a colour terminal unless NO_COLOR is set, and never in a pipe", {
  skip,
}, async () => {
  assert.match(await onTerminal("verify --help"), /\x1b\[1m/);
  assert.doesNotMatch(await onTerminal("verify --help", "TERM=xterm NO_COLOR=1"), /\x1b/);
  assert.doesNotMatch(await onTerminal("verify --help", "TERM=dumb"), /\x1b/);
  assert.doesNotMatch((await runOctavo(["verify", "--help"], { cwd: folder })).out, /\x1b/);
});

test("long work shows progress on a terminal, clears the line at its end, and is silent in a pipe", {
  skip,
}, async () => {
  const service = await startOctavo(["--demo", "--data", data], { cwd: folder });
  await service.stop("SIGTERM");
  const shown: [command: string, progress: RegExp, end: RegExp][] = [
    [
      `verify --data ${data}`,
      /\rReading the rows.*\r\[#+-*\] +\d+% {2}[\d.]+ \w+ of [\d.]+ \w+/s,
      /The store is in order/,
    ],
    [`backup one.tar --data ${data}`, /\r\[#+-*\] +\d+% /, /one\.tar holds/],
    ["restore one.tar --data elsewhere", /\r\[#+-*\] +\d+% .*\rReading the rows/s, /The store holds/],
    [`uploads rebuild --data ${data}`, /\r\d+ folders/, /The uploads tree is in order/],
  ];
  for (const [command, progress, end] of shown) {
    const seen = await onTerminal(command);
    assert.match(seen, progress, command);
    const last =
      seen
        .trimEnd()
        .split(/[\r\n]+/)
        .at(-1) ?? "";
    assert.match(last, end, command);
  }
  const { err } = await runOctavo(["verify", "--data", data], { cwd: folder });
  assert.equal(err, "");
});

test("at a terminal a start that fails is said in words, not as a line of the log", { skip }, async () => {
  assert.match(await onTerminal("serve --port red"), /^octavo: the settings are wrong:/);
});
