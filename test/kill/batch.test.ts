// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken } from "../../src/core/access/token.ts";
import type { Slug } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";
import { killDuring, rounds, start } from "./service.ts";

/** Writes with keys, and batches, that are sent again after kill -9: none is done twice, none in part. */

type Sent = { key: string; path: string; body: object; ids: Slug[]; reply: string | undefined };
const batchSize = 20;

for (const [engine, skip] of [
  ["SQLite", false],
  ["PostgreSQL", lacksPostgres() ?? false],
] as const) {
  test(`${engine}: ${rounds} times`, { skip, timeout: rounds * 40_000 }, async () => {
    const data = temporaryFolder();
    const env: Record<string, string> = engine === "PostgreSQL" ? { OCTAVO_POSTGRES_URL: await createDatabase() } : {};
    const settings = readSettings({ flags: { data }, env, file: undefined });
    const headers = await closing(openStores(settings), makeTokens);
    const send = async (url: string, { key, path, body }: Sent): Promise<{ status: number; text: string }> => {
      const init = { method: "POST", headers: { ...headers, "Idempotency-Key": key }, body: JSON.stringify(body) };
      const response = await fetch(url + path, init);
      return { status: response.status, text: await response.text() };
    };
    let repeated = 0;
    for (let round = 0; round < rounds; round++) {
      const all: Sent[] = [];
      const first = await start(data, env);
      let isOver = false;
      const writer = async (name: number): Promise<void> => {
        for (let n = 0; !isOver; n++) {
          const one = name % 2 === 0 ? single(`r${round}/w${name}/e${n}`) : batch(`r${round}/w${name}/b${n}`);
          all.push(one);
          const reply = await send(first.url, one).catch(() => undefined);
          if (!reply) return;
          assert.equal(reply.status, 200, reply.text);
          one.reply = reply.text;
        }
      };
      const writers = Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
      await killDuring(
        first.child,
        writers,
        () => all.length > 40,
        () => (isOver = true),
      );

      const done = await closing(openStores(settings), async ({ entries }) => {
        const found = await Promise.all(all.map(({ ids }) => Promise.all(ids.map((id) => entries.find(id)))));
        return found.map((each) => each.filter(Boolean).length);
      });
      for (const [i, { ids, reply }] of all.entries()) {
        assert.ok(done[i] === ids.length || done[i] === 0, `${done[i]} of ${ids.length} were written`);
        assert.ok(reply === undefined || done[i] === ids.length, "an acknowledged write was lost");
      }
      const second = await start(data, env);
      for (const [i, one] of all.entries()) {
        const reply = await send(second.url, one);
        assert.equal(reply.status, 200, reply.text);
        if (one.reply !== undefined) assert.equal(reply.text, one.reply);
        else if (done[i] !== 0) repeated++;
      }
      second.child.kill("SIGTERM");
      await new Promise((resolve) => second.child.once("exit", resolve));
      await closing(openStores(settings), async ({ events }) => {
        const { newest } = await events.bounds();
        const log = await events.list(Math.max(0, newest - 20_000), 20_000);
        const created = Map.groupBy(log, ({ subject }) => subject);
        for (const id of all.flatMap(({ ids }) => ids))
          assert.equal(created.get(id)?.length, 1, `${id} was written twice`);
      });
    }
    // Some were killed between the commit and the reply: otherwise this test has shown little.
    console.log(`${engine}: ${repeated} writes had lost their reply`);
  });
}

const entryOf = (id: string) => ({ id, data: { title: id, tags: ["a", "b"] } });

const single = (id: string): Sent => ({
  ...{ key: crypto.randomUUID(), path: "/api/entries", body: entryOf(id) },
  ...{ ids: [id as Slug], reply: undefined },
});

function batch(id: string): Sent {
  const ids = Array.from({ length: batchSize }, (_, n) => `${id}/${n}` as Slug);
  const operations = ids.map((id) => ({ method: "POST", path: "/api/entries", body: entryOf(id) }));
  return { key: crypto.randomUUID(), path: "/api/batch", body: { operations }, ids, reply: undefined };
}

async function makeTokens({ tokens }: Stores): Promise<Record<string, string>> {
  const make = async (kind: "management" | "access", resources: "entries"[]) => {
    const input = { kind, resources, label: kind, environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(tokens, input, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 })).secret;
  };
  return {
    "Content-Type": "application/json",
    Authorization: `Bearer ${await make("management", ["entries"])}`,
    "X-Access-Token": await make("access", []),
  };
}
