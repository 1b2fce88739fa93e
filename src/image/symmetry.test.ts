import assert from "node:assert/strict";
import { test } from "node:test";
import type { Box, Size } from "./geometry.ts";
import { flipped, type Symmetry, symmetryOf, turnedBox, turnedSize, turnSteps, unturnedBox } from "./symmetry.ts";

const turns = [1, 2, 3, 4, 5, 6, 7, 8].map((exif) => symmetryOf("auto", exif));

/** Pixels as rows of letters, turned in the order of the type: swap axes, then mirror columns and rows. */
function turnedRows(rows: string[], { swap, mirrorX, mirrorY }: Symmetry): string[] {
  let grid = rows.map((row) => row.split(""));
  if (swap) grid = (grid[0] as string[]).map((_, x) => grid.map((row) => row[x] as string));
  if (mirrorX) grid = grid.map((row) => row.toReversed());
  if (mirrorY) grid = grid.toReversed();
  return grid.map((row) => row.join(""));
}
/** The same by sharp's steps: mirrored, then rotated clockwise by quarters. */
function steppedRows(rows: string[], turn: Symmetry): string[] {
  const { flop, degrees } = turnSteps(turn);
  let grid = rows.map((row) => (flop ? row.split("").toReversed() : row.split("")));
  for (let quarter = 0; quarter < degrees / 90; quarter++) {
    grid = (grid[0] as string[]).map((_, x) => grid.map((row) => row[x] as string).toReversed());
  }
  return grid.map((row) => row.join(""));
}

/** "ab / cd" as displayed with each EXIF orientation. Exif 2.32, 4.6.4 A. */
const seen = ["ab cd", "ba dc", "dc ba", "cd ab", "ac bd", "ca db", "db ca", "bd ac"];
for (const [n, rows] of seen.entries()) {
  test(`orientation ${n + 1} shows ab cd as ${rows}`, () => {
    const turn = symmetryOf("auto", n + 1);
    assert.equal(turnedRows(["ab", "cd"], turn).join(" "), rows);
    assert.equal(steppedRows(["ab", "cd"], turn).join(" "), rows);
  });
}

const counterClockwise: [or: 0 | 90 | 180 | 270, rows: string][] = [
  [0, "ab cd"],
  [90, "bd ac"],
  [180, "dc ba"],
  [270, "ca db"],
];
for (const [or, rows] of counterClockwise) {
  test(`${or} degrees rotate counter-clockwise, whatever the EXIF data`, () => {
    assert.equal(turnedRows(["ab", "cd"], symmetryOf(or, 6)).join(" "), rows);
  });
}
test("an unknown orientation is ignored", () => {
  for (const exif of [undefined, 0, 9, -1, 1.5, Number.NaN])
    assert.deepEqual(symmetryOf("auto", exif), symmetryOf(0, undefined));
});

test("a flip mirrors the rotated image", () => {
  for (const turn of turns) {
    const shown = turnedRows(["ab", "cd"], turn);
    const mirrored = shown.map((row) => row.split("").toReversed().join(""));
    assert.deepEqual(turnedRows(["ab", "cd"], flipped(turn, "h")), mirrored);
    assert.deepEqual(turnedRows(["ab", "cd"], flipped(turn, "v")), shown.toReversed());
    assert.deepEqual(turnedRows(["ab", "cd"], flipped(turn, "both")), mirrored.toReversed());
    assert.deepEqual(flipped(turn, undefined), turn);
  }
});

test("a box is rotated with its pixels, and back", () => {
  const rows = ["abcd", "efgh", "ijkl"];
  const stored: Size = { width: 4, height: 3 };
  const box: Box = { left: 1, top: 0, width: 2, height: 1 };
  for (const turn of turns) {
    const there = turnedBox(stored, box, turn);
    const cut = turnedRows(rows, turn)
      .slice(there.top, there.top + there.height)
      .map((row) => row.slice(there.left, there.left + there.width));
    assert.deepEqual(cut.join("").split("").toSorted(), ["b", "c"]);
    assert.deepEqual(unturnedBox(turnedSize(stored, turn), there, turn), box);
  }
});
