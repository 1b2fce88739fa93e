import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { logLines, runOctavo, startOctavo } from "./octavo.ts";

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

test("each line of the log is one JSON object with a time and a level, from the start to a crash", async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` };
  const running = await startOctavo(["--data", "data", "--log", "json"], { cwd: temporaryFolder(), env });
  assert.equal((await fetch(`${running.url}/nowhere`)).status, 404);
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  assert.notEqual(await running.stop("SIGUSR2"), 0);
  const { out, err } = written(running);
  assert.match(String(out[0]?.message), /^The store in .* holds 0 entries/);
  assert.ok(out.some(({ message }) => String(message).includes("#code=")));
  assert.ok(out.some(({ message }) => String(message).includes(`answers on ${running.url} (process ${running.pid})`)));
  assert.deepEqual(
    out.filter(({ status }) => status !== undefined).map(({ level, status }) => [level, status]),
    [
      ["info", 404],
      ["info", 200],
    ],
  );
  assert.deepEqual(
    err.map(({ level, id }) => [level, id]),
    [["error", "crash"]],
  );
  assert.match(String(err[0]?.error), /^Error: crash\n +at /);
});

test("workers and an upgrade write such lines, too; a start that fails says so in words, as commands do", async () => {
  const folder = temporaryFolder();
  const running = await startOctavo(["--workers", "2", "--data", "data", "--log", "json"], { cwd: folder });
  assert.ok(written(running).out.length > 2);
  const port = new URL(running.url).port;
  for (const words of [
    ["serve", "--port", port, "--data", "other"],
    ["serve", "--colour", "red"],
    ["serve", "--port", "red"],
  ]) {
    const { out, err } = await runOctavo(words, { cwd: folder });
    assert.equal(out, "");
    assert.match(err, /^octavo: /, words.join(" "));
  }
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("the start of the sample site, and with log=off any start, is in words", async () => {
  for (const [words, first] of [
    [["--demo", "--log", "json"], /^The store was empty/],
    [["--log", "off"], /^The store in .* holds 0 entries/],
  ] as const) {
    const running = await startOctavo([...words, "--data", "data"], { cwd: temporaryFolder() });
    assert.match(running.lines.join("\n"), first);
    assert.match(String(running.lines.find((line) => line.includes("answers on"))), /^Octavo \S+ answers on http:\S+$/);
    assert.equal(await running.stop("SIGTERM"), 0);
  }
});
