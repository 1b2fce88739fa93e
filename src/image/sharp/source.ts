import sharp, { type Metadata, type Sharp, type SharpOptions } from "sharp";
import {
  type Box,
  focusedWithin,
  isReduced,
  type OutputLimits,
  planSize,
  type Size,
  type SizePlan,
  sidesIn,
} from "../geometry.ts";
import type { Crop, Modifiers } from "../modifier.ts";
import { symmetryOf, turnedBox, turnedSize, unturnedBox } from "../symmetry.ts";
import { cmykToRgb } from "./cmyk.ts";
import type { Drawing } from "./drawing.ts";
import { begin, type Input, isCut, readMark, readSource } from "./input.ts";
import { type Concurrency, RenderError, type RenderJob } from "./job.ts";
import { attendedBox, trimmedBox } from "./region.ts";

/** Opens pictures for drawing: checks the header before any pixel is decoded. */

// libvips reads some forty formats; no request may reach the others.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Webp", "Nsgif", "Heif", "Tiff", "Svg"].map((format) => `VipsForeignLoad${format}`),
});

/** sharp's names of the formats, by the media types that are drawn. */
const drawable = new Map([
  ["image/jpeg", "jpeg"],
  ["image/png", "png"],
  ["image/apng", "png"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/avif", "heif"],
  ["image/tiff", "tiff"],
  ["image/svg+xml", "svg"],
]);
/** The media types whose animations are kept, as source and as result. */
const animated = ["image/gif", "image/webp"];

/** The source picture of a job. */
export type Source = Drawing &
  Readonly<{
    /** 1, or the number of frames when it stays animated. */
    frames: number;
    hasAlpha: boolean;
    /** Has an orientation to be applied, whether or not `turn` does. */
    isTagged: boolean;
    /** Stored as greyscale: a background composited in the same pass would lose its colours. */
    isGrey: boolean;
    /** Delays of the frames in milliseconds, and how often they are played, 0 for endlessly. */
    delay: number[] | undefined;
    loop: number | undefined;
  }>;

/** Throws RenderError. */
export async function openSource(job: RenderJob, resultType: string, concurrency: Concurrency): Promise<Source> {
  const format = drawable.get(job.sourceType);
  if (!format) throw new RenderError("image_unsupported", `${job.sourceType} is not drawn`);
  const input = await readSource(job.source, format);
  const metadata = await readHeader(input, job.limits.maxSourcePixels);
  if (metadata.format !== format) throw new RenderError("image_unreadable", `${job.sourceType} is ${metadata.format}`);
  const mayMove = animated.includes(job.sourceType) && animated.includes(resultType);
  if (concurrency === "shared" && isHeavy(metadata, mayMove))
    throw new RenderError("needs_exclusive", "it is decoded whole");
  const opened = await openPixels(input, metadata, job);
  const source = await toSource(opened, metadata, job, mayMove);
  if (concurrency === "shared" && resultType === "image/avif" && area(source.plan) * source.frames > maxLightPixels) {
    throw new RenderError("needs_exclusive", "it is encoded whole");
  }
  return source;
}

const area = ({ width, height }: Size): number => width * height;

/** A watermark, of any format that is drawn. Throws RenderError. */
export async function openMark(file: string, job: RenderJob): Promise<Omit<Drawing, "plan">> {
  const input = await readMark(file);
  const metadata = await readHeader(input, job.limits.maxSourcePixels);
  const open = await openPixels(input, metadata, job);
  const turn = symmetryOf("auto", metadata.orientation);
  return { upright: turnedSize(metadata, turn), turn, open: () => open(1) };
}

/**
 * Damaged and truncated files fail; a mere warning does not: many intact files cause one. A JPEG, and a PNG that was
 * cut off, are drawn as far as they can be decoded, as browsers do: libjpeg does not tell truncated from damaged.
 */
const optionsFor = (maxSourcePixels: number, isLenient: boolean): SharpOptions => ({
  failOn: isLenient ? "none" : "error",
  limitInputPixels: maxSourcePixels,
});

/** Whether a PNG was cut off behind its first row. An interlaced one has no rows to draw until it is complete. */
async function isPartialPng(input: Input, options: SharpOptions): Promise<boolean> {
  if (!(await isCut(input))) return false;
  const pixel = begin(input, options).extract({ left: 0, top: 0, width: 1, height: 1 });
  return pixel
    .raw()
    .toBuffer()
    .then(Boolean, () => false);
}

/** CMYK without a profile up to this size is converted in memory, in 100 MB; larger pictures are left to libvips. */
const maxCmykPixels = 25_000_000;

/** The options for reading this many frames of a picture. */
async function openPixels(
  input: Input,
  { format, depth, icc, space, width, height }: Metadata,
  { limits, isStrict }: RenderJob,
): Promise<(frames: number) => Sharp> {
  const strictly = optionsFor(limits.maxSourcePixels, false);
  const isPartial = format === "jpeg" || (format === "png" && (await isPartialPng(input, strictly)));
  const options = optionsFor(limits.maxSourcePixels, isPartial && !isStrict);
  if (space === "cmyk" && !icc && width * height <= maxCmykPixels) {
    const inks = await begin(input, options).pipelineColourspace("cmyk").toColourspace("cmyk").raw().toBuffer();
    const colors = cmykToRgb(inks);
    return () => sharp(colors, { raw: { width, height, channels: 3 } });
  }
  // sharp converts 16 bits with a profile to Display P3, and leaves them there unless a target is set.
  const isWide = depth === "ushort" && icc !== undefined;
  return (frames) => {
    const image = begin(input, { ...options, pages: frames });
    return isWide ? image.withIccProfile("srgb", { attach: false }) : image;
  };
}

async function readHeader(input: Input, maxSourcePixels: number): Promise<Metadata> {
  try {
    return await begin(input, optionsFor(maxSourcePixels, false)).metadata();
  } catch (error) {
    throw readingError(error);
  }
}

/** Translates what sharp throws while it reads or decodes. */
export function readingError(error: unknown): RenderError {
  if (error instanceof RenderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/exceeds.*pixel limit|exceed 32767/.test(message)) return new RenderError("image_too_large", message, error);
  // Of libvips's messages only this one is about files. It reports a failed write of the result whenever the pixels
  // stop coming.
  if (/No space left|quota exceeded/i.test(message)) return new RenderError("disk_full", message, error);
  // File errors have a system error code.
  const isOurs = (error as { code?: unknown })?.code !== undefined;
  return new RenderError(isOurs ? "internal" : "image_unreadable", message, error);
}

async function toSource(
  open: (pages: number) => Sharp,
  metadata: Metadata,
  job: RenderJob,
  mayMove: boolean,
): Promise<Source> {
  const { modifiers, limits } = job;
  const turn = symmetryOf(modifiers.or, metadata.orientation);
  const stored = { width: metadata.width, height: metadata.pageHeight ?? metadata.height };
  const upright = turnedSize(stored, turn);
  const region: Box = modifiers.trim
    ? await trimmedBox(open(1), modifiers.trim, stored, turn)
    : { ...upright, left: 0, top: 0 };
  const resolved = await resolveCrop({ upright, turn, open: () => open(1) }, region, modifiers);
  if (job.isStrict) refuseUnfit(region, resolved, limits);
  const focused = focusedWithin(region, resolved, focalPoint(modifiers, stored, metadata.orientation));
  const asked = within(upright, region, planSize(region, focused, limits));
  const plan = metadata.format === "svg" ? uncropped(upright, asked, limits.maxSourcePixels) : asked;
  const pages = metadata.pages ?? 1;
  const frames = mayMove ? keptFrames(pages, stored, plan, job.limits) : 1;
  if (job.isStrict && mayMove && frames < pages) {
    throw new RenderError("too_many_frames", `${pages} frames are past the budget`);
  }
  return {
    upright,
    turn,
    plan,
    frames,
    isGrey: metadata.space === "b-w" || metadata.space === "grey16",
    hasAlpha: metadata.hasAlpha,
    isTagged: (metadata.orientation ?? 1) !== 1,
    delay: frames > 1 ? metadata.delay : undefined,
    // libvips accepts one more than the format allows.
    loop: frames > 1 && metadata.loop !== undefined ? Math.min(metadata.loop, 65_535) : undefined,
    open: () => open(frames),
  };
}

/** Where the focal point of the upright picture is after the turn that was asked for. */
function focalPoint({ fit, or }: Modifiers, stored: Size, orientation: number | undefined): Box {
  const { x, y } = fit.kind === "focal" ? fit : { x: 50, y: 50 };
  const usual = symmetryOf("auto", orientation);
  const { width, height } = turnedSize(stored, usual);
  const point = { left: (width * x) / 100, top: (height * y) / 100, width: 0, height: 0 };
  return turnedBox(stored, unturnedBox({ width, height }, point, usual), symmetryOf(or, orientation));
}

/** The modifiers with the rectangle, within the region, that `crop=smart` resolves to. */
async function resolveCrop(drawing: Omit<Drawing, "plan">, region: Box, modifiers: Modifiers): Promise<Modifiers> {
  if (modifiers.crop !== "smart") return modifiers;
  const sides = sidesIn(region, modifiers);
  const { left: x, top: y, width, height } = await attendedBox(drawing, region, sides);
  const crop: Crop = { x, y, width, height };
  return { ...modifiers, crop, w: { px: sides.width }, h: { px: sides.height } };
}

/** Throws RenderError where a strict job forbids a fallback. */
function refuseUnfit(region: Size, modifiers: Modifiers, limits: OutputLimits): void {
  const { crop } = modifiers;
  if (crop && crop !== "smart" && !(crop.x < region.width && crop.y < region.height)) {
    throw new RenderError("crop_outside", "the crop begins outside of what is left");
  }
  if (isReduced(region, modifiers, limits)) throw new RenderError("size_reduced", "the size is past the limits");
}

/** Converts the plan for a region of the picture to one for the whole. */
function within(upright: Size, region: Box, plan: SizePlan): SizePlan {
  if (region.width === upright.width && region.height === upright.height) return plan;
  const crop = plan.crop ?? { ...region, left: 0, top: 0 };
  return { ...plan, crop: { ...crop, left: crop.left + region.left, top: crop.top + region.top } };
}

/** Some 50 MB decoded. */
const maxLightPixels = 12_000_000;

/**
 * Whether it is large and its decoder holds all of it at once: a format read row by row takes a tenth of that memory.
 */
function isHeavy({ format, width, height, pages = 1, isProgressive, space, icc }: Metadata, mayMove: boolean): boolean {
  const isWhole = isProgressive === true || ["webp", "gif", "heif"].includes(format) || (space === "cmyk" && !icc);
  return isWhole && width * height * (mayMove ? pages : 1) > maxLightPixels;
}

/**
 * sharp renders an SVG at the target size, unless it is cropped first. So the whole is scaled and then cropped, where
 * the whole is not too large.
 */
function uncropped(picture: Size, plan: SizePlan, maxPixels: number): SizePlan {
  const { crop, scaled } = plan;
  if (!crop) return plan;
  const [x, y] = [scaled.width / crop.width, scaled.height / crop.height];
  const width = Math.round(picture.width * x);
  const height = Math.round(picture.height * y);
  if (Math.max(width, height) > 32_767 || width * height > maxPixels) return plan;
  const left = scaled.left - Math.round(crop.left * x);
  const top = scaled.top - Math.round(crop.top * y);
  const isLarger = scaled.left > 0 || scaled.top > 0; // on a canvas, where what was cut off would show
  return isLarger ? plan : { ...plan, crop: undefined, scaled: { width, height, left, top } };
}

/** All frames, or the first alone when together they exceed a budget. Contract §7. */
function keptFrames(
  frames: number,
  stored: Size,
  plan: SizePlan,
  limits: OutputLimits & { maxSourcePixels: number },
): number {
  const source = frames * stored.width * stored.height;
  const output = frames * plan.width * plan.height;
  return source <= limits.maxSourcePixels && output <= limits.maxOutputPixels ? frames : 1;
}
