// Long: it upgrades and restores old stores in both engines, and asks everything of each.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { layOut, oldStores, unpackStore } from "../old-store.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { assertGolden } from "./store-golden.ts";
import { backUp, emptyFolder, factsOf, judge, restored, stores } from "./store-judge.ts";
import { maskOf, type Place } from "./store-site.ts";

/** An old store gives every answer that it gives on SQLite (store.test.ts) on PostgreSQL, too, and so do its backups. */

const skip = lacksPostgres();

for (const name of stores) {
  describe(`the store of ${name}`, async () => {
    const data = await unpackStore(name, emptyFolder());
    const facts = factsOf(data);
    const compare = async (place: Place) => assertGolden(name, await judge(name, place, facts, maskOf(facts.ids)));

    test("gives every answer as before when it is upgraded on PostgreSQL", { skip }, async () => {
      const place = { data: await unpackStore(name, emptyFolder()), postgresUrl: await createDatabase() };
      await layOut(place.postgresUrl, join(data, "octavo.db"), oldStores[name]);
      await compare(place);
    });

    const own = join(data, "backup.tar");
    test("gives them when the backup of its own version is restored", { skip: !existsSync(own) }, async () =>
      compare(await restored(own, data)),
    );

    test("gives them when its backup of today is restored", async () =>
      compare(await restored(await backUp({ data }), data)));

    test("gives them when that is restored on PostgreSQL", { skip }, async () =>
      compare(await restored(await backUp({ data }), data, await createDatabase())),
    );
  });
}
