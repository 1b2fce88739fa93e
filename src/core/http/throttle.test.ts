import assert from "node:assert/strict";
import { test } from "node:test";
import { FailureThrottle, networkOf, SignInThrottle } from "./throttle.ts";

const minuteMs = 60_000;

test("failures from one network make its next try of the account wait, and nobody else's", () => {
  const throttle = new SignInThrottle(true);
  const fail = (address: string, nowMs: number) => throttle.begin("ada", address, nowMs);
  for (let i = 0; i < 5; i++) assert.equal(fail("192.0.2.9", 0), undefined);
  assert.equal(fail("192.0.2.9", 0), 1);
  let nowMs = 0;
  const waits: number[] = [];
  // A day of it.
  for (let i = 0; i < 300; i++) {
    const wait = fail("192.0.2.9", nowMs) as number;
    waits.push(wait);
    nowMs += wait * 1000;
    assert.equal(fail("192.0.2.9", nowMs), undefined);
  }
  assert.deepEqual(waits.slice(0, 12), [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  assert.equal(throttle.begin("grace", "192.0.2.1", nowMs), undefined, "another account does not wait");
  assert.equal(fail("192.0.2.1", nowMs), undefined, "nor does the account elsewhere");
  assert.equal(fail("192.0.2.9", nowMs + 61 * minuteMs), undefined, "an hour later all is forgotten");
  assert.equal(fail("192.0.2.9", nowMs + 61 * minuteMs), undefined);
});

test("failures from many networks make an account wait, but not where somebody has signed in to it", () => {
  for (const knows of ["succeed", "know"] as const) {
    const throttle = new SignInThrottle(true);
    const fail = (address: string, nowMs = 0) => throttle.begin("ada", address, nowMs);
    throttle[knows]("ada", "2001:db8::1");
    for (let i = 0; i < 50; i++) assert.equal(fail(`198.51.100.${i % 10}`), undefined, String(i));
    assert.equal(fail("192.0.2.9"), 1, "ten networks make all that are unknown wait");
    assert.equal(fail("2001:db8::2"), undefined, "the /64 that has signed in waits for none of them");
    let nowMs = 0;
    for (let i = 0; i < 100; i++) {
      const wait = fail(`203.0.113.${i}`, nowMs);
      assert.ok(wait !== undefined && wait <= 300);
      nowMs += wait * 1000;
      assert.equal(fail(`203.0.113.${i}`, nowMs), undefined);
    }
    for (let i = 0; i < 5; i++) assert.equal(fail("2001:db8::3", nowMs), undefined);
    assert.equal(fail("2001:db8::3", nowMs), 1, "it waits for its own failures");
    throttle.succeed("ada", "2001:db8::3");
    assert.equal(fail("192.0.2.9", nowMs), undefined, "a sign-in lets the account begin anew");
  }
});

test("failures from an address make the next one wait, for any account; a success takes one back", () => {
  const throttle = new SignInThrottle(true);
  for (let i = 0; i < 20; i++) assert.equal(throttle.begin(`person ${i}`, "192.0.2.1", 0), undefined);
  assert.equal(throttle.begin("ada", "192.0.2.1", 0), 1);
  assert.equal(throttle.begin("ada", "192.0.2.2", 0), undefined);
  throttle.succeed("ada", "192.0.2.2");
  const calm = new SignInThrottle(true);
  for (let i = 0; i < 100; i++) {
    assert.equal(calm.begin("ada", "192.0.2.1", 0), undefined);
    calm.succeed("ada", "192.0.2.1");
  }
  const off = new SignInThrottle(false);
  for (let i = 0; i < 100; i++) assert.equal(off.begin("ada", "192.0.2.1", 0), undefined);
});

test("CVE-2026-45364: guesses from one /64, or in another spelling of an address, are counted together", () => {
  const addresses = ["2001:db8::1", "2001:DB8::2", "2001:0db8:0:0:1::", "2001:db8:0:0:ffff:ffff:ffff:ffff"];
  const mapped = ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "0:0:0:0:0:FFFF:C000:0201"];
  for (const spellings of [addresses, mapped]) {
    const guesses = new FailureThrottle(2);
    const waits = spellings.map((address) => guesses.fail(address, 0) !== undefined);
    assert.deepEqual(waits, [false, false, true, true]);
    const tries = new SignInThrottle(true);
    for (let i = 0; i < 20; i++) tries.begin(`person ${i}`, spellings[i % 4] as string, 0);
    for (const address of spellings) assert.equal(tries.begin("ada", address, 0), 1, address);
  }
});

test("the /64 of an IPv6 address counts, and an IPv4 address in IPv6 as itself", () => {
  const same = [
    "2001:db8:0:1::1",
    "2001:DB8:0:1:ffff::2",
    "2001:db8:0:1:1:2:3:4",
    "2001:0db8:0000:0001::",
    "2001:db8:0:1::1%eth0",
  ];
  for (const address of same) assert.equal(networkOf(address), "2001:db8:0:1", address);
  assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0");
  assert.equal(networkOf("2001:db8:0:2::1"), "2001:db8:0:2");
  assert.equal(networkOf("::1"), "0:0:0:0");
  assert.equal(networkOf("1::2:3:4:5:6"), "1:0:0:2");
  assert.equal(networkOf("64:ff9b::192.0.2.1"), "64:ff9b:0:0");
  for (const address of ["::ffff:192.0.2.1", "::FFFF:c000:0201", "0:0:0:0:0:ffff:c000:201", "0::ffff:192.0.2.1"])
    assert.equal(networkOf(address), "192.0.2.1", address);
  for (const none of ["", "unknown", "192.0.2.1:80", "[::1]:80", "::ffff:999.1.1.1"])
    assert.equal(networkOf(none), none);
  assert.equal(networkOf("192.0.2.1"), "192.0.2.1");
});
