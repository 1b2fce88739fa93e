import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder, until } from "../harness.ts";
import { beginOctavo, logLines, runOctavo, saidIn, startOctavo } from "./octavo.ts";

const cwd = temporaryFolder();
const crash = "process.on('SIGUSR2', () => { throw new Error('crash'); })";

test("the lines of the request log are written when an error ends the process", async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` };
  const running = await startOctavo(["--data", "data", "--log", "json"], { cwd, env });
  const reply = await fetch(`${running.url}/health/live`);
  assert.equal(reply.status, 200);
  assert.notEqual(await running.stop("SIGUSR2"), 0);
  const id = reply.headers.get("x-request-id") as string;
  assert.ok(
    running.lines.some((line) => line.includes(`"id":"${id}"`)),
    running.lines.join("\n"),
  );
});

/** Whatever a service writes, on either stream, is parsed: a plain line would not be. */
const written = ({ lines, errors }: { lines: string[]; errors: string[] }) => ({
  out: logLines(lines.join("\n")),
  err: logLines(errors.join("\n")),
});

test("each line of both streams is one JSON object with a time and a level, from the first to a crash", async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` };
  const folder = temporaryFolder();
  const retired = ["--list-cache-bytes", "1"];
  const running = await startOctavo(["--demo", "--data", "data", "--log", "json", ...retired], { cwd: folder, env });
  const [secret] = /oct_d_[\w-]{43}/.exec(running.lines.join("\n")) ?? [];
  assert.equal(
    (await fetch(`${running.url}/api/entries?id=movies/alien&token=${secret}`)).status,
    200,
    "a line has it",
  );
  assert.equal((await fetch(`${running.url}/nowhere`)).status, 404);
  assert.notEqual(await running.stop("SIGUSR2"), 0);
  const { out, err } = written(running);
  assert.match(String(out[0]?.message), /^The store was empty/);
  assert.ok(out.some(({ message }) => String(message).includes("#code=")));
  assert.deepEqual(
    out.filter(({ status }) => status !== undefined).map(({ level, status }) => [level, status]),
    [
      ["info", 200],
      ["info", 404],
    ],
  );
  assert.deepEqual(
    err.map(({ level, id }) => [level, id]),
    [
      ["warn", undefined],
      ["error", "crash"],
    ],
  );
  assert.match(String(err[1]?.error), /^Error: crash\n +at /);
});

test("workers, an upgrade and a start that fails write such lines, too", async () => {
  const folder = temporaryFolder();
  const running = await startOctavo(["--workers", "2", "--data", "data", "--log", "json"], { cwd: folder });
  assert.ok(written(running).out.length > 2);
  const port = new URL(running.url).port;
  for (const words of [
    ["serve", "--port", port, "--data", "other"],
    ["serve", "--port", port, "--workers", "2", "--data", "third"],
    ["--port", port, "--data", "other"],
    ["serve", "--colour", "red"],
    ["serve", "--port", "red"],
  ]) {
    const { out, err } = await runOctavo(words.map(String), { cwd: folder });
    logLines(out);
    assert.match(saidIn(err), /^error: /m, words.join(" "));
  }
  assert.equal(await running.stop("SIGTERM"), 0);
  assert.match((await runOctavo(["verify", "--data", "nowhere"], { cwd: folder })).err, /^octavo: /, "of a command");
});

test("with log=off standard output is for who reads it, and errors are lines of the log", async () => {
  const folder = temporaryFolder();
  const begun = beginOctavo(["serve", "--port", "0", "--log", "off", "--list-cache-bytes", "1"], { cwd: folder });
  await until(() => begun.output.out.includes("answers on"), "it does not start");
  assert.match(begun.output.out, /^The store in .* holds 0 entries/);
  assert.match(saidIn(begun.output.err), /^warn: list_cache_bytes .*no effect any more/);
  begun.stop();
  assert.equal(await begun.ended, 0);
});
