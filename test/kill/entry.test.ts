// Slow: it kills processes again and again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken } from "../../src/core/access/token.ts";
import type { Slug } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { Mirror } from "./mirror.ts";
import { killDuring, rounds, start } from "./service.ts";

/** The acknowledged state by id: the title of the entry, or null if it is deleted. */
type Acknowledged = Map<string, string | null>;

/** A service is killed at a random moment after these, so that there is something to lose. */
const repliesBeforeKill = 11;

test(`kill -9 during writes loses no acknowledged write and no change that is told, ${rounds} times`, {
  timeout: rounds * 20_000,
}, async () => {
  const data = temporaryFolder();
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  const tokens = await closing(openStores(settings), makeTokens);
  const acknowledged: Acknowledged = new Map();
  const mirror = new Mirror(tokens.limited);
  let [granted, replies] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const done = await writeUntilKilled(data, tokens, round, acknowledged, mirror);
    granted += done.granted;
    replies += done.replies;
    await closing(openStores(settings), (stores) => check(stores, acknowledged, granted));
  }
  const { url } = await start(data);
  await closing(openStores(settings), (stores) => mirror.check(url, stores));
  assert.ok(replies >= rounds * repliesBeforeKill, `only ${replies} writes were acknowledged`);
});

type Tokens = { management: string; access: string; limited: string };

async function makeTokens(stores: Stores): Promise<Tokens> {
  const make = async (kind: "management" | "access" | "delivery", limitCalls: number) => {
    const resources = kind === "access" ? [] : (["entries"] as const);
    const input = { kind, resources: [...resources], label: kind, environment: "", limitCalls, expiresAt: null };
    return (await createToken(stores.tokens, input, { id: crypto.randomUUID(), actor: "test", nowSeconds: 1 })).secret;
  };
  return {
    management: await make("management", 0),
    access: await make("access", 0),
    limited: await make("delivery", 1_000_000),
  };
}

/**
 * Starts a server, writes with concurrent clients, kills it at a random moment. Answers the number of granted limited
 * calls and of acknowledged writes.
 */
async function writeUntilKilled(
  data: string,
  tokens: Tokens,
  round: number,
  acknowledged: Acknowledged,
  mirror: Mirror,
): Promise<{ granted: number; replies: number }> {
  const { child, url } = await start(data);
  mirror.follow(url);
  let isOver = false;
  let [granted, replies] = [0, 0];
  const send = async (method: string, path: string, body: object): Promise<boolean> => {
    try {
      const response = await fetch(url + path, {
        method,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...body, token: tokens.management, access_token: tokens.access }),
      });
      await response.arrayBuffer();
      assert.ok(response.status < 300, `${method} ${path} answered ${response.status}`);
      replies++;
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
  };
  const writer = async (name: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const id = `r${round}/w${name}/e${n}`;
      const title = `${round} ${name} ${n}`;
      if (!(await send("POST", "/api/entries", { id, data: { title, n, tags: ["a", "b"] } }))) return;
      acknowledged.set(id, title);
      if (n % 5 === 1 && !(await update(id, `${title} again`))) return;
      if (n % 5 === 2 && !(await move(id, `${id}-moved`, title))) return;
      if (n % 5 === 3 && !(await remove(id))) return;
    }
  };
  // During a change both states are valid: the id is omitted until the reply.
  const update = async (id: string, title: string): Promise<boolean> => {
    acknowledged.delete(id);
    if (!(await send("PATCH", "/api/entries", { id, data: { title } }))) return false;
    acknowledged.set(id, title);
    return true;
  };
  const move = async (id: string, newId: string, title: string): Promise<boolean> => {
    acknowledged.delete(id);
    if (!(await send("PUT", "/api/entries", { id, new_id: newId }))) return false;
    acknowledged.set(id, null);
    acknowledged.set(newId, title);
    return true;
  };
  const remove = async (id: string): Promise<boolean> => {
    acknowledged.delete(id);
    if (!(await send("DELETE", "/api/entries", { id }))) return false;
    acknowledged.set(id, null);
    return true;
  };
  const caller = async (): Promise<void> => {
    while (!isOver) {
      const response = await fetch(`${url}/api/entries?id=none&token=${tokens.limited}`).catch(() => undefined);
      if (response?.status === 404) granted++;
    }
  };
  const work = Promise.all([...Array.from({ length: 8 }, (_, name) => writer(name)), caller()]);
  const isUnderWay = () => replies >= repliesBeforeKill;
  await killDuring(child, work, isUnderWay, () => {
    isOver = true;
  });
  await mirror.stop();
  return { granted, replies };
}

async function check(stores: Stores, acknowledged: Acknowledged, granted: number): Promise<void> {
  assert.deepEqual(await stores.verify(), []);
  for (const [id, title] of acknowledged) {
    const entry = await stores.entries.find(id as Slug);
    if (title === null) assert.equal(entry, undefined, `${id} is back`);
    else assert.equal(JSON.parse(entry?.data ?? "{}").title, title, `${id} was lost`);
  }
  const limited = (await stores.tokens.list()).find((token) => token.limitCalls > 0);
  assert.ok((limited?.calls ?? 0) >= granted, "a counted call was lost");
}
