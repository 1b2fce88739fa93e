import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../problem.ts";
import { checkSecret, checkTokenTexts, isInForce, isSpent, isWeakSecret, newToken, type Token } from "./token.ts";

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

const secret = "0f9a1c5e7b2d4860a1b2c3d4e5f6";
const wrongSecrets: [secret: string, received: RegExp][] = [
  ["", /empty/],
  ["   ", /white space/],
  [`${secret} x`, /white space/],
  [`${secret}\t`, /white space/],
  [`${secret} `, /white space/],
  [`${secret}\u0007`, /control/],
  [`${secret}\0`, /control/],
  [`\ufeff${secret}`, /white space|ASCII/],
  [`${secret}é`, /ASCII/],
  [`${"ab".repeat(256)}c`, /512/],
];
test("an imported secret is 1 to 512 visible ASCII characters, and is not in the refusal", () => {
  for (const good of [secret, "y".repeat(512), "!", "~"]) assert.equal(checkSecret("x", good), good);
  for (const [wrong, received] of wrongSecrets) {
    assert.throws(
      () => checkSecret("x", wrong),
      (error) => refusal("x")(error) && received.test((error as Error).message) && !String(error).includes(secret),
      JSON.stringify(wrong),
    );
  }
});

test("a secret that is short or has few different characters is weak", () => {
  for (const weak of ["secret", "0123456789abcdef012", "ab".repeat(30)]) assert.ok(isWeakSecret(weak), weak);
  assert.ok(!isWeakSecret(secret));
});
