import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTokenTexts, isInForce, isSpent, newToken, type Token } from "../../src/domain/access/token.ts";
import { Problem } from "../../src/domain/problem.ts";

const refusal = (name: string) => (error: unknown) =>
  error instanceof Problem && error.code === "argument_invalid" && error.message.startsWith(`"${name}" was`);

for (const name of ["label", "environment"] as const) {
  test(`a token's ${name} is one line of at most 200 characters on create and update`, () => {
    const input = {
      kind: "access" as const,
      resources: [],
      label: "",
      environment: "",
      limitCalls: 0,
      expiresAt: null,
    };
    const now = { id: "1", nowSeconds: 0 };
    for (const text of ["x".repeat(201), "\u{1f600}".repeat(201), "two\nlines", "\u007f"]) {
      assert.throws(() => newToken({ ...input, [name]: text }, now), refusal(name));
      assert.throws(() => checkTokenTexts({ [name]: text }), refusal(name));
    }
    for (const text of ["", "é 😀", "x".repeat(200), "😀".repeat(200)]) {
      assert.equal(newToken({ ...input, [name]: text }, now)[name], text);
      assert.equal(checkTokenTexts({ [name]: text })[name], text);
    }
  });
}

const token: Token = {
  id: "1",
  kind: "delivery",
  resources: ["entries"],
  paths: null,
  writes: "all",
  label: "",
  environment: "",
  state: "enabled",
  limitCalls: 0,
  calls: 0,
  expiresAt: null,
  createdAt: 0,
  lastUsedAt: null,
  maker: null,
};

test("a token is valid until, but not in, the second it expires", () => {
  assert.equal(isInForce({ ...token, expiresAt: 1000 }, 999), true);
  assert.equal(isInForce({ ...token, expiresAt: 1000 }, 1000), false);
  assert.equal(isInForce({ ...token, expiresAt: 1000 }, 1001), false);
  assert.equal(isInForce({ ...token, expiresAt: 0 }, 0), false, "0 is a time");
  assert.equal(isInForce(token, Number.MAX_SAFE_INTEGER), true, "null means forever");
  assert.equal(isInForce({ ...token, state: "disabled" }, 0), false);
});

test("a call limit is used up by the call that reaches it; without a limit it never is", () => {
  assert.equal(isSpent({ ...token, limitCalls: 2, calls: 1 }), false);
  assert.equal(isSpent({ ...token, limitCalls: 2, calls: 2 }), true);
  assert.equal(isSpent({ ...token, limitCalls: 2, calls: 3 }), true, "the limit was lowered");
  assert.equal(isSpent({ ...token, limitCalls: 0, calls: 1_000_000 }), false);
});
