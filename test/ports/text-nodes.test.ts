import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import { lockNumber } from "../../src/core/sql/engine/postgres/connection.ts";
import { openPostgresStore, type SqlStore } from "../../src/database.ts";
import { orLong } from "../long.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

/** The text index while several nodes write. Decision 42. */

describe("PostgreSQL", { skip: lacksPostgres() || undefined }, () => {
  const context = { actor: "test", nowSeconds: 1 };
  let url: string;
  let nodes: SqlStore[];
  let other: pg.Client;

  before(async () => {
    const options = await postgresOptions();
    url = options.url;
    nodes = [await openPostgresStore(options), await openPostgresStore(options)];
    other = new pg.Client({ connectionString: url });
    await other.connect();
  });
  after(async () => {
    await other.end();
    for (const node of nodes) await node.close();
  });

  const write = (node: number, verb: "create" | "update", id: string, text: string) => {
    const input = { data: JSON.stringify({ text }), isMergePatch: false, fields: {} };
    const { entries } = nodes[node] as SqlStore;
    return verb === "create" ? entries.create(id as Slug, input, context) : entries.update(id as Slug, input, context);
  };
  const indexedTo = async () => Number((await other.query("SELECT indexed_to FROM entry_text")).rows[0].indexed_to);
  const create = (prefix: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => write(n % 2, "create", `t/${prefix}${n}`, `word ${prefix}${n}`)),
    );
  const find = async (word: string) => {
    const query = parseCollection("t" as Slug, toJson({ search: word }) as JsonObject, {
      maxLimit: 9,
      defaultLimit: 9,
    });
    const { json } = await (nodes[0] as SqlStore).entries.list(query, accessOf({ kind: "management" }, 2));
    return JSON.parse(wholeText(json)).map(({ slug }: { slug: string }) => slug);
  };
  /** Until it holds, as the index is continued after the reply to a create. */
  const eventually = async (isSo: () => Promise<boolean>) => {
    const endMs = performance.now() + 10_000;
    while (!(await isSo())) {
      assert.ok(performance.now() < endMs, "it was not so after 10 s");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  test("what follows the number of an uncommitted row is indexed after its transaction only", async (t) => {
    t.after(() => other.query("ROLLBACK"));
    let round = 0;
    /** The index is continued by writes only, and not beyond those of other nodes. */
    const indexesBeyond = (number: number) =>
      eventually(async () => {
        await create(`a${round++}-`, 128);
        return (await indexedTo()) > number;
      });
    await indexesBeyond(0);
    // As a write of another node that has the number for a new entry.
    await other.query("BEGIN");
    await other.query("SELECT pg_advisory_xact_lock_shared($1)", [lockNumber]);
    const { rows } = await other.query("SELECT nextval(pg_get_serial_sequence('entry', 'id')) AS number");
    const open = Number(rows[0].number);
    for (const name of ["b", "c", "e"]) await create(name, 300);
    assert.ok((await indexedTo()) < open, `${await indexedTo()} is not below ${open}`);
    await other.query("ROLLBACK");
    await indexesBeyond(open);
  });

  test("a word that a pending entry gets while it is indexed is found", async (t) => {
    t.after(() => other.query("ROLLBACK"));
    await nodes[0]?.entries.indexTexts();
    await write(0, "create", "t/pending", "old words");
    // As another node that indexes the entry as it is now.
    await other.query("BEGIN");
    await other.query("SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock($2)", [
      lockNumber,
      lockNumber + 3,
    ]);
    const { rows } = await other.query("SELECT id FROM entry WHERE slug = 't/pending'");
    const isWaiting = async () =>
      (await other.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rows.length > 0;
    let isUpdated = false;
    const updated = write(1, "update", "t/pending", "latecomer").then(() => {
      isUpdated = true;
    });
    await eventually(async () => isUpdated || (await isWaiting()));
    await other.query("UPDATE entry_text SET indexed_to = $1", [rows[0].id]);
    await other.query("COMMIT");
    await updated;
    assert.deepEqual(await find("latecomer"), ["t/pending"]);
  });

  test("words that two nodes create, change and delete at once are all found, without a deadlock", async () => {
    const count = orLong(400, 4000);
    const { rows: before } = await other.query(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    const one = async (n: number) => {
      const [id, node] = [`t/d${n}`, n % 2];
      await write(node, "create", id, `first${n}x`);
      // On the other node, while the entry is pending, or being indexed.
      if (n % 3 === 0) await write(1 - node, "update", id, `second${n}x new${n % 50}`);
      if (n % 7 === 0) await nodes[node]?.entries.delete(id as Slug, { to: "trash" }, context);
    };
    const waiting = Array.from({ length: count }, (_, n) => n);
    const client = async () => {
      for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) await one(n);
    };
    await Promise.all(Array.from({ length: 40 }, client));
    for (let n = 0; n < count; n += 13) {
      if (n % 7 === 0) continue;
      assert.deepEqual(await find(n % 3 === 0 ? `second${n}x` : `first${n}x`), [`t/d${n}`]);
    }
    assert.deepEqual(await nodes[0]?.verify(), []);
    await other.query("SELECT pg_stat_force_next_flush()").catch(() => undefined);
    const { rows: then } = await other.query(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    assert.deepEqual(then, before);
  });
});
