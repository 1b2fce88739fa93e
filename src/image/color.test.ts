import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { formatColor, namedColors, parseColor } from "./color.ts";

const accepted: [text: string, r: number, g: number, b: number, alpha: number][] = [
  ["f00", 255, 0, 0, 1],
  ["ABC", 170, 187, 204, 1],
  ["ff8000", 255, 128, 0, 1],
  ["FF8000", 255, 128, 0, 1],
  ["5f00", 255, 0, 0, 0.5],
  ["0fff", 255, 255, 255, 0],
  ["9123", 17, 34, 51, 0.9],
  ["50ff0000", 255, 0, 0, 0.5],
  ["07ff0000", 255, 0, 0, 0.07],
  ["99ff0000", 255, 0, 0, 0.99],
  ["00ff0000", 255, 0, 0, 0],
  ["123", 17, 34, 51, 1],
  ["123456", 18, 52, 86, 1],
  ["red", 255, 0, 0, 1],
  ["ReD", 255, 0, 0, 1],
  ["LightGoldenRodYellow", 250, 250, 210, 1],
  ["tan", 210, 180, 140, 1],
];
for (const [text, r, g, b, alpha] of accepted) {
  test(`${text} is a colour`, () => assert.deepEqual(parseColor(text), { r, g, b, alpha }));
}

const refused = [
  "",
  "#ff",
  "#fffff",
  "rgb(1,2)",
  "rgb(1,2,3",
  "hsl(0,0%,0%)",
  "f",
  "ff",
  "af00",
  "a0ff0000",
  "0xff00",
  "ff00000",
  "123456789",
  "redd",
  " red",
  "constructor",
];
for (const text of [...refused, "f00\n", "ggg", "1.00"]) {
  test(`${JSON.stringify(text)} is not a colour`, () => assert.equal(parseColor(text), undefined));
}

const css: [string, string][] = [
  ["#f00", "ff0000"],
  ["#FF8000", "ff8000"],
  ["#f008", "53ff0000"],
  ["#ff000080", "50ff0000"],
  ["#ff0000ff", "ff0000"],
  ["rgb(255,128,0)", "ff8000"],
  ["RGB(255, 128, 0)", "ff8000"],
  ["rgb(100% 50% 0%)", "ff8000"],
  ["rgb(300,0,0)", "ff0000"],
  ["rgba(255,0,0,.5)", "50ff0000"],
  ["rgb(255 0 0 / 25%)", "25ff0000"],
  ["rgba(255,0,0,0.999)", "ff0000"],
  ["DarkSlateGrey", "2f4f4f"],
  ["grey", "808080"],
  ["transparent", "00ffffff"],
];
for (const [text, formatted] of css) {
  test(`${text} is the CSS colour`, () => assert.equal(formatColor(parseColor(text)!), formatted));
}

test("there are 141 names with six hex digits each", () => {
  assert.equal(namedColors.size, 141);
  for (const [name, hex] of namedColors) {
    assert.match(name, /^[a-z]+$/);
    assert.match(hex, /^[\da-f]{6}$/);
    assert.equal(formatColor(parseColor(name)!), hex);
  }
});

test("CSS synonyms are the same colour", () => {
  assert.deepEqual(parseColor("aqua"), parseColor("cyan"));
  assert.deepEqual(parseColor("fuchsia"), parseColor("magenta"));
});

test("a formatted colour parses to itself", () => {
  const digit = fc.constantFrom(..."0123456789abcdef");
  const hex = (length: number) => fc.array(digit, { minLength: length, maxLength: length }).map((all) => all.join(""));
  const decimal = (max: number, length: number) =>
    fc.integer({ min: 0, max }).map((number) => String(number).padStart(length, "0"));
  const texts = fc.oneof(
    hex(3),
    hex(6),
    fc.tuple(decimal(9, 1), hex(3)).map((pieces) => pieces.join("")),
    fc.tuple(decimal(99, 2), hex(6)).map((pieces) => pieces.join("")),
    fc.constantFrom(...namedColors.keys()),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const color = parseColor(text)!;
      assert.deepEqual(parseColor(formatColor(color)), color);
      assert.match(formatColor(color), /^[\da-f]{6}$|^\d\d[\da-f]{6}$/);
    }),
  );
});
