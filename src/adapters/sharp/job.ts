import type { OutputLimits } from "../../domain/geometry.ts";
import type { Format, Modifiers } from "../../domain/modifier.ts";

/** What a drawing process is given and what it answers: plain data, free of sharp, so that any process may read it. */

/**
 * `source`, `result` and `mark` are files; `mark` is undefined when there is none to be laid on, whatever the modifiers
 * say. `sourceType` is the media type that the source is stored with. With `format` "source" the result has the
 * source's own format if that is one of the formats; it is a PNG for an SVG and a JPEG for anything else.
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
   * True to refuse what is else drawn as well as it goes: an animation past the budgets by its first frame, a JPEG that
   * lacks bytes as far as it is there, a mark that cannot be read not at all, a size past the limits smaller, a crop
   * outside of the trimmed picture not at all.
   */
  isStrict?: boolean;
  format: Format | "source";
  limits: OutputLimits & Readonly<{ maxSourcePixels: number }>;
}>;

/** `type` is a media type, width and height are those of one frame, `size` is in bytes. */
export type Rendered = Readonly<{ type: string; width: number; height: number; size: number }>;

/** Whether another picture that takes much memory may be drawn at the same time by another process: not in its own. */
export type Room = "shared" | "own";

export type RenderFault =
  | "original_changed"
  | "image_unreadable"
  | "image_too_large"
  | "image_unsupported"
  | "too_many_frames"
  | "size_reduced"
  | "crop_outside"
  | "mark_unreadable"
  | "needs_room"
  | "disk_full"
  | "internal";

/** Why there is no result. The message is for the log: it may hold what a library said. */
export class RenderError extends Error {
  readonly code: RenderFault;

  constructor(code: RenderFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "RenderError";
    this.code = code;
  }
}
