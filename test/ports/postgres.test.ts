import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, type TestContext, test } from "node:test";
import pg from "pg";
import { accessOf } from "../../src/core/access/access.ts";
import type { Event } from "../../src/core/event.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { PostgresFeed } from "../../src/core/sql/engine/postgres/feed.ts";
import { PostgresLink } from "../../src/core/sql/engine/postgres/link.ts";
import { PostgresReads } from "../../src/core/sql/engine/postgres/reads.ts";
import type { PostgresStoreOptions } from "../../src/core/sql/engine/postgres/store.ts";
import type { Point } from "../../src/core/sql/noun.ts";
import { ReadCache } from "../../src/core/sql/read-cache.ts";
import type { Sql } from "../../src/core/sql/sql.ts";
import { openPostgresStore, type SqlStore } from "../../src/database.ts";
import type { StoredEntry } from "../../src/entry/rows.ts";
import { allNouns } from "../../src/nouns.ts";
import { meanwhile } from "../ending.ts";
import { until } from "../harness.ts";
import { lacksPostgres, startPostgres } from "../postgres.ts";
import { clockSuite } from "./clock.suite.ts";
import { entryStoreSuite } from "./entry-store.suite.ts";
import { fileStoreSuite } from "./file-store.suite.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sessionStoreSuite } from "./session-store.suite.ts";
import { makeToken, tokenStoreSuite } from "./token-store.suite.ts";
import { openUploadsOnPostgres } from "./uploads.ts";

const context = { actor: "test", nowSeconds: 1 };
const input = (data: object) => ({ data: JSON.stringify(data), isMergePatch: false, fields: {} });
const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";

/** Opens a store that is closed after the test, even if it fails. */
async function open(t: TestContext, options: PostgresStoreOptions): Promise<SqlStore> {
  const store = await openPostgresStore(options);
  t.after(() => store.close());
  return store;
}

/** Closes every connection to the database, as a failover does. */
async function cutAll(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const others = "datname = current_database() AND pid <> pg_backend_pid()";
  await client
    .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
    .finally(() => client.end());
}

/**
 * A proxy to the database that can change each COMMIT: `cut` closes the connection before forwarding it; `lose` forwards
 * it and closes the connection before the reply; `abort` sends ABORT instead, whose reply equals that to the COMMIT of a
 * failed transaction.
 */
async function meddler(
  t: TestContext,
  url: string,
): Promise<{ url: string; with: "nothing" | "cut" | "lose" | "abort" }> {
  const target = new URL(url);
  const way: Awaited<ReturnType<typeof meddler>> = { url: "", with: "nothing" };
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    near.on("data", (chunk) => {
      const at = way.with === "nothing" ? -1 : chunk.indexOf("COMMIT");
      if (at >= 0 && way.with === "cut") return cut();
      if (at >= 0 && way.with === "abort") chunk.write("ABORT ", at);
      if (at >= 0 && way.with === "lose") {
        way.with = "nothing";
        far.removeAllListeners("data").on("data", (answer) => (answer.includes("COMMIT") ? cut() : near.write(answer)));
      }
      far.write(chunk);
    });
    far.on("data", (chunk) => near.write(chunk));
    for (const end of [near, far]) end.on("error", cut).on("close", cut);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  way.url = own.href;
  return way;
}

/** The same connection with parts that a test can override. */
const through = (sql: Sql): Sql => ({
  rows: (...asked) => sql.rows(...asked),
  row: (...asked) => sql.row(...asked),
  rowsAll: (...asked) => sql.rowsAll(...asked),
  run: (...asked) => sql.run(...asked),
  runAll: (...asked) => sql.runAll(...asked),
});

describe("PostgreSQL", { skip: lacksPostgres() ?? false }, () => {
  entryStoreSuite("PostgreSQL", async () => openPostgresStore(await postgresOptions()));

  fileStoreSuite("PostgreSQL", () => openUploadsOnPostgres());

  clockSuite("PostgreSQL", async () => openPostgresStore(await postgresOptions()));

  const shared = postgresOptions();
  const openShared = async () => openPostgresStore(await shared);
  // Contract §2: a revocation is known to every node within two seconds.
  tokenStoreSuite("PostgreSQL", openShared, openShared, 2000);

  const sharedSessions = postgresOptions();
  const openSessions = async () => openPostgresStore(await sharedSessions);
  // The end of a session, too.
  sessionStoreSuite("PostgreSQL", openSessions, openSessions, 2000);

  test("ten nodes starting concurrently create one schema", async (t) => {
    const options = await postgresOptions();
    const stores = await Promise.all(Array.from({ length: 10 }, () => open(t, options)));
    assert.equal(new Set(stores.map(({ signingKey }) => signingKey)).size, 1);
    await stores[0]?.entries.create("one" as Slug, input({}), context);
    for (const store of stores) assert.equal(await store.entries.count(), 1);
  });

  test("concurrent nodes write in turn: no write is lost, and the log has no gap", async (t) => {
    const options = await postgresOptions();
    const stores = await Promise.all(Array.from({ length: 3 }, () => open(t, options)));
    const [first] = stores as [SqlStore];
    await first.entries.create("shared" as Slug, input({}), context);
    const seen: Event[] = [];
    const follow = async () => void seen.push(...(await first.events.list(seen.at(-1)?.sequence ?? 0, 100)));
    const writes = stores.flatMap((store, node) =>
      Array.from({ length: 60 }, (_, i) =>
        store.entries.update("shared" as Slug, input({ [`k${node}_${i}`]: i }), context),
      ),
    );
    const writing = Promise.all(writes);
    await meanwhile(writing, follow);
    await follow();
    await follow();
    const made = await writing;
    assert.equal(new Set(made.map(({ revision }) => revision)).size, 180);
    assert.deepEqual(
      seen.map(({ sequence }) => sequence),
      Array.from({ length: 181 }, (_, i) => i + 1),
    );
    const data = JSON.parse((await first.entries.find("shared" as Slug))?.data ?? "{}") as object;
    assert.equal(Object.keys(data).filter((key) => key.startsWith("k")).length, 180);
    assert.deepEqual(await first.verify(), []);
  });

  test("management reads bypass the cache and see writes of other nodes at once", async (t) => {
    const options = await postgresOptions();
    const [here, there] = [await open(t, options), await open(t, options)];
    const slug = "now" as Slug;
    await here.entries.create(slug, input({ n: 0 }), context);
    for (let n = 1; n <= 50; n++) {
      await there.entries.find(slug, "delivery");
      await here.entries.update(slug, input({ n }), context);
      assert.match((await there.entries.find(slug))?.data ?? "", new RegExp(`"n":${n},`));
    }
    await here.entries.delete(slug, { to: "trash" }, context);
    assert.equal(await there.entries.find(slug), undefined);
  });

  test("a node reads its own writes at once, another one within two seconds", async (t) => {
    const options = await postgresOptions();
    const [here, there] = [await open(t, options), await open(t, options)];
    const slug = "seen" as Slug;
    await here.entries.create(slug, input({ n: 0 }), context);
    for (let n = 1; n <= 20; n++) {
      assert.ok(await there.entries.find(slug, "delivery"));
      await here.entries.update(slug, input({ n }), context);
      assert.match((await here.entries.find(slug, "delivery"))?.data ?? "", new RegExp(`"n":${n},`));
      await until(
        async () => ((await there.entries.find(slug, "delivery"))?.data ?? "").includes(`"n":${n},`),
        "not seen on the other node within two seconds",
        2000,
      );
    }
  });

  // The text index works on by itself, a write after the other, which kept a command from ending.
  test("a store that is closed takes no more writes, and leaves no connection open", async () => {
    const options = await postgresOptions();
    const store = await openPostgresStore(options);
    let last: unknown;
    const chains = [1, 2, 3].map(async (chain) => {
      try {
        for (let n = 0; ; n++) await store.entries.create(`e${chain}-${n}` as Slug, input({ n }), context);
      } catch (error) {
        last = error;
      }
    });
    await until(async () => (await store.entries.count()) > 5, "nothing was written");
    await store.close();
    await Promise.all(chains);
    assert.ok(isBusy(last));
    const client = new pg.Client({ connectionString: options.url });
    await client.connect();
    const others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    const hasNone = async () => (await client.query(others)).rows.length === 0;
    await until(hasNone, "connections were left open").finally(() => client.end());
  });

  test("lost connections fail no request", async (t) => {
    const options = await postgresOptions();
    const store = await open(t, { ...options, cacheBytes: 0 });
    await store.entries.create("a" as Slug, input({ n: 1 }), context);
    for (let round = 0; round < 5; round++) {
      await cutAll(options.url);
      assert.equal(await store.entries.count(), 1);
      await cutAll(options.url);
      await store.entries.update("a" as Slug, input({ round }), context);
      await cutAll(options.url);
      assert.ok(await store.entries.find("a" as Slug));
      assert.deepEqual(await store.verify(), []);
    }
  });

  test("an unavailable server is busy, never a wrong answer; service resumes when it is back", {
    timeout: 120_000,
  }, async (t) => {
    const server = await startPostgres("durable");
    const options = { ...(await postgresOptions()), url: await server.createDatabase(), freshForMs: 150 };
    const store = await open(t, options);
    await store.entries.create("kept" as Slug, input({ n: 1 }), context);
    assert.ok(await store.entries.find("kept" as Slug));
    const token = await makeToken(store, "counted");
    await store.tokens.countCall([{ argument: "token", token }], 5);
    await server.kill();
    await new Promise((resolve) => setTimeout(resolve, 160));
    await assert.rejects(store.tokens.list(), isBusy);
    await store.tokens.countCall([{ argument: "token", token }], 4);
    await assert.rejects(async () => store.entries.find("kept" as Slug), isBusy);
    await assert.rejects(async () => store.entries.count(), isBusy);
    await assert.rejects(store.entries.create("lost" as Slug, input({}), context), isBusy);
    await assert.rejects(store.verify(), isBusy);
    await server.start();
    assert.ok(await store.entries.find("kept" as Slug));
    await store.entries.create("after" as Slug, input({}), context);
    assert.equal(await store.entries.count(), 2);
    assert.deepEqual(await store.verify(), []);
    const [counted] = await store.tokens.list();
    assert.deepEqual(
      [counted?.calls, counted?.lastUsedAt],
      [2, 5],
      "calls that could not be written during the outage are written now",
    );
  });

  test("a write whose COMMIT is lost in transit has an unknown outcome", async (t) => {
    const options = await postgresOptions();
    const way = await meddler(t, options.url);
    const store = await open(t, { ...options, url: way.url });
    await store.entries.create("sure" as Slug, input({}), context);
    way.with = "cut";
    const isUnknown = (error: unknown) => error instanceof Problem && error.code === "outcome_unknown";
    await assert.rejects(store.entries.create("perhaps" as Slug, input({}), context), isUnknown);
    way.with = "nothing";
    await store.entries.create("again" as Slug, input({}), context);
    assert.ok(await store.entries.find("sure" as Slug));
    assert.deepEqual(await store.verify(), []);
  });

  test("a write whose COMMIT succeeded without a reply is not repeated", async (t) => {
    const options = await postgresOptions();
    const way = await meddler(t, options.url);
    const store = await open(t, { ...options, url: way.url });
    await store.entries.create("a" as Slug, input({ n: 1 }), context);
    way.with = "lose";
    const isUnknown = (error: unknown) => error instanceof Problem && error.code === "outcome_unknown";
    await assert.rejects(store.entries.create("b" as Slug, input({ n: 2 }), context), isUnknown);
    assert.ok(await store.entries.find("b" as Slug), "the write was committed");
    assert.equal((await store.events.list(0, 10)).length, 2, "once");
  });

  test("a read from before an event is not cached after it", async (t) => {
    const options = await postgresOptions();
    const store = await open(t, options);
    const slug = "raced" as Slug;
    await store.entries.create(slug, input({ n: 1 }), context);
    const link = new PostgresLink(options);
    const cache = new ReadCache(allNouns, 1e6);
    const feed = new PostgresFeed(
      link,
      options,
      (event) => cache.apply(event),
      () => cache.clear(),
    );
    t.after(() => feed.close().then(() => link.close()));
    await feed.start();
    // The reply of the first read is in flight while the entry changes and the node receives the event.
    let isFirst = true;
    const slow: Sql = {
      ...through(link),
      row: async (...asked) => {
        const row = await link.row(...asked);
        if (!isFirst) return row;
        isFirst = false;
        await store.entries.update(slug, input({ n: 2 }), context);
        await feed.look();
        return row;
      },
    };
    const { entries } = new PostgresReads(allNouns, slow, cache, feed).points as { entries: Point<StoredEntry> };
    assert.match((await entries.cached(slug))?.data ?? "", /"n":1,/);
    assert.match((await entries.cached(slug))?.data ?? "", /"n":2,/);
  });

  test("a node that missed events or is disconnected uses no cache", async (t) => {
    const options = await postgresOptions();
    const store = await open(t, options);
    const link = new PostgresLink(options);
    let isBroken = false;
    const broken: Sql = {
      ...through(link),
      rows: async (...asked) => (isBroken ? Promise.reject(new Error("unreachable")) : link.rows(...asked)),
    };
    const heard: number[] = [];
    let gaps = 0;
    const feed = new PostgresFeed(
      broken,
      options,
      ({ sequence }) => heard.push(sequence),
      () => gaps++,
    );
    t.after(() => feed.close().then(() => link.close()));
    await store.entries.create("a" as Slug, input({}), context);
    // Before its first poll the node does not know the current events.
    await feed.start();
    isBroken = true;
    await assert.rejects(feed.look(), /unreachable/);
    assert.equal(feed.isFresh, false);
    assert.ok(gaps > 0);
    for (let n = 0; n < 3; n++) await store.entries.update("a" as Slug, input({ n }), context);
    await store.events.prune(Number.MAX_SAFE_INTEGER);
    [gaps, isBroken] = [0, false];
    await feed.look();
    assert.equal(gaps, 1, "two of the three events are gone from the log");
    assert.deepEqual(heard, [4]);
    assert.equal(feed.isFresh, true);
  });

  test("a COMMIT answered with ROLLBACK confirms no write of its group", async (t) => {
    const options = await postgresOptions();
    const way = await meddler(t, options.url);
    const store = await open(t, { ...options, url: way.url });
    await store.entries.create("sure" as Slug, input({ old: 1 }), context);
    way.with = "abort";
    const slugs = ["a", "b", "c"] as Slug[];
    const writes = [
      ...slugs.map((slug) => store.entries.create(slug, input({ fresh: slug }), context)),
      store.entries.update("sure" as Slug, input({ old: 2 }), context),
    ];
    for (const { status } of await Promise.allSettled(writes)) assert.equal(status, "rejected");
    way.with = "nothing";
    for (const slug of slugs) assert.equal(await store.entries.find(slug), undefined);
    assert.match((await store.entries.find("sure" as Slug))?.data ?? "", /"old":1,/);
    for (const slug of slugs) await store.entries.create(slug, input({ fresh: slug }), context);
    assert.deepEqual(await store.verify(), [], "names of the field index are forgotten when they are rolled back");
  });

  test("a write that waits too long for another node is busy and changes nothing", async (t) => {
    const options = await postgresOptions();
    const store = await open(t, { ...options, statementMs: 250 });
    const holder = new pg.Client({ connectionString: options.url });
    t.after(() => holder.end());
    await holder.connect();
    await holder.query("BEGIN; SELECT pg_advisory_xact_lock(1868788833)");
    await assert.rejects(store.entries.create("late" as Slug, input({}), context), (error) => {
      // The reason, for the log.
      assert.match(String((error as Error).cause), /lock timeout|statement timeout/);
      return isBusy(error);
    });
    await holder.query("ROLLBACK");
    await store.entries.create("in-time" as Slug, input({}), context);
    assert.equal(await store.entries.count(), 1);
  });

  test("a read waits once for a free connection, then is busy", async (t) => {
    const options = await postgresOptions();
    const store = await open(t, { ...options, maxConnections: 1, statementMs: 30_000, connectMs: 500 });
    const holder = new pg.Client({ connectionString: options.url });
    t.after(() => holder.end());
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE entry IN ACCESS EXCLUSIVE MODE");
    const first = store.verify();
    const second = assert.rejects(store.verify(), isBusy).then(() => "refused");
    // Both are timers of this process: a slow machine delays both.
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(resolve, 5000, "still waiting");
    t.after(() => clearTimeout(timer));
    const outcome = await Promise.race([second, late]);
    await holder.query("ROLLBACK");
    assert.equal(outcome, "refused");
    assert.deepEqual(await first, []);
  });

  test("lists that wait for one of the connections are counted", async (t) => {
    const store = await open(t, { ...(await postgresOptions()), maxConnections: 2 });
    await store.entries.create("a/b" as Slug, input({ text: "some" }), context);
    const list = (filter: object) =>
      store.entries.list(
        parseCollection("a" as Slug, new Map(Object.entries(filter)), { maxLimit: 10, defaultLimit: 10 }),
        accessOf({ kind: "management" }, 10),
      );
    const waiting = () => store.figures().connectionsWaitedFor;
    assert.equal(waiting(), 0);
    const lists = Array.from({ length: 10 }, () => list({}));
    assert.equal(waiting(), 9);
    await Promise.all(lists);
    assert.equal(waiting(), 0);
  });

  test("a replica serves only collections of delivery tokens; without it the primary does", {
    timeout: 60_000,
  }, async (t) => {
    const server = await startPostgres();
    const url = await server.createDatabase();
    const replica = await server.startReplica();
    const readUrl = replica.urlOf(new URL(url).pathname.slice(1));
    const store = await open(t, { ...(await postgresOptions()), url, readUrl });
    await store.entries.create("a/b" as Slug, input({}), context);
    const count = async (kind: "delivery" | "management") => {
      const query = parseCollection("a" as Slug, new Map(), { maxLimit: 10, defaultLimit: 10 });
      const answer = await store.entries.list(query, accessOf({ kind }, 10)).catch(() => undefined);
      return answer ? (JSON.parse(wholeText(answer.json)) as unknown[]).length : 0;
    };
    assert.equal(await count("management"), 1);
    await until(async () => (await count("delivery")) === 1, "the replica does not catch up");
    const standby = new pg.Client({ connectionString: readUrl });
    // Its server is killed below.
    standby.on("error", () => undefined);
    t.after(() => standby.end());
    await standby.connect();
    await standby.query("SELECT pg_wal_replay_pause()");
    await store.entries.create("a/c" as Slug, input({}), context);
    assert.equal(await count("management"), 2);
    assert.equal(await count("delivery"), 1, "the paused replica was queried");
    await replica.kill();
    assert.equal(await count("delivery"), 2);
    await server.kill();
  });

  test("a listener that is refused opens one connection at a time", async (t) => {
    const options = await postgresOptions();
    await open(t, options);
    const triedMs: number[] = [];
    const thrice = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on("error", () => undefined).destroy();
      if (triedMs.push(performance.now()) === 3) thrice.resolve();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const url = new URL(options.url);
    url.port = String((server.address() as AddressInfo).port);
    const link = new PostgresLink(options);
    const ignore = () => undefined;
    const feed = new PostgresFeed(link, { ...options, url: url.href, reconnectMs: 50 }, ignore, ignore);
    t.after(() => feed.close().then(() => link.close()));
    await feed.start();
    await thrice.promise;
    const [first, , third] = triedMs as [number, number, number];
    // Two pauses; timers have millisecond resolution.
    assert.ok(third - first > 2 * 50 - 5, `three within ${third - first} ms`);
  });

  test("exclusive work runs on one node at a time", async (t) => {
    const options = await postgresOptions();
    const [here, there] = [await open(t, options), await open(t, options)];
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const working = here.alone("chores", () => {
      begun.resolve();
      return ended.promise;
    });
    await begun.promise;
    assert.equal(await there.alone("chores", async () => undefined), false);
    assert.ok(await there.alone("other", async () => undefined));
    ended.resolve();
    assert.ok(await working);
    assert.ok(await there.alone("chores", async () => undefined));
  });
});
