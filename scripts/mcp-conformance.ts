/**
 * Runs the conformance suite of the Model Context Protocol against this checkout, for the figures in docs/agents.md:
 * `npx node scripts/mcp-conformance.ts`. It downloads the suite, so no test runs it. The suite sends no tokens: a small
 * proxy adds them. What needs the suite's own tools, or what Octavo does not have, fails.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startWorld } from "../test/harness.ts";

const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const revisions = ["2026-07-28", "2025-11-25"];

/** This Node goes before another one of the machine. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
const data = mkdtempSync(join(tmpdir(), "octavo-mcp-"));
const { app, token } = await startWorld({ data }, {});
const { hostname, port } = new URL(app.url);
const proxy = createServer((sent, answered) => {
  const headers = { ...sent.headers, authorization: `Bearer ${token.management}.${token.access}` };
  const passed = request({ hostname, port, path: sent.url, method: sent.method, headers }, (reply) => {
    answered.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answered);
  });
  passed.on("error", () => answered.destroy());
  sent.pipe(passed);
});
await once(proxy.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
for (const revision of revisions) {
  const words = ["--yes", suite, "server", "--url", url, "--requirements", revision];
  await once(spawn("npx", words, { cwd: data, env: { ...process.env, PATH }, stdio: "inherit" }), "close");
}
proxy.close();
await app.close();
rmSync(data, { recursive: true });
