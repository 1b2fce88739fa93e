import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../harness.ts";

/** Settings that change how strict the service is. */

const world = useWorld({ arguments_strict: "on", entry_max_keys: "100" });

test("with the setting arguments_strict every read of entries, files and folders is strict", async () => {
  const ask = (path: string, query: Record<string, string>) =>
    world.send("GET", path, { query: { id: "", token: world.token.management, ...query } });
  for (const path of ["/api/entries", "/api/management/entries", "/api/media/folders", "/api/media/files"]) {
    const refused = await ask(path, { "filter[lmit]": "5", strict: "0" });
    assert.deepEqual([refused.status, refused.json.code], [400, "argument_unknown"], path);
    assert.equal((await ask(path, { "filter[limit]": "5" })).status, 200, path);
    const unread = await ask(path, { limit: "5" });
    assert.deepEqual([unread.status, unread.json.code], [400, "argument_unknown"], path);
  }
});

test("with the setting entry_max_keys an entry has so many keys and no more", async () => {
  const { management: token, access: access_token } = world.token;
  const create = async (count: number) => {
    const data = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    const { status, json } = await world.send("POST", "/api/entries", {
      body: { id: `n${count}`, data, token, access_token },
    });
    return [status, json.code];
  };
  assert.deepEqual(await create(100), [200, undefined]);
  assert.deepEqual(await create(101), [413, "data_too_large"]);
});
