import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Path, Slug } from "../../src/core/path.ts";
import { openStores } from "../../src/stores.ts";
import { startWorld, temporaryFolder } from "../harness.ts";
import { settingsOf } from "./answers.ts";
import { beginOctavo } from "./octavo.ts";

/** A store that was written to while the clock was a day ahead. */

const data = join(temporaryFolder(), "data");
const aheadSeconds = 24 * 3600;

before(async () => {
  const stores = await openStores(settingsOf({ data }));
  const context = { actor: "test", nowSeconds: Math.floor(Date.now() / 1000) + aheadSeconds };
  const input = { data: "{}", isMergePatch: false, fields: {} };
  for (const id of ["one", "two"]) await stores.entries.create(id as Slug, input, context);
  await stores.folders.create("folder" as Path, context);
  await stores.close();
});

test("the log and the statistics report how far the clock is behind, and the affected entries", async () => {
  const world = await startWorld({ data }, {});
  try {
    const query = { token: world.token.management };
    const { json } = await world.send("GET", "/api/stats", { query });
    const { clock_behind_seconds: behind, future_entries: waiting } = json.data as Record<string, number>;
    assert.ok((behind as number) > aheadSeconds - 600 && (behind as number) <= aheadSeconds, String(behind));
    assert.equal(waiting, 2);
    for (const path of ["/api/entries?id=one", "/api/folders?path=folder"]) {
      const { headers, status } = await world.send("GET", `${path}&token=${world.token.management}`);
      assert.equal(status, 200);
      const lastModified = Date.parse(headers.get("last-modified") ?? "");
      assert.ok(lastModified <= Date.parse(headers.get("date") ?? ""), "RFC 9110 §8.8.2.1");
    }
    const delivered = await world.send("GET", "/api/entries", { query: { id: "one", token: world.token.delivery } });
    assert.equal(delivered.status, 404);
    // An entry written now keeps its modified_at; published_at is set explicitly.
    const body = { id: "one", data: { published_at: 1 }, ...query, access_token: world.token.access };
    const changed = await world.send("PATCH", "/api/entries", { body });
    const { modified_at: modifiedAt } = changed.json.data as Record<string, number>;
    assert.ok((modifiedAt as number) > Date.now() / 1000 + aheadSeconds - 600, "it never goes back");
  } finally {
    await world.app.close();
  }

  const { output, ended, stop } = beginOctavo(["serve", "--port", "0", "--log", "off", "--data", data], { cwd: data });
  const deadline = performance.now() + 30_000;
  while (!/"id":"clock"/.test(output.err)) {
    assert.ok(performance.now() < deadline, `no warning was printed: ${output.err}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.match(
    output.err,
    /the clock is 8\d{4} seconds behind the newest event of the log: .*; entries that were published meanwhile, .*: 1"/,
  );
  stop();
  assert.equal(await ended, 0);
});
