import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cbor, CborError, readCbor, readCborAt } from "./cbor.ts";

const read = (hex: string): Cbor => readCbor(Buffer.from(hex, "hex"));

test("items are read as RFC 8949, Appendix A, has them", () => {
  for (const [hex, value] of [
    ["00", 0],
    ["17", 23],
    ["1818", 24],
    ["18ff", 255],
    ["190100", 256],
    ["1a00010000", 65_536],
    ["1b000000e8d4a51000", 1_000_000_000_000],
    ["1b001fffffffffffff", Number.MAX_SAFE_INTEGER],
    ["20", -1],
    ["3863", -100],
    ["390100", -257],
    ["f4", false],
    ["f5", true],
    ["f6", null],
    ["60", ""],
    ["62c3bc", "ü"],
    ["6449455446", "IETF"],
    ["80", []],
    ["83010203", [1, 2, 3]],
    ["8301820203820405", [1, [2, 3], [4, 5]]],
  ] as const)
    assert.deepEqual(read(hex), value, hex);
  assert.deepEqual(read("4401020304"), new Uint8Array([1, 2, 3, 4]));
  assert.deepEqual(
    read("a26161016162820203"),
    new Map<string, Cbor>([
      ["a", 1],
      ["b", [2, 3]],
    ]),
  );
  assert.deepEqual(
    read("a2200121820203"),
    new Map<number, Cbor>([
      [-1, 1],
      [-2, [2, 3]],
    ]),
  );
});

test("an item is read where it begins, and its end is told", () => {
  assert.deepEqual(readCborAt(Buffer.from("ff830102034401", "hex"), 1), { value: [1, 2, 3], end: 5 });
});

test("bytes of another form are refused", () => {
  for (const [hex, why] of [
    ["", /cut off/],
    ["18", /cut off/],
    ["19ff", /cut off/],
    ["440102", /cut off/],
    ["5bffffffffffffffff", /too large/],
    ["5b0000000100000000", /cut off/],
    ["830102", /cut off/],
    ["9b0000000100000000", /cut off/],
    ["bb0000000100000000", /cut off/],
    ["a101", /cut off/],
    ["0000", /bytes follow/],
    ["1817", /longer than it needs/],
    ["1900ff", /longer than it needs/],
    ["1a0000ffff", /longer than it needs/],
    ["1b00000000ffffffff", /longer than it needs/],
    ["580101", /longer than it needs/],
    ["1b0020000000000000", /too large/],
    ["1c", /indefinite or reserved/],
    ["5f4101ff", /indefinite or reserved/],
    ["9f01ff", /indefinite or reserved/],
    ["bf0101ff", /indefinite or reserved/],
    ["ff", /float/],
    ["f7", /float/],
    ["f800", /float/],
    ["f97e00", /float/],
    ["c000", /a tag/],
    ["61ff", /not UTF-8/],
    ["a201010102", /twice/],
    ["a1f501", /a key is neither/],
    ["a1410101", /a key is neither/],
    [`${"81".repeat(8)}00`, /too deep/],
    ["81".repeat(100_000), /too deep/],
  ] as const)
    assert.throws(
      () => read(hex),
      (error) => error instanceof CborError && why.test(error.message),
      hex.slice(0, 40),
    );
});
