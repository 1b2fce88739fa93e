import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { workedMs } from "../../test/processor-time.ts";
import { hashPassword, isOutdated, isPassword, isPasswordHash, refuseWeak } from "./password.ts";

const good = "a quiet harbour at noon";

test("a hash is argon2id with 19 MiB, two passes, one lane and a salt of its own, as PHC text", async () => {
  const [one, two] = [await hashPassword(good), await hashPassword(good)];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  const [, , , , salt = "", tag = ""] = one.split("$");
  const parameters = { message: good, nonce: Buffer.from(salt, "base64"), memory: 19456, passes: 2, parallelism: 1 };
  assert.deepEqual(argon2Sync("argon2id", { ...parameters, tagLength: 32 }), Buffer.from(tag, "base64"));
  assert.equal(isOutdated(one), false);
});

test("a password fits its hash alone, whichever way it was typed", async () => {
  const hash = await hashPassword("caf\u00e9 au lait \u2460");
  assert.equal(await isPassword("cafe\u0301 au lait 1", hash), true);
  assert.equal(await isPassword("cafe au lait 1", hash), false);
  assert.equal(await isPassword("", hash), false);
  for (const none of [null, undefined, "", "$2b$10$abc", `${hash}$`, hash.replace("v=19", "v=16")])
    assert.equal(await isPassword(good, none), false, String(none));
});

test("a hash with other parameters is verified, and outdated", async () => {
  const salt = Buffer.alloc(16, 1);
  const parameters = { message: good, nonce: salt, memory: 64, passes: 3, parallelism: 2, tagLength: 24 };
  const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  const hash = `$argon2id$v=19$m=64,t=3,p=2$${text(salt)}$${text(argon2Sync("argon2id", parameters))}`;
  assert.equal(isPasswordHash(hash), true);
  assert.equal(await isPassword(good, hash), true);
  assert.equal(isOutdated(hash), true);
  assert.equal(isPasswordHash("secret"), false);
});

test("without a hash it takes as long", async () => {
  const hash = await hashPassword(good);
  const time = async (stored: string | undefined): Promise<number> => {
    const startedMs = workedMs();
    await isPassword("a wrong password", stored);
    return workedMs() - startedMs;
  };
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < 40; i++) {
    times.known.push(await time(hash));
    times.unknown.push(await time(undefined));
  }
  const median = (all: number[]): number => all.toSorted((a, b) => a - b)[20] as number;
  const [known, unknown] = [median(times.known), median(times.unknown)];
  // One that returned early would take a thousandth.
  assert.ok(unknown > known / 2 && unknown < known * 2, `${known} ms with, ${unknown} ms without a hash`);
});

const weak: [password: string, why: RegExp][] = [
  ["", /shorter than 8/],
  ["1234567", /shorter than 8/],
  ["\u{1f600}".repeat(7), /shorter than 8/],
  ["x".repeat(257), /longer than 256/],
  ["password", /most common/],
  ["Password1", /most common/],
  ["PASSWORD123", /most common/],
  ["passw0rd", /most common/],
  ["qwertyuiop", /most common/],
  ["12345678", /most common/],
  ["987654321", /most common/],
  ["iloveyou", /most common/],
  ["sunshine1", /most common/],
  ["football2024", /most common/],
  ["aaaaaaaa", /most common/],
  ["abcabcabc", /most common/],
  ["1q2w3e4r", /most common/],
  ["Ada Lovelace", /name or the address/],
  ["ADA@example.org", /name or the address/],
];
for (const [password, why] of weak) {
  test(`the password ${JSON.stringify(password.slice(0, 20))} is refused`, () => {
    assert.throws(() => refuseWeak("password", password, ["Ada Lovelace", "ada@example.org", ""]), {
      code: "password_weak",
      message: why,
    });
  });
}

test("there are no other rules", () => {
  for (const password of [
    ...["lower case alone", "93 71 05 48", "correct horse battery staple", "пароль который никто не знает"],
    ...["\u{1f600}\u{1f680}".repeat(5), "x".repeat(256), "\u{1f600}".repeat(256), "zr7!qx2p"],
  ])
    refuseWeak("password", password, ["Ada"]);
});

/** With parameters that cost little: the line is the same. */
const cheap = `$argon2id$v=19$m=64,t=1,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;

test("a password of another asker waits for a turn of each, not for all that came before", async () => {
  let before = 0;
  const many = Array.from({ length: 40 }, () => isPassword("wrong", cheap, "many").then(() => before++));
  await isPassword("wrong", cheap, "one");
  assert.ok(before <= 5, `${before} of the other came before`);
  await Promise.all(many);
});

test("where too many wait, the asker with most makes room; who has as many is refused", async () => {
  const many = Array.from({ length: 202 }, () => isPassword("wrong", cheap, "many"));
  const settled = Promise.allSettled(many);
  await assert.rejects(isPassword("wrong", cheap, "many"), { code: "busy" });
  assert.equal(await isPassword("wrong", cheap, "one"), false);
  const refused = (await settled).filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 1);
});
