import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { compareDecimals, type Decimal, readDecimal, toDecimal } from "./decimal.ts";

const read = (text: string): Decimal => {
  const decimal = readDecimal(text);
  assert.ok(decimal, `${text} is a number`);
  return decimal;
};

for (const text of ["0", "-0", "+5", "007", "1.50", "1e5", "1E-5", "-2.5e+10", "1e400", `1e${"0".repeat(20)}5`]) {
  test(`${text} is a number`, () => assert.equal(read(text).near, Number(text)));
}

const notNumbers = [
  ...["", " 1", "1 ", "1.", ".5", "1,5", "0x10", "1e", "e5", "--1", "1_000", "Infinity", "NaN"],
  ...["1\n", "１", "1e9999999999999999", "2024-01-01", "1.2.3"],
];
for (const text of notNumbers) {
  test(`${JSON.stringify(text)} is not a number`, () => assert.equal(readDecimal(text), undefined));
}

const ordered = [
  ...["-1e400", "-9007199254740993", "-9007199254740992", "-1.5", "-1", "-1e-400"],
  ...["0", "1e-400", "2e-400", "0.1", "0.10000000000000000001", "1", "9007199254740992", "9007199254740993"],
  ...["1e400", "1.1e400", "1e999999999999999"],
];
test("decimals are ordered by value, even beyond the precision of a double", () => {
  ordered.forEach((a, i) => {
    ordered.forEach((b, j) => {
      assert.equal(compareDecimals(read(a), read(b)), Math.sign(i - j), `${a} against ${b}`);
    });
  });
});

const equal: [string, string][] = [
  ["0.10", "0.1"],
  ["1e2", "100"],
  ["-0", "0"],
  ["0e5", "0"],
  ["+7", "007"],
  ["10e399", "1e400"],
  ["0.0001e404", "1e400"],
  ["9007199254740993.0", "9007199254740993"],
];
for (const [a, b] of equal) {
  test(`${a} equals ${b}`, () => assert.equal(compareDecimals(read(a), read(b)), 0));
}

test("a JavaScript number equals the decimal of its text", () => {
  assert.equal(compareDecimals(toDecimal(1e21), read("1000000000000000000000")), 0);
  assert.equal(compareDecimals(toDecimal(0.1), read("0.1")), 0);
});

test("a million digits are compared fast", () => {
  const long = "1".repeat(1_000_000);
  assert.equal(compareDecimals(read(`${long}1`), read(`${long}2`)), -1);
});

/** A decimal as an integer multiple of 10^-40, for comparison. */
const scaled = fc.record({
  digits: fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
  exponent: fc.integer({ min: -20, max: 20 }),
  point: fc.integer({ min: 0, max: 5 }),
});
type Scaled = { digits: bigint; exponent: number; point: number };
const textOf = ({ digits, exponent, point }: Scaled): string => {
  const text = (digits < 0n ? -digits : digits).toString().padStart(point + 1, "0");
  const whole = text.slice(0, text.length - point);
  return `${digits < 0n ? "-" : ""}${whole}${point > 0 ? `.${text.slice(-point)}` : ""}e${exponent + point}`;
};
const toInteger = ({ digits, exponent }: Scaled): bigint => digits * 10n ** BigInt(exponent + 40);
const pairs = fc.oneof(
  fc.tuple(scaled, scaled),
  fc
    .tuple(scaled, fc.integer({ min: -2, max: 2 }))
    .map(([a, by]) => [a, { ...a, digits: a.digits + BigInt(by) }] as const),
);

test("comparison agrees with integers of a common scale", () => {
  fc.assert(
    fc.property(pairs, ([a, b]) => {
      const expected = toInteger(a) < toInteger(b) ? -1 : toInteger(a) > toInteger(b) ? 1 : 0;
      assert.equal(compareDecimals(read(textOf(a)), read(textOf(b))), expected);
    }),
    { numRuns: 2000 },
  );
});
