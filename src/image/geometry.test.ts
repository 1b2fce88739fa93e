import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { type OutputLimits, planBorder, planMark, planSize, type SizePlan } from "./geometry.ts";
import type { Fit, Length, Mark, Modifiers } from "./modifier.ts";

type Asked = Pick<Modifiers, "crop" | "w" | "h" | "fit" | "dpr">;

const limits: OutputLimits = { maxOutputPixels: 40_000_000, maxSide: 8192 };
const px = (pixels: number): Length => ({ px: pixels });
const percent = (of: "w" | "h", value: number): Length => ({ percent: value, of });
const crop = (x = 50, y = 50, zoom = 1): Fit => ({ kind: "crop", x, y, zoom });

function plan(size: string, asked: Partial<Asked>, within = limits): SizePlan {
  const [width, height] = size.split("x").map(Number) as [number, number];
  return planSize({ width, height }, { fit: { kind: "contain" }, dpr: 1, ...asked }, within);
}
/** The result; if the scaled picture differs from it, also its size and position. */
function told({ width, height, scaled }: SizePlan): string {
  const result = `${width}x${height}`;
  const inner = `${scaled.width}x${scaled.height}`;
  return inner === result ? result : `${inner} at ${scaled.left},${scaled.top} on ${result}`;
}

const fill: Fit = { kind: "fill" };
const fillMax: Fit = { kind: "fill-max" };
const max: Fit = { kind: "max" };
const stretch: Fit = { kind: "stretch" };

const sizes: [source: string, asked: Partial<Asked>, result: string][] = [
  // The default fit: contain.
  ["960x640", {}, "960x640"],
  ["960x640", { w: px(100) }, "100x67"],
  ["960x640", { h: px(100) }, "150x100"],
  ["960x640", { w: px(300), h: px(300) }, "300x200"],
  ["640x960", { w: px(300), h: px(300) }, "200x300"],
  ["960x640", { w: px(2000), h: px(2000) }, "2000x1333"],
  ["960x640", { w: px(480), h: px(320) }, "480x320"],
  ["3x2", { w: px(1) }, "1x1"],
  ["10000x1", { w: px(100) }, "100x1"],
  ["1x10000", { h: px(3) }, "1x3"],
  ["960x640", { w: px(0.5) }, "1x1"],
  // Relative to the sides of the picture.
  ["960x640", { w: percent("w", 50) }, "480x320"],
  ["960x640", { w: percent("h", 50) }, "320x213"],
  ["960x640", { h: percent("h", 25) }, "240x160"],
  ["960x640", { w: percent("w", 50), dpr: 2 }, "960x640"],
  ["100x100", { w: percent("w", 29) }, "29x29"],
  // dpr truncates.
  ["960x640", { w: px(100), dpr: 2 }, "200x133"],
  ["960x640", { w: px(101), dpr: 1.5 }, "151x101"],
  ["960x640", { w: px(101), h: px(101), dpr: 1.5, fit: stretch }, "151x151"],
  ["960x640", { dpr: 2 }, "1920x1280"],
  ["960x640", { dpr: 0.5 }, "480x320"],
  ["960x640", { dpr: 0.001 }, "1x1"],
  ["960x640", { w: px(600), dpr: 2, fit: max }, "960x640"],
  // max
  ["960x640", { w: px(300), h: px(300), fit: max }, "300x200"],
  ["960x640", { w: px(2000), fit: max }, "960x640"],
  ["960x640", { w: px(2000), h: px(300), fit: max }, "450x300"],
  ["960x640", { w: px(2000), h: px(2000), fit: max }, "960x640"],
  // fill, fill-max
  ["960x640", { w: px(300), h: px(300), fit: fill }, "300x200 at 0,50 on 300x300"],
  ["960x640", { w: px(301), h: px(301), fit: fill }, "301x201 at 0,50 on 301x301"],
  ["960x640", { w: px(2000), h: px(1000), fit: fill }, "960x640 at 520,180 on 2000x1000"],
  ["960x640", { w: px(2000), fit: fill }, "960x640 at 520,346 on 2000x1333"],
  ["50x50", { w: px(101), h: px(50), fit: fill }, "50x50 at 25,0 on 101x50"],
  ["51x51", { w: px(100), h: px(51), fit: fill }, "51x51 at 25,0 on 100x51"],
  ["960x640", { w: px(2000), h: px(1000), fit: fillMax }, "1500x1000 at 250,0 on 2000x1000"],
  ["960x640", { w: px(300), h: px(300), fit: fillMax }, "300x200 at 0,50 on 300x300"],
  // stretch
  ["960x640", { w: px(10), h: px(500), fit: stretch }, "10x500"],
  ["960x640", { w: px(10), fit: stretch }, "10x7"],
  // crop
  ["960x640", { w: px(300), h: px(300), fit: crop() }, "450x300 at -75,0 on 300x300"],
  ["640x960", { w: px(300), h: px(300), fit: crop() }, "300x450 at 0,-75 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(0, 0) }, "450x300 at 0,0 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(100, 100) }, "450x300 at -150,0 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(40, 0) }, "450x300 at -30,0 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(41, 0) }, "450x300 at -34,0 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(50, 50, 2) }, "900x600 at -300,-150 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(25, 75, 2) }, "900x600 at -75,-300 on 300x300"],
  ["960x640", { w: px(300), h: px(300), fit: crop(50, 50, 1.5) }, "675x450 at -187,-75 on 300x300"],
  ["960x640", { w: px(300), fit: crop() }, "300x200"],
  ["960x640", { fit: crop(50, 50, 2) }, "1920x1280 at -480,-320 on 960x640"],
  ["960x640", { w: px(2000), h: px(2000), fit: crop() }, "3000x2000 at -500,0 on 2000x2000"],
  ["300x300", { w: px(300), h: px(100), fit: crop(0, 0) }, "300x300 at 0,0 on 300x100"],
  // crop=, before the size
  ["960x640", { crop: { width: 100, height: 100, x: 0, y: 0 } }, "100x100"],
  ["960x640", { crop: { width: 200, height: 100, x: 10, y: 10 }, w: px(100) }, "100x50"],
  ["960x640", { crop: { width: 500, height: 500, x: 900, y: 600 } }, "60x40"],
  ["960x640", { crop: { width: 200, height: 100, x: 0, y: 0 }, w: percent("w", 50) }, "100x50"],
  ["960x640", { crop: { width: 200, height: 100, x: 960, y: 0 } }, "960x640"],
  ["960x640", { crop: { width: 0.5, height: 100, x: 0, y: 0 } }, "960x640"],
];

for (const [source, asked, result] of sizes) {
  test(`${source} with ${JSON.stringify(asked)} is ${result}`, () => assert.equal(told(plan(source, asked)), result));
}

test("a crop has its position; a crop of everything is no crop", () => {
  assert.deepEqual(plan("960x640", { crop: { width: 500, height: 50, x: 900.9, y: 600.9 } }).crop, {
    ...{ left: 900, top: 600 },
    ...{ width: 60, height: 40 },
  });
  assert.equal(plan("960x640", { crop: { width: 5000, height: 5000, x: 0, y: 0 } }).crop, undefined);
});

test("above the pixel limit both sides are scaled equally and rounded down", () => {
  const budget = { maxOutputPixels: 4_000_000, maxSide: 8192 };
  assert.equal(told(plan("6000x4000", {}, budget)), "2449x1632");
  assert.equal(told(plan("6000x4000", { fit: max }, budget)), "2449x1632");
  assert.equal(told(plan("960x640", { w: px(3000) }, budget)), "2449x1632");
  assert.equal(told(plan("960x640", { w: px(3000), h: px(3000), fit: stretch }, budget)), "2000x2000");
  assert.equal(told(plan("960x640", { w: px(3000), h: px(3000) }, budget)), "2000x1333");
  assert.equal(
    told(plan("960x640", { w: px(3000), h: px(3000), fit: crop() }, budget)),
    "3000x2000 at -500,0 on 2000x2000",
  );
  assert.equal(told(plan("2000x2000", {}, budget)), "2000x2000");
});

test("no side exceeds the limit, measured on the image, not on its box", () => {
  assert.equal(told(plan("960x640", { w: px(20_000), h: px(100) })), "150x100");
  assert.equal(told(plan("100x10", { w: px(20_000) })), "8192x819");
  assert.equal(told(plan("100x10", { w: px(20_000), h: px(20), fit: stretch })), "8192x8");
  assert.equal(told(plan("20000x100", {})), "8192x40");
  assert.equal(told(plan("20000x100", { fit: max, w: px(30_000) })), "8192x40");
});

const anyLength = fc.oneof(
  fc.double({ min: 0, noNaN: true }).map(px),
  fc.record({ percent: fc.integer({ min: 0, max: 100 }), of: fc.constantFrom("w" as const, "h" as const) }),
);
const anyFit = fc.oneof(
  fc.constantFrom(fill, fillMax, max, stretch, { kind: "contain" } as Fit),
  fc
    .tuple(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      fc.double({ min: 1, max: 100, noNaN: true }),
    )
    .map((focus) => crop(...focus)),
);
const anySide = fc.integer({ min: 1, max: 20_000 });

test("any plan has whole pixels within the limits, and the image is inside the canvas or covers it", () => {
  const within = { maxOutputPixels: 1_000_000, maxSide: 3000 };
  const asked = fc.record(
    { w: anyLength, h: anyLength, fit: anyFit, dpr: fc.double({ min: 0.01, max: 8, noNaN: true }) },
    { requiredKeys: ["fit", "dpr"] },
  );
  fc.assert(
    fc.property(anySide, anySide, asked, (width, height, modifiers) => {
      const { scaled, ...result } = planSize({ width, height }, modifiers, within);
      const numbers = [result.width, result.height, scaled.width, scaled.height, scaled.left, scaled.top];
      for (const number of numbers) assert.ok(Number.isSafeInteger(number) && !Object.is(number, -0), `${numbers}`);
      assert.ok(result.width >= 1 && result.height >= 1 && scaled.width >= 1 && scaled.height >= 1);
      assert.ok(Math.max(result.width, result.height) <= within.maxSide);
      assert.ok(result.width * result.height <= within.maxOutputPixels);
      const ends = [scaled.left + scaled.width - result.width, scaled.top + scaled.height - result.height];
      if (modifiers.fit.kind === "crop")
        assert.ok(scaled.left <= 0 && scaled.top <= 0 && ends.every((end) => end >= 0));
      else assert.ok(scaled.left >= 0 && scaled.top >= 0 && ends.every((end) => end <= 0));
    }),
  );
});

const picture = { width: 400, height: 300 };
const mark: Pick<Mark, "w" | "h" | "fit" | "x" | "y" | "position"> = {
  ...{ fit: { kind: "contain" }, x: px(0), y: px(0), position: "bottom-right" },
};
const place = (asked: Partial<Mark>, dpr = 1, natural = { width: 100, height: 50 }): string => {
  const found = planMark(picture, natural, { ...mark, ...asked }, dpr, limits);
  return found ? `${told(found.plan)} to ${found.left},${found.top}` : "nothing";
};

const marks: [asked: Partial<Mark>, dpr: number, result: string][] = [
  [{}, 1, "100x50 to 300,250"],
  [{}, 2, "100x50 to 300,250"],
  [{ w: px(40) }, 1, "40x20 to 360,280"],
  [{ w: px(40) }, 2, "80x40 to 320,260"],
  [{ w: percent("w", 50) }, 2, "200x100 to 200,200"],
  [{ h: percent("h", 10) }, 1, "60x30 to 340,270"],
  [{ w: px(40), h: px(40), fit: stretch }, 1, "40x40 to 360,260"],
  [{ w: px(40), h: px(40), fit: crop() }, 1, "80x40 at -20,0 on 40x40 to 360,260"],
  [{ w: px(400), h: px(400), fit: max }, 1, "100x50 to 300,250"],
  [{ x: px(10), y: px(20) }, 1, "100x50 to 290,230"],
  [{ x: px(10), y: px(20), position: "top-left" }, 2, "100x50 to 20,40"],
  [{ x: px(10), y: px(20), position: "top" }, 1, "100x50 to 150,20"],
  [{ x: px(10), y: px(20), position: "left" }, 1, "100x50 to 10,125"],
  [{ x: px(10), y: px(20), position: "center" }, 1, "100x50 to 150,125"],
  [{ x: percent("w", 10), y: percent("h", 10), position: "top-right" }, 1, "100x50 to 260,30"],
  [{ position: "right" }, 1, "100x50 to 300,125"],
  [{ position: "bottom-left" }, 1, "100x50 to 0,250"],
  [{ position: "bottom" }, 1, "100x50 to 150,250"],
  // Beyond the edges only the visible part is drawn.
  [{ w: px(800) }, 1, "800x400 at -400,-100 on 400x300 to 0,0"],
  [{ x: px(350), position: "top-left" }, 1, "100x50 at 0,0 on 50x50 to 350,0"],
  [{ x: px(350) }, 1, "100x50 at -50,0 on 50x50 to 0,250"],
  [{ x: px(500) }, 1, "nothing"],
];

for (const [asked, dpr, result] of marks) {
  test(`a mark of 100x50 on 400x300 with ${JSON.stringify(asked)}, dpr ${dpr}: ${result}`, () =>
    assert.equal(place(asked, dpr), result));
}

test("a border overlays, shrinks or expands", () => {
  const border = (width: Length, method: "overlay" | "shrink" | "expand", dpr = 1, within = limits) => {
    const found = planBorder(picture, { width, method }, dpr, within);
    if (!found) return "none";
    const { inner, band } = found;
    return `${inner.width}x${inner.height} at ${inner.left},${inner.top} on ${found.width}x${found.height}, ${band}`;
  };
  assert.equal(border(px(10), "overlay"), "400x300 at 0,0 on 400x300, 10");
  assert.equal(border(px(10), "overlay", 2.5), "400x300 at 0,0 on 400x300, 25");
  assert.equal(border(px(1000), "overlay"), "400x300 at 0,0 on 400x300, 150");
  assert.equal(border(px(0.5), "overlay"), "none");
  assert.equal(border(px(10), "shrink"), "380x280 at 10,10 on 400x300, 0");
  assert.equal(border(percent("w", 5), "shrink", 2), "360x260 at 20,20 on 400x300, 0");
  assert.equal(border(px(7.5), "shrink"), "385x285 at 8,8 on 400x300, 0");
  assert.equal(border(px(1000), "shrink"), "101x1 at 150,150 on 400x300, 0");
  assert.equal(border(px(10), "expand"), "400x300 at 10,10 on 420x320, 0");
  assert.equal(border(percent("h", 10), "expand"), "400x300 at 30,30 on 460x360, 0");
  assert.equal(border(px(7.5), "expand"), "400x300 at 7,7 on 415x315, 0");
  assert.equal(border(px(1e9), "expand"), "400x300 at 2987,2987 on 6374x6274, 0");
  assert.equal(border(px(1e9), "expand", 1, { maxOutputPixels: 120_000, maxSide: 8192 }), "none");
  const tight = planBorder(picture, { width: px(1e9), method: "expand" }, 1, {
    maxOutputPixels: 200_000,
    maxSide: 8192,
  });
  assert.deepEqual([tight?.width, tight?.height], [500, 400]);
});
