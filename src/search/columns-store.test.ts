import assert from "node:assert/strict";
import { test } from "node:test";
import { makeStore } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { Sqlite } from "../core/sql/engine/sqlite/connection.ts";
import { KeyNumbers } from "../core/sql/index/key-number.ts";
import { scanning } from "../core/sql/scans.ts";
import { allNouns } from "../nouns.ts";
import { columnsOf } from "./columns-store.ts";
import { searchState } from "./state-store.ts";
import { searchTypes } from "./types-store.ts";
import { wayOf } from "./way.ts";

/** What searches keep in memory. */

test("all scans of a thread know the documents and types that one of them has read", async () => {
  const folder = temporaryFolder();
  await makeStore(folder);
  await closing(new Sqlite({ folder, busyTimeoutMs: 100 }, "read"), async (sqlite) => {
    const keys = new KeyNumbers();
    const scan = () => scanning(allNouns, sqlite, { indexKeys: [] } as never, keys);
    const state = await searchState(sqlite, wayOf(undefined, ""));
    assert.equal(await columnsOf(scan(), state), await columnsOf(scan(), state));
    assert.equal(await searchTypes(scan()), await searchTypes(scan()));
  });
});
