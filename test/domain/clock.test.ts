import assert from "node:assert/strict";
import { test } from "node:test";
import { formatClock } from "../../src/domain/clock.ts";

test("a clock that is not behind has nothing to tell, whatever lies in the future", () => {
  assert.equal(formatClock({ behindSeconds: 0, futureEntries: 5 }), undefined);
});
test("a clock that is behind is told with what is held back", () => {
  assert.match(formatClock({ behindSeconds: 90, futureEntries: 5 }) ?? "", /90 seconds behind .*: 5$/);
});
