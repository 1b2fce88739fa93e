import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { orLong } from "../../../test/long.ts";
import { compareDecimals, type Decimal, readDecimal } from "../lib/decimal.ts";
import { NumberText } from "../lib/json.ts";
import { latestSeconds } from "../lib/time.ts";
import { compareText } from "../path.ts";
import { foldedKey, kinds, numberKey, numberOfKey, orderKey } from "./order-key.ts";

type Scalar = string | number | boolean | null | NumberText;

const decimalOf = (text: string): Decimal => readDecimal(text) as Decimal;
const exact = (text: string): NumberText => new NumberText(text);
const nameOf = (value: Scalar): string =>
  value instanceof NumberText ? `the number ${value.text.slice(0, 40)}` : JSON.stringify(value).slice(0, 60);

/** Each list is in order; the keys of two neighbours differ. */
const ascending: [name: string, values: Scalar[]][] = [
  [
    "numbers of any size",
    [
      ...["-1e999999999999999", "-2e400", "-1e400", "-123456789012345678901234567890"].map(exact),
      ...[-9007199254740991, -100, -99, -12, -1.25, -1.2, -1, -0.5, -0.05],
      ...["-1e-400", "-1e-999999999999999"].map(exact),
      0,
      ...["1e-999999999999999", "1e-400", "2e-400"].map(exact),
      ...[0.05, 0.5, 1, 1.2, 1.25, 2, 9, 10, 12, 99, 100, 9007199254740992],
      ...["9007199254740993", "9007199254740993.5", "9007199254740994"].map(exact),
      ...["123456789012345678901234567890", "1e400", "1.1e400", "1e999999999999999"].map(exact),
    ],
  ],
  ["numbers, and after each the texts of it", [1, "+1", "01", "1", "1.0", 1.5, "1.5", 2, "2", 10, "10"]],
  ["negative numbers and zero with their texts", [-1.5, "-1.5", -1, "-1", "-1.0", 0, "-0", "0", "0.0", 1e-9]],
  ["kinds of values", [null, -5, 5, "5", "", "a", false, true]],
  ["texts without case", ["apple", "Banana", "cherry", "Zebra"]],
  ["texts without marks", ["Apfel", "Äpfel", "Apfelbaum", "Äpfelchen", "Arm", "Öl", "Pol"]],
  ["texts with numbers", ["News", "News 1", "News 2", "News 10", "News 10a", "News 11", "News 100", "Newsletter"]],
  [
    "long runs of digits",
    [
      `v${"9".repeat(8)}`,
      `v${"1".repeat(9)}`,
      `v${"9".repeat(9)}`,
      `v${"1".repeat(10)}`,
      `v${"1".repeat(18)}`,
      `v${"1".repeat(19)}`,
    ].concat(`v${"9".repeat(200)}`, `v${"1".repeat(201)}`),
  ],
  ["several runs of digits", ["1.2.3", "1.2.10", "1.10.2", "2.0.0", "10.0.0"]],
  ["dates", ["2019-12-31", "2020-1-2", "2020-01-03", "2020-02-01", "2020-11-01"]],
  [
    "a text, its continuations and the lowest characters",
    ["a", "a\u0001", "a\u0001\u0001", "a\u0001b", "a\u0002", "a\u0003", "a ", "ab"],
  ],
  ["characters beyond the first plane", ["\u{ffff}", "\u{10000}", "\u{1f600}", "\u{1f601}", "\u{10ffff}"]],
];
for (const [name, values] of ascending) {
  test(`order keys are ordered as ${name}`, () => {
    values.slice(1).forEach((value, i) => {
      const before = values[i] as Scalar;
      const message = `${nameOf(before)} before ${nameOf(value)}`;
      assert.equal(compareText(orderKey(before), orderKey(value)), -1, message);
    });
  });
}

const equalNumbers: [Scalar, Scalar][] = [
  [1, exact("1.0")],
  [100, exact("1e2")],
  [0, exact("-0")],
  [-0, exact("0e5")],
  [0.5, exact("5e-1")],
  [1e21, exact("1000000000000000000000")],
  [exact("10e399"), exact("1e400")],
];
for (const [a, b] of equalNumbers) {
  test(`${nameOf(a)} has the key of ${nameOf(b)}`, () => assert.equal(orderKey(a), orderKey(b)));
}

const equalFolds: [string, string][] = [
  ["Apple", "apple"],
  ["Äpfel", "apfel"],
  ["Ä", "A\u0308"],
  ["ﬁne", "FINE"],
  ["ΟΔΟΣ", "οδος"],
  ["ΟΔΟΣ", "οδοσ"],
  ["İ", "i"],
  ["Track 007", "track 7"],
  ["a0", "a000"],
  ["x²", "x2"],
];
for (const [a, b] of equalFolds) {
  test(`${a} is equal to ${b} but for case, marks and zeros, and told apart from it`, () => {
    assert.equal(foldedKey(a), foldedKey(b));
    assert.notEqual(orderKey(a), orderKey(b));
  });
}

test("texts that are equal but for case, marks and zeros are in the order of their bytes", () => {
  for (const [a, b] of equalFolds)
    assert.equal(compareText(orderKey(a), orderKey(b)), compareText(a, b), `${a} and ${b}`);
});

const different: [string, string][] = [
  ["ß", "ss"],
  ["a\u0001", "a"],
  ["a\u0002", "a\u0001"],
  ["a 1", "a1"],
  ["1a", "a1"],
];
for (const [a, b] of different) {
  test(`${JSON.stringify(a)} differs from ${JSON.stringify(b)}`, () => assert.notEqual(foldedKey(a), foldedKey(b)));
}

// ------------------------------------------------------------------------------------------------ the specification

/** Texts as people read them: letter by letter without case and marks, runs of digits by their number. */
function comparePeople(a: string, b: string): number {
  const [x, y] = [lettersOf(a), lettersOf(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const [one, other] = [x[i] as string, y[i] as string];
    const areNumbers = /^\d/.test(one) && /^\d/.test(other);
    const compared = areNumbers ? Number(BigInt(one) - BigInt(other)) : compareText(one, other);
    if (compared !== 0) return Math.sign(compared);
  }
  return Math.sign(x.length - y.length);
}

const lettersOf = (text: string): string[] =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .match(/[0-9]+|[^0-9]/gsu) ?? [];

const rankOf = (value: Scalar): number => {
  if (value === null) return 0;
  if (typeof value === "boolean") return value ? 4 : 3;
  return numberOf(value) ? 1 : 2;
};
const numberOf = (value: Scalar): Decimal | undefined =>
  typeof value === "string" ? readDecimal(value) : decimalOf(value instanceof NumberText ? value.text : String(value));

function compareValues(a: Scalar, b: Scalar): number {
  const ranks = Math.sign(rankOf(a) - rankOf(b));
  if (ranks !== 0 || rankOf(a) === 0 || rankOf(a) > 2) return ranks;
  const [x, y] = [numberOf(a), numberOf(b)];
  const compared = x && y ? compareDecimals(x, y) : comparePeople(String(a), String(b));
  if (compared !== 0) return compared;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return Number(typeof a === "string") - Number(typeof b === "string");
}

/** Texts that only their bytes tell apart. */
const isTie = (a: Scalar, b: Scalar): boolean =>
  rankOf(a) === 2 && rankOf(b) === 2 && comparePeople(a as string, b as string) === 0;

const letter = fc.constantFrom(
  ...("aAbBzZäÄéÉßſKKσΣςİıﬁ²½①㎡ \u0001\u0002\u0003/0019:.-+e~\u007f\u0301\u3042\uac00\uffff\u{10000}\u{1f600}\u{10ffff}".match(
    /./gsu,
  ) as string[]),
);
const texts = fc.oneof(
  fc.string({ unit: letter, maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => text.replaceAll("\0", "")),
  fc.stringMatching(/^[a-b]?[0-9]{0,30}[a-b]?$/),
);
const numerals = fc
  .record({
    sign: fc.constantFrom("", "", "-"),
    whole: fc.oneof(fc.bigInt({ min: 0n, max: 200n }), fc.bigInt({ min: 0n, max: 10n ** 40n })),
    fraction: fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,20}$/)),
    exponent: fc.oneof(
      fc.constant(""),
      fc.integer({ min: -30, max: 30 }).map(withE),
      fc.maxSafeNat().map((n) => withE(n % 10 ** 15)),
      fc.maxSafeNat().map((n) => withE(-(n % 10 ** 15))),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);
function withE(exponent: number): string {
  return `e${exponent}`;
}
const numbers = fc.oneof(
  numerals.map(exact),
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const numericTexts = fc
  .tuple(fc.constantFrom("", "", "+", "0"), numerals)
  .map(([before, text]) => (text.startsWith("-") ? text : before + text));
const scalars: fc.Arbitrary<Scalar> = fc.oneof(texts, numbers, numericTexts, fc.boolean(), fc.constant(null));

/** Two values that are often alike: otherwise the first character decides. */
const pairs = fc.oneof(
  fc.tuple(scalars, scalars),
  fc.tuple(numbers, numbers),
  fc.tuple(texts, texts),
  fc.tuple(texts, texts, texts).map(([start, a, b]) => [start + a, start + b] as const),
  fc
    .tuple(
      texts,
      fc.constantFrom<(text: string) => string>(
        (t) => t.toUpperCase(),
        (t) => t.toLowerCase(),
        (t) => t.normalize("NFD"),
        (t) => `${t}0`,
      ),
    )
    .map(([text, change]) => [text, change(text)] as const),
  numerals.map((text) => [exact(text), text] as const),
  fc.tuple(numerals, numericTexts).map(([a, b]) => [exact(a), b] as const),
  fc
    .tuple(numerals, fc.constantFrom("0", "1", "9"))
    .map(
      ([text, digit]) =>
        [
          exact(text),
          exact(`${text.replace(/e.*/, "")}${text.includes(".") ? "" : "."}${digit}${/e.*/.exec(text)?.[0] ?? ""}`),
        ] as const,
    ),
);

test("the order of order keys is the order of values", () => {
  fc.assert(
    fc.property(pairs, ([a, b]) => {
      const compared = compareText(orderKey(a), orderKey(b));
      const expected = compareValues(a, b);
      if (isTie(a, b)) assert.equal(compared === 0, expected === 0, `${nameOf(a)} against ${nameOf(b)}`);
      else assert.equal(compared, expected, `${nameOf(a)} against ${nameOf(b)}`);
    }),
    { numRuns: orLong(3000, 100_000) },
  );
});

test("the order of number keys is that of decimals, and equal ones have one key", () => {
  fc.assert(
    fc.property(numerals, numerals, (a, b) => {
      const [x, y] = [decimalOf(a), decimalOf(b)];
      assert.equal(compareText(numberKey(x), numberKey(y)), compareDecimals(x, y));
      assert.equal(orderKey(exact(a)), numberKey(x));
      assert.ok(orderKey(a).startsWith(numberKey(x)) && orderKey(a) !== numberKey(x));
    }),
    { numRuns: orLong(1000, 20_000) },
  );
});

test("an order key begins with its kind, and is well formed", () => {
  fc.assert(
    fc.property(scalars, (value) => {
      const key = orderKey(value);
      const kind = [kinds.null, kinds.number, kinds.text, kinds.false, kinds.true][rankOf(value)] as string;
      assert.ok(key.startsWith(kind) && key < kinds.past);
      assert.ok(key.isWellFormed() && !key.includes("\0"));
    }),
    { numRuns: orLong(1000, 20_000) },
  );
});

test("the number of an order key is the number that it was made of", () => {
  const seconds = fc.oneof(
    fc.integer({ min: -latestSeconds, max: latestSeconds }),
    fc.maxSafeInteger(),
    fc.integer({ min: -1100, max: 1100 }),
  );
  fc.assert(fc.property(seconds, (value) => assert.equal(numberOfKey(orderKey(value)), value === 0 ? 0 : value)));
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      assert.equal(numberOfKey(orderKey(value)), value === 0 ? 0 : value),
    ),
  );
});

test("no other text has a number", () => {
  for (const value of ["5", "x", "", null, true, false, exact("1e400")])
    assert.equal(numberOfKey(orderKey(value)), undefined, nameOf(value));
  for (const key of ["", "1", "10", "12", "121a", "121z1", "13", "121a1~~", "1 21a15", "121a15\n"])
    assert.equal(numberOfKey(key), undefined, key);
  fc.assert(
    fc.property(fc.stringMatching(/^1[0-3][0-2][`a-d][0-9]{0,6}~?$/), (key) => {
      const number = numberOfKey(key);
      assert.ok(number === undefined || Number.isFinite(number));
    }),
  );
});
