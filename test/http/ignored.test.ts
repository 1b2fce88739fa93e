import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../harness.ts";

const strict = useWorld({ arguments_strict: "on" });

test("with the setting arguments_strict every read of entries, files and folders is strict", async () => {
  const ask = (path: string, query: Record<string, string>) =>
    strict.send("GET", path, { query: { id: "", token: strict.token.management, ...query } });
  for (const path of ["/api/entries", "/api/management/entries", "/api/media/folders", "/api/media/files"]) {
    const refused = await ask(path, { "filter[lmit]": "5", strict: "0" });
    assert.deepEqual([refused.status, refused.json.code], [400, "argument_unknown"], path);
    assert.equal((await ask(path, { "filter[limit]": "5" })).status, 200, path);
    const unread = await ask(path, { limit: "5" });
    assert.deepEqual([unread.status, unread.json.code], [400, "argument_unknown"], path);
  }
});
