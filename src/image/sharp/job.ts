import type { OutputLimits } from "../geometry.ts";
import type { Format, Modifiers } from "../modifier.ts";
import type { Placeholder } from "../placeholder.ts";

/** The messages of a rendering process: plain data without sharp, so that any process can load it. */

/**
 * `source`, `result` and `mark` are files; `mark` is undefined when there is no watermark to apply, whatever the
 * modifiers say. `sourceType` is the media type that the source is stored with. With `format` "source" the result has
 * the source's own format if that is one of the formats; otherwise it is a PNG for an SVG and a JPEG for anything else.
 */
export type RenderJob = Readonly<{
  source: string;
  result: string;
  mark: string | undefined;
  /** Expected SHA-256 (hex) of source and mark, in this order; an empty one is not checked. */
  hashes?: readonly string[];
  sourceType: string;
  modifiers: Modifiers;
  /**
   * True refuses what is otherwise drawn with a fallback: an animation above the budgets (its first frame), a
   * truncated JPEG or PNG (the part that exists), an unreadable mark (no mark), a size above the limits (a smaller
   * one), a crop outside the trimmed picture (no crop).
   */
  isStrict?: boolean;
  format: Format | "source";
  limits: OutputLimits & Readonly<{ maxSourcePixels: number }>;
}>;

/** `type` is a media type, width and height are those of one frame, `size` is in bytes. */
export type Rendered = Readonly<{ type: string; width: number; height: number; size: number }>;

/** A job that makes no file, but what stands in for the picture. */
export type SketchJob = Omit<RenderJob, "format"> & { readonly format: "placeholder" };
export type Sketched = Readonly<{ placeholder: Placeholder }>;

/**
 * At most one process draws an exclusive job at a time, any number draw shared ones. Pictures that take much memory are
 * drawn exclusively.
 */
export type Concurrency = "shared" | "exclusive";

export type RenderFault =
  | "source_changed"
  | "image_unreadable"
  | "image_too_large"
  | "image_unsupported"
  | "too_many_frames"
  | "size_reduced"
  | "crop_outside"
  | "mark_unreadable"
  | "needs_exclusive"
  | "disk_full"
  | "internal";

/** Why there is no result. The message is for the log: it may hold the text of a library. */
export class RenderError extends Error {
  readonly code: RenderFault;

  constructor(code: RenderFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "RenderError";
    this.code = code;
  }
}
