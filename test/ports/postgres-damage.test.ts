import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { PostgresStoreOptions } from "../../src/core/sql/engine/postgres/store.ts";
import { PostgresWriter } from "../../src/core/sql/engine/postgres/write-connection.ts";
import { insertRows } from "../../src/core/sql/sql.ts";
import { openPostgresStore, type SqlStore } from "../../src/database.ts";
import { lacksPostgres, type PostgresServer, startPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

const context = { actor: "test", nowSeconds: 1 };
const input = { data: "{}", isMergePatch: false, fields: {} };
const refusal = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && message.test(error.message);

describe("PostgreSQL", { skip: lacksPostgres() ?? false }, () => {
  let server: PostgresServer;
  let options: PostgresStoreOptions;
  before(async () => {
    server = await startPostgres();
    options = await postgresOptions(await server.createDatabase());
  });

  const open = async (t: TestContext, found: string[] = []): Promise<SqlStore> => {
    const store = await openPostgresStore(options, (faults) => void found.push(...faults));
    t.after(() => store.close());
    return store;
  };

  /** Answers the first row of the last statement. */
  async function ask(...texts: string[]): Promise<Record<string, string>> {
    const client = new pg.Client({ connectionString: options.url });
    await client.connect();
    try {
      let row: Record<string, string> = {};
      for (const text of texts) row = (await client.query(text)).rows[0] as typeof row;
      return row;
    } finally {
      await client.end();
    }
  }

  /** `SET …` or `RESET …` for all new connections to the database. */
  const alter = (what: string) => {
    const name = new URL(options.url).pathname.slice(1);
    return ask("SET default_transaction_read_only = off", `ALTER DATABASE ${name} ${what}`);
  };

  /** Replaces all connections, so that they use the current settings of the database. */
  const reconnect = () =>
    ask(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);

  test("on a read-only server writes and readiness are refused with the reason; reads continue", async (t) => {
    const store = await open(t);
    await store.entries.create("kept" as Slug, input, context);
    await store.refuseUnready();
    await alter("SET default_transaction_read_only = on");
    await reconnect();
    const isReadOnly = refusal("busy", /the database server is read-only/);
    await assert.rejects(store.entries.create("refused" as Slug, input, context), isReadOnly);
    await assert.rejects(store.refuseUnready(), isReadOnly);
    assert.ok(await store.entries.find("kept" as Slug));
    await assert.rejects(openPostgresStore(options), /PostgreSQL cannot be used: .*read-only/);
    await alter("RESET default_transaction_read_only");
    await reconnect();
    await store.entries.create("later" as Slug, input, context);
    await store.refuseUnready();
  });

  test("a node of an older schema reads on, and its writes are refused", async (t) => {
    const store = await open(t);
    await store.entries.create("before" as Slug, input, context);
    const older = await openPostgresStore({ ...options, url: `${options.url}?options=-c%20octavo.schema%3D27` });
    t.after(() => older.close());
    await assert.rejects(older.entries.create("refused" as Slug, input, context), refusal("busy", /cannot take it/));
    await assert.rejects(
      older.entries.delete("before" as Slug, { to: "trash" }, context),
      refusal("busy", /cannot take it/),
    );
    assert.ok(await older.entries.find("before" as Slug));
    assert.equal(await store.entries.find("refused" as Slug), undefined);
  });

  test("what follows a statement that fails rejects with its failure, the commit, too", async (t) => {
    await (await open(t)).refuseUnready();
    const write = insertRows("schema_version", ["version"], ["text"]);
    for (const follow of [
      (writer: PostgresWriter) => writer.run("SELECT 1"),
      (writer: PostgresWriter) => writer.commit(),
    ]) {
      const writer = new PostgresWriter(options);
      t.after(() => writer.close());
      await writer.begin();
      writer.later(write, [["none"]]);
      const refused = assert.rejects(follow(writer), { code: "22P02" });
      // Both are sent; while this thread does nothing, both replies come, to be read together.
      await setImmediate();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      await refused;
      await writer.rollback();
    }
  });

  test("a damaged page refuses its reads and all further writes; other reads continue", async (t) => {
    const before = await openPostgresStore(options);
    await before.entries.create("read" as Slug, input, context);
    await before.registry.put("site", { value: "1" }, { actor: "test", nowSeconds: 1 });
    await before.close();
    await ask("CHECKPOINT");
    const place = await ask(
      "SELECT current_setting('data_directory') AS folder, pg_relation_filepath('registry_item') AS file",
    );
    await server.kill();
    const file = openSync(join(place.folder as string, place.file as string), "r+");
    writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, 0);
    closeSync(file);
    await server.start();

    const found: string[] = [];
    const store = await open(t, found);
    await store.entries.create("nobody-has-met-it" as Slug, input, context);
    const isDamaged = refusal("store_damaged", /is damaged/);
    await assert.rejects(store.registry.list(), isDamaged);
    assert.match(found.join(), /^The database: invalid page in block 0/);
    await assert.rejects(store.entries.create("refused" as Slug, input, context), isDamaged);
    await assert.rejects(store.refuseUnready(), isDamaged);
    assert.ok(await store.entries.find("read" as Slug));
    assert.match((await store.verify()).join("\n"), /^The rows of registry_item cannot all be read: invalid page/m);
  });
});
