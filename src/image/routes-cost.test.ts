// Long: it draws images that use their whole time limit.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { drawingProcesses } from "../../test/fixtures/drawing-processes.ts";
import { useWorld } from "../../test/harness.ts";
import { readCpuMs } from "./sharp/process.ts";

/** The effect of costly images on their own request and on others. Decision 12. */

const long = { skip: !process.env.OCTAVO_TEST_LONG && "only with OCTAVO_TEST_LONG" };
const world = useWorld({ "render-workers": "1" });
const short = useWorld({ "render-workers": "1", "render-timeout-seconds": "1" });

type World = typeof world;
type Got = { status: number; bytes: Buffer; code: string | undefined; retryAfter: string | null };

async function upload(to: World, name: string, bytes: Uint8Array | string): Promise<void> {
  const form = new FormData();
  form.set("folder", "");
  form.set("file", new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name));
  const headers = { Authorization: `Bearer ${to.token.management}`, "X-Access-Token": to.token.access };
  const response = await fetch(`${to.app.url}/api/files`, { method: "POST", headers, body: form });
  assert.equal(response.status, 200, await response.text());
}

async function get(from: World, path: string, query: string): Promise<Got> {
  const response = await fetch(`${from.app.url}/api/images/${path}?token=${from.token.images}&${query}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isProblem = response.headers.get("content-type")?.includes("problem");
  const code = isProblem ? JSON.parse(bytes.toString()).code : undefined;
  return { status: response.status, bytes, code, retryAfter: response.headers.get("retry-after") };
}

/** Retries after 503, as clients do: on a busy machine the next attempt may succeed. */
async function getInTime(from: World, path: string, query: string): Promise<Got> {
  for (let tries = 1; ; tries++) {
    const got = await get(from, path, query);
    if (got.status !== 503 || tries === 5) return got;
  }
}

/** Noise on soft patches: as many bytes per pixel as a detailed photograph. */
function photo(width: number, height: number) {
  const noise = { type: "gaussian", mean: 128, sigma: 24 } as const;
  const grain = { width: width / 2, height: height / 2, channels: 3 as const, background: "black", noise };
  return sharp({ create: grain }).resize(width, height);
}

const turbulence = '<feTurbulence baseFrequency=".01" numOctaves="9999"/><feGaussianBlur stdDeviation="99"/>'.repeat(
  20,
);
const hostile = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f">${turbulence}</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`;
const shadow = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><filter id="s"><feDropShadow dx="2" dy="2" stdDeviation="2"/></filter><circle cx="32" cy="32" r="20" fill="#dc2828" filter="url(#s)"/></svg>`;

before(async () => {
  await Promise.all([world.ready, short.ready]);
  await upload(world, "photo.jpg", await photo(1200, 800).jpeg().toBuffer());
  await upload(world, "hostile.svg", hostile);
  await upload(world, "shadow.svg", shadow);
  await upload(short, "large.jpg", await photo(4000, 3000).jpeg({ quality: 95 }).toBuffer());
});

test("images are drawn while an SVG uses all its time and is then too costly", async () => {
  let isOver = false;
  const two = [get(world, "hostile.svg", "w=3000"), get(world, "hostile.svg", "w=3001")];
  void Promise.race(two).then(() => {
    isOver = true;
  });
  for (const width of [300, 310, 320]) assert.equal((await get(world, "photo.jpg", `w=${width}`)).status, 200);
  assert.equal(isOver, false, "both SVGs are still being drawn");
  // On a busy machine it may get no processor time for three times as long.
  for (const { status, code } of await Promise.all(two)) {
    assert.match(`${status} ${code}`, /^(422 image_too_costly|503 busy)$/);
  }
});

test("an SVG with a shadow is drawn", async () => {
  const { channels } = await sharp((await get(world, "shadow.svg", "w=64")).bytes).stats();
  assert.ok((channels[0]?.max ?? 0) > 200);
});

test("an image that gets no processor time is 503 with Retry-After, not too costly", {
  skip: !existsSync("/proc/self/stat") && "needs /proc",
}, async () => {
  const others = new Set(drawingProcesses());
  const asked = get(short, "large.jpg", "w=3900&blur=30");
  let pid: number | undefined;
  let isDrawn = false;
  void asked.then(() => {
    isDrawn = true;
  });
  // After its start, in the middle of the image.
  while ((readCpuMs(pid) ?? 0) < 700) {
    assert.equal(isDrawn, false, "it is drawn before it could be stopped");
    [pid] = drawingProcesses().filter((each) => !others.has(each));
    await delay(5);
  }
  process.kill(pid as number, "SIGSTOP");
  const { status, code, retryAfter } = await asked;
  assert.deepEqual([status, code], [503, "busy"]);
  assert.ok(Number(retryAfter) >= 1);
  assert.equal((await get(short, "large.jpg", "w=40")).status, 200, "service resumes");
});

test("a whole photograph of 12 megapixels is drawn as GIF", async () => {
  await upload(world, "twelve.jpg", await photo(4000, 3000).jpeg({ quality: 90 }).toBuffer());
  const found = await sharp((await getInTime(world, "twelve.jpg", "fm=gif")).bytes).metadata();
  assert.deepEqual([found.format, found.width, found.height], ["gif", 4000, 3000]);
});

test("whole photographs of 24 megapixels are drawn in every format", long, async () => {
  const picture = photo(6000, 4000);
  await upload(world, "jpeg.jpg", await picture.clone().jpeg({ quality: 90 }).toBuffer());
  await upload(world, "png.png", await picture.clone().png({ compressionLevel: 1 }).toBuffer());
  await upload(world, "webp.webp", await picture.clone().webp({ quality: 80, effort: 2 }).toBuffer());
  for (const name of ["jpeg.jpg", "png.png", "webp.webp"]) {
    for (const fm of ["jpg", "webp", "gif", "avif", "png"]) {
      const { status, code, bytes } = await getInTime(world, name, `fm=${fm}&flip=h`);
      assert.equal(code ?? status, 200, `${name} as ${fm}`);
      const { width, height } = await sharp(bytes).metadata();
      assert.deepEqual([width, height], [6000, 4000]);
    }
  }
});
