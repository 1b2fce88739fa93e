import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Path } from "../../src/core/path.ts";
import { runScan } from "../../src/core/sql/scans.ts";
import { openSqliteStore } from "../../src/database.ts";
import { allNouns } from "../../src/nouns.ts";
import { closing } from "../ending.ts";
import { lacksPostgres } from "../postgres.ts";
import { type Case, cases, readers } from "./list-cases.ts";
import {
  type Answered,
  type Asked,
  lacksCount,
  pagesEach,
  type ReadStore,
  readPostgres,
  readSqlite,
  type StatementReads,
} from "./list-reads.ts";
import { fillSkewed } from "./skewed-store.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/**
 * A list reads what it asks for, whatever the planner knows: 20,000 children of one path beside 1,000 paths of two, before
 * and after ANALYZE. What each statement has read is counted by its engine.
 */

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

/** What a list reads whatever it asks for: whether the path exists, what of it the index lacks, numbers of keys. */
const always = 40;
/**
 * So many rows of each condition are counted at most, and those that share the first value of an order; of several, one of
 * which has fewer than the last, so many of each.
 */
const [mostMet, mostTied, fewMet] = [4000, 700, 64];
/**
 * The rows of tables and indexes that a list may read: of each that it tests one of the index that leads there, its own, one
 * for each of its conditions and sort keys, and its own again for the page, where it is found and read.
 */
function mostRows({ args, tested, met = [], counted = 0, looks = 0, chunks = 0 }: Case): number {
  const conditions = [args.where, ...listOf(args.and_where), ...listOf(args.or_where)].filter(Boolean).length;
  const orders = listOf(args.order_by).length;
  const most = met.length > 1 && Math.min(...met) < fewMet ? fewMet : mostMet;
  const probed = met.reduce((sum, each) => sum + Math.min(each, most), 0) + (orders > 0 ? mostTied : 0);
  return always + probed + counted + looks + chunks + tested * (4 + conditions + orders);
}

function askedOf({ args, access = readers.delivery, top = "big", scan = "listEntries" }: Case, cursor: string): Asked {
  const bounds = { maxLimit: 10_000, defaultLimit: 10_000 };
  const query = parseCollection(top as Path, toJson({ ...args, cursor }) as JsonObject, bounds);
  const place = { root: "/uploads", base: "http://test" };
  const rest = { listEntries: [query], listFiles: [query, place], listFolders: [query, "path", place] }[scan];
  return {
    quick: (on) => allNouns.quickScans[scan]?.(on, ...rest, access) as ReturnType<Asked["quick"]>,
    thorough: async (on) => runScan(on, scan, [...rest, access]) as ReturnType<Asked["thorough"]>,
  };
}

/** Says what statements have read beyond that, with the plan of the worst. */
function excess(statements: readonly StatementReads[], most: number): string[] {
  const rows = statements.reduce((sum, each) => sum + (each.rows ?? 0), 0);
  const pages = statements.reduce((sum, each) => sum + each.pages, 0);
  if (rows <= most && pages <= pagesEach * most) return [];
  const worst = statements.reduce((one, other) =>
    (other.rows ?? other.pages) > (one.rows ?? one.pages) ? other : one,
  );
  return [
    `${Math.round(rows)} rows and ${pages} pages are read, at most ${most} rows should be`,
    worst.text,
    worst.plan(),
  ];
}

const folder = sqliteOptions().folder;
test.before(() => closing(openSqliteStore({ ...sqliteOptions(), folder }), fillSkewed));

for (const [engine, skip, open] of [
  ["SQLite", lacksCount(), readSqlite],
  ["PostgreSQL", lacksPostgres(), readPostgres],
] as const)
  test(`lists read what they ask for on ${engine}`, { skip }, async (t) => {
    await closing(open(folder), async (store) => {
      assert.equal(await store.told(), 0);
      await t.test("before ANALYZE", (t) => lookAll(t, store));
      if (!store.analyze) return;
      await store.analyze();
      assert.notEqual(await store.told(), 0);
      await t.test("after ANALYZE", (t) => lookAll(t, store));
    });
  });

/** The ways in which lists are answered: see `octavo explain`. */
const ways = ["order by index", "conditions by index", "text by index", "count by index", "scan of every"];

async function lookAll(t: TestContext, store: ReadStore): Promise<void> {
  const plans: string[] = [];
  for (const one of cases) {
    await t.test(one.name, async () => {
      const { answer, tries } = await askPage(store, one);
      plans.push(answer.plan ?? "");
      const found = tries.flatMap((statements) => excess(statements, mostRows(one)));
      assert.equal(found.join("\n"), "");
    });
  }
  const unused = ways.filter((way) => !plans.some((plan) => plan.startsWith(way)));
  assert.deepEqual(unused, [], "no list is answered so");
}

async function askPage(store: ReadStore, one: Case): Promise<Answered> {
  const first = await store.ask(askedOf(one, ""));
  return one.isNext ? store.ask(askedOf(one, first.answer.next ?? "")) : first;
}
