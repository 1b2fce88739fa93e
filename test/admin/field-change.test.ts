import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../admin/src/api/json.ts";
import { changesOf, type Renaming, stepsOf, withRenaming } from "../../admin/src/model/type/field-change.ts";

/** What a draft of a type renames and removes of the fields that are stored. */

const group = (...names: string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const all = (...renamings: Renaming[]): Renaming[] => renamings.reduce(withRenaming, [] as Renaming[]);
const rename = (from: string, to: string, pointer = ""): Renaming => ({ pointer, from, to });

test("a renamed field has its new name, a removed one none, and a new one beside it may be it", () => {
  const changes = changesOf(group("a", "b", "c"), group("x", "c", "new"), all(rename("a", "x")));
  assert.deepEqual(changes, [
    { from: "/a", to: "/x", added: ["/new"] },
    { from: "/b", to: undefined, added: ["/new"] },
  ]);
  const [first, second] = changes as [(typeof changes)[0], (typeof changes)[0]];
  assert.deepEqual(
    stepsOf("t", [
      [first, { to: "/x" }],
      [second, "drop"],
    ]),
    [
      { type: "t", rename: "/a", to: "/x" },
      { type: "t", drop: "/b" },
    ],
  );
  assert.deepEqual(stepsOf("t", [[first, "keep"]]), []);
});

test("a field that was renamed twice is the one that it was; one that was renamed back is none", () => {
  const twice = changesOf(group("a"), group("c"), all(rename("a", "b"), rename("b", "c")));
  assert.deepEqual(twice, [{ from: "/a", to: "/c", added: [] }]);
  assert.deepEqual(changesOf(group("a"), group("a"), all(rename("a", "b"), rename("b", "a"))), []);
  assert.deepEqual(changesOf(group("a"), group("a", "b"), []), []);
});

test("fields in groups and in items are found where the group is then, also when it was renamed after them", () => {
  const stored = object({ seo: group("t"), items: { type: "array", items: group("x", "y") } });
  const draft = object({ meta: group("title"), items: { type: "array", items: group("x") } });
  const renamings = all(rename("t", "title", "/properties/seo"), rename("seo", "meta"));
  assert.deepEqual(changesOf(stored, draft, renamings), [
    { from: "/seo", to: "/meta", added: [] },
    { from: "/meta/t", to: "/meta/title", added: [] },
    { from: "/items/*/y", to: undefined, added: [] },
  ]);
});

test("names are written as pointers, and other schemas have no fields", () => {
  assert.deepEqual(changesOf(group("a/b"), group(), []), [{ from: "/a~1b", to: undefined, added: [] }]);
  assert.deepEqual(changesOf(true, group("a"), []), []);
});
