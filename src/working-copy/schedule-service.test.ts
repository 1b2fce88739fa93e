import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { until } from "../../test/harness.ts";
import { postgresOptions } from "../../test/ports/postgres-options.ts";
import { sqliteOptions } from "../../test/ports/sqlite-options.ts";
import { lacksPostgres } from "../../test/postgres.ts";
import { accessOf } from "../core/access/access.ts";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import { wholeText } from "../core/lib/long-text.ts";
import { parseCollection } from "../core/list/list.ts";
import type { Slug } from "../core/path.ts";
import { openPostgresStore, openSqliteStore, type SqlStore } from "../database.ts";
import { newRelease } from "./release.ts";
import { type Due, duesOf, Schedule } from "./schedule-service.ts";

/** What is scheduled is published at its time, whoever scheduled it. Contract, part two, §11. */

const now = 1_700_000_000;
const by = { actor: "test", nowSeconds: now };

/** Two processes, or nodes, on one store. */
async function openTwo(engine: string): Promise<[SqlStore, SqlStore]> {
  if (engine === "SQLite") {
    const options = sqliteOptions();
    return [await openSqliteStore(options), await openSqliteStore(options)];
  }
  const options = await postgresOptions();
  return [await openPostgresStore(options), await openPostgresStore(options)];
}

for (const engine of ["SQLite", "PostgreSQL"]) {
  describe(engine, { skip: engine === "SQLite" ? undefined : lacksPostgres() || undefined }, async () => {
    const [here, there] = await openTwo(engine);
    test.after(() => Promise.all([here.close(), there.close()]));
    const schedule = new Schedule(here, duesOf(here)["publish what is due"] as Due);
    const plan = async (store: SqlStore, id: string, at: number | null) => {
      const slug = id as Slug;
      if (!(await store.entries.find(slug))) {
        const input = { data: '{"n":1}', isMergePatch: false, fields: { visibility: "draft" as const } };
        await store.entries.create(slug, input, by);
      }
      await store.staged.schedule(slug, { atSeconds: at }, by);
    };
    const isLive = async (id: string) => (await there.entries.find(id as Slug))?.visibility === "visible";
    /** Published at this time at last: word of a write of another node comes later. */
    const publishes = (count: number, at: number) => {
      let published = 0;
      const look = async () => {
        published += await schedule.look(at);
        return published === count;
      };
      return until(look, () => `published ${published}`);
    };

    test("nothing is due where nothing is scheduled", async () => {
      assert.equal(await here.staged.nextDue(), undefined);
      assert.equal(await schedule.look(now + 1e6), 0);
    });

    test("what is due is published, not a second earlier, and once", async () => {
      await plan(here, "a", now + 20);
      await plan(here, "b", now + 10);
      assert.equal(await here.staged.nextDue(), now + 10);
      await until(async () => (await schedule.look(now + 9)) === 0, "early", 0);
      await publishes(1, now + 10);
      assert.deepEqual([await isLive("a"), await isLive("b")], [false, true]);
      assert.equal(await schedule.look(now + 19), 0);
      await publishes(1, now + 20);
      assert.ok(await isLive("a"));
      assert.equal(await schedule.look(now + 1e6), 0);
    });

    test("what another process schedules after a look is seen, also for an earlier time", async () => {
      await plan(here, "late", now + 500);
      assert.equal(await schedule.look(now), 0);
      await plan(there, "early", now + 100);
      await publishes(1, now + 100);
      assert.ok(await isLive("early"));
      await plan(there, "late", null);
      await until(async () => (await here.staged.nextDue()) === undefined, "never taken back");
      assert.equal(await schedule.look(now + 1e6), 0);
      assert.equal(await isLive("late"), false);
    });

    test("a release is published at its time by one of two nodes; readers of both see all of it or none", async () => {
      const slugs = Array.from({ length: 300 }, (_, n) => `release/${n}` as Slug);
      const input = (n: number, release?: string) => ({
        ...{ data: JSON.stringify({ n }), isMergePatch: false, fields: {} },
        ...(release && { release }),
      });
      await here.releases.create(newRelease("R", { ...by, id: "r" }), by);
      await Promise.all(slugs.map((slug) => here.entries.create(slug, input(1), by)));
      await Promise.all(slugs.map((slug) => here.staged.stage(slug, input(2, "r"), by)));
      await here.releases.publish("r", { paths: null, atSeconds: now + 70 }, by);
      const dues = [here, there].map(
        (store) => new Schedule(store, duesOf(store)["publish releases that are due"] as Due),
      );
      let isOver = false;
      const stateOf = new Set<string>();
      const readers = [here, there].flatMap((store) => [
        async () => new Set((await store.entries.findAll(slugs, "delivery")).map((entry) => entry?.data)),
        async () => {
          const args = parseJson(
            '{"where":[{"key":"n","operator":"eq","value":"2"}],"return":"count"}',
            9,
          ) as JsonObject;
          const query = parseCollection("release" as Slug, args, { maxLimit: 1, defaultLimit: 1 });
          return new Set([wholeText((await store.entries.list(query, accessOf({ kind: "delivery" }, now))).json)]);
        },
      ]);
      const reading = readers.map(async (read) => {
        while (!isOver) {
          const seen = await read();
          assert.equal(seen.size, 1);
          for (const state of seen) stateOf.add(String(state));
          await setImmediate();
        }
      });
      let published = 0;
      await until(async () => {
        for (const count of await Promise.all(dues.map((due) => due.look(now + 70)))) published += count;
        return stateOf.size === 4;
      }, "never");
      isOver = true;
      await Promise.all(reading);
      assert.equal(published, 1);
      assert.deepEqual([...stateOf].toSorted(), ["0", "300", '{"n":1,"content":""}', '{"n":2,"content":""}']);
      const undone = await there.releases.undo("r", { paths: null }, by);
      assert.deepEqual([undone.state, undone.count], ["open", 300]);
      assert.equal((await here.entries.find(slugs[7] as Slug))?.data, '{"n":1,"content":""}');
    });

    test("two that look at once publish each once; what is in the trash waits", async () => {
      const other = new Schedule(there, duesOf(there)["publish what is due"] as Due);
      for (const id of ["x", "y", "z"]) await plan(here, id, now + 50);
      await here.entries.delete("z" as Slug, { to: "trash" }, by);
      let published = 0;
      await until(async () => {
        const both = await Promise.all([schedule.look(now + 50), other.look(now + 50), schedule.look(now + 50)]);
        published += both.reduce((sum, count) => sum + count, 0);
        return published >= 2;
      }, "never");
      assert.equal(published, 2);
      assert.equal(await here.staged.nextDue(), undefined);
    });
  });
}

test("what was done is not done again before something else is due, and what failed not within ten seconds", async () => {
  const times = [now, now + 5];
  const begun: number[] = [];
  const schedule = new Schedule(
    { version: () => 1 },
    {
      next: async () => times.shift(),
      run: async (at) => {
        begun.push(at - now);
        if (at > now) throw new Error("on purpose");
        return 1;
      },
    },
  );
  const counts = [await schedule.look(now), await schedule.look(now + 1), await schedule.look(now + 4)];
  assert.deepEqual([counts, begun], [[1, 0, 0], [0]]);
  await assert.rejects(schedule.look(now + 5));
  times.push(now + 5);
  assert.equal(await schedule.look(now + 14), 0);
  await assert.rejects(schedule.look(now + 15));
  assert.deepEqual(begun, [0, 5, 15]);
});
