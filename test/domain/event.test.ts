import assert from "node:assert/strict";
import { test } from "node:test";
import { rowFault } from "../../src/domain/backup/row.ts";
import { type Event, eventFields, eventKinds } from "../../src/domain/event.ts";

const event: Event = {
  sequence: 1,
  atSeconds: 5,
  kind: "entry.create",
  subject: "a",
  target: null,
  count: 2,
  actor: "t",
};

test("an event is formatted with its wire names", () => {
  assert.deepEqual(eventFields(event), {
    ...{ sequence: 1, at: 5, kind: "entry.create", subject: "a", target: null, count: 2, actor: "t" },
  });
});

test("exactly moves and copies have a target, in each noun, and some of what comes back from the trash", () => {
  for (const kind of eventKinds) {
    const target = /\.(move|copy)$/.test(kind) ? "b" : null;
    const row = { ...eventFields(event), kind, target, uuid: null, was_public: null, is_public: null };
    assert.equal(rowFault("event", row), undefined, kind);
    if (kind.endsWith(".undelete")) assert.equal(rowFault("event", { ...row, target: "b" }), undefined, kind);
    else assert.notEqual(rowFault("event", { ...row, target: target === null ? "b" : null }), undefined, kind);
  }
});
