import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionSeal } from "../../src/domain/session.ts";

test("a session is open until its end, and never longer than one that begins now", () => {
  const seal = new SessionSeal("key");
  const now = 1_000_000;
  const life = 3600;
  for (const [what, expiresAt, isOpen] of [
    ["one that has just begun", now + life, true],
    ["its last second", now + 1, true],
    ["its end", now, false],
    ["by a node whose clock is a little ahead", now + life + 60, true],
    ["by a clock that was a day ahead", now + life + 86_400, false],
  ] as const) {
    const session = { id: "s", token: "t", accessToken: "a", expiresAt };
    assert.deepEqual(seal.open(seal.seal(session), now, life), isOpen ? session : undefined, what);
  }
});
