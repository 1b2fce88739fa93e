import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionSeal } from "./session.ts";

const seal = new SessionSeal("a key");
const session = { id: "s", token: "oct_m_one", accessToken: "oct_a_one", expiresAt: 1000 };

test("a session is valid until its end, and never longer than a new one", () => {
  const now = 1_000_000;
  const life = 3600;
  for (const [what, expiresAt, isOpen] of [
    ["a new one", now + life, true],
    ["its last second", now + 1, true],
    ["its end", now, false],
    ["from a node whose clock is slightly ahead", now + life + 60, true],
    ["from a clock that was a day ahead", now + life + 86_400, false],
  ] as const) {
    const one = { id: "s", token: "t", accessToken: "a", expiresAt };
    assert.deepEqual(seal.open(seal.seal(one), now, life), isOpen ? one : undefined, what);
  }
});

test("a sealed session is valid until, but not in, the second it expires", () => {
  const sealed = seal.seal(session);
  assert.deepEqual(seal.open(sealed, 999, 3600), session);
  assert.equal(seal.open(sealed, 1000, 3600), undefined);
  assert.equal(seal.open(sealed, 1001, 3600), undefined);
});

test("a sealed session opens only unchanged and with its key", () => {
  const sealed = seal.seal(session);
  assert.equal(new SessionSeal("another key").open(sealed, 1, 3600), undefined);
  const bytes = Buffer.from(sealed, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.equal(seal.open(changed.toString("base64url"), 1, 3600), undefined, `byte ${at} changed`);
    assert.equal(seal.open(bytes.subarray(0, at).toString("base64url"), 1, 3600), undefined, `cut to ${at} bytes`);
  }
  assert.ok(!sealed.includes(Buffer.from("oct_m_one").toString("base64url").slice(0, 8)));
});

test("the CSRF token belongs to one sealed session and one key", () => {
  const [one, two] = [seal.seal(session), seal.seal(session)];
  assert.notEqual(one, two, "each seal has its own nonce");
  assert.equal(seal.isCsrfToken(one, seal.csrfToken(one)), true);
  assert.equal(seal.isCsrfToken(one, seal.csrfToken(two)), false);
  assert.equal(seal.isCsrfToken(one, new SessionSeal("another key").csrfToken(one)), false);
  for (const sent of ["", "é", seal.csrfToken(one).slice(1), `${seal.csrfToken(one)}=`]) {
    assert.equal(seal.isCsrfToken(one, sent), false, JSON.stringify(sent));
  }
});
