// Slow: it asks everything of old stores.
import { describe, test } from "node:test";
import { unpackStore } from "../old-store.ts";
import { assertGolden } from "./store-golden.ts";
import { backUp, emptyFolder, factsOf, judge, stores } from "./store-judge.ts";
import { rowsOf } from "./store-rows.ts";
import { maskOf } from "./store-site.ts";

/**
 * Stores of earlier versions give every answer as they did, byte for byte, and their backups have the same rows. The
 * golden files have what version 0.3.0 answers (but for fixes since: `Octavo-Ignored` of fields to include, members of
 * people, references in working copies that a move rewrites), and the rows of the present form of backups. A fix that is
 * meant to change an answer writes them anew: UPDATE_GOLDEN=1, or UPDATE_GOLDEN=rows for another form of backups.
 */

for (const name of stores) {
  describe(`the store of ${name}`, () => {
    test("gives every answer as before, also to further acts, and has the same rows in its backup", async () => {
      const data = await unpackStore(name, emptyFolder());
      const facts = factsOf(data);
      const before = await rowsOf(await backUp({ data }), "1 as it was: ", maskOf(facts.ids));
      const mask = maskOf(facts.ids);
      assertGolden(name, await judge(name, { data }, facts, mask));
      const after = await rowsOf(await backUp({ data }), "2 in 2100: ", mask);
      assertGolden(`${name}-rows`, new Map([...before, ...after]));
    });
  });
}
