import { access, writeFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import { overlap, planBorder, planMark, type SizePlan } from "../geometry.ts";
import {
  type Border,
  type Color,
  defaultQuality,
  type Format,
  type Mark,
  type Modifiers,
  type PixelName,
  pixelNames,
} from "../modifier.ts";
import { chooseFormat, typeOf } from "../rendition.ts";
import { flipped, type Symmetry } from "../symmetry.ts";
import { blur } from "./blur.ts";
import { applyEffects, brightness, contrast, type Effect, filter, gamma, pixelate, sharpen } from "./effect.ts";
import { writeGif } from "./gif.ts";
import { type Concurrency, RenderError, type Rendered, type RenderJob, type Sketched, type SketchJob } from "./job.ts";
import { framed, isOpaque, layOver, layUnder, type Pixels, paint, turned, withoutAlpha } from "./pixels.ts";
import { placeholderOf } from "./placeholder.ts";
import { drawFrames, drawStill, resized } from "./resize.ts";
import { openMark, openSource, readingError, type Source } from "./source.ts";
import { hasHash } from "./source-hash.ts";

/**
 * Draws a picture, in Glide's order: orientation, crop, size, brightness, contrast, gamma, sharpen, filter, flip, blur,
 * pixelate, watermark, background, border, encode. Compatibility, Images. Modifiers that only move and scale pixels are
 * one pass of sharp from file to file; all others work on the decoded pixels, which sharp has scaled to their size
 * before.
 *
 * The flip is applied together with the orientation: every step in between commutes with mirroring.
 */

// No operation cache: kept operations hold whole decoded pictures, and repeated requests are answered from the
// rendition cache. One thread: the pool draws as many pictures concurrently as it has processes.
sharp.cache(false);
sharp.concurrency(1);

const white: Color = { r: 255, g: 255, b: 255, alpha: 1 };

/**
 * Draws `job.source` into the file `job.result`, which is complete when this answers. A mark that cannot be read is
 * omitted. Throws RenderError: source_changed for a file whose hash is not the expected one, image_unreadable for
 * bytes that are damaged or truncated, image_too_large above maxSourcePixels, image_unsupported for a type that is not
 * drawn, disk_full where the disk has no space for the result, internal for anything else; needs_exclusive for a large
 * source that has to be decoded whole, in a shared job.
 */
export function render(job: RenderJob, concurrency?: Concurrency): Promise<Rendered>;
export function render(job: SketchJob, concurrency?: Concurrency): Promise<Sketched>;
export async function render(
  job: RenderJob | SketchJob,
  concurrency: Concurrency = "exclusive",
): Promise<Rendered | Sketched> {
  try {
    await refuseChanged(job);
    if (job.format === "placeholder") {
      const still: RenderJob = { ...job, format: "png" };
      const source = await openSource(still, typeOf("png"), concurrency);
      return { placeholder: placeholderOf(await decodeSource(source, still)) };
    }
    const format = job.format === "source" ? chooseFormat(undefined, job.sourceType, undefined) : job.format;
    const source = await openSource(job, typeOf(format), concurrency);
    const chosen = chooseSteps({ job, source });
    const isPlain =
      isPlainlyTurned({ job, source }) && !wouldKeepTag(source, format) && chosen.every((step) => step.isPlain);
    const image = isPlain ? drawPlainly(source, job, format) : await drawPixels(source, job, chosen, format);
    if (format === "gif" && source.frames === 1 && megapixels(source) > 4) return await drawLargeGif(image, job);
    const info = await encode(image, format, job, source).toFile(job.result);
    return { type: typeOf(format), width: info.width, height: info.pageHeight ?? info.height, size: info.size };
  } catch (error) {
    throw (await fileFault(job)) ?? readingError(error);
  }
}

/** A rendition of wrong bytes would be cached under the name of the right one. Decision 4. */
async function refuseChanged({ source, mark, hashes = [] }: Omit<RenderJob, "format">): Promise<void> {
  const files = [source, mark];
  for (const [n, hash] of hashes.entries()) {
    if (hash === "") continue;
    if (!(await hasHash(files[n] as string, hash)))
      throw new RenderError("source_changed", `the blob ${hash} holds other bytes`);
  }
}

/** Tells a file that does not exist or cannot be opened from a damaged picture. */
async function fileFault({ source, result }: Omit<RenderJob, "format">): Promise<RenderError | undefined> {
  try {
    await Promise.all([access(source), writeFile(result, "")]);
    return undefined;
  } catch (error) {
    return readingError(error);
  }
}

type Scene = { job: RenderJob; source: Source };
type Step<N extends PixelName> = {
  /** The step of the argument; undefined for none. */
  effect(value: Required<Modifiers>[N], scene: Scene): Effect | undefined;
  /** True where sharp does it on the way; absent for never. */
  isPlain?(value: Required<Modifiers>[N], scene: Scene): boolean;
};

/** The steps on decoded pixels: one for each argument that changes them, applied in the order of its rows. */
const steps: { readonly [N in PixelName]: Step<N> } = {
  bri: { effect: brightness },
  con: { effect: contrast },
  gam: { effect: gamma },
  sharp: { effect: (strength) => (pixels) => sharpen(pixels, strength) },
  filt: { effect: (name) => (pixels) => filter(pixels, name) },
  blur: { effect: (passes) => (pixels) => blur(pixels, passes) },
  pixel: { effect: (size) => (pixels) => pixelate(pixels, size) },
  mark: {
    effect: (mark, { job }) => {
      const file = job.mark;
      return file === undefined ? undefined : (pixels) => layMark(pixels, mark, file, job);
    },
  },
  bg: {
    effect: (color) => (pixels) => layUnder(pixels, color),
    isPlain: ({ alpha }, { source }) => !source.isGrey && (alpha === 1 || !(source.hasAlpha || hasCanvas(source.plan))),
  },
  border: {
    effect:
      (border, { job }) =>
      (pixels) =>
        addBorder(pixels, border, job),
  },
};

type Chosen = { effect: Effect; isPlain: boolean };

const chooseSteps = (scene: Scene): Chosen[] => pixelNames.flatMap((name) => chooseStep(name, scene) ?? []);

function chooseStep<N extends PixelName>(name: N, scene: Scene): Chosen | undefined {
  const step: Step<N> = steps[name];
  const value = scene.job.modifiers[name] as Required<Modifiers>[N] | undefined;
  const effect = value === undefined ? undefined : step.effect(value, scene);
  if (value === undefined || effect === undefined) return undefined;
  return { effect, isPlain: step.isPlain?.(value, scene) ?? false };
}

/** sharp turns and flips stills only. */
const isPlainlyTurned = ({ job, source }: Scene): boolean =>
  source.frames === 1 || isStraight(flipped(source.turn, job.modifiers.flip));

/**
 * libvips writes the orientation of the source into an AVIF, as a rotation and a mirroring, even though its pixels are
 * upright by then: every viewer would turn them once more. Decoded pixels have no tags. Decision 12.
 */
const wouldKeepTag = ({ isTagged }: Source, format: Format): boolean => isTagged && format === "avif";

const isStraight = ({ swap, mirrorX, mirrorY }: Symmetry): boolean => !(swap || mirrorX || mirrorY);
const hasCanvas = ({ scaled }: SizePlan): boolean => scaled.left > 0 || scaled.top > 0;
const megapixels = ({ plan, frames }: Source): number => (plan.width * plan.height * frames) / 1e6;
const isJpeg = (format: Format): boolean => format === "jpg" || format === "pjpg";

async function drawLargeGif(image: Sharp, { result, modifiers }: RenderJob): Promise<Rendered> {
  const pixels = await decode(image, 1);
  const size = await writeGif(pixels, result, modifiers.interlace ?? false);
  return { type: typeOf("gif"), width: pixels.width, height: pixels.height, size };
}

function drawPlainly(source: Source, { modifiers }: RenderJob, format: Format): Sharp {
  const ground = modifiers.bg?.alpha === 1 ? modifiers.bg : isJpeg(format) ? white : undefined;
  return source.frames > 1 ? drawFrames(source, ground) : drawStill(source, modifiers.flip, ground);
}

async function drawPixels(source: Source, job: RenderJob, chosen: readonly Chosen[], format: Format): Promise<Sharp> {
  const effects = chosen.map(({ effect }) => effect);
  const pixels = await applyEffects(await decodeSource(source, job), effects);
  return reopen(isOpaque(pixels) ? withoutAlpha(pixels) : pixels, format);
}

async function decodeSource(source: Source, { modifiers }: RenderJob): Promise<Pixels> {
  if (source.frames === 1) return decode(drawStill(source, modifiers.flip, undefined), 1);
  const frames = await decode(drawFrames(source, undefined), source.frames);
  const turn = flipped(source.turn, modifiers.flip);
  return isStraight(turn) ? frames : turned(frames, turn);
}

async function decode(image: Sharp, frames: number): Promise<Pixels> {
  const { data, info } = await image.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  if (channels !== 3 && channels !== 4) throw new Error(`${channels} channels`);
  return { data, width, height: height / frames, channels, frames };
}

function reopen({ data, width, height, channels, frames }: Pixels, format: Format): Sharp {
  const raw = { width, height: height * frames, channels, pageHeight: height };
  const image = sharp(data, { raw, limitInputPixels: false });
  return isJpeg(format) ? image.flatten({ background: white }) : image;
}

async function layMark(pixels: Pixels, mark: Mark, file: string, job: RenderJob): Promise<Pixels> {
  try {
    const opened = await openMark(file, job);
    const place = planMark(pixels, opened.upright, mark, job.modifiers.dpr, job.limits);
    if (!place || !overlap(place.plan, place.plan.scaled)) return pixels;
    const over = await decode(drawStill({ ...opened, plan: place.plan }, undefined, undefined), 1);
    layOver(pixels, over, place.left, place.top, mark.alpha / 100);
  } catch (error) {
    const { code, message } = readingError(error);
    if (code === "internal") throw error;
    if (job.isStrict) throw new RenderError("mark_unreadable", message, error);
  }
  return pixels;
}

async function addBorder(pixels: Pixels, { width, method, color }: Border, job: RenderJob): Promise<Pixels> {
  const { frames } = pixels;
  // An animation whose frame grows does so on every frame.
  const limits = { ...job.limits, maxOutputPixels: Math.floor(job.limits.maxOutputPixels / frames) };
  const plan = planBorder(pixels, { width, method }, job.modifiers.dpr, limits);
  if (!plan) return pixels;
  if (plan.band > 0) return withBands(pixels, plan.band, color);
  const inner = await resized(pixels, plan.inner);
  return framed(inner, plan, plan.inner.left, plan.inner.top, color);
}

/** The four edges, each pixel painted once. */
function withBands(pixels: Pixels, band: number, color: Color): Pixels {
  const { width, height } = pixels;
  const across = Math.min(band, height - band);
  const rows = height - band - across;
  const down = Math.min(band, width - band);
  paint(pixels, { left: 0, top: 0, width, height: band }, color);
  paint(pixels, { left: 0, top: height - across, width, height: across }, color);
  paint(pixels, { left: 0, top: band, width: band, height: rows }, color);
  paint(pixels, { left: width - down, top: band, width: down, height: rows }, color);
  return pixels;
}

/**
 * Without metadata and colour profile. libvips numbers qualities from 1. The larger the result, the lower the effort,
 * so that 24 megapixels take some 5 s of processor time in any format. Decision 12.
 */
function encode(image: Sharp, format: Format, { modifiers }: RenderJob, source: Source): Sharp {
  const quality = Math.max(1, modifiers.q ?? defaultQuality);
  const progressive = modifiers.interlace ?? false;
  const { lossless = false } = modifiers;
  const { delay, loop } = source;
  const size = megapixels(source);
  switch (format) {
    case "jpg":
    case "pjpg":
      return image.jpeg({ quality, progressive: format === "pjpg" });
    case "png":
      return image.png({ progressive });
    case "gif":
      return image.gif({ progressive, delay, loop, effort: 4, keepDuplicateFrames: true }); // a third of the time of sharp's 7, a tenth larger
    case "webp":
      // Noise of one megapixel takes 0.6 s at effort 4 and 0.1 s at 2; below that libwebp gives up on large noisy
      // pictures.
      return image.webp({ quality, lossless, delay, loop, effort: size > 6 ? (lossless ? 0 : 2) : 4 });
    case "avif":
      // A megapixel takes 0.6 s at effort 2 and 0.2 s at 0, for a tenth more bytes; unsubsampled colours take a third
      // more memory.
      return image.avif({
        quality,
        lossless,
        effort: size > 2 ? 0 : 2,
        chromaSubsampling: size > 8 && !lossless ? "4:2:0" : "4:4:4",
      });
  }
}
