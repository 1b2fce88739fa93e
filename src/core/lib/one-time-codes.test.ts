import assert from "node:assert/strict";
import { test } from "node:test";
import { OneTimeCodes } from "./one-time-codes.ts";

test("a code is redeemed once", () => {
  const codes = new OneTimeCodes(600);
  const [code, other] = [codes.issue(1000), codes.issue(1000)];
  assert.notEqual(code, other);
  assert.equal(codes.redeem(code, 1000), true);
  assert.equal(codes.redeem(code, 1000), false);
  assert.equal(codes.redeem("", 1000), false);
  assert.equal(codes.redeem(other, 1000), true, "the other code is still valid");
});

test("a code is valid until, but not in, the second it expires", () => {
  const codes = new OneTimeCodes(600);
  assert.equal(codes.redeem(codes.issue(1000), 1599), true);
  assert.equal(codes.redeem(codes.issue(1000), 1600), false);
  assert.equal(codes.redeem(codes.issue(1000), 1601), false);
});

test("an expired code stays invalid when the clock is set back", () => {
  const codes = new OneTimeCodes(600);
  const code = codes.issue(1000);
  assert.equal(codes.redeem(code, 2000), false);
  assert.equal(codes.redeem(code, 1000), false);
});
