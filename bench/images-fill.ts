/** The source images of the scenario, and its requests. */
import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import type { Path } from "../src/core/path.ts";
import type { Stores } from "../src/stores.ts";
import { uploadFile } from "../src/upload/upload.ts";
import type { SharpJob } from "./bare-sharp.ts";
import { get, random } from "./rounds.ts";
import { context, createEntry, createTokens, inStores, sample, type Tokens } from "./store.ts";

/** A size of source image, with copies that differ in their last bytes, so that a run has no rendition twice. */
export type Source = { name: string; width: number; height: number };
export const large: Source = { name: "large", width: 6000, height: 4000 };
export const small: Source = { name: "small", width: 1732, height: 1155 };
const copies = 8;
const nameOf = ({ name }: Source, n: number): string => `${name}-${n}.jpg`;
const copiesOf = (source: Source): string[] => Array.from({ length: copies }, (_, n) => nameOf(source, n));
/** The same image in formats of which sharp must decode every pixel. */
const others = ["large-progressive.jpg", "large.png", "large.webp"];

/** Writes the source images as files of the folder. */
export async function makePictures(folder: string): Promise<void> {
  await writeFile(join(folder, costlySvg), costly());
  for (const source of [large, small]) {
    const bytes = await photoOf(source).jpeg({ quality: 90 }).toBuffer();
    for (let n = 0; n < copies; n++) {
      // Bytes after the end of the image are not read.
      await writeFile(join(folder, nameOf(source, n)), Buffer.concat([bytes, Buffer.from(String(n))]));
    }
  }
}

export const costlySvg = "costly.svg";

/** A few hundred bytes that require minutes of work. */
function costly(): string {
  const filter = '<feTurbulence baseFrequency=".01" numOctaves="9999"/><feGaussianBlur stdDeviation="99"/>'.repeat(9);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f">${filter}</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`;
}

/** Noise on soft patches: about 0.4 bytes per pixel, as in a photograph. */
function photoOf({ width, height }: Source): Sharp {
  const noise = (mean: number, sigma: number) => ({ type: "gaussian" as const, mean, sigma });
  const grain = { width: Math.ceil(width / 2), height: Math.ceil(height / 2), channels: 3 as const };
  return sharp({ create: { ...grain, background: "black", noise: noise(128, 24) } }).resize(width, height);
}

export async function makeOthers(folder: string): Promise<void> {
  const picture = () => sharp(join(folder, nameOf(large, 0)));
  await picture().jpeg({ quality: 90, progressive: true }).toFile(join(folder, "large-progressive.jpg"));
  await picture().png({ compressionLevel: 3 }).toFile(join(folder, "large.png"));
  await picture().webp({ quality: 80, effort: 0 }).toFile(join(folder, "large.webp"));
}

export const plainSources: string[] = copiesOf(large);
export const mixedSources: string[] = [...copiesOf(large).slice(0, others.length), ...others];

/** A store in the folder with the source images of the other one, and an entry. */
export function plant(folder: string, pictures: string, names: string[]): Promise<Tokens> {
  return inStores(folder, async (stores) => {
    for (const name of names) await upload(stores, join(pictures, name), name);
    await createEntry(stores, "one", sample(7, 100));
    return createTokens(stores, ["entries", "files"]);
  });
}

export const allCopies: string[] = [...copiesOf(large), ...copiesOf(small), costlySvg];

async function upload(stores: Stores, file: string, name: string): Promise<void> {
  const { size } = await stat(file);
  const staged = await stores.blobs.stage(createReadStream(file), size);
  const request = {
    ...{ folder: "" as Path, fileName: name, onConflict: "fail" as const },
    ...{ title: undefined, description: undefined, ifMatch: undefined },
  };
  const rules = {
    hasSafeNames: true,
    extensions: ["jpg", "png", "webp", "svg"],
    maxPixels: 1e9,
    refusesCorruptImages: true,
  };
  await uploadFile(stores, staged, request, rules, context);
  await staged.discard();
}

// ---------------------------------------------------------------------------------------------- distinct widths

const widths = 1200;
const narrowest = 400;
const distinct = copies * widths;

/** All different renditions of a source image, from the n-th on. Throws when none is left. */
export function widthJobs(source: Source, n: number): (SharpJob & { name: string })[] {
  if (n >= distinct) throw new RangeError(`only ${distinct} renditions differ: fewer rounds or seconds`);
  return Array.from({ length: distinct - n }, (_, i) => widthJob(source, n + i));
}

/** The n-th of them: copies in turn, widths of 400 to 1,599 in pseudo-random order. */
function widthJob(source: Source, n: number): SharpJob & { name: string } {
  const copy = n % copies;
  // 7,919 is a prime: each width once for each copy.
  const width = narrowest + ((Math.floor(n / copies) * 7919 + copy * 150) % widths);
  const name = nameOf(source, copy);
  return { source: name, name, width, height: Math.round((width * source.height) / source.width), format: "jpg" };
}

// ---------------------------------------------------------------------------------------------- random renditions

const fits = ["contain", "max", "fill", "fill-max", "stretch", "cover", "crop", "crop-top", "crop-30-70-2"];
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
const effects = [
  ...[() => `blur=${1 + random(20)}`, () => `sharp=${1 + random(50)}`, () => `pixel=${2 + random(30)}`],
  ...[() => `bri=${random(100) - 50}`, () => `con=${random(100) - 50}`, () => `gam=${(5 + random(20)) / 10}`],
  ...[() => `filt=${pick(["sepia", "greyscale"])}`, () => `flip=${pick(["h", "v", "both"])}`],
  ...[() => `border=${1 + random(30)},f60,expand`, () => "or=90"],
];

/** Any size up to 2,000 × 2,000, any fit, three formats; a third of them with one to three effects. */
export function randomRenditions(names: string[], count: number): (SharpJob & { query: string })[] {
  return Array.from({ length: count }, () => {
    const [width, height, format] = [20 + random(1980), 20 + random(1980), pick(["jpg", "webp", "png"] as const)];
    const shuffled = [...effects].sort(() => Math.random() - 0.5);
    const some = random(3) === 0 ? shuffled.slice(0, 1 + random(3)).map((effect) => effect()) : [];
    const query = [`w=${width}&h=${height}&fit=${pick(fits)}&fm=${format}`, ...some].join("&");
    return { source: pick(names), width, height, format, query };
  });
}

export const image = (name: string, query: string, { images }: Tokens): string =>
  get(`/api/images/${name}?${query}&token=${images}`);
