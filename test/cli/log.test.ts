import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { startOctavo } from "./octavo.ts";

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
