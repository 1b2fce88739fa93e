import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { PostgresLink } from "../../src/adapters/sql/engine/postgres/link.ts";
import { inOneState, StateSql } from "../../src/adapters/sql/engine/postgres/state-sql.ts";
import { openPostgresStore } from "../../src/adapters/sql/engine/postgres/store.ts";
import { accessOf } from "../../src/domain/access.ts";
import { parseCollection } from "../../src/domain/collection.ts";
import type { Slug } from "../../src/domain/path.ts";
import { problem } from "../../src/domain/problem.ts";
import { wholeText } from "../../src/lib/long-text.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

const context = { actor: "test", nowSeconds: 1 };
const input = { data: '{"a":1}', isMergePatch: false, fields: {} };

async function open(t: TestContext) {
  const options = await postgresOptions();
  const store = await openPostgresStore(options);
  const link = new PostgresLink(options);
  t.after(async () => {
    await link.close();
    await store.close();
  });
  const write = (slug: string) => store.entries.create(slug as Slug, input, context);
  return { store, link, write };
}

const count = "SELECT count(*) FROM entry WHERE 1 = ?1";

describe("reads of several statements on PostgreSQL", { skip: lacksPostgres() || false }, () => {
  test("count when all saw one state, whatever they find", async (t) => {
    const { link, write } = await open(t);
    await write("one");
    // In one transaction, or what other test files write on the same server would be another state.
    await link.row("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const state = new StateSql(link);
    const read = async () => [
      await state.row(count, 1),
      await state.rows("SELECT id, id FROM entry WHERE slug = ?1", "none"),
      await state.rowsAll(
        "SELECT ?1 + i, i FROM generate_series(1, ?2) AS i",
        [
          [10, 2],
          [20, 0],
          [30, 1],
        ],
        ["integer", "integer"],
      ),
    ];
    assert.deepEqual(await inOneState(state, read), {
      value: [
        [1],
        [],
        [
          [
            [11, 1],
            [12, 2],
          ],
          [],
          [[31, 1]],
        ],
      ],
    });
  });

  test("count without a statement where all is known as of the newest event that the node has heard of", async (t) => {
    const { link } = await open(t);
    // A statement would fail.
    await link.row("BEGIN");
    await link.row("SELECT 1 / 0").catch(() => undefined);
    const read = async (newest: number) => {
      const state = new StateSql(link, (known) => known === 7);
      return inOneState(state, async () => state.expect(newest));
    };
    assert.deepEqual(await read(7), { value: undefined });
    await assert.rejects(read(6));
  });

  test("count no more, nor what they throw, after a write in between", async (t) => {
    const { link, write } = await open(t);
    for (const [slug, end] of [
      ["one", () => "value"],
      [
        "two",
        () => {
          throw problem("entry_not_found", { id: "x" });
        },
      ],
    ] as const) {
      const state = new StateSql(link);
      const read = async () => {
        await state.row(count, 1);
        await write(slug);
        await state.row(count, 1);
        return end();
      };
      assert.equal(await inOneState(state, read), undefined);
      assert.equal(state.newest, undefined);
    }
  });

  test("count no more when the newest event is not the expected one, even without a statement", async (t) => {
    const { link, write } = await open(t);
    const { revision } = await write("one");
    const expecting = (newest: number) => {
      const state = new StateSql(link);
      return inOneState(state, async () => state.expect(newest));
    };
    assert.deepEqual(await expecting(revision), { value: undefined });
    assert.equal(await expecting(revision - 1), undefined);
  });

  test("a list shows each write of another node, though facts of the store are kept", async (t) => {
    const options = await postgresOptions();
    const [one, other] = [await openPostgresStore(options), await openPostgresStore(options)];
    t.after(() => Promise.all([one.close(), other.close()]));
    const query = parseCollection("" as Slug, new Map(), { maxLimit: 100, defaultLimit: 100 });
    for (let n = 1; n <= 20; n++) {
      await (n % 2 ? one : other).entries.create(`e${n}` as Slug, input, context);
      for (const node of [one, other]) {
        const { json } = await node.entries.list(query, accessOf({ kind: "management" }, 1));
        assert.equal(JSON.parse(wholeText(json)).length, n);
      }
    }
  });

  test("a count for delivery that is kept shows a write of its node at once, and of another within two seconds", async (t) => {
    const options = await postgresOptions();
    const [one, other] = [await openPostgresStore(options), await openPostgresStore(options)];
    t.after(() => Promise.all([one.close(), other.close()]));
    const query = parseCollection("" as Slug, new Map([["return", "count"]]), { maxLimit: 100, defaultLimit: 100 });
    const countOn = async (node: typeof one) =>
      Number(wholeText((await node.entries.list(query, accessOf({ kind: "delivery" }, 1))).json));
    for (let n = 1; n <= 10; n++) {
      const [writer, reader] = n % 2 ? [one, other] : [other, one];
      assert.equal(await countOn(reader), n - 1);
      await writer.entries.create(`e${n}` as Slug, input, context);
      assert.equal(await countOn(writer), n);
      const endMs = performance.now() + 2000;
      while ((await countOn(reader)) < n) {
        assert.ok(performance.now() < endMs, "not seen within two seconds");
        await setTimeout(5);
      }
      assert.equal(await countOn(writer), n);
    }
  });

  test("a count has an entry that became due and was listed, which has no event", async (t) => {
    const { store, write } = await open(t);
    await write("a/now");
    const later = { ...input, fields: { publishedAt: 100 } };
    await store.entries.create("a/later" as Slug, later, context);
    const query = parseCollection("a" as Slug, new Map([["return", "count"]]), { maxLimit: 100, defaultLimit: 100 });
    const countAt = async (nowSeconds: number) =>
      wholeText((await store.entries.list(query, accessOf({ kind: "delivery" }, nowSeconds))).json);
    assert.equal(await countAt(50), "1");
    assert.equal(await countAt(100), "2");
    await store.entries.listDue(100);
    assert.equal(await countAt(100), "2");
    assert.equal(await countAt(101), "2");
  });
});
