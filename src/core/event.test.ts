import assert from "node:assert/strict";
import { test } from "node:test";
import { type Event, eventFields, eventKinds, kindFacts, namedBy } from "./event.ts";
import "../features.ts";
import { eventRule } from "../feed/row-rules.ts";
import { rowFault } from "./row.ts";

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
  for (const kind of eventKinds()) {
    const target = /\.(move|copy)$/.test(kind) ? "b" : null;
    const row = {
      ...eventFields(event),
      ...{ kind, target, uuid: null, was_public: null, is_public: null, outdated: null, first_sequence: null },
      ...{ request_id: null, address: null, trace: null, locale: null },
    };
    assert.equal(rowFault(eventRule, row), undefined, kind);
    if (kind.endsWith(".undelete")) assert.equal(rowFault(eventRule, { ...row, target: "b" }), undefined, kind);
    else assert.notEqual(rowFault(eventRule, { ...row, target: target === null ? "b" : null }), undefined, kind);
    assert.equal(rowFault(eventRule, { ...row, outdated: '["title"]' }), undefined, kind);
    for (const outdated of ["title", "{}", "[1]"])
      assert.notEqual(rowFault(eventRule, { ...row, outdated }), undefined);
  }
});

test("a kind is parsed into its noun and verb, what the subject is, and whether there is a target", () => {
  const facts = { noun: "file", verb: "move", subject: "path", target: "always" };
  assert.deepEqual(kindFacts("file.move"), facts);
  assert.deepEqual(kindFacts("session.end"), { noun: "session", verb: "end", subject: "id", target: "never" });
  for (const kind of eventKinds()) assert.equal(`${kindFacts(kind)?.noun}.${kindFacts(kind)?.verb}`, kind);
});

test("of a newer version's verb the noun is known, of its noun nothing", () => {
  assert.deepEqual([kindFacts("entry.live")?.noun, kindFacts("entry.live")?.verb], ["entry", "live"]);
  for (const kind of ["nothing.create", "constructor.call", "entry", ""]) {
    assert.equal(kindFacts(kind)?.noun, kind === "entry" ? "entry" : undefined, kind);
  }
});

test("an event names its subject, and its target where it has one", () => {
  assert.deepEqual(namedBy(event), ["a"]);
  assert.deepEqual(namedBy({ subject: "a", target: "b" }), ["a", "b"]);
});
