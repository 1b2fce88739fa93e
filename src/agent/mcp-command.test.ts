import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { commonEnv, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** `octavo mcp`: the protocol over stdio. Contract, part three, §18. */

const world = useWorld();
const cwd = temporaryFolder();
const program = new URL("../main.ts", import.meta.url).pathname;
const env = () => ({ ...commonEnv, OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });

for (const [mode, version] of [
  ["legacy", "2025-11-25"],
  [{ pin: "2026-07-28" }, "2026-07-28"],
] as const) {
  test(`the official client speaks ${version} over stdio`, async () => {
    const client = new Client({ name: "octavo-test", version: "1" }, { versionNegotiation: { mode } });
    const args = [program, "mcp", "--url", world.app.url];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: env(), cwd }));
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    assert.equal((await client.listTools()).tools.length, 9);
    const id = `stdio-${version}`;
    const made = await client.callTool({ name: "create_draft", arguments: { id, data: { text: "line\nline € 😀" } } });
    assert.equal((made.structuredContent as { data: { text: string } }).data.text, "line\nline € 😀");
    const refused = await client.callTool({ name: "read", arguments: { id: "nowhere" } });
    assert.equal((refused.structuredContent as { code: string }).code, "entry_not_found");
    await client.close();
  });
}

/** The lines that the command answers to these. */
async function answers(lines: string[], url = world.app.url, more: Record<string, string> = {}) {
  const surroundings = { cwd, env: { ...env(), ...more }, input: lines.map((line) => `${line}\n`).join("") };
  const { code, out, err } = await runOctavo(["mcp", "--url", url], surroundings);
  assert.equal(code, 0, err);
  assert.equal(err, "");
  const all = out.split("\n").filter((line) => line !== "");
  return all.map(
    (line) => JSON.parse(line) as { id?: unknown; result?: object; error?: { code: number; message: string } },
  );
}

test("each request has one answer with its id, whatever becomes of it; nothing else is on standard output", async () => {
  const ping = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
  const found = await answers([
    ...[ping(1), "", ping("zwei"), JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })],
    ...["{", "[]", JSON.stringify({ jsonrpc: "2.0", id: 3, method: "none" })],
  ]);
  const codes = found.map(({ id, error }) => [id, error?.code]);
  assert.deepEqual(
    new Set(codes.map((pair) => JSON.stringify(pair))),
    new Set(
      [
        [1, undefined],
        ["zwei", undefined],
        [undefined, -32700],
        [undefined, -32600],
        [3, -32601],
      ].map((pair) => JSON.stringify(pair)),
    ),
  );
  assert.equal(found.length, 5);
  const [refused] = await answers([ping(7)], `${world.app.url}/mcp/`, { OCTAVO_TOKEN: "nonsense" });
  assert.deepEqual([refused?.id, refused?.error?.code], [7, 401]);
  const [silent] = await answers([ping(8)], "http://127.0.0.1:1");
  assert.equal(silent?.id, 8);
  assert.match(silent?.error?.message ?? "", /no service answers at http:\/\/127\.0\.0\.1:1\/mcp/);
  const [other] = await answers([ping(9)], `${world.app.url}/api`);
  assert.deepEqual([other?.id, other?.error?.code], [9, 404]);
});

test("it needs a token and an address, and says so on standard error", async () => {
  const none = await runOctavo(["mcp", "--url", world.app.url], { cwd });
  assert.deepEqual([none.code, none.out], [2, ""]);
  assert.match(none.err, /OCTAVO_TOKEN is missing/);
  const odd = await runOctavo(["mcp", "--url", "cms.example.org"], { cwd, env: env() });
  assert.deepEqual([odd.code, odd.out], [2, ""]);
  assert.match(odd.err, /--url was "cms.example.org"/);
});

test("without --url it asks the service of the settings", async () => {
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;
  const own = { ...env(), OCTAVO_PORT: new URL(world.app.url).port };
  const { code, out, err } = await runOctavo(["mcp"], { cwd, env: own, input });
  assert.deepEqual([code, err, JSON.parse(out)], [0, "", { jsonrpc: "2.0", id: 1, result: {} }]);
});

test("it ends with its input", async () => {
  const child = spawn(process.execPath, [program, "mcp", "--url", world.app.url], { cwd, env: env() });
  child.stdin.end();
  assert.deepEqual(await once(child, "close"), [0, null]);
});
