import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../src/domain/problem.ts";
import { checkTokenChange, checkTokenInput } from "../../src/domain/token.ts";

const refusal = (name: string) => (error: unknown) =>
  error instanceof Problem && error.code === "argument_invalid" && error.message.startsWith(`"${name}" was`);

for (const name of ["label", "environment"] as const) {
  test(`a token's ${name} is one line of at most 200 characters, when it is made and when it is changed`, () => {
    const input = {
      kind: "access" as const,
      resources: [],
      label: "",
      environment: "",
      limitCalls: 0,
      expiresAt: null,
    };
    for (const text of ["x".repeat(201), "two\nlines", "\u007f"]) {
      assert.throws(() => checkTokenInput({ ...input, [name]: text }), refusal(name));
      assert.throws(() => checkTokenChange({ [name]: text }), refusal(name));
    }
    for (const text of ["", "é 😀", "x".repeat(200)]) {
      assert.equal(checkTokenInput({ ...input, [name]: text })[name], text);
      assert.equal(checkTokenChange({ [name]: text })[name], text);
    }
  });
}
