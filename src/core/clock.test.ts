import assert from "node:assert/strict";
import { test } from "node:test";
import { formatClock } from "./clock.ts";

test("a correct clock gives no warning, whatever entries are in the future", () => {
  assert.equal(formatClock({ behindSeconds: 0, futureEntries: 5 }), undefined);
});
test("a clock that is behind gives a warning with the affected entries", () => {
  assert.match(formatClock({ behindSeconds: 90, futureEntries: 5 }) ?? "", /90 seconds behind .*: 5$/);
});
