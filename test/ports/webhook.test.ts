import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Path } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { Seal } from "../../src/people/seal.ts";
import {
  type Attempt,
  keptAttempts,
  maxWebhooks,
  newWebhook,
  type Webhook,
  type WebhookInput,
} from "../../src/webhook/webhook.ts";
import { onEachEngine } from "./engines.ts";

/** The contract of every store of webhooks, and what the log says of writes that were made together. */

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const by = (nowSeconds = 10) => ({ actor: "test", nowSeconds });
const seal = new Seal("key", "test");

const made = (input: Partial<WebhookInput> = {}): Webhook =>
  newWebhook({ url: "https://example.org/hook", ...input }, { id: randomUUID(), nowSeconds: 10, seal }).webhook;
const failed = (sequence: number, attempt: number): Attempt => ({
  ...{ sequence, attempt, at: 20, status: 500, durationMs: 3, error: null, nextAt: 25 },
});

onEachEngine(async ({ webhooks, events, registry, folders, idempotency }) => {
  const newest = async () => (await events.bounds()).newest;

  test("the log keeps what a folder has in it when it is changed, while there is a webhook", async () => {
    const path = (text: string) => text as Path;
    /** From where to where everything below went. */
    const changes = async (write: () => Promise<unknown>) => {
      await write();
      const at = await newest();
      return (await events.listThings(at, at)).map(({ from, to, was, is }) => `${from} > ${to} ${was}${is}`).toSorted();
    };
    await folders.create(path("noted/in/deep"), by());
    const move = (from: string, to: string) => folders.move(path(from), { newPath: path(to) }, by());
    assert.deepEqual(await changes(() => move("noted", "other")), []);
    const webhook = await webhooks.create(made({ state: "off" }), by());
    const below = (top: string) => ["", "/in", "/in/deep"].map((name) => `${top}${name}`);
    assert.deepEqual(
      await changes(() => move("other", "noted")),
      below("other").map((from) => `${from} > noted${from.slice("other".length)} 22`),
    );
    assert.deepEqual(
      await changes(() => folders.copy(path("noted"), { newPath: path("copy") }, by())),
      below("copy").map((to) => `null > ${to} 02`),
    );
    assert.deepEqual(
      await changes(() => folders.delete(path("noted"), { to: "trash" }, by())),
      below("noted").map((from) => `${from} > null 20`),
    );
    await folders.delete(path("copy"), { to: "nowhere" }, by());
    await webhooks.delete(webhook.id, by());
  });

  test("a webhook begins behind its own event, and is found as it was made", async () => {
    const input = { kinds: ["entry.*", "entry.*", "file.upload"], paths: ["blog", "a/b"], label: "Site" };
    const webhook = await webhooks.create(made(input), by());
    assert.equal(webhook.sequence, await newest());
    assert.deepEqual(webhook.kinds, ["entry.*", "file.upload"]);
    assert.deepEqual(await webhooks.get(webhook.id), webhook);
    assert.deepEqual((await webhooks.list()).at(-1), webhook);
    const changed = await webhooks.update(webhook.id, { label: "", kinds: null, paths: null }, by());
    assert.deepEqual(changed, { ...webhook, label: "", kinds: null, paths: null });
    await webhooks.delete(webhook.id, by());
    assert.deepEqual(
      (await events.list(webhook.sequence - 1, 9)).map(({ kind, subject }) => [kind, subject]),
      ["webhook.create", "webhook.update", "webhook.delete"].map((kind) => [kind, webhook.id]),
    );
    for (const call of [
      () => webhooks.get(webhook.id),
      () => webhooks.update(webhook.id, {}, by()),
      () => webhooks.rotate(webhook.id, { secret: "x" }, by()),
      () => webhooks.attempts(webhook.id),
      () => webhooks.delete(webhook.id, by()),
    ])
      await assert.rejects(call(), refused("webhook_not_found"));
  });

  test("a rotation keeps the secret before for a day", async () => {
    const webhook = await webhooks.create(made(), by());
    const next = made().secret;
    const rotated = await webhooks.rotate(webhook.id, { secret: next }, by(100));
    assert.deepEqual(
      [rotated.secret, rotated.oldSecret, rotated.oldSecretUntil],
      [next, webhook.secret, 100 + 24 * 3600],
    );
    await webhooks.delete(webhook.id, by());
  });

  test("attempts are kept, a hundred; what they change holds only if nothing else came first", async () => {
    const { id, sequence } = await webhooks.create(made(), by());
    const failing = { attempts: 1, failingSince: 20, nextAt: 25 };
    await webhooks.note(id, { attempt: failed(sequence + 1, 1), after: sequence, progress: failing }, by(20));
    for (let i = 2; i <= keptAttempts + 3; i++) {
      await webhooks.note(
        id,
        { attempt: failed(sequence + 1, i), after: sequence + 7, progress: { attempts: 99 } },
        by(20),
      );
    }
    const kept = await webhooks.attempts(id);
    assert.deepEqual(
      kept.map(({ attempt }) => attempt),
      Array.from({ length: keptAttempts }, (_, i) => keptAttempts + 3 - i),
    );
    assert.deepEqual(kept[0], failed(sequence + 1, keptAttempts + 3));
    const now = await webhooks.get(id);
    assert.deepEqual([now.attempts, now.failingSince, now.nextAt], [1, 20, 25]);
    // The event that it is failed, and then on again, at once.
    await webhooks.note(id, { after: sequence, progress: { state: "failed" } }, by(30));
    assert.equal((await webhooks.get(id)).state, "failed");
    const last = (await events.listBefore(undefined, 1))[0];
    assert.deepEqual([last?.kind, last?.subject, last?.actor], ["webhook.failed", id, "octavo"]);
    // An attempt that ends later changes nothing of what failed, and is still kept.
    await webhooks.note(id, { attempt: failed(sequence + 1, 200), after: sequence, progress: failing }, by(40));
    assert.equal((await webhooks.get(id)).state, "failed");
    const on = await webhooks.update(id, { state: "on" }, by());
    assert.deepEqual([on.state, on.attempts, on.failingSince, on.nextAt, on.sequence], ["on", 0, null, null, sequence]);
    await webhooks.delete(id, by());
    await webhooks.note(id, { attempt: failed(1, 1), progress: {} }, by(50));
  });

  test("a failure at the address before, or before it was switched off and on, changes nothing", async () => {
    const { id, url, sequence } = await webhooks.create(made(), by());
    const note = (found: Pick<Webhook, "url" | "attempts">, progress: object) =>
      webhooks.note(id, { attempt: failed(sequence + 1, 1), after: sequence, found, progress }, by(20));
    const state = async () => {
      const now = await webhooks.get(id);
      return [now.state, now.attempts, now.nextAt, now.sequence];
    };
    await webhooks.update(id, { url: "https://example.org/other" }, by());
    await note({ url, attempts: 0 }, { state: "failed", attempts: 1, failingSince: 20, nextAt: null });
    assert.deepEqual(await state(), ["on", 0, null, sequence]);
    const found = { url: "https://example.org/other", attempts: 0 };
    await note(found, { attempts: 1, failingSince: 20, nextAt: 25 });
    assert.deepEqual(await state(), ["on", 1, 25, sequence]);
    await webhooks.update(id, { state: "off" }, by());
    await webhooks.update(id, { state: "on" }, by());
    await note({ ...found, attempts: 1 }, { attempts: 2, failingSince: 20, nextAt: 3600 });
    assert.deepEqual(await state(), ["on", 0, null, sequence]);
    await note({ url, attempts: 1 }, { sequence: sequence + 1, attempts: 0, failingSince: null, nextAt: null });
    assert.deepEqual(await state(), ["on", 0, null, sequence + 1]);
    await webhooks.delete(id, by());
  });

  test("events after a webhook that is on are kept, the others of webhooks become a gap", async () => {
    const on = await webhooks.create(made(), by());
    const off = await webhooks.create(made({ state: "off" }), by());
    for (let i = 0; i < 3; i++) await registry.put("a", { value: String(i) }, by(100));
    const bounds = { nowSeconds: 1000 };
    const { behind } = await events.prune(900, bounds);
    assert.deepEqual(behind.at(-1), { follower: `webhook ${on.id}`, sequence: on.sequence });
    assert.equal((await events.bounds()).oldest, on.sequence + 1);
    assert.equal((await webhooks.get(off.id)).hasGap, false);
    const { forgotten } = await events.prune(900, { ...bounds, unhandledBeforeSeconds: 500 });
    assert.deepEqual(forgotten.at(-1), { follower: `webhook ${on.id}`, sequence: on.sequence });
    const { oldest } = await events.bounds();
    for (const { id } of [on, off]) {
      const { hasGap, sequence } = await webhooks.get(id);
      assert.deepEqual([hasGap, sequence], [true, oldest - 1]);
      await webhooks.delete(id, by());
    }
  });

  test("a store has so many webhooks and no more", async () => {
    const all: string[] = [];
    for (let i = 0; i < maxWebhooks; i++) all.push((await webhooks.create(made(), by())).id);
    await assert.rejects(webhooks.create(made(), by()), refused("too_many_webhooks"));
    for (const id of all) await webhooks.delete(id, by());
  });

  test("the log says which events were made together", async () => {
    const since = await newest();
    const put = (key: string) => ({ name: "putRegistryItem", args: [key, { value: "1" }, by()] });
    // Alone, at the same time as others: however they share a transaction, each is by itself.
    await Promise.all(["a", "b", "c"].map((key) => registry.put(key, { value: "2" }, by())));
    await idempotency.writeAll(["d", "e", "f"].map(put), { isDryRun: false });
    await idempotency.writeAll([put("g")], { isDryRun: false });
    await idempotency.writeAll(["x", "y"].map(put), { isDryRun: true });
    await folders.create("made/together" as never, by());
    const firsts = (await events.listCommitted(since, 100)).map(({ sequence, first }) => [
      sequence - since,
      first - since,
    ]);
    assert.deepEqual(firsts.slice(0, 7), [...[1, 2, 3].map((n) => [n, n]), ...[4, 5, 6].map((n) => [n, 4]), [7, 7]]);
    assert.ok(firsts.slice(7).every(([, first]) => first === 8));
  });
});
