// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken } from "../../src/core/access/token.ts";
import { type Path, rootPath, type Slug } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { killDuring, rounds, start } from "./service.ts";

const size = 400;
const context = { actor: "test", nowSeconds: 1 };

test(`kill -9 in the middle of deletes, restores and purges tears and loses nothing, ${rounds} times`, {
  timeout: rounds * 30_000,
}, async () => {
  const data = temporaryFolder();
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  const tokens = await closing(openStores(settings), fill);
  let done = 0;
  for (let round = 0; round < rounds; round++) {
    done += await undoUntilKilled(data, tokens);
    await closing(openStores(settings), check);
  }
  assert.ok(done > 0, "no write was acknowledged");
});

type Tokens = { token: string; access_token: string };

async function fill(stores: Stores): Promise<Tokens> {
  const input = (n: number) => ({ data: JSON.stringify({ n }), isMergePatch: false, fields: {} });
  for (const top of ["a", "b"]) {
    await stores.entries.create(top as Slug, input(0), context);
    for (let n = 1; n < size; n++) await stores.entries.create(`${top}/${n}` as Slug, input(n), context);
  }
  // An earlier content of each of the second half.
  for (let n = size / 2; n < size; n++) await stores.entries.update(`a/${n}` as Slug, input(-n), context);
  const make = async (kind: "management" | "access") => {
    const resources = kind === "access" ? [] : (["entries"] as const);
    const token = { kind, resources: [...resources], label: kind, environment: "", limitCalls: 0, expiresAt: null };
    return (await createToken(stores.tokens, token, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 })).secret;
  };
  return { token: await make("management"), access_token: await make("access") };
}

/** Moves "a" to the trash and back, copies "b" and purges the copy, until the service is killed. Answers how many writes. */
async function undoUntilKilled(data: string, tokens: Tokens): Promise<number> {
  const { child, url } = await start(data);
  let isOver = false;
  let done = 0;
  const send = async (method: string, path: string, body: object) => {
    const headers = { "Content-Type": "application/json" };
    const reply = await fetch(url + path, { method, headers, body: JSON.stringify({ ...tokens, ...body }) });
    if (reply.status < 300) done++;
    return reply.status === 204 ? undefined : ((await reply.json()) as { data: { id: number; count: number } });
  };
  const itemOf = async (path: string): Promise<{ id: number } | undefined> => {
    const reply = await fetch(`${url}/api/trash?search=${path}&token=${tokens.token}`);
    const { data: items } = (await reply.json()) as { data: { id: number; path: string }[] };
    return items.find((item) => item.path === path);
  };
  const loop = async (work: () => Promise<unknown>) => {
    try {
      while (!isOver) await work();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
  };
  const restored = loop(async () => {
    await send("DELETE", "/api/entries", { id: "a" });
    const item = await itemOf("a");
    if (item) await send("POST", "/api/trash/restore", { id: item.id });
    await send("POST", "/api/entries/restore", { id: "", at: 1, subtree: true });
  });
  const purged = loop(async () => {
    await send("PUT", "/api/entries/copy", { id: "b", new_id: "copy" });
    await send("DELETE", "/api/entries", { id: "copy" });
    const item = await itemOf("copy");
    if (item) await send("DELETE", "/api/trash", { id: item.id });
  });
  await killDuring(
    child,
    Promise.all([restored, purged]),
    () => done > 2,
    () => {
      isOver = true;
    },
  );
  return done;
}

/** The subtree is whole, in the store or in the trash; no row is torn. */
async function check(stores: Stores): Promise<void> {
  const found = await stores.entries.children(rootPath, undefined, 10);
  const there = new Set<Path>(found.map(({ slug }) => slug));
  const items = await stores.trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1000 });
  assert.equal(Number(there.has("a" as Path)) + items.filter(({ path }) => path === "a").length, 1);
  assert.ok(there.has("b" as Path));
  for (const { count } of items) assert.equal(count, size);
  assert.equal(await stores.entries.count(), size * there.size);
  await stores.trash.indexRestored();
  await stores.trash.clear(2);
  assert.deepEqual(await stores.verify(), []);
}
