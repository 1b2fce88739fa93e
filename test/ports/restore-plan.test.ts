// Slow: it deletes, restores and purges hundreds of entries and files.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import type { Path, Slug } from "../../src/core/path.ts";
import { openPostgresStore } from "../../src/database.ts";
import { eventually } from "../eventually.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

/**
 * What was deleted or changed at once comes back, or goes, on PostgreSQL before any statistics are: a planner that expects a
 * handful of rows must have no choice that reads all of them for each.
 */

const count = 400;
/** What a restore may read of rows for each that comes back: its place, its versions, its row and what is indexed of it. */
const mostReads = 100;
const nouns = ["entry", "folder"] as const;
type Plan = Partial<Record<string, unknown>> & { Plans?: Plan[] };
type Published = [table: string, least: number];

/** The tables that a plan reads without a condition of an index. */
const scannedBy = ({ Plans = [], ...plan }: Plan): string[] => [
  ...(/Scan/.test(`${plan["Node Type"]}`) && plan["Relation Name"] && !(plan["Index Cond"] ?? plan["Recheck Cond"])
    ? [`${plan["Relation Name"]}`]
    : []),
  ...Plans.flatMap(scannedBy),
];

describe("PostgreSQL", { skip: lacksPostgres() || undefined }, async () => {
  const options = await postgresOptions();
  const store = await openPostgresStore(options);
  const client = new pg.Client({ connectionString: options.url });
  test.before(() => client.connect());
  test.after(() => Promise.all([client.end(), store.close()]));
  const by = { actor: "test", nowSeconds: 1000 };
  const numbers = Array.from({ length: count }, (_, n) => n);
  const reads = async (): Promise<number> => {
    const sums = "sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS reads";
    return (await client.query(`SELECT ${sums} FROM pg_stat_user_tables`)).rows[0].reads;
  };
  /** The figures of a transaction are published at most ten seconds after it. */
  const published = async (...[table, least]: Published): Promise<void> =>
    eventually(
      async () => (await client.query("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = $1", [table])).rows,
      ([row]) => assert.ok(row.n_tup_ins >= least),
    );
  /** Rows that the work reads, between the figures of what came before it and of what it inserts. */
  const readsOf = async (work: () => Promise<unknown>, before: Published, after: Published): Promise<number> => {
    await published(...before);
    const known = await reads();
    await work();
    await published(...after);
    return (await reads()) - known;
  };
  const itemOf = async (path: Path): Promise<number> => {
    const [item] = await store.trash.list({ nouns: [...nouns], paths: [path], before: undefined, limit: 1 });
    return item?.id as number;
  };
  const restore = (path: Path, table: string): Promise<number> =>
    readsOf(
      async () => store.trash.restore(await itemOf(path), { newPath: undefined, extensions: ["txt"] }, by),
      [`trash_${table}`, count],
      [table, 2 * count],
    );
  /** The tables of which a purge can only look at all rows to find a group of things: counters do not show what it keeps of them. */
  const scannedByPurge = async (path: Path): Promise<string[]> => {
    const texts = new Set<string>();
    const { query } = pg.Client.prototype;
    pg.Client.prototype.query = function (this: pg.Client, ...given: Parameters<typeof query>) {
      const [config] = given as readonly (string | { text: string })[];
      texts.add(typeof config === "object" ? config.text : `${config}`);
      return query.apply(this, given);
    } as typeof query;
    try {
      await store.trash.purge(await itemOf(path), by);
      await store.trash.clear(by.nowSeconds);
    } finally {
      pg.Client.prototype.query = query;
    }
    const ofGroups = [...texts].filter((text) => text.includes("unnest("));
    assert.ok(ofGroups.length > 2);
    await client.query("SET enable_seqscan = off");
    const scanned: string[] = [];
    for (const text of ofGroups) {
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
      scanned.push(...scannedBy(rows[0]["QUERY PLAN"][0].Plan));
    }
    return scanned;
  };

  test("a restore of many entries and their translations reads few rows for each", async () => {
    const input = (data: object) => ({ data: JSON.stringify(data), isMergePatch: false, fields: {} });
    await store.entries.create("many" as Slug, input({}), by);
    await Promise.all(numbers.map((n) => store.entries.create(`many/${n}` as Slug, input({ n }), by)));
    const translated = numbers.map((n) =>
      store.translations.put(`many/${n}` as Slug, "de", { input: input({ text: "neu" }) }, by),
    );
    await Promise.all(translated);
    await store.entries.delete("many" as Slug, { to: "trash" }, by);
    assert.ok((await restore("many" as Path, "entry")) < mostReads * count);
    assert.equal(await store.entries.count(), count + 1);
    assert.deepEqual(await store.verify(), []);
  });

  test("a subtree of many entries gets what it said at a time, and few rows are read for each", async () => {
    const later = { ...by, nowSeconds: 2000 };
    const input = { data: JSON.stringify({ n: 0 }), isMergePatch: false, fields: {} };
    await Promise.all(numbers.map((n) => store.entries.update(`many/${n}` as Slug, input, later)));
    const kept = 2 * count + count;
    const back = () => store.entries.restoreSubtree("many" as Slug, { atSeconds: 1000 }, { ...by, nowSeconds: 3000 });
    assert.ok((await readsOf(back, ["version", kept], ["version", kept + count])) < mostReads * count);
    assert.match((await store.entries.find("many/7" as Slug))?.data ?? "", /"n":7/);
  });

  test("a purge of many entries finds them, their translations and versions by an index", async () => {
    await store.entries.delete("many" as Slug, { to: "trash" }, by);
    assert.deepEqual(await scannedByPurge("many" as Path), []);
    assert.deepEqual(await store.verify(), []);
  });

  test("a restore of a folder with many files reads few rows for each, and its purge finds them by an index", async () => {
    const hash = "a".repeat(64);
    const { generation } = await store.ledger.keep(hash, 3, by.nowSeconds);
    await store.folders.create("many" as Path, by);
    const file = (n: number) => ({
      ...{ name: `${n}.txt`, onConflict: "fail" as const, title: undefined, description: undefined },
      ...{ type: "text/plain", hash, generation, size: 3, image: undefined },
    });
    await Promise.all(numbers.map((n) => store.files.put("many" as Path, file(n), by)));
    await store.folders.delete("many" as Path, { to: "trash" }, by);
    assert.ok((await restore("many" as Path, "file")) < mostReads * count);
    await store.folders.delete("many" as Path, { to: "trash" }, by);
    assert.deepEqual(await scannedByPurge("many" as Path), []);
  });
});
