/** Arguments and pictures, GET and HEAD /api/images/<path>. Contract §7; compatibility, Images. */
import assert from "node:assert/strict";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Arguments } from "./client.ts";
import { plantFile, png, svg, upload } from "./media.ts";
import {
  animation,
  chart,
  corners,
  drawn,
  enterPictures,
  flat,
  image,
  look,
  near,
  noise,
  oriented,
  paint,
  partOf,
  plantBeside,
  plantPictures,
  quadrants,
  type Rgb,
  type Seen,
  seenIn,
  sizeOf,
} from "./picture.ts";
import { allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterPictures("image");

const plain: Rgb = [100, 150, 200];
const magenta: Rgb = [200, 30, 180];
/** The left half transparent, the right half translucent blue. */
const glass = (width: number, height: number) =>
  paint(width, height, (x) => (x < width / 2 ? [255, 255, 255, 0] : [40, 60, 220, 128]));
const frames: Rgb[] = [
  [220, 40, 40],
  [40, 200, 60],
  [40, 60, 220],
];
const moving = await animation(40, 24, frames);
const timing = { delay: [100, 250, 400], loop: 3 };

await plantPictures(world, {
  "chart.png": await chart(960, 640).png().toBuffer(),
  // For sizes alone: of one colour, it is drawn and written in a third of the time.
  "blank.png": await flat(960, 640, plain).png().toBuffer(),
  "quarters.png": await quadrants(96, 64).png().toBuffer(),
  "plain.png": await flat(100, 60, plain).png().toBuffer(),
  "plain.jpg": await flat(100, 60, plain).jpeg({ quality: 95 }).toBuffer(),
  "glass.png": await glass(80, 40).png().toBuffer(),
  "noise.png": await noise(120, 80).png().toBuffer(),
  "moving.gif": await moving.clone().gif(timing).toBuffer(),
  "moving.webp": await moving
    .clone()
    .webp({ ...timing, lossless: true })
    .toBuffer(),
  "dot.png": png({ width: 1, height: 1, shade: 90 }),
  "line.png": png({ width: 1000, height: 1, shade: 90 }),
});

// ---------------------------------------------------------------------------------------------- sizes

describe("the size of a picture of 960 by 640", () => {
  const sizes: [string, string][] = [
    ["w=100", "100x67"],
    ["h=100", "150x100"],
    ["w=10", "10x7"],
    ["w=1", "1x1"],
    ["w=1e2", "100x67"],
    ["w=10.7", "10x7"],
    ["w=0100", "100x67"],
    ["w=100&h=100", "100x67"],
    ["w=300&h=100", "150x100"],
    ["w=1920", "1920x1280"],
    ["w=1920&h=500", "750x500"],
    ["h=1000", "1500x1000"],
    ["w=100&fit=contain", "100x67"],
    ["w=100&h=100&fit=max", "100x67"],
    ["w=1920&fit=max&q=80", "960x640"],
    ["w=1920&h=100&fit=max", "150x100"],
    ["w=2000&h=2000&fit=max&q=80", "960x640"],
    ["w=300&h=300&fit=fill", "300x300"],
    ["w=1200&h=800&fit=fill", "1200x800"],
    ["w=100&fit=fill", "100x67"],
    ["w=1200&h=1000&fit=fill-max", "1200x1000"],
    ["w=90&h=90&fit=fill-max", "90x90"],
    ["w=100&h=100&fit=stretch", "100x100"],
    ["w=50&h=333&fit=stretch", "50x333"],
    ["w=100&fit=stretch", "100x67"],
    ["w=100&h=100&fit=crop", "100x100"],
    ["w=1000&h=100&fit=crop", "1000x100"],
    ["w=100&fit=crop", "100x67"],
    ["w=100&h=100&fit=cover", "100x100"],
    ["w=100&h=70&fit=crop-top-left", "100x70"],
    ["w=100&h=70&fit=cover-bottom", "100x70"],
    ["w=100&h=70&fit=crop-20-80", "100x70"],
    ["w=100&h=70&fit=crop-20-80-3.5", "100x70"],
    ["w=100&h=100&fit=odd", "100x67"],
    ["w=50w", "480x320"],
    ["h=50h", "480x320"],
    ["h=25w", "360x240"],
    ["w=25h", "160x107"],
    ["w=25w&h=50h&fit=stretch", "240x320"],
    ["w=100&dpr=2", "200x133"],
    ["w=100&h=100&fit=crop&dpr=1.5", "150x150"],
    ["dpr=0.5", "480x320"],
    ["dpr=2", "1920x1280"],
    ["w=100&h=100&fit=fill&dpr=2", "200x200"],
    ["crop=480,320,480,0", "480x320"],
    ["crop=2000,2000,900,600", "60x40"],
    ["crop=100.9,50.9,1.5,2.5", "100x50"],
    ["crop=480,320,0,0&w=96", "96x64"],
    ["crop=100,100,0,0&w=50&h=20", "20x20"],
    ["or=90", "640x960"],
    ["or=180&w=96", "96x64"],
    ["or=270&w=96", "96x144"],
    ["or=90&h=96", "64x96"],
    ["or=90&crop=100,900,0,0", "100x900"],
  ];
  for (const [query, size] of sizes) {
    test(`with ${query} is ${size}`, async () => assert.equal(sizeOf(await drawn(world, "blank.png", query)), size));
  }

  test("of 1 by 1 and of 1000 by 1 never becomes zero", async () => {
    assert.equal(sizeOf(await drawn(world, "line.png", "w=10")), "10x1");
    assert.equal(sizeOf(await drawn(world, "line.png", "w=10&h=10&fit=fill")), "10x10");
    assert.equal(sizeOf(await drawn(world, "dot.png", "w=50")), "50x50");
    assert.equal(sizeOf(await drawn(world, "dot.png", "w=50&h=20&fit=crop")), "50x20");
    assert.equal(sizeOf(await drawn(world, "dot.png", "dpr=0.1")), "1x1");
    near((await drawn(world, "dot.png", "w=5&blur=9&sharp=50&pixel=9")).at(2, 2), [90, 90, 90]);
  });
});

// ---------------------------------------------------------------------------------------------- crops

describe("the part of the picture that is shown", () => {
  /** Left, top, right, bottom in percent. */
  const parts: [string, number[]][] = [
    ["w=96", [0, 0, 100, 100]],
    ["w=96&h=96&fit=stretch", [0, 0, 100, 100]],
    ["w=100&h=100&fit=crop", [16.7, 0, 83.3, 100]],
    ["w=100&h=100&fit=cover", [16.7, 0, 83.3, 100]],
    ["w=100&h=100&fit=crop-center", [16.7, 0, 83.3, 100]],
    ["w=100&h=100&fit=crop-left", [0, 0, 66.7, 100]],
    ["w=100&h=100&fit=crop-top", [16.7, 0, 83.3, 100]],
    ["w=100&h=100&fit=crop-right", [33.3, 0, 100, 100]],
    ["w=100&h=100&fit=crop-top-left", [0, 0, 66.7, 100]],
    ["w=100&h=100&fit=crop-bottom-right", [33.3, 0, 100, 100]],
    ["w=100&h=100&fit=cover-bottom-left", [0, 0, 66.7, 100]],
    ["w=200&h=50&fit=crop", [0, 31.3, 100, 68.7]],
    ["w=200&h=50&fit=crop-top", [0, 0, 100, 37.5]],
    ["w=200&h=50&fit=crop-top-right", [0, 0, 100, 37.5]],
    ["w=200&h=50&fit=crop-left", [0, 31.3, 100, 68.7]],
    ["w=200&h=50&fit=crop-bottom", [0, 62.5, 100, 100]],
    ["w=200&h=50&fit=crop-bottom-left", [0, 62.5, 100, 100]],
    ["w=200&h=50&fit=cover-bottom-right", [0, 62.5, 100, 100]],
    ["w=100&h=100&fit=crop-0-50", [0, 0, 66.7, 100]],
    ["w=100&h=100&fit=crop-30-50", [0, 0, 66.7, 100]],
    ["w=100&h=100&fit=crop-60-50", [26.7, 0, 93.3, 100]],
    ["w=100&h=100&fit=crop-100-0", [33.3, 0, 100, 100]],
    ["w=200&h=50&fit=crop-50-25", [0, 6.3, 100, 43.7]],
    ["w=96&h=64&fit=crop-50-50-2", [25, 25, 75, 75]],
    ["w=96&h=64&fit=crop-0-0-2", [0, 0, 50, 50]],
    ["w=96&h=64&fit=crop-100-100-2", [50, 50, 100, 100]],
    ["w=96&h=64&fit=crop-60-40-2", [35, 15, 85, 65]],
    ["w=96&h=64&fit=crop-30-70-4", [17.5, 57.5, 42.5, 82.5]],
    ["w=96&h=64&fit=crop-50-50-1.5", [16.7, 16.7, 83.3, 83.3]],
    ["w=96&h=64&fit=crop-50-50-1", [0, 0, 100, 100]],
    ["w=100&h=100&fit=crop-101-50", [16.7, 0, 83.3, 100]],
    ["w=100&h=100&fit=crop-0-50-101", [16.7, 0, 83.3, 100]],
    ["w=48&h=32&fit=crop-0-0-2&dpr=2", [0, 0, 50, 50]],
    ["crop=480,320,480,0", [50, 0, 100, 50]],
    ["crop=96,64,96,64", [10, 10, 20, 20]],
    ["crop=9999,9999,480,320", [50, 50, 100, 100]],
    ["crop=480,320,480,320&w=48", [50, 50, 100, 100]],
    ["crop=320,320,0,0&w=40&h=20&fit=crop-bottom", [0, 25, 33.3, 50]],
    ["crop=960,640,960,0&w=96", [0, 0, 100, 100]],
    ["crop=0,10,0,0&w=96", [0, 0, 100, 100]],
    ["crop=480,320,480,0&flip=h", [100, 0, 50, 50]],
    ["flip=both&w=96", [100, 100, 0, 0]],
    ["fit=crop-left&w=100&h=100&flip=h", [66.7, 0, 0, 100]],
  ];
  for (const [query, part] of parts) {
    test(`with ${query} is ${part.join(" ")}`, async () => {
      near(partOf(await drawn(world, "chart.png", query)), part, 1.6, "the part");
    });
  }

  test("with fill is the whole picture in the middle of a transparent canvas", async () => {
    const seen = await drawn(world, "chart.png", "w=300&h=300&fit=fill");
    for (const [x, y] of [
      [0, 0],
      [150, 48],
      [150, -49],
      [-1, -1],
    ] as const)
      assert.equal(seen.at(x, y)[3], 0, `${x},${y}`);
    near(seen.at(0, 52), [0, 3, 128, 255], 6);
    near(seen.at(-1, -53), [255, 252, 128, 255], 6);
    const small = await drawn(world, "plain.png", "w=300&h=100&fit=fill");
    near(small.at(102, 22), [...plain, 255]);
    near(small.at(197, 77), [...plain, 255]);
    for (const [x, y] of [
      [97, 50],
      [202, 50],
      [150, 17],
      [150, 82],
    ] as const)
      assert.equal(small.at(x, y)[3], 0, "the picture was not enlarged");
  });

  test("with fill-max is the picture as large as fits", async () => {
    const seen = await drawn(world, "plain.png", "w=300&h=240&fit=fill-max");
    near(seen.at(2, 33), [...plain, 255]);
    near(seen.at(-3, -34), [...plain, 255]);
    assert.equal(seen.at(150, 26)[3], 0);
    assert.equal(seen.at(150, -27)[3], 0);
  });

  test("with fill in a jpg is on white, or on bg", async () => {
    near((await drawn(world, "plain.jpg", "w=300&h=100&fit=fill")).at(10, 50), [255, 255, 255], 4);
    near((await drawn(world, "plain.jpg", "w=300&h=100&fit=fill&bg=00ff00")).at(10, 50), [0, 255, 0], 6);
    near((await drawn(world, "plain.png", "w=300&h=100&fit=fill&bg=00ff00")).at(10, 50), [0, 255, 0, 255]);
  });
});

describe("fit=crop-focal", () => {
  const point = (name: string, method: string, value?: string) =>
    world.write(method, { path: world.id(name), field: "focal", value }, "/api/files/meta");
  before(async () => {
    await plantPictures(world, {
      "focal.png": await chart(960, 640).png().toBuffer(),
      "focal.jpg": await oriented(6, 96, 64).jpeg({ quality: 95 }).toBuffer(),
    });
    dataOf(await point("focal.png", "POST", "0.2,0.3"));
    dataOf(await point("focal.jpg", "POST", "0.2,0.3"));
  });

  for (const [name, query, fit] of [
    ["focal.png", "w=100&h=100", "crop-20-30"],
    ["focal.png", "w=200&h=50", "crop-20-30"],
    ["focal.png", "w=50&h=50&dpr=2&flip=h", "crop-20-30"],
    ["focal.png", "w=200&h=50&or=90", "crop-30-80"],
    ["focal.png", "w=100&h=20&crop=480,320,0,0", "crop-40-60"],
    ["focal.png", "w=100&h=20&crop=480,320,480,0", "crop-0-60"],
    ["focal.jpg", "w=60&h=10&fm=png", "crop-20-30"],
    ["focal.jpg", "w=10&h=60&fm=png&or=0", "crop-30-80"],
    ["chart.png", "w=100&h=100", "crop"],
  ] as const) {
    test(`of ${name} with ${query} is ${fit}: the point is the file's, on its upright picture`, async () => {
      const [focal, same] = await Promise.all(
        ["CROP-focal", fit].map((value) => image(world, name, `${query}&fit=${value}&strict=1`)),
      );
      assert.deepEqual([focal?.status, same?.status], [200, 200]);
      assert.ok(focal?.bytes.equals(same?.bytes as Buffer));
    });
  }

  test("is another picture with another ETag as soon as the point is another, also with v", async () => {
    const { version } = await plantFile(world, "moved.png", { bytes: await chart(96, 64).png().toBuffer() });
    const path = "moved.png";
    const asked = (more: object = {}) => image(world, path, { w: 20, h: 20, fit: "crop-focal", v: version }, more);
    const centred = await asked();
    assert.match(
      centred.headers["cache-control"] ?? "",
      /max-age=3600\b(?!.*immutable)/,
      "v says nothing of the point",
    );
    const tags = [tagOf(centred)];
    for (const [method, value] of [
      ["POST", "0,0.5"],
      ["PATCH", "1,.5"],
      ["DELETE", undefined],
    ] as const) {
      dataOf(await point(path, method, value));
      const reply = await asked({ headers: { "if-none-match": tags.at(-1) } });
      assert.equal(reply.status, 200);
      tags.push(tagOf(reply));
    }
    assert.equal(new Set(tags).size, 3);
    assert.equal(tags[3], tags[0], "without the field it is the centre again");
    const fixed = { w: 20, h: 20, fit: "crop-0-50", v: version };
    assert.match((await image(world, path, fixed)).headers["cache-control"] ?? "", /immutable/);
  });
});

// ---------------------------------------------------------------------------------------------- orientation and flip

describe("orientation", () => {
  before(async () => {
    const made = [1, 2, 3, 4, 5, 6, 7, 8].map(async (n) => {
      const jpeg = await oriented(n, 96, 64).jpeg({ quality: 95 }).toBuffer();
      return [`or${n}.jpg`, jpeg] as const;
    });
    await plantPictures(world, Object.fromEntries(await Promise.all(made)));
  });

  for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
    test(`${n} of EXIF is shown upright, and w and h mean the upright picture`, async () => {
      for (const query of ["w=48", "or=auto&w=48", "h=32", "or=odd&w=48&h=32&fit=crop", "w=48&fm=avif"]) {
        const seen = await drawn(world, `or${n}.jpg`, query);
        assert.equal(corners(seen), "RG/BY", query);
        assert.equal(sizeOf(seen), "48x32", query);
        assert.ok(seen.orientation === undefined || seen.orientation === 1, "it is not rotated again");
      }
    });
  }

  test("is applied by any argument, and not without arguments", async () => {
    const stored = await image(world, "or6.jpg");
    for (const query of ["or=auto", "bri=0", "dpr=1", "w=abc", "fit=crop"]) {
      const seen = await drawn(world, "or6.jpg", query);
      assert.equal(`${corners(seen)} ${sizeOf(seen)}`, "RG/BY 96x64", query);
      assert.equal(tagOf(await image(world, "or6.jpg", query)), tagOf(await image(world, "or6.jpg", "or=auto")), query);
      const upright = await image(world, "or1.jpg", query);
      assert.ok(upright.bytes.equals((await image(world, "or1.jpg")).bytes), `${query}: the source image is upright`);
    }
    for (const query of ["junk=1", "strict=0", "v=1"]) {
      assert.ok((await image(world, "or6.jpg", query)).bytes.equals(stored.bytes), query);
    }
  });

  test("determines the origin of a crop, which strict=1 requires inside the picture", async () => {
    for (const name of ["or1.jpg", "or6.jpg"]) {
      const [inside, outside] = ["crop=9,9,95,63", "crop=9,9,63,64"];
      assert.equal((await image(world, name, `${inside}&strict=1`)).status, 200, name);
      assert.equal((await image(world, name, outside)).status, 200, name);
      refused(await image(world, name, `${outside}&strict=1`), 400, "argument_invalid", /"crop" was "?9,9,63,64"?/);
      assert.equal((await image(world, name, `${outside}&or=90&strict=1`)).status, name === "or1.jpg" ? 200 : 400);
    }
  });

  test("with crop cuts from the upright picture", async () => {
    for (const n of [3, 6, 8]) {
      assert.equal(corners(await drawn(world, `or${n}.jpg`, "crop=48,32,48,0")), "GG/GG");
      assert.equal(corners(await drawn(world, `or${n}.jpg`, "crop=48,64,0,0&w=20")), "RR/BB");
    }
  });

  const turns: [string, string][] = [
    ["or=0", "RG/BY"],
    ["or=90", "GY/RB"],
    ["or=180", "YB/GR"],
    ["or=270", "BR/YG"],
    ["or=45", "RG/BY"],
    ["or=-90", "RG/BY"],
    ["flip=h", "GR/YB"],
    ["flip=v", "BY/RG"],
    ["flip=both", "YB/GR"],
    ["flip=x", "RG/BY"],
    ["or=90&flip=h", "YG/BR"],
    ["or=90&flip=v", "RB/GY"],
    ["crop=48,32,0,0&flip=h", "RR/RR"],
    ["crop=48,64,0,0&or=180", "YY/GG"],
  ];
  for (const [query, expected] of turns) {
    test(`${query} shows ${expected}`, async () => {
      assert.equal(corners(await drawn(world, "quarters.png", `${query}&w=40`)), expected);
    });
  }

  test("as a number ignores EXIF", async () => {
    assert.equal(corners(await drawn(world, "or6.jpg", "or=0&w=32")), "GY/RB");
    assert.equal(corners(await drawn(world, "or6.jpg", "or=270&w=32")), "RG/BY");
    assert.equal(corners(await drawn(world, "or3.jpg", "or=180&w=32")), "RG/BY");
    assert.equal(sizeOf(await drawn(world, "or6.jpg", "or=0&w=32")), "32x48");
  });
});

// ---------------------------------------------------------------------------------------------- tones

const clamp = (value: number): number => Math.min(255, Math.max(0, value));
const bri = (value: number, by: number): number => clamp(value + by * 2.55);
const con = (value: number, by: number): number => clamp(127.5 + (value - 127.5) * ((100 + by) / 100) ** 2);
const gam = (value: number, by: number): number => clamp(255 * (value / 255) ** (1 / by));
const grey = ([r, g, b]: Rgb): number => 0.299 * (r as number) + 0.587 * (g as number) + 0.114 * (b as number);
const sepia = (colour: Rgb): Rgb => {
  const toned = [38, 27, 12].map((tint) => clamp(con(bri(grey(colour), -10), 10) + tint * 2.55));
  return toned.map((value) => con(bri(value, -10), 10));
};

describe("tones", () => {
  const colours: Record<string, Rgb> = {
    "plain.png": plain,
    "dark.png": [12, 40, 90],
    "bright.png": [240, 128, 70],
  };
  before(async () => {
    for (const name of ["dark.png", "bright.png"]) {
      await plantPictures(world, {
        [name]: await flat(20, 12, colours[name] as Rgb)
          .png()
          .toBuffer(),
      });
    }
  });

  const each = (tone: (value: number) => number) => (colour: Rgb) => colour.map(tone);
  const tones: [string, (colour: Rgb) => Rgb, number?][] = [
    ["bri=20", each((value) => bri(value, 20))],
    ["bri=-40", each((value) => bri(value, -40))],
    ["bri=100", () => [255, 255, 255]],
    ["bri=-100", () => [0, 0, 0]],
    ["con=20", each((value) => con(value, 20))],
    ["con=-50", each((value) => con(value, -50))],
    ["con=100", each((value) => con(value, 100)), 4],
    ["con=-100", () => [127.5, 127.5, 127.5]],
    ["gam=2", each((value) => gam(value, 2))],
    ["gam=0.5", each((value) => gam(value, 0.5))],
    ["gam=9.99", each((value) => gam(value, 9.99))],
    ["bri=20&con=30", each((value) => con(bri(value, 20), 30))],
    ["gam=1.8&con=-30&bri=-15", each((value) => gam(con(bri(value, -15), -30), 1.8)), 4],
    ["filt=greyscale", (colour) => Array(3).fill(grey(colour))],
    ["filt=sepia", sepia, 5],
    ["bri=10&filt=greyscale", (colour) => Array(3).fill(grey(colour.map((value) => bri(value, 10))))],
    ["blur=5", (colour) => colour],
    ["sharp=40", (colour) => colour],
    ["pixel=5", (colour) => colour],
    ["blur=100&sharp=100&pixel=1000", (colour) => colour],
  ];
  for (const [query, tone, tolerance = 3] of tones) {
    test(`${query} on flat colours`, async () => {
      for (const [name, colour] of Object.entries(colours)) {
        const seen = await drawn(world, name, query);
        for (const [x, y] of [
          [0, 0],
          [9, 6],
          [-1, -1],
        ] as const)
          near(seen.at(x, y), [...tone(colour), 255], tolerance, `${name} at ${x},${y}`);
      }
    });
  }

  test("keep transparent parts transparent", async () => {
    for (const query of [
      "bri=30",
      "con=20",
      "gam=2",
      "filt=sepia",
      "filt=greyscale",
      "blur=3",
      "sharp=20",
      "pixel=4",
    ]) {
      const seen = await drawn(world, "glass.png", query);
      assert.equal(seen.at(5, 20)[3], 0, query);
      near([seen.at(75, 20)[3] as number], [128], 3, query);
    }
    near((await drawn(world, "glass.png", "bri=20")).at(75, 20), [91, 111, 255, 128], 4);
  });
});

// ---------------------------------------------------------------------------------------------- blur, sharpen, pixelate

describe("blur, sharpen and pixelate", () => {
  const columns: Rgb[] = [
    [100, 100, 100],
    [150, 150, 150],
  ];
  before(async () => {
    const edge = paint(80, 40, (x) => columns[x < 40 ? 0 : 1] as Rgb);
    await plantPictures(world, { "edge.png": await edge.png().toBuffer() });
  });
  const row = (seen: Seen): number[] => Array.from({ length: 80 }, (_, x) => seen.at(x, 20)[0] as number);

  test("sharpening is the convolution of Flextype", async () => {
    for (const [value, corner, side] of [
      [10, -0.1, -0.25],
      [40, -0.4, -1],
      [5, 0, -0.125],
    ] as const) {
      const seen = row(await drawn(world, "edge.png", `sharp=${value}`));
      const gain = 50 * -(side + 2 * corner);
      near([seen[39] as number, seen[40] as number], [100 - gain, 150 + gain].map(clamp), 4, `sharp=${value}`);
      near([seen[10] as number, seen[70] as number], [100, 150], 2);
    }
  });

  test("blurring softens an edge, more with a larger value", async () => {
    const widths: number[] = [];
    for (const value of [1, 5, 20, 80]) {
      const seen = row(await drawn(world, "edge.png", `blur=${value}`));
      const isSoft = (level: number, x: number) => Math.abs(level - (x < 40 ? 100 : 150)) > 3;
      widths.push(seen.filter(isSoft).length);
      // Each pass of Flextype loses up to half a level, since it rounds down.
      const mean = seen.reduce((sum, level) => sum + level, 0) / seen.length;
      assert.ok(mean < 126 && mean > 124 - value / 2, `the mean of blur=${value} is ${mean}`);
    }
    assert.ok((widths[0] as number) >= 1, String(widths));
    const sorted = [...widths].sort((a, b) => a - b);
    assert.deepEqual(sorted, widths);
    assert.equal(new Set(widths).size, widths.length, `each value is another blur: ${widths}`);
    // Twenty passes of a 3 by 3 Gaussian are one of sigma √10, which changes 1.55 sigma on both sides by 6 % or more;
    // the rounding makes it some pixels more.
    assert.ok((widths[2] as number) >= 8 && (widths[2] as number) <= 20, `the slope of blur=20: ${widths}`);
  });

  test("pixelating draws blocks of the mean colour, from the top left corner", async () => {
    const source = await look((await image(world, "noise.png")).bytes);
    const seen = await drawn(world, "noise.png", "pixel=8");
    assert.equal(sizeOf(seen), "120x80");
    for (const [x, y] of [
      [0, 0],
      [40, 24],
      [112, 72],
    ] as const) {
      const sums = [0, 0, 0];
      for (let n = 0; n < 64; n++) {
        const pixel = source.at(x + (n % 8), y + (n >> 3));
        for (const c of [0, 1, 2]) sums[c] = (sums[c] as number) + (pixel[c] as number) / 64;
      }
      for (const [dx, dy] of [
        [0, 0],
        [7, 0],
        [3, 5],
        [7, 7],
      ] as const)
        near(seen.at(x + dx, y + dy), sums, 3, `the block at ${x},${y}`);
    }
  });

  test("partial blocks are at the right and the bottom", async () => {
    const seen = await drawn(world, "noise.png", "pixel=50");
    assert.deepEqual(seen.at(101, 51), seen.at(-1, -1));
    assert.notDeepEqual(seen.at(99, 51), seen.at(101, 51));
    assert.equal(sizeOf(seen), "120x80");
  });

  test("they follow the resize, in the order of Flextype", async () => {
    const seen = await drawn(world, "noise.png", "w=24&pixel=8");
    assert.deepEqual(seen.at(0, 0), seen.at(7, 7));
    assert.notDeepEqual(seen.at(7, 7), seen.at(8, 7));
    const blurred = await drawn(world, "edge.png", "sharp=40&blur=40&pixel=4");
    assert.deepEqual(blurred.at(36, 3), blurred.at(39, 3), "pixelated last");
  });
});

// ---------------------------------------------------------------------------------------------- background and border

describe("bg", () => {
  const blue = (alpha: number, on: Rgb): Rgb =>
    [40, 60, 220].map((value, n) => value * alpha + (on[n] as number) * (1 - alpha));
  const colours: [string, Rgb][] = [
    ["ff0000", [255, 0, 0]],
    ["FF8800", [255, 136, 0]],
    ["f80", [255, 136, 0]],
    ["Red", [255, 0, 0]],
    ["cornflowerblue", [100, 149, 237]],
    ["RebeccaPurple", [102, 51, 153]],
  ];
  for (const [text, colour] of colours) {
    test(`bg=${text} is behind transparent parts`, async () => {
      const seen = await drawn(world, "glass.png", `bg=${text}`);
      near(seen.at(10, 20), [...colour, 255]);
      near(seen.at(70, 20), [...blue(128 / 255, colour), 255], 4);
    });
  }

  test("with alpha in decimal digits", async () => {
    near((await drawn(world, "glass.png", "bg=50ff0000")).at(10, 20), [255, 0, 0, 127.5], 3);
    near((await drawn(world, "glass.png", "bg=05ff0000")).at(10, 20).slice(3), [12.75], 3);
    near((await drawn(world, "glass.png", "bg=5f00")).at(10, 20), [255, 0, 0, 127.5], 3);
  });

  test("behind a jpg, white by default", async () => {
    near((await drawn(world, "glass.png", "fm=jpg")).at(10, 20), [255, 255, 255], 4);
    near((await drawn(world, "glass.png", "fm=jpg")).at(70, 20), blue(128 / 255, [255, 255, 255]), 8);
    near((await drawn(world, "glass.png", "fm=jpg&bg=0f0")).at(10, 20), [0, 255, 0], 8);
    near((await drawn(world, "glass.png", "fm=jpg&bg=50000000")).at(10, 20), [127, 127, 127], 6);
    near((await drawn(world, "glass.png", "fm=pjpg&bg=nonsense")).at(10, 20), [255, 255, 255], 4);
  });

  test("has no effect on an opaque picture", async () => {
    near((await drawn(world, "plain.png", "bg=f00&w=50")).at(20, 20), [...plain, 255]);
  });
});

describe("border", () => {
  const red: Rgb = [255, 0, 0, 255];

  test("overlay draws over the picture", async () => {
    for (const query of ["border=10,ff0000,overlay&w=96", "border=10,f00&w=96", "border=10,red,odd&w=96"]) {
      const seen = await drawn(world, "chart.png", query);
      assert.equal(sizeOf(seen), "96x64", query);
      for (const [x, y] of [
        [0, 0],
        [5, 32],
        [-3, 32],
        [48, 7],
        [48, -7],
        [-1, -1],
      ] as const)
        near(seen.at(x, y), red, 3, `${query} at ${x},${y}`);
      near(seen.at(14, 32), [(255 * 14.5) / 96, 129, 128], 5, "the picture keeps its size");
      near(seen.at(-14, 20), [(255 * 82.5) / 96, (255 * 20.5) / 64, 128], 5);
    }
  });

  test("shrink shrinks the picture", async () => {
    const seen = await drawn(world, "chart.png", "w=96&border=10,ff0000,shrink");
    assert.equal(sizeOf(seen), "96x64");
    near(seen.at(5, 32), red);
    near(seen.at(48, -5), red);
    near(seen.at(14, 32), [(255 * 4.5) / 76, 129, 128], 6, "the whole picture is within");
    near(seen.at(-14, -14), [(255 * 72.5) / 76, (255 * 40.5) / 44, 128], 8);
  });

  test("expand makes the picture larger", async () => {
    const seen = await drawn(world, "chart.png", "w=96&border=10,ff0000,expand");
    assert.equal(sizeOf(seen), "116x84");
    near(seen.at(9, 42), red);
    near(seen.at(-10, 42), red);
    near(seen.at(58, 9), red);
    near(seen.at(11, 42), [4, 129, 128], 4);
    near(seen.at(-12, -12), [251, 251, 128], 6);
  });

  test("its width may be relative, and is multiplied by dpr", async () => {
    assert.equal(sizeOf(await drawn(world, "plain.png", "border=5w,f00,expand")), "110x70");
    assert.equal(sizeOf(await drawn(world, "plain.png", "border=10h,f00,expand")), "112x72");
    assert.equal(sizeOf(await drawn(world, "plain.png", "w=50&dpr=2&border=10,f00,expand")), "140x100");
    near((await drawn(world, "plain.png", "dpr=2&border=10,f00")).at(16, 60), red);
    near((await drawn(world, "plain.png", "dpr=2&border=10,f00")).at(24, 60), [...plain, 255]);
  });

  test("may be transparent or zero", async () => {
    const half = await drawn(world, "plain.png", "border=10,50ff0000,overlay");
    near(half.at(4, 30), [177, 75, 100, 255], 4);
    for (const query of ["border=0,f00", "border=,f00", "border=x,f00,expand", "border=-5,f00,expand"]) {
      const seen = await drawn(world, "plain.png", `${query}&w=50`);
      assert.equal(sizeOf(seen), "50x30", query);
      near(seen.at(0, 0), [...plain, 255], 3, query);
    }
  });

  test("wider than the picture is drawn", async () => {
    for (const method of ["overlay", "shrink"]) {
      const seen = await drawn(world, "plain.png", `border=500,f00,${method}`);
      assert.equal(sizeOf(seen), "100x60", method);
      near(seen.at(0, 0), red, 3, method);
    }
  });
});

// ---------------------------------------------------------------------------------------------- watermarks

describe("a watermark", () => {
  const at = `${world.prefix}/mark.png`;
  const side = `${world.prefix}/wide.png`;
  before(async () => {
    await plantBeside(world, "watermarks", "mark.png", await flat(20, 10, magenta).png().toBuffer());
    await plantBeside(world, "watermarks", "glass.png", await glass(20, 10).png().toBuffer());
    await plantBeside(world, "watermarks", "wide.png", await chart(500, 300).png().toBuffer());
    await plantBeside(world, "watermarks", "notes.txt", Buffer.from("no picture\n"));
    await plantBeside(world, "watermarks", "broken.png", png({ width: 40, height: 40 }).subarray(0, 60));
    await plantPictures(world, { "ground.png": await flat(200, 100, plain).png().toBuffer() });
  });

  /** The box of pixels that differ from the picture's colour: left, top, width, height. */
  function boxOf(seen: Seen): number[] | undefined {
    const xs: number[] = [];
    const ys: number[] = [];
    for (let y = 0; y < seen.height; y++) {
      for (let x = 0; x < seen.width; x++) {
        const pixel = seen.at(x, y);
        if (plain.every((value, n) => Math.abs(value - (pixel[n] as number)) <= 12)) continue;
        xs.push(x);
        ys.push(y);
      }
    }
    if (xs.length === 0) return undefined;
    const range = (all: number[]) => [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    const [[left, right], [top, bottom]] = [range(xs), range(ys)] as [[number, number], [number, number]];
    return [left, top, right - left + 1, bottom - top + 1];
  }
  const boxWith = async (query: Arguments | string): Promise<number[] | undefined> =>
    boxOf(await drawn(world, "ground.png", query));

  const boxes: [string, number[]][] = [
    ["", [180, 90, 20, 10]],
    ["markpos=top-left", [0, 0, 20, 10]],
    ["markpos=top", [90, 0, 20, 10]],
    ["markpos=top-right", [180, 0, 20, 10]],
    ["markpos=left", [0, 45, 20, 10]],
    ["markpos=center", [90, 45, 20, 10]],
    ["markpos=right", [180, 45, 20, 10]],
    ["markpos=bottom-left", [0, 90, 20, 10]],
    ["markpos=bottom", [90, 90, 20, 10]],
    ["markpos=bottom-right", [180, 90, 20, 10]],
    ["markpos=odd", [180, 90, 20, 10]],
    ["markx=7&marky=3", [173, 87, 20, 10]],
    ["markpos=top-left&markx=7&marky=3", [7, 3, 20, 10]],
    ["markpos=top-left&markpad=8", [8, 8, 20, 10]],
    ["markpos=top-left&markpad=8&markx=1", [8, 8, 20, 10]],
    ["markpad=5w", [170, 80, 20, 10]],
    ["markpos=top-left&markx=10w&marky=10h", [20, 10, 20, 10]],
    ["markw=40", [160, 80, 40, 20]],
    ["markh=5", [190, 95, 10, 5]],
    ["markw=50w", [100, 50, 100, 50]],
    ["markh=20h", [160, 80, 40, 20]],
    ["markw=30&markh=30", [170, 85, 30, 15]],
    ["markw=30&markh=30&markfit=contain", [170, 85, 30, 15]],
    ["markw=30&markh=30&markfit=odd", [170, 85, 30, 15]],
    ["markw=60&markh=60&markfit=max", [180, 90, 20, 10]],
    ["markw=30&markh=30&markfit=stretch", [170, 70, 30, 30]],
    ["markw=30&markh=30&markfit=crop", [170, 70, 30, 30]],
    ["markw=30&markh=30&markfit=crop-top-left", [170, 70, 30, 30]],
    ["markw=20&dpr=2", [360, 180, 40, 20]],
    ["markpos=top-left&markpad=8&dpr=2&markw=20", [16, 16, 40, 20]],
    ["w=100", [80, 40, 20, 10]],
    ["w=100&markw=50w", [50, 25, 50, 25]],
  ];
  for (const [query, box] of boxes) {
    test(`with ${query || "nothing more"} covers ${box.join(" ")}`, async () => {
      assert.deepEqual(await boxWith(`mark=${at}&${query}`), box);
    });
  }

  test("keeps its colours, above filters and below the border", async () => {
    const seen = await drawn(world, "ground.png", { mark: at, filt: "greyscale", blur: 4, border: "4,00f" });
    near(seen.at(-10, -7), magenta, 3, "the mark");
    near(seen.at(-2, -2), [0, 0, 255], 3, "the border");
    near(seen.at(50, 50), Array(3).fill(grey(plain)), 3, "the picture");
  });

  test("is as opaque as markalpha says", async () => {
    const mixed = (alpha: number) => plain.map((value, n) => value + ((magenta[n] as number) - value) * alpha);
    for (const percent of [100, 50, 25]) {
      const seen = await drawn(world, "ground.png", { mark: at, markalpha: percent });
      near(seen.at(-5, -5), [...mixed(percent / 100), 255], 4, `markalpha=${percent}`);
    }
    near((await drawn(world, "ground.png", { mark: at, markalpha: 0 })).at(-5, -5), plain, 2);
    near((await drawn(world, "ground.png", { mark: at, markalpha: 101 })).at(-5, -5), magenta, 2);
    const glassy = await drawn(world, "ground.png", { mark: `${world.prefix}/glass.png` });
    near(glassy.at(-15, -5), plain, 2, "where it is transparent");
    near(glassy.at(-5, -5), [70, 105, 210], 4, "where it is translucent");
  });

  test("larger than the picture is clipped, and one outside is not visible", async () => {
    const large = await drawn(world, "ground.png", { mark: side });
    assert.equal(sizeOf(large), "200x100");
    near(large.at(-1, -1), [255, 254, 128], 4, "its right bottom corner");
    near(large.at(0, 0), [(255 * 300.5) / 500, (255 * 200.5) / 300, 128], 4);
    for (const far of ["markx=5000", "marky=5000", "markpad=100w", "markpos=top-left&markx=190"]) {
      assert.equal(sizeOf(await drawn(world, "ground.png", `mark=${at}&${far}`)), "200x100", far);
    }
    assert.deepEqual(await boxWith(`mark=${at}&markpos=top-left&markx=190`), [190, 0, 10, 10]);
  });

  test("that is missing, not an image or in another folder is omitted", async () => {
    const odd = [
      ...["nothing.png", `${world.prefix}/notes.txt`, `${world.prefix}/broken.png`, world.prefix, "/", "", "."],
      ...[`../${world.id("ground.png")}`, `${world.prefix}/../../${world.id("noise.png")}`, "../../../etc/passwd"],
      ...["/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:1/a.png", "..%2f..%2fetc", "a\\..\\b.png"],
      ...[world.id("noise.png"), `watermarks/${at}`, "x".repeat(3000), "data:image/png;base64,iVBORw0KGgo="],
    ];
    for (const mark of odd) assert.equal(await boxWith({ mark, w: 120 }), undefined, mark.slice(0, 80));
  });

  test("is on every frame", async () => {
    const seen = await drawn(world, "moving.webp", { mark: at, markw: 10 });
    assert.equal(seen.pages, 3);
    for (const page of [0, 1, 2]) near(seen.at(-3, -2, page), magenta, 12, `frame ${page}`);
  });
});

// ---------------------------------------------------------------------------------------------- formats

describe("fm", () => {
  const formats: [string, string, string][] = [
    ["jpg", "image/jpeg", "jpeg"],
    ["pjpg", "image/jpeg", "jpeg"],
    ["png", "image/png", "png"],
    ["gif", "image/gif", "gif"],
    ["webp", "image/webp", "webp"],
    ["avif", "image/avif", "heif"],
  ];
  before(async () => {
    const source = chart(80, 60);
    await plantPictures(world, {
      "form.jpg": await source.clone().jpeg().toBuffer(),
      "form.png": await source.clone().png().toBuffer(),
      "form.gif": await source.clone().gif().toBuffer(),
      "form.webp": await source.clone().webp().toBuffer(),
      "form.avif": await source.clone().avif({ effort: 0 }).toBuffer(),
    });
  });

  for (const [fm, type, format] of formats) {
    test(`${fm} is ${type}, from each format`, async () => {
      for (const from of ["jpg", "png", "gif", "webp", "avif"]) {
        const reply = await image(world, `form.${from}`, { fm, w: 40 });
        const seen = await seenIn(reply);
        assert.equal(reply.headers["content-type"], type, from);
        assert.equal(seen.format, format, from);
        assert.equal(seen.isProgressive && format === "jpeg", fm === "pjpg", `${from}: progressive`);
        assert.equal(sizeOf(seen), "40x30");
        near(seen.at(30, 8), [(255 * 30.5) / 40, (255 * 8.5) / 30, 128], 16, `${from} to ${fm}`);
      }
    });
  }

  test("without it, or with an unknown one, keeps the picture's format", async () => {
    for (const [from, type] of Object.entries({ jpg: "jpeg", png: "png", gif: "gif", webp: "webp", avif: "avif" })) {
      for (const fm of [{}, { fm: "bmp" }, { fm: "jpgg" }, { fm: "" }] as Arguments[]) {
        const reply = await image(world, `form.${from}`, { w: 40, ...fm });
        assert.equal((await seenIn(reply)).width, 40);
        assert.equal(reply.headers["content-type"], `image/${type}`, `${from} ${JSON.stringify(fm)}`);
      }
    }
  });

  const accepted: [string | undefined, string[]][] = [
    ["image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", ["image/avif"]],
    ["image/webp,image/apng,*/*;q=0.8", ["image/webp"]],
    ["image/webp", ["image/webp"]],
    ["image/avif;q=0, image/webp", ["image/webp"]],
    ["image/avif;q=0,image/webp;q=0,*/*", ["image/jpeg", "image/png"]],
    ["image/png", ["image/png"]],
    ["image/jpeg", ["image/jpeg"]],
    ["*/*", ["image/jpeg", "image/png"]],
    ["text/html", ["image/jpeg", "image/png"]],
    [undefined, ["image/jpeg", "image/png"]],
    [";;,,=q", ["image/jpeg", "image/png"]],
  ];
  for (const [accept, types] of accepted) {
    test(`auto for ${accept} is ${types.join(" or ")}`, async () => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      for (const name of ["form.jpg", "form.png"]) {
        const reply = await image(world, name, { fm: "auto", w: 40 }, { headers });
        assert.equal((await seenIn(reply)).width, 40);
        assert.ok(types.includes(reply.headers["content-type"] as string), `${name}: ${reply.headers["content-type"]}`);
        assert.match(reply.headers.vary ?? "", /(^|,\s*)accept(\s*,|$)/i, "Vary names Accept");
      }
    });
  }

  test("auto keeps transparency, and has another tag for another format", async () => {
    const ask = (accept: string) => image(world, "glass.png", { fm: "auto" }, { headers: { accept } });
    const [webp, other] = [await ask("image/webp"), await ask("*/*")];
    for (const reply of [webp, other]) near((await seenIn(reply)).at(5, 20).slice(3), [0], 1);
    assert.notEqual(webp.headers.etag, other.headers.etag);
  });

  test("auto keeps animations, if an accepted format can", async () => {
    const headers = { accept: "image/avif,image/webp,*/*" };
    for (const name of ["moving.gif", "moving.webp"]) {
      assert.equal((await drawn(world, name, "fm=auto&w=20", { headers })).pages, 3, name);
    }
  });

  test("Accept has no effect with a named format", async () => {
    const reply = await image(world, "form.png", "w=40", { headers: { accept: "image/webp" } });
    assert.equal(reply.headers["content-type"], "image/png");
    assert.doesNotMatch(reply.headers.vary ?? "", /(^|,\s*)accept(\s*,|$)/i);
  });

  test("q makes a jpg, a webp and an avif smaller; the default is 90", async () => {
    for (const fm of ["jpg", "pjpg", "webp", "avif"]) {
      const size = async (q: string) => (await image(world, "noise.png", `fm=${fm}${q}`)).bytes.length;
      const [low, middle, high, none, bad] = [
        await size("&q=5"),
        await size("&q=50"),
        await size("&q=90"),
        await size(""),
        await size("&q=101"),
      ];
      assert.ok(low < middle && middle < high, `${fm}: ${low} < ${middle} < ${high}`);
      assert.deepEqual([none, bad], [high, high], fm);
    }
  });

  test("q has no effect on png and gif", async () => {
    for (const fm of ["png", "gif"]) {
      const bytes = async (q: string) => (await image(world, "noise.png", `fm=${fm}&w=50&q=${q}`)).bytes;
      assert.ok((await bytes("5")).equals(await bytes("95")), fm);
    }
  });

  test("interlace makes a jpg progressive and a png interlaced", async () => {
    for (const fm of ["jpg", "png"]) {
      assert.equal((await drawn(world, "form.png", `fm=${fm}&interlace=1&w=40`)).isProgressive, true, fm);
      assert.equal((await drawn(world, "form.png", `fm=${fm}&interlace=0&w=40`)).isProgressive, false, fm);
      assert.equal((await drawn(world, "form.png", `fm=${fm}&w=40`)).isProgressive, false, fm);
    }
  });
});

// ---------------------------------------------------------------------------------------------- kinds of source images

describe("a source", () => {
  before(() => plantSpot());
  const plantSpot = async () =>
    plantBeside(world, "watermarks", "spot.png", await flat(20, 10, magenta).png().toBuffer());
  const source = () => quadrants(96, 64);
  const sources: [string, () => Promise<Buffer>][] = [
    ["cmyk.jpg", () => source().withIccProfile("cmyk").jpeg({ quality: 95 }).toBuffer()],
    ["progressive.jpg", () => source().jpeg({ progressive: true, quality: 95 }).toBuffer()],
    ["deep.png", () => source().toColourspace("rgb16").png().toBuffer()],
    ["palette.png", () => source().png({ palette: true, colours: 8 }).toBuffer()],
    ["interlaced.png", () => source().png({ progressive: true }).toBuffer()],
    ["alpha.png", () => source().ensureAlpha().png().toBuffer()],
    ["profile.jpg", () => source().withIccProfile("p3").jpeg({ quality: 95 }).toBuffer()],
    ["profile.png", () => source().withIccProfile("p3").png().toBuffer()],
    ["still.gif", () => source().gif().toBuffer()],
    ["lossless.webp", () => source().webp({ lossless: true }).toBuffer()],
    ["picture.avif", () => source().avif({ effort: 0, quality: 80 }).toBuffer()],
  ];
  for (const [name, make] of sources) {
    test(`like ${name} is drawn in its colours`, async () => {
      const bytes = await make();
      await plantPictures(world, { [name]: bytes });
      const seen = await drawn(world, name, "w=48&h=32&fit=crop");
      assert.equal(corners(seen), "RG/BY");
      assert.equal(sizeOf(seen), "48x32");
      assert.equal(seen.space, "srgb");
      const shown = await look(bytes);
      for (const [x, y] of [
        [6, 6],
        [-6, 6],
        [6, -6],
        [-6, -6],
      ] as const)
        near(seen.at(x, y), shown.at(x, y), 10, "as sharp shows it");
      assert.equal(corners(await drawn(world, name, "fm=png&flip=h")), "GR/YB");
      await takesColours(name, shown.at(6, 6));
    });
  }

  test("in CMYK without a profile is drawn in approximate colours", async () => {
    const inks = await source().toColourspace("cmyk").jpeg({ quality: 95 }).toBuffer();
    await plantPictures(world, { "inks.jpg": inks });
    const seen = await drawn(world, "inks.jpg", "w=48");
    assert.equal(seen.space, "srgb");
    const strongest = (x: number, y: number) => {
      const colour = seen.at(x, y).slice(0, 3);
      return colour.indexOf(Math.max(...colour));
    };
    assert.deepEqual([strongest(6, 6), strongest(-6, 6), strongest(6, -6)], [0, 1, 2]);
  });

  const greys: [string, () => Promise<Buffer>][] = [
    ["grey.jpg", () => shades().jpeg({ quality: 95 }).toBuffer()],
    ["grey.png", () => shades().png().toBuffer()],
    ["grey-deep.png", () => shades().toColourspace("grey16").png().toBuffer()],
    ["grey-alpha.png", () => shades().ensureAlpha().png().toBuffer()],
  ];
  const shades = () => paint(96, 64, (x) => (x < 48 ? [60, 60, 60] : [200, 200, 200])).toColourspace("b-w");
  for (const [name, make] of greys) {
    test(`in greyscale like ${name} stays grey, and accepts colours`, async () => {
      await plantPictures(world, { [name]: await make() });
      const seen = await drawn(world, name, "w=48");
      near(seen.at(5, 5), [60, 60, 60, 255], 3, "dark");
      near(seen.at(-5, 5), [200, 200, 200, 255], 3, "bright");
      near((await drawn(world, name, "filt=sepia")).at(5, 5), sepia([60, 60, 60]), 6, "sepia");
      await takesColours(name, [60, 60, 60]);
    });
  }

  /** Added parts have their own colour, and tones apply to the colours as displayed. */
  async function takesColours(name: string, colour: Rgb): Promise<void> {
    const darker = await drawn(world, name, "fm=png&bri=-20");
    const expected = colour.slice(0, 3).map((value) => clamp(value - 51));
    near(darker.at(6, 6), expected, 12, "bri");
    for (const fm of ["png", "jpg"]) {
      const filled = await drawn(world, name, { fm, w: 48, h: 48, fit: "fill", bg: "f00", border: "6,00f,expand" });
      near(filled.at(2, 2), [0, 0, 255], 8, `the border in ${fm}`);
      near(filled.at(26, 8), [255, 0, 0], 16, `the ground in ${fm}`);
      const clear = await drawn(world, name, { fm, w: 48, h: 48, fit: "fill" });
      if (fm === "png") near(clear.at(20, 2).slice(3), [0], 1, "a transparent background");
      else near(clear.at(20, 2), [255, 255, 255], 10, "a white background");
    }
    const marked = await drawn(world, name, { fm: "png", mark: `${world.prefix}/spot.png` });
    near(marked.at(-4, -4), magenta, 8, "the watermark");
  }

  test("of one bit is drawn", async () => {
    await plantPictures(world, { "bits.png": png({ width: 64, height: 64, kind: "grey", bits: 1, shade: 255 }) });
    near((await drawn(world, "bits.png", "w=10")).at(5, 5), [255, 255, 255], 3);
  });

  test("of 80 megapixels is drawn", async () => {
    await plantPictures(world, {
      "vast.png": png({ width: 10_000, height: 8000, kind: "grey", bits: 1, shade: 255 }),
    });
    const seen = await drawn(world, "vast.png", "w=100");
    assert.equal(sizeOf(seen), "100x80");
    near(seen.at(50, 40), [255, 255, 255], 3);
  });

  test("loses its metadata when transformed: no location, no EXIF", async () => {
    const place = { IFD0: { Copyright: "secret-owner" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } };
    await plantPictures(world, { "exif.jpg": await source().withExif(place).jpeg().toBuffer() });
    assert.ok((await image(world, "exif.jpg")).bytes.includes("secret-owner"), "the source image keeps it");
    const reply = await image(world, "exif.jpg", "w=40");
    await seenIn(reply);
    assert.ok(!reply.bytes.includes("secret-owner"));
  });

  test("of a truncated JPEG or PNG is drawn as far as possible, and refused with strict=1", async () => {
    const whole = await quadrants(400, 300).jpeg({ quality: 95 }).toBuffer();
    const progressive = await quadrants(400, 300).jpeg({ quality: 95, progressive: true }).toBuffer();
    await plantPictures(world, {
      "short.jpg": whole.subarray(0, -2),
      "less.jpg": progressive.subarray(0, -20),
      "short.png": (await quadrants(400, 300).png({ compressionLevel: 0 }).toBuffer()).subarray(0, 200_000),
    });
    for (const name of ["short.jpg", "less.jpg", "short.png"]) {
      const seen = await drawn(world, name, "w=200&fm=png");
      assert.equal(sizeOf(seen), "200x150");
      assert.equal(corners(seen).slice(0, 2), "RG");
      refused(await image(world, name, "w=200&fm=png&strict=1"), 422, "image_unreadable");
      assert.equal((await image(world, name, "or=auto&strict=1")).status, 200, "the stored bytes");
    }
  });

  test("of TIFF is accepted, has its size, and is drawn as a JPEG", async () => {
    const uploaded = await upload(world, { name: "page.tiff", bytes: await quadrants(60, 40).tiff().toBuffer() });
    assert.equal(uploaded.status, 200);
    assert.deepEqual([dataOf(uploaded).exif.Width, dataOf(uploaded).exif.Height], [60, 40]);
    const reply = await image(world, "page.tiff", "w=30");
    assert.equal(reply.headers["content-type"], "image/jpeg");
    assert.equal(corners(await seenIn(reply)), "RG/BY");
  });

  test("that is not an image is 415, with and without arguments", async () => {
    await plantPictures(world, { "notes.txt": "notes\n", "data.json": "{}", "page.pdf": "%PDF-1.4\n%%EOF\n" });
    for (const name of ["notes.txt", "data.json", "page.pdf"]) {
      for (const query of ["w=10", "", "junk=1"]) refused(await image(world, name, query), 415, "image_unsupported");
    }
  });

  const noisy = noise(60, 40);
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);
  const holed = (bytes: Buffer) => Buffer.from(bytes).fill(0x5a, bytes.length >> 2, (bytes.length * 3) >> 2);
  const broken: [string, () => Promise<Buffer>][] = [
    ["head.jpg", async () => (await noisy.clone().jpeg().toBuffer()).subarray(0, 300)],
    ["head.png", async () => (await noisy.clone().png().toBuffer()).subarray(0, 40)],
    ["holed.png", async () => holed(await noisy.clone().png().toBuffer())],
    ["spoilt.png", async () => (await noisy.clone().png().toBuffer()).fill(0x5a, 200, 4000)],
    ["half.webp", async () => half(await noisy.clone().webp().toBuffer())],
    ["half.gif", async () => half(await noisy.clone().gif().toBuffer())],
    ["half.avif", async () => half(await noisy.clone().avif({ effort: 0 }).toBuffer())],
  ];
  for (const [name, make] of broken) {
    test(`like ${name} is 422, but its bytes are served`, async () => {
      const bytes = await make();
      await plantPictures(world, { [name]: bytes });
      for (const query of ["w=100", "fm=webp"]) {
        refused(await image(world, name, query), 422, "image_unreadable");
      }
      const reply = await image(world, name);
      assert.equal(reply.status, 200);
      assert.ok(reply.bytes.equals(bytes));
    });
  }
});

// ---------------------------------------------------------------------------------------------- animations

describe("an animation", () => {
  for (const name of ["moving.gif", "moving.webp"]) {
    const shapes: [string, string, (seen: Seen, page: number) => void][] = [
      ["w=20", "20x12", () => undefined],
      ["fm=gif&w=20", "20x12", () => undefined],
      ["fm=webp&w=20&q=95", "20x12", () => undefined],
      ["w=60&h=60&fit=fill&bg=ffff00", "60x60", (seen, page) => near(seen.at(30, 2, page), [255, 255, 0], 16)],
      ["flip=h", "40x24", (seen, page) => near(seen.at(-2, 12, page), [0, 0, 0], 16)],
      ["or=90", "24x40", (seen, page) => near(seen.at(12, -2, page), [0, 0, 0], 16)],
      ["crop=20,24,20,0", "20x24", (seen, page) => near(seen.at(1, 12, page), frames[page] as Rgb, 16)],
      ["w=20&h=20&fit=crop-right", "20x20", (seen, page) => near(seen.at(2, 10, page), frames[page] as Rgb, 16)],
      ["border=4,ff00ff,expand", "48x32", (seen, page) => near(seen.at(1, 1, page), [255, 0, 255], 16)],
      ["pixel=4&blur=1", "40x24", () => undefined],
    ];
    for (const [query, size, check] of shapes) {
      test(`${name} with ${query} keeps its frames and delays`, async () => {
        const seen = await drawn(world, name, query);
        assert.equal(seen.pages, 3);
        assert.equal(sizeOf(seen), size);
        assert.deepEqual(seen.delay, timing.delay);
        assert.equal(seen.loop, timing.loop);
        if (!query.startsWith("or") && !query.startsWith("flip")) {
          const x = Math.floor(seen.width * 0.7);
          for (const page of [0, 1, 2]) near(seen.at(x, seen.height >> 1, page), frames[page] as Rgb, 20, `${page}`);
        }
        for (const page of [0, 1, 2]) check(seen, page);
      });
    }

    test(`the tones of ${name} are those of every frame`, async () => {
      const seen = await drawn(world, name, "bri=-20&filt=greyscale");
      for (const page of [0, 1, 2]) {
        const level = grey((frames[page] as Rgb).map((value) => bri(value, -20)));
        near(seen.at(30, 12, page), [level, level, level], 10, `frame ${page}`);
      }
    });

    test(`${name} as a jpg, png or avif is its first frame`, async () => {
      for (const fm of ["jpg", "pjpg", "png", "avif"]) {
        const seen = await drawn(world, name, { fm, w: 20 });
        assert.equal(seen.pages, 1, fm);
        assert.equal(sizeOf(seen), "20x12");
        near(seen.at(15, 6), frames[0] as Rgb, 16, fm);
      }
    });
  }

  test("that loops 65,536 times is drawn", async () => {
    const bytes = await moving
      .clone()
      .gif({ loop: 3, delay: [50, 50, 50] })
      .toBuffer();
    bytes.writeUInt16LE(65_535, bytes.indexOf("NETSCAPE2.0") + 13);
    await plantPictures(world, { "often.gif": bytes });
    for (const query of ["w=20", "w=20&fm=webp"]) {
      const seen = await drawn(world, "often.gif", query);
      assert.ok(seen.pages === 3 && (seen.loop ?? 0) >= 65_535, `${query} ${seen.pages} ${seen.loop}`);
    }
  });

  test("that loops forever keeps looping", async () => {
    await plantPictures(world, {
      "ever.gif": await moving
        .clone()
        .gif({ delay: [50, 50, 50], loop: 0 })
        .toBuffer(),
    });
    const ever = await drawn(world, "ever.gif", "w=20");
    assert.equal(ever.loop, 0);
    assert.deepEqual(ever.delay, [50, 50, 50]);
  });

  test("with transparency keeps it in each frame", async () => {
    const clear = (
      await animation(40, 24, [
        [255, 0, 0, 255],
        [0, 0, 0, 0],
        [0, 0, 255, 255],
      ])
    ).webp({ lossless: true });
    const ghost = await animation(40, 24, [
      [255, 0, 0, 255],
      [0, 0, 0, 0],
      [0, 0, 255, 255],
    ]);
    await plantPictures(world, {
      "clear.webp": await clear.toBuffer(),
      "clear.gif": await ghost.gif().toBuffer(),
    });
    for (const name of ["clear.webp", "clear.gif"]) {
      for (const query of ["w=20", "fm=webp&w=20", "fm=gif&w=20", "bri=1"]) {
        const seen = await drawn(world, name, query);
        assert.equal(seen.pages, 3, `${name} ${query}`);
        const alphas = [0, 1, 2].map((page) => seen.at(-4, 6, page)[3]);
        assert.deepEqual(alphas, [255, 0, 255], `${name} ${query}`);
      }
      near((await drawn(world, name, "bg=0f0&w=20")).at(-4, 6, 1), [0, 255, 0, 255], 12, name);
    }
  });

  test("whose frames exceed the limits together stays within them", async () => {
    const seen = await drawn(world, "moving.gif", "w=9000&fm=jpg&q=5");
    assert.equal(seen.pages, 1);
    assert.ok(seen.width <= 8192 && seen.height <= 8192);
  });
});

// ---------------------------------------------------------------------------------------------- SVG

describe("an SVG", () => {
  let visits = 0;
  const server = http.createServer((_, response) => {
    visits++;
    response.end(svg());
  });
  let outside = "";
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    outside = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await plantPictures(world, {
      "plain.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="100" height="100" fill="#dc2828"/><rect x="100" width="100" height="100" fill="#283cdc"/></svg>`,
      "clear.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><circle cx="100" cy="50" r="40" fill="#dc2828"/></svg>`,
    });
  });
  after(() => server.close());

  test("with arguments is drawn, a PNG unless another format is named", async () => {
    const reply = await image(world, "plain.svg", "w=50");
    const seen = await seenIn(reply);
    assert.equal(reply.headers["content-type"], "image/png");
    assert.equal(sizeOf(seen), "50x25");
    near(seen.at(10, 12), [220, 40, 40, 255]);
    near(seen.at(40, 12), [40, 60, 220, 255]);
    assert.equal((await image(world, "plain.svg", "w=50&fm=webp")).headers["content-type"], "image/webp");
    near((await drawn(world, "clear.svg", "w=100&fm=jpg")).at(1, 1), [255, 255, 255], 4);
    assert.equal((await drawn(world, "clear.svg", "w=100")).at(1, 1)[3], 0);
  });

  test("is drawn sharply when enlarged", async () => {
    const seen = await drawn(world, "plain.svg", "w=1000");
    assert.equal(sizeOf(seen), "1000x500");
    near(seen.at(497, 250), [220, 40, 40], 4);
    near(seen.at(502, 250), [40, 60, 220], 4);
  });

  test("without arguments is its stored bytes, with a sandbox policy", async () => {
    for (const query of ["", "junk=1", "w=abc"]) {
      const reply = await image(world, "plain.svg", query);
      assert.equal(reply.status, 200);
      assert.match(reply.text, /^<svg/);
      assert.match(reply.headers["content-type"] ?? "", /^image\/svg\+xml/);
      const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
      assert.equal(reply.headers["content-security-policy"], policy);
      assert.equal(reply.headers["x-content-type-options"], "nosniff");
    }
  });

  const sized = (inner: string, prolog = "") =>
    `<?xml version="1.0"?>${prolog}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="30"><rect width="40" height="30" fill="#dc2828"/>${inner}</svg>`;
  const hostile: [string, () => string][] = [
    ["image", () => sized(`<image href="${outside}/a.png" width="40" height="30"/>`)],
    ["xlink", () => sized(`<image xlink:href="${outside}/a.svg" width="40" height="30"/>`)],
    ["use", () => sized(`<use href="${outside}/a.svg#x"/>`)],
    [
      "style",
      () =>
        sized(`<style>@import url("${outside}/a.css"); g{fill:url(${outside}/b.svg#c)}</style><g><path d="M0 0"/></g>`),
    ],
    ["sheet", () => sized("", `<?xml-stylesheet href="${outside}/a.css" type="text/css"?>`)],
    ["font", () => sized(`<style>@font-face{font-family:x;src:url(${outside}/f.woff)}</style><text y="9">x</text>`)],
    ["filter", () => sized(`<filter id="f"><feImage href="${outside}/a.png"/></filter><rect filter="url(#f)"/>`)],
    [
      "foreign",
      () => sized(`<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${outside}/"/></foreignObject>`),
    ],
    ["entity", () => sized("<text>&x;</text>", `<!DOCTYPE svg [<!ENTITY x SYSTEM "${outside}/x">]>`)],
    ["doctype", () => sized("", `<!DOCTYPE svg SYSTEM "${outside}/x.dtd">`)],
    ["include", () => sized(`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${outside}/x"/>`)],
    ["script", () => sized(`<script>fetch("${outside}/s")</script><script href="${outside}/s.js"/>`)],
    ["onload", () => sized(`<rect onload="fetch('${outside}/o')"/>`)],
    ["passwd", () => sized('<image href="file:///etc/passwd"/><image href="/etc/passwd" width="9" height="9"/>')],
    ["laughs", () => sized("<text>&d;</text>", bomb(10))],
  ];
  const bomb = (depth: number): string => {
    const names = "abcdefghijklmnop".slice(0, depth);
    const one = (name: string, n: number) => `<!ENTITY ${name} "${n === 0 ? "ha" : `&${names[n - 1]};`.repeat(10)}">`;
    return `<!DOCTYPE svg [${[...names].map(one).join("")}]>`;
  };
  for (const [name, text] of hostile) {
    test(`with ${name} fetches nothing and runs nothing`, async () => {
      const file = `${name}.svg`;
      const bytes = text();
      dataOf(await upload(world, { name: file, bytes }));
      const reply = await image(world, file, "w=20");
      // A document that is complete only with external content is not one.
      if (name === "entity") refused(reply, 422, "image_unreadable");
      else near((await seenIn(reply)).at(10, 14), [220, 40, 40], 6);
      assert.equal(visits, 0, "no request was sent");
    });
  }

  test("that declares any size is answered or refused within the limits", async () => {
    const sizes = ["1000000", "1e9", "0", "-5", "1e-9", "100%", "NaN", "99999999999999999999"];
    for (const [n, size] of sizes.entries()) {
      const name = `size${n}.svg`;
      const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><rect width="5" height="5"/></svg>`;
      dataOf(await upload(world, { name, bytes: text }));
      for (const query of ["w=50", "fm=png", "dpr=8&fm=jpg"]) {
        const reply = await image(world, name, query);
        if (reply.status !== 200) {
          refused(reply, [413, 422]);
          continue;
        }
        const seen = await seenIn(reply);
        assert.ok(seen.width <= 8192 && seen.height <= 8192, `${size} ${query}: ${sizeOf(seen)}`);
      }
    }
  });
});

// ---------------------------------------------------------------------------------------------- what is not accepted

describe("trim, crop=smart and lossless", () => {
  before(async () => {
    const dot = { input: await flat(60, 60, [220, 40, 40]).png().toBuffer(), left: 320, top: 100 };
    await plantPictures(world, { "dot.jpg": await flat(400, 200, [244, 244, 244]).composite([dot]).jpeg().toBuffer() });
  });

  test("trim removes edges of one colour", async () => {
    const seen = await drawn(world, "dot.jpg", "trim=1&fm=png");
    assert.ok(seen.width >= 58 && seen.width <= 68 && seen.height >= 58 && seen.height <= 68, sizeOf(seen));
    near(seen.at(30, 30), [220, 40, 40], 6);
    assert.equal(sizeOf(await drawn(world, "dot.jpg", "trim=1&crop=20,10,5,5")), "20x10");
  });

  test("crop=smart keeps the most salient part, in the aspect ratio of w and h", async () => {
    const seen = await drawn(world, "dot.jpg", "crop=smart&w=100&h=100&fm=png&strict=1");
    assert.equal(sizeOf(seen), "100x100");
    const reds = Array.from({ length: 100 }, (_, x) => seen.at(x, 65)).filter(([, green = 0]) => green < 140).length;
    assert.ok(reds >= 28 && reds <= 32, `the whole square is visible: ${reds}`);
    assert.equal(sizeOf(await drawn(world, "dot.jpg", "crop=smart&w=100")), "100x50");
  });

  test("lossless keeps every pixel of a webp, almost of an avif, and has its own tag", async () => {
    const original = await drawn(world, "noise.png", "fm=png");
    for (const [fm, tolerance] of [
      ["webp", 0],
      ["avif", 2],
    ] as const) {
      const exact = await image(world, "noise.png", { fm, lossless: 1 });
      assert.notEqual(exact.headers.etag, (await image(world, "noise.png", { fm })).headers.etag);
      const seen = await seenIn(exact);
      for (let x = 0; x < 120; x += 7) near(seen.at(x, x % 80), original.at(x, x % 80), tolerance);
    }
  });
});

describe("strict=1", () => {
  const mark = (name: string) => `${world.prefix}/${name}`;

  test("refuses a watermark that is missing, no image or unreadable", async () => {
    await plantBeside(world, "watermarks", "spoilt.png", png({ width: 40, height: 40 }).subarray(0, 60));
    await plantBeside(world, "watermarks", "words.txt", Buffer.from("words\n"));
    for (const name of ["nowhere.png", "words.txt", "spoilt.png"]) {
      const args = { w: 40, mark: mark(name) };
      await drawn(world, "quarters.png", args);
      const problem = refused(await image(world, "quarters.png", { ...args, strict: 1 }), 400, "argument_invalid");
      assert.match(problem.detail, /"mark"/);
    }
  });

  test("refuses a size that would be reduced", async () => {
    await plantPictures(world, { "free.svg": svg() });
    for (const query of ["w=9000", "h=9000&w=100&fit=stretch", "w=8000&h=8000&fit=stretch", "w=5000&dpr=2"]) {
      const problem = refused(await image(world, "quarters.png", `${query}&strict=1`), 400, "argument_invalid");
      assert.match(problem.detail, /8192/);
    }
    refused(await image(world, "free.svg", "w=9000&strict=1"), 400, "argument_invalid");
    assert.equal((await drawn(world, "line.png", "w=9000&fm=png&q=5")).width, 8192);
  });
});

describe("an invalid value", () => {
  const bad: Record<string, string[]> = {
    or: ["45", "90deg", "-90", "360"],
    crop: ["1,2,3", "0,10,0,0", "10,10,-1,0", "a,b,c,d", "10;10;0;0"],
    w: ["0", "-5", "abc", "1e99x", "0w", "NaN", "Infinity", "0x10", "1,5"],
    h: ["0", "-5", "abc", "-0", "%"],
    fit: ["odd", "crop-", "crop-top-up", "crop-1", "crop-a-b", "contain-top"],
    dpr: ["0", "9", "-1", "abc", "8.1", "NaN"],
    bri: ["101", "-101", "1.5", "x", "1e1"],
    con: ["101", "-101", "1.5", "x"],
    gam: ["10", "0.05", "x", "-1", "9.999"],
    sharp: ["101", "-1", "x"],
    filt: ["greyish", "x"],
    flip: ["x", "hv"],
    blur: ["101", "-1", "x"],
    pixel: ["1001", "-1", "x"],
    bg: ["nocolour", "12345", "#ff", "#fffff", "rgb(1,2)", "rgb(1,2,3", "1234567", "ggg", "fffffffff"],
    border: ["x,red", "-1,red", ",red", "0x9,red,expand"],
    q: ["101", "-1", "x"],
    fm: ["bmp", "image/png", "tif"],
    interlace: ["maybe", "2"],
    lossless: ["maybe", "2"],
    trim: ["maybe", "101", "-1"],
    markpos: ["middle", "0"],
    markfit: ["odd"],
    markalpha: ["101", "-1", "x"],
    markw: ["x", "-1", "101w"],
    markpad: ["x", "-1"],
  };
  for (const [name, values] of Object.entries(bad)) {
    test(`of ${name} is ignored`, async () => {
      const plainTag = (await image(world, "quarters.png", "w=40")).headers.etag;
      const original = (await image(world, "quarters.png")).bytes;
      for (const value of values) {
        const alone = await image(world, "quarters.png", { [name]: value });
        assert.equal(alone.status, 200, value);
        assert.ok(alone.bytes.equals(original), `${name}=${value} alone answers the source image`);
        if (name === "w") continue;
        assert.equal((await image(world, "quarters.png", { w: 40, [name]: value })).headers.etag, plainTag, value);
      }
    });

    test(`of ${name} is 400 with strict=1 and names the argument`, async () => {
      for (const value of values) {
        const problem = refused(
          await image(world, "quarters.png", { strict: 1, [name]: value }),
          400,
          "argument_invalid",
          new RegExp(`\\b${name}\\b`),
        );
        assert.ok(problem.detail.includes(value), `${value} is in ${problem.detail}`);
      }
    });
  }

  const meant: [string, string][] = [
    ["fm=jpeg", "fm=jpg"],
    ["fm=WebP&w=40", "fm=webp&w=40"],
    ["filt=grayscale", "filt=greyscale"],
    ["filt=SEPIA&w=40", "filt=sepia&w=40"],
    ["w=40&h=40&fit=CROP-Top", "w=40&h=40&fit=crop-top"],
    ["w=40&h=40&fit=fill&bg=%23FF8000", "w=40&h=40&fit=fill&bg=ff8000"],
    ["w=40&h=40&fit=fill&bg=rgb(255,128,0)", "w=40&h=40&fit=fill&bg=ff8000"],
    ["w=40&border=4,rgb(255,128,0),Expand", "w=40&border=4,ff8000,expand"],
  ];
  for (const [text, same] of meant) {
    test(`is not ${text}, which is ${same}`, async () => {
      const [one, other] = [
        await image(world, "quarters.png", `${text}&strict=1`),
        await image(world, "quarters.png", same),
      ];
      await seenIn(one);
      assert.equal(one.headers.etag, other.headers.etag);
      assert.ok(one.bytes.equals(other.bytes));
    });
  }

  test("of several arguments lists each", async () => {
    const reply = await image(world, "quarters.png", "strict=1&w=x&q=999&fit=odd&h=50");
    const problem = refused(reply, 400, "argument_invalid");
    const told = `${problem.detail} ${JSON.stringify(problem.errors)}`;
    for (const name of ["w", "q", "fit"]) assert.match(told, new RegExp(`\\b${name}\\b`));
    assert.equal(problem.errors?.length, 3);
  });

  test("repeated or nested never causes a 500", async () => {
    for (const query of [
      "w[]=40",
      "w[a]=40",
      "w=10&w=40",
      "w[a][b]=4&h=20",
      "fit[]=crop&w=20",
      "w",
      "w=",
      "=40",
      "&&&",
    ]) {
      const reply = await image(world, "quarters.png", query);
      if (reply.status !== 200) refused(reply, 400);
    }
  });

  test("is refused, while strict=1 changes nothing for valid ones", async () => {
    const good =
      "or=90&crop=50,60,1,1&w=40&h=30&fit=crop-20-30-1.5&dpr=1.5&bri=5&con=-5&gam=1.2&sharp=5&filt=sepia&flip=h&blur=2" +
      "&pixel=2&bg=50ff0000&border=2,red,shrink&q=70&fm=webp&interlace=1&markpos=top&markpad=3&markw=20w&markalpha=50";
    const [lenient, strict] = [
      await image(world, "quarters.png", good),
      await image(world, "quarters.png", `${good}&strict=1`),
    ];
    assert.equal(sizeOf(await seenIn(lenient)), "60x45");
    assert.ok(lenient.bytes.equals(strict.bytes));
    assert.equal(lenient.headers.etag, strict.headers.etag);
  });
});

allRepliesKeptTheirPromises(world);
