import { readFile } from "node:fs/promises";
import sharp, { type Metadata, type Sharp, type SharpOptions } from "sharp";
import {
  type Box,
  isReduced,
  type OutputLimits,
  planSize,
  type Size,
  type SizePlan,
  sidesIn,
} from "../../domain/geometry.ts";
import type { Crop, Modifiers } from "../../domain/modifier.ts";
import { turnBy, turnedSize } from "../../domain/turn.ts";
import { cmykToRgb } from "./cmyk.ts";
import type { Drawing } from "./drawing.ts";
import { RenderError, type RenderJob, type Room } from "./job.ts";
import { attendedBox, trimmedBox } from "./region.ts";

/** Opens pictures for drawing: the header is judged here, before any pixel is decoded. */

// libvips reads some forty formats; the rest is nothing that a request may reach.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Webp", "Nsgif", "Heif", "Tiff", "Svg"].map((format) => `VipsForeignLoad${format}`),
});

/** The formats as sharp calls them, by the media types that are drawn. */
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
/** Those whose animations are kept, as media types of results too. */
const animated = ["image/gif", "image/webp"];

/** The picture that a job is about. */
export type Source = Drawing &
  Readonly<{
    /** 1, or the number of frames when it is to stay animated. */
    frames: number;
    hasAlpha: boolean;
    /** Stored without colours: then what is laid under it in one pass would lose its own. */
    isGrey: boolean;
    /** Of the frames, in milliseconds, and how often they are shown, 0 for ever. */
    delay: number[] | undefined;
    loop: number | undefined;
  }>;

/** Throws RenderError. */
export async function openSource(job: RenderJob, resultType: string, room: Room): Promise<Source> {
  const format = drawable.get(job.sourceType);
  if (!format) throw new RenderError("image_unsupported", `${job.sourceType} is not drawn`);
  // From memory librsvg has no folder to find anything in: no file and no address is ever opened.
  const input = format === "svg" ? await readFile(job.source) : job.source;
  const metadata = await readHeader(input, job.limits.maxSourcePixels);
  if (metadata.format !== format) throw new RenderError("image_unreadable", `${job.sourceType} is ${metadata.format}`);
  const mayMove = animated.includes(job.sourceType) && animated.includes(resultType);
  if (room === "shared" && isHeavy(metadata, mayMove)) throw new RenderError("needs_room", "it is decoded whole");
  const opened = await openPixels(input, metadata, job);
  const source = await toSource(opened, metadata, job, mayMove);
  if (room === "shared" && resultType === "image/avif" && area(source.plan) * source.frames > maxLightPixels) {
    throw new RenderError("needs_room", "it is encoded whole");
  }
  return source;
}

const area = ({ width, height }: Size): number => width * height;

/** A watermark, of any format that is drawn. Throws RenderError. */
export async function openMark(file: string, job: RenderJob): Promise<Omit<Drawing, "plan">> {
  const input = await readFile(file);
  const metadata = await readHeader(input, job.limits.maxSourcePixels);
  const open = await openPixels(input, metadata, job);
  const turn = turnBy("auto", metadata.orientation);
  return { upright: turnedSize(metadata, turn), turn, open: () => open(1) };
}

/**
 * Damage fails, and so does what is cut off; a mere warning does not: many an honest file has one. A JPEG is drawn as
 * far as it is there, as browsers do: libjpeg knows no difference between what is cut off and what is damaged.
 */
const optionsFor = (maxSourcePixels: number, isLenient: boolean): SharpOptions => ({
  failOn: isLenient ? "none" : "error",
  limitInputPixels: maxSourcePixels,
});

/** CMYK without a profile up to this size is decoded at once, in 100 MB; beyond, libvips does what it does. */
const maxCmykPixels = 25_000_000;

/** How to begin reading so many frames of a picture. */
async function openPixels(
  input: string | Buffer,
  { format, depth, icc, space, width, height }: Metadata,
  { limits, isStrict }: RenderJob,
): Promise<(frames: number) => Sharp> {
  const options = optionsFor(limits.maxSourcePixels, format === "jpeg" && !isStrict);
  if (space === "cmyk" && !icc && width * height <= maxCmykPixels) {
    const inks = await sharp(input, options).pipelineColourspace("cmyk").toColourspace("cmyk").raw().toBuffer();
    const colors = cmykToRgb(inks);
    return () => sharp(colors, { raw: { width, height, channels: 3 } });
  }
  // What has 16 bits and a profile sharp takes to Display P3, and leaves there unless it is told where to go.
  const isWide = depth === "ushort" && icc !== undefined;
  return (frames) => {
    const image = sharp(input, { ...options, pages: frames });
    return isWide ? image.withIccProfile("srgb", { attach: false }) : image;
  };
}

async function readHeader(input: string | Buffer, maxSourcePixels: number): Promise<Metadata> {
  try {
    return await sharp(input, optionsFor(maxSourcePixels, false)).metadata();
  } catch (error) {
    throw readingError(error);
  }
}

/** What sharp throws while it reads or decodes. */
export function readingError(error: unknown): RenderError {
  if (error instanceof RenderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/exceeds.*pixel limit|exceed 32767/.test(message)) return new RenderError("image_too_large", message, error);
  // Of what libvips says only this is about files. That it could not write the result it says whenever the pixels stop
  // coming.
  if (/No space left|quota exceeded/i.test(message)) return new RenderError("disk_full", message, error);
  // Errors of files have a code of the system's.
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
  const turn = turnBy(modifiers.or, metadata.orientation);
  const stored = { width: metadata.width, height: metadata.pageHeight ?? metadata.height };
  const upright = turnedSize(stored, turn);
  const region: Box = modifiers.trim
    ? await trimmedBox(open(1), modifiers.trim, stored, turn)
    : { ...upright, left: 0, top: 0 };
  const resolved = await resolveCrop({ upright, turn, open: () => open(1) }, region, modifiers);
  if (job.isStrict) refuseUnfit(region, resolved, limits);
  const asked = within(upright, region, planSize(region, resolved, limits));
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
    delay: frames > 1 ? metadata.delay : undefined,
    // libvips reads one more than the format can say.
    loop: frames > 1 && metadata.loop !== undefined ? Math.min(metadata.loop, 65_535) : undefined,
    open: () => open(frames),
  };
}

/** The modifiers with the rectangle, within the region, that `crop=smart` stands for. */
async function resolveCrop(drawing: Omit<Drawing, "plan">, region: Box, modifiers: Modifiers): Promise<Modifiers> {
  if (modifiers.crop !== "smart") return modifiers;
  const sides = sidesIn(region, modifiers);
  const { left: x, top: y, width, height } = await attendedBox(drawing, region, sides);
  const crop: Crop = { x, y, width, height };
  return { ...modifiers, crop, w: { px: sides.width }, h: { px: sides.height } };
}

/** Throws RenderError for what a strict job does not want drawn as well as it goes. */
function refuseUnfit(region: Size, modifiers: Modifiers, limits: OutputLimits): void {
  const { crop } = modifiers;
  if (crop && crop !== "smart" && !(crop.x < region.width && crop.y < region.height)) {
    throw new RenderError("crop_outside", "the crop begins outside of what is left");
  }
  if (isReduced(region, modifiers, limits)) throw new RenderError("size_reduced", "the size is past the limits");
}

/** The plan for a region of the picture as one for the whole. */
function within(upright: Size, region: Box, plan: SizePlan): SizePlan {
  if (region.width === upright.width && region.height === upright.height) return plan;
  const crop = plan.crop ?? { ...region, left: 0, top: 0 };
  return { ...plan, crop: { ...crop, left: crop.left + region.left, top: crop.top + region.top } };
}

/** Some 50 MB decoded. */
const maxLightPixels = 12_000_000;

/** Whether it is large and its decoder holds all of it at once: what is read row by row takes a tenth of that. */
function isHeavy({ format, width, height, pages = 1, isProgressive, space, icc }: Metadata, mayMove: boolean): boolean {
  const isWhole = isProgressive === true || ["webp", "gif", "heif"].includes(format) || (space === "cmyk" && !icc);
  return isWhole && width * height * (mayMove ? pages : 1) > maxLightPixels;
}

/**
 * sharp draws an SVG anew at the size that it is to have, unless something was cut out of it before. So the whole is
 * scaled and the part cut out of that, where the whole is not too large.
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

/** All of them, or the first alone when together they are past a budget. Contract §7. */
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
