import assert from "node:assert/strict";
import { before, test } from "node:test";
import { hashSecret, isInForce, type Token, type TokenChange, type TokenStore } from "../../src/core/access/token.ts";
import type { EventStore } from "../../src/core/event.ts";
import type { Path } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { RegistryStore } from "../../src/registry/registry.ts";
import { atEnd } from "../ending.ts";

export type OpenTokenStore = {
  tokens: TokenStore;
  registry: RegistryStore;
  events: EventStore;
  close(): Promise<void>;
};

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

/** Adds a delivery token whose secret is its id. */
export async function makeToken(
  { tokens }: { tokens: TokenStore },
  id: string,
  limitCalls = 0,
  more: Partial<Token> = {},
): Promise<Token> {
  const token: Token = {
    id,
    kind: "delivery",
    resources: ["entries"],
    paths: null,
    writes: "all",
    label: "",
    environment: "",
    state: "enabled",
    limitCalls,
    calls: 0,
    expiresAt: null,
    createdAt: 1,
    lastUsedAt: null,
    maker: null,
    ...more,
  };
  await tokens.create(token, { hash: hashSecret(id) }, { actor: "test" });
  return token;
}

/**
 * The contract of every store of tokens, registry items and events. `openAgain` opens the same store a second time,
 * where a change must be visible within `besideMs`.
 */
export function tokenStoreSuite(
  name: string,
  open: () => Promise<OpenTokenStore>,
  openAgain: () => Promise<OpenTokenStore>,
  besideMs = 0,
): void {
  const isVoidBeside = async (secret: string): Promise<boolean> => {
    const deadline = performance.now() + besideMs;
    for (;;) {
      if ((await other.tokens.findByHash(hashSecret(secret))) === undefined) return true;
      if (performance.now() >= deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  let store: OpenTokenStore;
  let other: OpenTokenStore;
  before(async () => {
    store = await open();
    other = await openAgain();
  });
  atEnd(() => store.close());
  atEnd(() => other.close());

  const make = (id: string, limitCalls: number) => makeToken(store, id, limitCalls);
  const count = async (at: OpenTokenStore, ...tokens: Token[]): Promise<boolean> => {
    try {
      await at.tokens.countCall(
        tokens.map((token) => ({ argument: "token" as const, token })),
        5,
      );
      return true;
    } catch (error) {
      assert.ok(refused("call_limit_reached")(error));
      return false;
    }
  };

  test(`${name}: a limit is exact across openers`, async () => {
    const token = await make("limited", 30);
    const granted = await Promise.all(Array.from({ length: 100 }, (_, i) => count(i % 2 ? store : other, token)));
    assert.equal(granted.filter(Boolean).length, 30);
    assert.equal((await store.tokens.get("limited")).calls, 30);
  });

  test(`${name}: a list has all calls before it, also those that another list is writing`, async () => {
    const token = await make("listed", 0);
    await count(store, token);
    for (const listed of await Promise.all([store.tokens.list(), store.tokens.list()]))
      assert.equal(listed.find(({ id }) => id === token.id)?.calls, 1);
  });

  test(`${name}: a call is counted on both tokens or on neither`, async () => {
    const [spent, fresh] = [await make("spent", 1), await make("fresh", 10)];
    assert.equal(await count(store, fresh, spent), true);
    assert.equal(await count(store, fresh, spent), false);
    assert.equal((await store.tokens.get("fresh")).calls, 1);
  });

  test(`${name}: calls of tokens without a limit reach the list from every opener`, async () => {
    const token = await make("unlimited", 0);
    for (let i = 0; i < 5; i++) assert.ok(await count(store, token));
    for (let i = 0; i < 3; i++) assert.ok(await count(other, token));
    await other.tokens.list();
    const listed = (await store.tokens.list()).find(({ id }) => id === "unlimited");
    assert.equal(listed?.calls, 8);
    assert.equal(listed?.lastUsedAt, 5);
  });

  test(`${name}: a rotated or revoked secret is invalid at once, on other openers, too`, async () => {
    await make("rotated", 0);
    assert.ok(await other.tokens.findByHash(hashSecret("rotated")));
    await store.tokens.rotate("rotated", { hash: hashSecret("another") }, { actor: "test", nowSeconds: 6 });
    assert.equal(await store.tokens.findByHash(hashSecret("rotated")), undefined);
    assert.ok(await isVoidBeside("rotated"));
    assert.ok(await other.tokens.findByHash(hashSecret("another")));
    await store.tokens.revoke("rotated", { actor: "test", nowSeconds: 7 });
    assert.equal(await store.tokens.findByHash(hashSecret("another")), undefined);
    assert.ok(await isVoidBeside("another"));
    await assert.rejects(store.tokens.get("rotated"), refused("token_not_found"));
    await assert.rejects(store.tokens.revoke("rotated", { actor: "test", nowSeconds: 7 }), refused("token_not_found"));
  });

  test(`${name}: an existing secret creates no second token, even concurrently`, async () => {
    const token = await make("once", 0);
    const again = (id: string) =>
      store.tokens.create({ ...token, id }, { hash: hashSecret("once") }, { actor: "test" });
    await assert.rejects(again("twice"), refused("token_exists"));
    await assert.rejects(store.tokens.get("twice"), refused("token_not_found"));
    const racing = [store, other].map(({ tokens }, i) =>
      tokens.create({ ...token, id: `racer${i}` }, { hash: hashSecret("racer") }, { actor: "test" }),
    );
    const results = await Promise.allSettled(racing);
    const [lost, ...more] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    assert.ok(refused("token_exists")(lost) && more.length === 0, String(lost));
  });

  test(`${name}: the locales of a token are kept, changed alone, and lifted`, async () => {
    const locales = ["de-AT", "en"];
    await makeToken(store, "translator", 0, { kind: "management", locales });
    const stored = async () => (await other.tokens.get("translator")).locales;
    assert.deepEqual(await stored(), locales);
    const update = (change: TokenChange) => store.tokens.update("translator", change, { actor: "test", nowSeconds: 6 });
    await update({ label: "T" });
    assert.deepEqual(await stored(), locales);
    assert.deepEqual((await update({ locales: ["fr"] })).locales, ["fr"]);
    assert.equal((await update({ locales: null })).locales, null);
    await assert.rejects(
      makeToken(store, "site", 0).then(() =>
        store.tokens.update("site", { locales }, { actor: "test", nowSeconds: 6 }),
      ),
      refused("argument_invalid"),
    );
  });

  const manager = { kind: "management" } as const;
  const makePreview = (id: string, maker: string, more: Partial<Token> = {}) =>
    makeToken(store, id, 0, { kind: "preview", maker, expiresAt: 1000, ...more });
  const found = async (at: OpenTokenStore, id: string) => at.tokens.findByHash(hashSecret(id));
  /** Whether the preview holds at this time, for each opener: as is expected, once it has heard of all writes. */
  const holds = async (id: string, expected: boolean, nowSeconds = 10): Promise<boolean> => {
    const deadline = performance.now() + besideMs;
    for (const at of [store, other]) {
      for (;;) {
        const token = await found(at, id);
        if ((token !== undefined && isInForce(token, nowSeconds)) === expected) break;
        if (performance.now() >= deadline) return !expected;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    return expected;
  };
  const hold = async (id: string, expected: boolean, nowSeconds?: number): Promise<void> =>
    assert.equal(await holds(id, expected, nowSeconds), expected, `${id} at ${nowSeconds}`);

  test(`${name}: a preview holds as long as its maker could make it, on every opener`, async () => {
    const update = (change: TokenChange, at = store) =>
      at.tokens.update("maker", change, { actor: "test", nowSeconds: 10 });
    await makeToken(store, "maker", 0, manager);
    const paths = (...sent: string[]) => sent as Path[];
    await makePreview("everywhere", "maker");
    await makePreview("inside", "maker", { paths: paths("a/b", "c") });
    const held = async (everywhere: boolean, inside: boolean) => {
      await hold("everywhere", everywhere);
      await hold("inside", inside);
    };
    await held(true, true);
    assert.equal((await found(other, "inside"))?.maker, "maker");
    // In several steps, on either node.
    await update({ paths: paths("a", "c", "d") });
    await held(false, true);
    await update({ paths: paths("a/b", "c") }, other);
    await held(false, true);
    await update({ paths: paths("a/b/x", "c") });
    await held(false, false);
    const row = (await store.tokens.list()).find(({ id }) => id === "inside");
    assert.deepEqual([row?.state, row?.maker, row?.paths], ["disabled", "maker", ["a/b", "c"]]);
    await update({ paths: null }, other);
    await held(true, true);
    for (const change of [{ writes: "staged" }, { state: "disabled" }] as const) {
      await update(change);
      await held(false, false);
      await update({ writes: "all", state: "enabled" }, other);
      await held(true, true);
    }
    await update({ expiresAt: 20 });
    await hold("inside", true, 19);
    await hold("inside", false, 20);
    assert.equal((await store.tokens.get("inside")).expiresAt, 20);
    await update({ expiresAt: 5000 });
    await hold("inside", true, 999);
    await hold("inside", false, 1000);
  });

  test(`${name}: a revocation takes the previews along that the token made, and no others`, async () => {
    await makeToken(store, "gone", 0, manager);
    await makeToken(store, "stays", 0, manager);
    for (const maker of ["gone", "stays"]) await makePreview(`of ${maker}`, maker);
    for (const maker of ["gone", "stays"]) await hold(`of ${maker}`, true);
    await other.tokens.revoke("gone", { actor: "test", nowSeconds: 11 });
    await hold("of gone", false);
    await hold("of stays", true);
    await assert.rejects(store.tokens.get("of gone"), refused("token_not_found"));
    const [event] = await store.events.listBefore(undefined, 1);
    assert.deepEqual([event?.kind, event?.subject, event?.count], ["token.revoke", "gone", 2]);
    await assert.rejects(makePreview("late", "gone"), refused("token_invalid"));
    await store.tokens.update("stays", { state: "disabled" }, { actor: "test", nowSeconds: 12 });
    await assert.rejects(makePreview("late", "stays"), refused("token_invalid"));
    await assert.rejects(store.tokens.get("late"), refused("token_not_found"));
  });

  test(`${name}: registry items are listed below their key and deleted with their parent`, async () => {
    for (const key of ["a", "a.b", "a.b.c", "a-b", "ab"]) {
      await store.registry.put(key, { value: `"${key}"` }, { actor: "test", nowSeconds: 8 });
    }
    const below = await other.registry.listBelow("a");
    assert.deepEqual(
      below.map(({ key }) => key),
      ["a", "a.b", "a.b.c"],
    );
    await store.registry.delete("a.b", { actor: "test", nowSeconds: 8 });
    assert.deepEqual(
      (await other.registry.list()).map(({ key }) => key),
      ["a", "a-b", "ab"],
    );
    await assert.rejects(
      store.registry.delete("a.b", { actor: "test", nowSeconds: 8 }),
      refused("registry_item_not_found"),
    );
  });

  test(`${name}: events are read in order from a sequence; old ones are pruned, sequences never reused`, async () => {
    const all = await store.events.list(0, 1000);
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      all.map((_, i) => i + 1),
    );
    const middle = all[4]?.sequence as number;
    assert.deepEqual(await store.events.list(middle, 2), all.slice(5, 7));
    assert.ok((await store.events.prune(1_000_000)).count > 0);
    const left = await store.events.list(0, 1000);
    assert.deepEqual(left, all.slice(-1));
    await store.registry.put("later", { value: "1" }, { actor: "test", nowSeconds: 9 });
    assert.equal((await store.events.list(0, 1000)).at(-1)?.sequence, all.length + 1);
  });
}
