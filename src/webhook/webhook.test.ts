import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedEvent, EventKind } from "../core/event.ts";
import "../features.ts";
import { deliveryFrom, maxDeliveryEvents, nextDelivery } from "./delivery.ts";
import { isSent, parseWebhookChange } from "./webhook.ts";

/** What a webhook is sent, and how it is divided. */

const event = (sequence: number, first = sequence, more: Partial<CommittedEvent> = {}): CommittedEvent => ({
  ...{ sequence, first, atSeconds: 1, kind: "entry.create", subject: `a/${sequence}`, target: null, count: 1 },
  ...{ actor: "t", ...more },
});
const all = { kinds: null, paths: null };
const logOf = (events: CommittedEvent[]) => ({
  listCommitted: async (since: number, limit: number) =>
    events.filter(({ sequence }) => sequence > since).slice(0, limit),
  listThings: async () => [],
});

test("kinds are meant one by one, or all of a noun", () => {
  const kinds = (list: string[]) => (kind: EventKind) => isSent({ kinds: list, paths: null }, event(1, 1, { kind }));
  assert.ok(kinds(["entry.*"])("entry.publish"));
  assert.ok(kinds(["file.*", "entry.create"])("entry.create"));
  assert.ok(!kinds(["entry.create"])("entry.update"));
  assert.ok(!kinds(["entry.*"])("file.update"));
});

test("paths take what is at and below them, what goes there or comes from there, and subtrees around them", () => {
  const paths = ["blog/news"] as never;
  const sent = (subject: string, more: Partial<CommittedEvent> = {}) =>
    isSent({ kinds: null, paths }, event(1, 1, { subject, ...more }));
  assert.ok(sent("blog/news"));
  assert.ok(sent("blog/news/a"));
  assert.ok(!sent("blog/newspaper"));
  assert.ok(!sent("blog"));
  assert.ok(sent("blog", { kind: "entry.delete", count: 3 }));
  assert.ok(sent("archive/a", { kind: "entry.move", target: "blog/news/a" }));
  assert.ok(sent("blog/news/a", { kind: "entry.move", target: "archive/a" }));
  assert.ok(!sent("x", { kind: "entry.move", target: "y", count: 3 }));
  assert.ok(!sent("blog/news", { kind: "registry.set" }));
  assert.ok(!sent("blog", { kind: "type.put" }));
});

test("a delivery is what one commit has for the webhook, at most a hundred events, the same whenever it is asked for", async () => {
  const commit = Array.from({ length: 730 }, (_, i) => event(10 + i, 10, i % 3 === 0 ? { kind: "file.update" } : {}));
  const events = [event(8), event(9), ...commit, event(740), event(741, 740)];
  const log = logOf(events);
  const filter = { kinds: ["entry.*"], paths: null };
  const found: number[][] = [];
  for (let after = 7; ; ) {
    const { delivery, reached } = await nextDelivery(log, filter, after);
    if (!delivery) {
      assert.equal(reached, 741);
      break;
    }
    // The same when only what was committed with it is there yet.
    const end = events.findLastIndex(({ first }) => first === events.find((e) => e.sequence === delivery.to)?.first);
    assert.deepEqual((await nextDelivery(logOf(events.slice(0, end + 1)), filter, after)).delivery, delivery);
    assert.deepEqual(await deliveryFrom(log, filter, delivery.from), delivery);
    for (const { sequence } of delivery.events.slice(1))
      assert.equal(await deliveryFrom(log, filter, sequence), undefined, "in the middle of it");
    found.push(delivery.events.map(({ sequence }) => sequence));
    assert.ok(delivery.events.length <= maxDeliveryEvents);
    after = delivery.to;
  }
  assert.deepEqual(
    found.flat(),
    events.filter(({ kind }) => kind !== "file.update").map(({ sequence }) => sequence),
  );
  assert.deepEqual(
    found.map((list) => list.length),
    [1, 1, 100, 100, 100, 100, 86, 2],
  );
});

test("what a release published is one delivery, also for a webhook that is not sent the event of the release", async () => {
  const kindOf = (i: number): EventKind => (i === 0 ? "release.publish" : i % 2 ? "entry.publish" : "file.update");
  const commit = Array.from({ length: 1001 }, (_, i) => event(10 + i, 10, { kind: kindOf(i) }));
  const log = logOf([event(9), ...commit, event(2000)]);
  for (const [filter, from, count] of [
    [all, 10, 1001],
    [{ kinds: ["entry.*"], paths: null }, 11, 500],
  ] as const) {
    const { delivery } = await nextDelivery(log, filter, 9);
    assert.deepEqual([delivery?.from, delivery?.events.length], [from, count]);
    assert.deepEqual(await deliveryFrom(log, filter, from), delivery);
    assert.equal((await nextDelivery(log, filter, delivery?.to ?? 0)).delivery?.from, 2000);
  }
});

test("there is no delivery from an event that is not sent or not there", async () => {
  const log = logOf([event(1), event(2, 2, { kind: "file.update" }), event(5)]);
  const filter = { kinds: ["entry.*"], paths: null };
  for (const sequence of [2, 3, 4, 6]) assert.equal(await deliveryFrom(log, filter, sequence), undefined);
  assert.equal((await deliveryFrom(log, all, 5))?.to, 5);
  assert.deepEqual(await nextDelivery(log, { kinds: ["type.*"], paths: null }, 0), { delivery: undefined, reached: 5 });
});

test("a choice of kinds or paths is one of what there is, a label is one line", () => {
  for (const kinds of [[], ["entry.explode"], ["page.*"], ["*"]])
    assert.throws(() => parseWebhookChange({ kinds }), { code: "argument_invalid" }, String(kinds));
  assert.throws(() => parseWebhookChange({ paths: [] }), { code: "argument_invalid" });
  assert.throws(() => parseWebhookChange({ paths: ["a/../b"] }), { code: "path_invalid" });
  assert.throws(() => parseWebhookChange({ label: "a\nb" }), { code: "argument_invalid" });
});
