import assert from "node:assert/strict";
import { test } from "node:test";
import { PasskeyChallenges } from "./passkey-challenge.ts";

const challenges = new PasskeyChallenges("a key");

test("a challenge is found for its purpose, by every node of the store, for five minutes", () => {
  const challenge = challenges.issue("sign-in", 1000);
  assert.notEqual(challenge, challenges.issue("sign-in", 1000));
  assert.match(challenge, /^[\w-]{72}$/);
  const found = new PasskeyChallenges("a key").find(challenge, "sign-in", 1299);
  assert.deepEqual([found?.challenge, found?.expiresAt, found?.nonce.length], [challenge, 1300, 16]);
  assert.equal(challenges.find(challenge, "sign-in", 1300), undefined);
});

test("no other text is a challenge", () => {
  const challenge = challenges.issue("person:1", 1000);
  assert.equal(challenges.find(challenge, "person:2", 1000), undefined, "another purpose");
  assert.equal(new PasskeyChallenges("another key").find(challenge, "person:1", 1000), undefined, "another store");
  assert.equal(challenges.find(challenge, "person:1", 100), undefined, "of a clock that was ahead");
  for (const text of ["", "AAAA", `${challenge}A`, challenge.slice(0, -1), `${challenge}=`, "A".repeat(72)])
    assert.equal(challenges.find(text, "person:1", 1000), undefined, text);
  for (let at = 0; at < challenge.length; at++) {
    const other = challenge[at] === "A" ? "B" : "A";
    const changed = challenge.slice(0, at) + other + challenge.slice(at + 1);
    assert.equal(challenges.find(changed, "person:1", 1000), undefined, `${at}`);
  }
});
