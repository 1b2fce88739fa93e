import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import sharp from "sharp";
import { parseUrlEncoded } from "../../src/core/lib/brackets.ts";
import { parseModifiers } from "../../src/image/modifier.ts";
import { render } from "../../src/image/sharp/pipeline.ts";
import { temporaryFolder } from "../harness.ts";
import { ciede2000, difference } from "./difference.ts";

/**
 * Compares renditions with reviewed images. `UPDATE_GOLDEN=1` writes new ones; a failing rendition is saved in
 * test/golden/failed/ for review.
 */

const folder = temporaryFolder();
const root = new URL("../../", import.meta.url).pathname;
const golden = new URL("./pictures/", import.meta.url).pathname;
const failed = new URL("./failed/", import.meta.url).pathname;
const sources = { city: "assets/demo/uploads/movies/metropolis.jpg", sea: "assets/demo/uploads/movies/solaris.jpg" };

/** The query for a source image; it determines the name of the golden file. */
const cases: [source: keyof typeof sources | "alpha", query: string][] = [
  ["sea", "w=160"],
  ["sea", "w=160&h=160"],
  ["sea", "w=160&h=160&fit=fill&bg=112233"],
  ["sea", "w=160&h=160&fit=stretch"],
  ["sea", "w=160&h=160&fit=crop"],
  ["sea", "w=160&h=160&fit=crop-top-left"],
  ["sea", "w=160&h=160&fit=crop-70-30-2"],
  ["sea", "w=80&dpr=2"],
  ["sea", "crop=400,400,930,100&w=160"],
  ["sea", "w=160&or=90"],
  ["sea", "w=160&flip=h"],
  ["sea", "w=160&flip=both"],
  ["city", "w=160&bri=30"],
  ["city", "w=160&bri=-30"],
  ["city", "w=160&con=25"],
  ["city", "w=160&con=-25"],
  ["city", "w=160&gam=1.8"],
  ["city", "w=160&gam=0.5"],
  ["city", "w=160&sharp=15"],
  ["city", "w=160&filt=greyscale"],
  ["city", "w=160&filt=sepia"],
  ["city", "w=160&blur=10"],
  ["city", "w=160&pixel=8"],
  ["city", "w=160&border=6,FFCC00,overlay"],
  ["city", "w=160&border=6,FFCC00,shrink"],
  ["city", "w=160&border=6,FFCC00,expand"],
  ["city", "w=160&mark=m.png&markw=30w&markpos=top-right&markpad=4"],
  ["city", "w=160&mark=m.png&markw=50w&markpos=center&markalpha=40"],
  ["alpha", "w=120"],
  ["alpha", "w=120&bg=00AAFF"],
  ["alpha", "w=120&fm=jpg"],
];

const nameOf = (source: string, query: string): string => `${source}_${query.replace(/[^\w-]+/g, "_")}.png`;

before(async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="160"><circle cx="80" cy="80" r="70" fill="#d22"/>
    <rect x="120" y="30" width="100" height="100" fill="#24d" opacity=".5"/></svg>`;
  await sharp(Buffer.from(svg)).png().toFile(join(folder, "alpha.png"));
  mkdirSync(golden, { recursive: true });
});

async function draw(source: (typeof cases)[number][0], query: string): Promise<Buffer> {
  const options = { isStrict: true, defaults: new Map(), presets: new Map() };
  const { modifiers } = parseModifiers(parseUrlEncoded(query, { maxPairs: 50, maxDepth: 1, maxItems: 1 }), options);
  const result = join(folder, "result");
  const alpha = join(folder, "alpha.png");
  await render({
    source: source === "alpha" ? alpha : join(root, sources[source]),
    result,
    mark: modifiers.mark ? alpha : undefined,
    sourceType: source === "alpha" ? "image/png" : "image/jpeg",
    modifiers,
    format: modifiers.fm === "jpg" ? "jpg" : "png",
    limits: { maxSourcePixels: 1e8, maxOutputPixels: 4e7, maxSide: 8192 },
  });
  return readFileSync(result);
}

for (const [source, query] of cases) {
  test(`${source} with ${query} looks unchanged`, async () => {
    const made = await draw(source, query);
    const file = join(golden, nameOf(source, query));
    if (process.env.UPDATE_GOLDEN)
      writeFileSync(file, await sharp(made).png({ palette: true, colours: 128 }).toBuffer());
    assert.ok(existsSync(file), `${nameOf(source, query)} is missing; UPDATE_GOLDEN=1 writes it`);
    const expected = readFileSync(file);
    const [{ width, height }, was] = [await sharp(made).metadata(), await sharp(expected).metadata()];
    assert.deepEqual([width, height], [was.width, was.height]);
    const far = await difference(made, expected);
    if (far > 1.5) {
      mkdirSync(failed, { recursive: true });
      writeFileSync(join(failed, nameOf(source, query)), made);
    }
    assert.ok(far <= 1.5, `${far.toFixed(2)} away from ${nameOf(source, query)}; see test/golden/failed`);
  });
}

test("every golden image belongs to a case", () => {
  const names = cases.map(([source, query]) => nameOf(source, query));
  assert.deepEqual(globSync("*.png", { cwd: golden }).sort(), names.sort());
});

test("the colour difference agrees with the published pairs", () => {
  // Sharma, Wu and Dalal, The CIEDE2000 color-difference formula, table 1: pairs 1, 7, 13, 17 and 25.
  const pairs: [[number, number, number], [number, number, number], number][] = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, -0.001, 2.49], [50, 0.0011, -2.49], 4.7461],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
  ];
  for (const [one, other, expected] of pairs) assert.equal(ciede2000(one, other).toFixed(4), expected.toFixed(4));
});
