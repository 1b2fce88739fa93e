import assert from "node:assert/strict";
import { test } from "node:test";
import { OneTimeCodes } from "../../src/lib/one-time-codes.ts";

test("a code is good once", () => {
  const codes = new OneTimeCodes(600);
  const [code, other] = [codes.issue(1000), codes.issue(1000)];
  assert.notEqual(code, other);
  assert.equal(codes.redeem(code, 1000), true);
  assert.equal(codes.redeem(code, 1000), false);
  assert.equal(codes.redeem("", 1000), false);
  assert.equal(codes.redeem(other, 1000), true, "the other one is another one's");
});

test("a code is good until its time is over, and not in the second in which it is", () => {
  const codes = new OneTimeCodes(600);
  assert.equal(codes.redeem(codes.issue(1000), 1599), true);
  assert.equal(codes.redeem(codes.issue(1000), 1600), false);
  assert.equal(codes.redeem(codes.issue(1000), 1601), false);
});

test("a code that came too late is not good for a clock that is set back", () => {
  const codes = new OneTimeCodes(600);
  const code = codes.issue(1000);
  assert.equal(codes.redeem(code, 2000), false);
  assert.equal(codes.redeem(code, 1000), false);
});
