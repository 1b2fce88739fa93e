import assert from "node:assert/strict";
import type { World } from "./harness.ts";

/** The tools of a service, called as an agent's client calls them. */

export type Called = {
  isError: boolean;
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
};
export type ListedTool = { name: string; description: string; inputSchema: { required: string[]; properties: object } };
export type Tools = {
  list(): Promise<ListedTool[]>;
  call(name: string, args: object): Promise<Called>;
};

/** With the bearer as its whole credentials. */
export function toolsOf(world: Pick<World, "send">, bearer: string): Tools {
  const ask = async (method: string, params: object) => {
    const headers = { Authorization: `Bearer ${bearer}`, "MCP-Protocol-Version": "2025-11-25" };
    const reply = await world.send("POST", "/mcp", { headers, body: { jsonrpc: "2.0", id: 1, method, params } });
    assert.equal(reply.status, 200, reply.text);
    assert.ok(reply.text.length <= 65_536);
    assert.equal(reply.json.error, undefined, reply.text);
    return reply.json.result;
  };
  return {
    list: async () => ((await ask("tools/list", {})) as { tools: ListedTool[] }).tools,
    call: async (name, args) => (await ask("tools/call", { name, arguments: args })) as Called,
  };
}

/** What a result has, which is at most 64 KiB. */
export function bounded(result: Called): Record<string, unknown> {
  assert.equal(result.isError, false, result.content[0]?.text.slice(0, 500));
  const bytes = Buffer.byteLength(JSON.stringify(result));
  assert.ok(bytes <= 64 * 1024, `${bytes} bytes`);
  return result.structuredContent;
}
