// Long: it runs a browser and draws hundreds of pictures.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Sharp } from "sharp";
import { noBrowser } from "../chromium.ts";
import { openPage, startServer } from "../client/browser.ts";
import { useWorld } from "../harness.ts";
import {
  cropped,
  described,
  type Flat,
  filled,
  flipped,
  letterOf,
  paint,
  placed,
  scaled,
  stored,
  turnedLeft,
  upright,
} from "./flat.ts";

/** What a browser shows of renditions: a decoder of ours may ignore a tag that a browser applies. */

const world = useWorld({ "image-presets": "tile:w=24&h=24&fit=crop-left" });

/** This browser names AVIF in `Accept`, so `auto` is AVIF. */
const formats = ["jpg", "pjpg", "png", "gif", "webp", "avif", "auto"];
const orientations = [1, 2, 3, 4, 5, 6, 7, 8];

/** sharp writes the orientation of an AVIF as a rotation and a mirroring. */
const encoders: Record<string, (picture: Sharp) => Sharp> = {
  jpg: (picture) => picture.jpeg({ quality: 100, chromaSubsampling: "4:4:4" }),
  png: (picture) => picture.png(),
  webp: (picture) => picture.webp({ lossless: true }),
  tiff: (picture) => picture.tiff({ compression: "lzw" }),
  avif: (picture) => picture.avif({ quality: 100, effort: 0 }),
};

/** A query, and what it shows of a picture: of the upright one, or of the stored one where it ignores EXIF. */
type Case = [query: string, shown: (whole: Flat, lying: Flat) => Flat];
const cases: Case[] = [
  ["w=24", (whole) => scaled(whole, 24, 16)],
  ["or=90&flip=h", (_, lying) => flipped(turnedLeft(lying), "h")],
  ["p=tile", (whole) => cropped(scaled(whole, 36, 24), 24, 24, 0, 0)],
  ["or=auto", (whole) => whole],
  ["crop=24,16,12,0", (whole) => cropped(whole, 24, 16, 12, 0)],
  ["flip=v&w=24", (whole) => flipped(scaled(whole, 24, 16), "v")],
  ["flip=both&crop=24,32,0,0", (whole) => flipped(flipped(cropped(whole, 24, 32, 0, 0), "h"), "v")],
  ["w=80&h=80&fit=fill&bg=f0f", (whole) => filled(whole, 80, 80)],
  ["bri=1&w=24", (whole) => scaled(whole, 24, 16)],
  ["or=0", (_, lying) => lying],
  ["or=180", (_, lying) => turnedLeft(turnedLeft(lying))],
];
/** A JPEG in every way, the other formats in some. */
const some = (type: string) =>
  type === "jpg" ? { cases, formats } : { cases: cases.slice(0, 3), formats: ["png", "auto"] };

describe("in a browser", { skip: noBrowser }, () => {
  let page: Page;

  before(async () => {
    await world.ready;
    const url = await startServer((_, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><link rel=icon href=data:,><title>Pictures</title>");
    });
    ({ page } = await openPage());
    await page.goto(url);
  });

  async function upload(path: string, bytes: Buffer): Promise<void> {
    const slash = path.lastIndexOf("/");
    const form = new FormData();
    form.set("folder", path.slice(0, Math.max(0, slash)));
    form.set("file", new File([new Uint8Array(bytes)], path.slice(slash + 1)));
    const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
    const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", headers, body: form });
    assert.equal(reply.status, 200, await reply.text());
  }

  /** Size and colours of pictures, by their paths and queries, as the page has them. */
  async function seen(paths: string[]): Promise<string[]> {
    const urls = paths.map((path) => `${world.app.url}/api/images/${path}&token=${world.token.images}`);
    const looks = (await page.evaluate(`(async () => {
      const parts = [1, 3, 5, 7].map((eighth) => eighth / 8);
      const look = async (src) => {
        const image = Object.assign(new Image(), { crossOrigin: "anonymous", src });
        document.body.append(image);
        await image.decode();
        const { naturalWidth: width, naturalHeight: height } = image;
        const canvas = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
        canvas.drawImage(image, 0, 0);
        const pixel = (x, y) => [...canvas.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data];
        return { width, height, rows: parts.map((y) => parts.map((x) => pixel(x, y))) };
      };
      return Promise.all(${JSON.stringify(urls)}.map((url) => look(url).catch((fault) => String(fault))));
    })()`)) as (string | { width: number; height: number; rows: number[][][] })[];
    return looks.map((look) =>
      typeof look === "string"
        ? look
        : `${look.width}x${look.height} ${look.rows.map((row) => row.map(letterOf).join("")).join(" ")}`,
    );
  }

  /** Compares all of them at once: a failure lists every picture that looks different. */
  async function assertShown(wanted: Map<string, Flat>): Promise<void> {
    const looks = await seen([...wanted.keys()]);
    const wrong = [...wanted].flatMap(([path, flat], n) =>
      looks[n] === described(flat) ? [] : `${path} shows ${looks[n]}, not ${described(flat)}`,
    );
    assert.deepEqual(wrong, []);
  }

  for (const [type, encode] of Object.entries(encoders)) {
    test(`a ${type} of every orientation is shown as its arguments say`, async () => {
      const wanted = new Map<string, Flat>();
      const asked = some(type);
      for (const n of orientations) {
        const lying = stored(upright, n);
        await upload(`${n}.${type}`, await encode(paint(lying).withMetadata({ orientation: n })).toBuffer());
        // The rotation of an AVIF is no EXIF: it is a part of the picture.
        const base = type === "avif" ? upright : lying;
        for (const [query, shown] of asked.cases) {
          for (const fm of asked.formats) wanted.set(`${n}.${type}?${query}&fm=${fm}`, shown(upright, base));
        }
      }
      await assertShown(wanted);
    });

    test(`a ${type} with a colour profile and a density keeps its colours and its size in pixels`, async () => {
      const picture = paint(upright).withMetadata({ density: 300 }).withIccProfile("p3");
      await upload(`wide.${type}`, await encode(picture).toBuffer());
      const queries = formats.flatMap((fm) => [`or=0&fm=${fm}`, `w=24&fm=${fm}`, `w=24&bri=1&fm=${fm}`]);
      const shownBy = (query: string) => (query.startsWith("w") ? scaled(upright, 24, 16) : upright);
      await assertShown(new Map(queries.map((query) => [`wide.${type}?${query}`, shownBy(query)])));
    });

    test(`a watermark that is a ${type} is upright`, async () => {
      const ground = scaled(upright, 96, 64);
      await upload("ground.png", await paint(ground).png().toBuffer());
      const wanted = new Map<string, Flat>();
      for (const n of [3, 5, 6, 7]) {
        const bytes = await encode(paint(stored(upright, n)).withMetadata({ orientation: n })).toBuffer();
        await upload(`watermarks/${n}.${type}`, bytes);
        wanted.set(`ground.png?mark=${n}.${type}&markpos=top-left&fm=avif`, placed(upright, ground, 0, 0));
      }
      await assertShown(wanted);
    });
  }
});
