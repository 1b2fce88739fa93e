import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld, temporaryFolder } from "../harness.ts";

test("an entry above a lowered key limit can be changed but gains no keys", async () => {
  const folder = temporaryFolder();
  const numbered = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, i]));
  const at = async (maxKeys: string, work: (world: Awaited<ReturnType<typeof startWorld>>) => Promise<void>) => {
    const world = await startWorld({ data: folder, entry_max_keys: maxKeys }, {});
    try {
      await work(world);
    } finally {
      await world.app.close();
    }
  };
  const write = async ({ send, token }: Awaited<ReturnType<typeof startWorld>>, method: string, data: object) => {
    const body = { id: "a", data, token: token.management, access_token: token.access };
    const { status, json } = await send(method, "/api/entries", { body });
    return [status, json.code];
  };
  await at("200", async (world) => assert.deepEqual(await write(world, "POST", numbered), [200, undefined]));
  await at("100", async (world) => {
    assert.deepEqual(await write(world, "PATCH", { k1: "changed" }), [200, undefined]);
    assert.deepEqual(await write(world, "PATCH", { k200: 1 }), [413, "data_too_large"]);
  });
});
