import assert from "node:assert/strict";
import { test } from "node:test";
import { knownKinds } from "../../admin/src/model/event-kind.ts";
import { operators } from "../../admin/src/model/filter/filter.ts";
import { groups } from "../../admin/src/model/image/arguments.ts";
import { eventKinds } from "../../src/core/event.ts";
import "../../src/features.ts";
import { operators as known } from "../../src/core/list/match.ts";
import { modifierRows } from "../../src/image/modifier.ts";

/** Compares the page's controls with the service's lists. */

/** Operators that the page offers in another form or omits. */
const withoutControl = ["member_of", "nbetween", "nregexp"];
/** The page's operator for `exists` with the value false. */
const ownOperator = "missing";

test("the filter builder offers the service's operators", () => {
  const offered = Object.keys(operators).filter((name) => name !== ownOperator);
  assert.deepEqual([...offered, ...withoutControl].sort(), [...known].sort());
});

test("the workbench has a control for each argument of images", () => {
  const offered = groups.flatMap((group) => group.arguments.map(({ name }) => name));
  assert.deepEqual(offered.sort(), modifierRows.map(({ name }) => name as string).sort());
});

test("the filter of events offers the service's kinds", () => {
  assert.deepEqual([...knownKinds].sort(), eventKinds().sort());
});
