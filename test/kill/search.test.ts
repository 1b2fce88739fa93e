// Slow: it kills a service that makes the index of words, again and again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createToken } from "../../src/core/access/token.ts";
import type { Slug } from "../../src/core/path.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder, until } from "../harness.ts";
import { killDuring, rounds, start } from "./service.ts";

/** No kill makes the index of words lack an entry, or have one twice. Contract §25. */

/** What one write of the index has several times over, so that a kill meets it half made. */
const before = 1500;
/** Entries that are created in each round, beside the index. */
const meanwhile = 20;
const by = { actor: "test", nowSeconds: 1 };
const dataOf = (word: string) => ({ title: `common ${word}`, text: "one two three four five ".repeat(20) });

type Found = { data: { slug: string }[]; total: number; partial?: boolean };

test(`kill -9 while words are indexed loses none of them, ${rounds} times`, { timeout: 240_000 }, async () => {
  const data = temporaryFolder();
  const settings = readSettings({ flags: { data }, env: {}, file: undefined });
  const secret = await closing(openStores(settings), async (stores) => {
    const inputs = Array.from({ length: before }, (_, n) => [`a/e${n}`, dataOf(`old${n}x`)] as const);
    await Promise.all(
      inputs.map(([id, data]) =>
        stores.entries.create(id as Slug, { data: JSON.stringify(data), isMergePatch: false, fields: {} }, by),
      ),
    );
    const token = (kind: "management" | "access", resources: ["entries"] | []) =>
      createToken(
        stores.tokens,
        { kind, resources, label: kind, environment: "", limitCalls: 0, expiresAt: null },
        { id: crypto.randomUUID(), ...by },
      );
    const [management, access] = [await token("management", ["entries"]), await token("access", [])];
    return { token: management.secret, access_token: access.secret };
  });
  const search = async (url: string, q: string): Promise<Found> => {
    const sent = new URLSearchParams({ q, prefix: "off", limit: "1", token: secret.token });
    const reply = await fetch(`${url}/api/entries/search?${sent}`);
    const found = (await reply.json()) as Found & { code?: string };
    assert.equal(found.code ?? "found", reply.status === 503 ? "busy" : "found");
    return found;
  };
  const create = async (url: string, id: string, word: string): Promise<boolean> => {
    const body = JSON.stringify({ id, data: dataOf(word), ...secret });
    const headers = { "Content-Type": "application/json" };
    const reply = await fetch(`${url}/api/entries`, { method: "POST", headers, body }).catch(() => undefined);
    return reply?.status === 200 || reply?.status === 201;
  };
  const acknowledged: [id: string, word: string][] = [];
  for (let round = 0; round < rounds; round++) {
    const { child, url } = await start(data);
    // What asks makes the index begin; it is not waited for.
    const asked = search(url, "common").catch(() => undefined);
    const written = Promise.all(
      Array.from({ length: meanwhile }, async (_, n) => {
        const [id, word] = [`b/r${round}n${n}`, `new${round}x${n}x`];
        if (await create(url, id, word)) acknowledged.push([id, word]);
      }),
    );
    const work = Promise.all([asked, written]);
    await killDuring(
      child,
      work,
      () => true,
      () => {},
    );
  }
  const { url } = await start(data);
  const isWhole = ({ total, partial }: Found) => total !== undefined && !partial;
  await until(async () => isWhole(await search(url, "common")), "the words are indexed");
  assert.ok((await search(url, "common")).total >= before + acknowledged.length);
  const all: [string, string][] = [...acknowledged];
  for (let n = 0; n < before; n += 50) all.push([`a/e${n}`, `old${n}x`]);
  for (const [id, word] of all) {
    const { data: found, total } = await search(url, word);
    assert.deepEqual([found[0]?.slug, total], [id, 1], word);
  }
});
