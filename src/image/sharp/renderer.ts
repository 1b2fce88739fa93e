import { ChangedBlob, type HeldBlob, type HeldBlobs } from "../../core/bytes/blob.ts";
import { siblingFile } from "../../core/lib/sibling.ts";
import { Problem } from "../../core/problem.ts";
import { formatModifiers, type Modifiers, reducedSize } from "../modifier.ts";
import type { PictureBytes, Placeholder, PlaceholderDrawer } from "../placeholder.ts";
import { problem } from "../problems.ts";
import type { Renderer, RenderJob as RenditionJob } from "../rendition.ts";
import type { Rendered, RenderJob, Sketched, SketchJob } from "./job.ts";
import { RenderPool, type RenderPoolOptions } from "./pool.ts";
import { RenderFailure } from "./reply.ts";

export type RendererOptions = Omit<RenderPoolOptions, "wallTimeoutMs" | "module" | "niceness"> & {
  /** Processor time of an SVG, instead of `timeoutMs`. */
  svgTimeoutMs: number;
  limits: RenderJob["limits"];
  /** The source images, as files of this disk. */
  sources: HeldBlobs;
  /** A name for a new file, best on the file system of the renditions. */
  temporaryFile(): string;
  /** Removes a file, if it exists. */
  remove(file: string): Promise<void>;
};

type Job = Omit<RenditionJob, "format"> & Pick<RenderJob | SketchJob, "format">;

/** A ThumbHash is of at most 100 pixels a side. */
const small: Modifiers = { or: "auto", fit: { kind: "max" }, dpr: 1, w: { px: 100 }, h: { px: 100 } };

/** Draws in child processes: sharp never runs in the process that answers requests. Decision 12. */
export class SharpRenderer implements Renderer, PlaceholderDrawer {
  private readonly options: RendererOptions;
  private readonly pool: RenderPool;
  /** A small SVG can demand unlimited work: SVGs are drawn one at a time, in a pool of their own. Decision 12. */
  private readonly svgPool: RenderPool;
  /** How many pictures were drawn; refused, as damaged or too large; or failed, which may be a fault of the service. */
  private readonly outcomes = { drawn: 0, refused: 0, failed: 0 };

  constructor(options: RendererOptions) {
    this.options = options;
    this.pool = openPool(options, options.timeoutMs);
    this.svgPool = openPool({ ...options, workers: 1 }, options.svgTimeoutMs, svgNiceness);
  }

  render(job: RenditionJob, asker: string): Promise<{ file: string; size: number }> {
    return this.run<Rendered>(job, asker);
  }

  async placeholder(picture: PictureBytes): Promise<Placeholder> {
    const job = { ...picture, markHash: undefined, modifiers: small, format: "placeholder", isStrict: false } as const;
    return (await this.run<Sketched>(job, "placeholders")).placeholder;
  }

  private async run<R>(job: Job, asker: string): Promise<R & { file: string }> {
    try {
      const drawn = await this.drawAgain<R>(job, asker);
      this.outcomes.drawn++;
      return drawn;
    } catch (error) {
      if (error instanceof Problem && error.cause === undefined) this.outcomes.refused++;
      else this.outcomes.failed++;
      throw error;
    }
  }

  get figures(): { waiting: number; outcomes: Readonly<Record<"drawn" | "refused" | "failed", number>> } {
    return { waiting: this.pool.stats.waiting + this.svgPool.stats.waiting, outcomes: this.outcomes };
  }

  private async drawAgain<R>(job: Job, asker: string): Promise<R & { file: string }> {
    try {
      return await this.drawHeld<R>(job, asker);
    } catch (error) {
      // The local copy of the source was damaged and has been dropped: fetch it again, once.
      if (error instanceof DroppedCopy) return this.drawHeld<R>(job, asker);
      throw error;
    }
  }

  private async drawHeld<R>(job: Job, asker: string): Promise<R & { file: string }> {
    const { sources } = this.options;
    const held: HeldBlob[] = [];
    try {
      held.push(await sources.hold(job.hash));
      if (job.markHash !== undefined) held.push(await sources.hold(job.markHash));
      return await this.draw<R>(job, held, asker);
    } finally {
      await Promise.all(held.map((blob) => blob.release()));
    }
  }

  private async draw<R>(
    { hash, markHash, type: sourceType, modifiers, format, isStrict }: Job,
    held: readonly HeldBlob[],
    asker: string,
  ): Promise<R & { file: string }> {
    const { temporaryFile, remove, limits } = this.options;
    const result = temporaryFile();
    const [source = "", mark] = held.map(({ file }) => file);
    const hashes = markHash === undefined ? [hash] : [hash, markHash];
    const job = { source, result, mark, hashes, sourceType, modifiers, isStrict, format, limits };
    try {
      const pool = sourceType === "image/svg+xml" ? this.svgPool : this.pool;
      return { ...(await pool.render<RenderJob | SketchJob, R>(job as RenderJob | SketchJob, asker)), file: result };
    } catch (error) {
      await remove(result);
      if (isChanged(error)) throw await dropped(held, hash, error);
      throw toProblem(error, job);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.svgPool.close()]);
  }
}

/** A damaged local copy of a source was dropped; the next hold fetches a new one. */
class DroppedCopy extends ChangedBlob {}

const isChanged = (error: unknown): boolean => error instanceof RenderFailure && error.code === "source_changed";

/** Drops the local copies, if these are copies and not the blobs themselves. */
async function dropped(held: readonly HeldBlob[], hash: string, cause: unknown): Promise<ChangedBlob> {
  const copies = held.filter(({ drop }) => drop !== undefined);
  for (const copy of copies) await copy.drop?.();
  const failure = copies.length > 0 ? new DroppedCopy(hash) : new ChangedBlob(hash);
  failure.cause = cause;
  return failure;
}

const pipelineFile = siblingFile(import.meta.url, "pipeline");

function openPool(options: RendererOptions, timeoutMs: number, niceness?: number): RenderPool {
  return new RenderPool({ ...options, timeoutMs, wallTimeoutMs: timeoutMs * patience, niceness, module: pipelineFile });
}

/** The wall-clock limit of an image as a multiple of its processor time: others are drawn at the same time. */
const patience = 3;
/** A third of the share of the other rendering processes, where the processors are not enough for all. */
const svgNiceness = 15;

const reasons: Record<Exclude<RenderFailure["kind"], "starved" | "unstarted">, string> = {
  timeout: "it took too long",
  memory: "it took too much memory",
  crashed: "the process that drew it ended",
  refused: "it could not be drawn",
};

type DrawRequest = Pick<RenderJob, "sourceType" | "modifiers" | "limits">;

/** Translates a failed drawing for the client. */
function toProblem(error: unknown, job: DrawRequest): unknown {
  if (!(error instanceof RenderFailure)) return error;
  const failure = problemOf(error, job);
  // A damaged picture is its owner's problem; what may be a fault of the service goes into the log.
  if (["image_too_costly", "busy", "storage_full", "internal"].includes(failure.code)) failure.cause = error;
  return failure;
}

function problemOf({ kind, code }: RenderFailure, { sourceType, modifiers, limits }: DrawRequest): Problem {
  if (kind === "starved") return problem("busy", { reason: "the machine has no time to draw the image" });
  if (kind === "unstarted") return problem("internal");
  if (code === "image_unreadable") return problem("image_unreadable", { argument: "path" });
  if (code === "image_too_large")
    return problem("image_too_large", { argument: "path", limit: limits.maxSourcePixels });
  if (code === "image_unsupported") return problem("image_unsupported", { argument: "path", received: sourceType });
  if (code === "too_many_frames") {
    const accepted = "an animation within the budgets; without strict its first frame is answered";
    return problem("argument_invalid", { argument: "strict", received: "1", accepted });
  }
  if (code === "size_reduced") return reducedSize(modifiers, limits);
  if (code === "crop_outside") {
    const accepted = "x and y inside the picture, after its rotation and without trimmed edges";
    return problem("argument_invalid", { argument: "crop", received: formatModifiers(modifiers), accepted });
  }
  if (code === "mark_unreadable") {
    const accepted = "a picture that can be read";
    return problem("argument_invalid", { argument: "mark", received: modifiers.mark?.path ?? "", accepted });
  }
  if (code === "disk_full") return problem("storage_full", { reason: "the disk has no room for the picture" });
  // A library that fails on a picture is not an internal error to the client, whatever the library calls it.
  return problem("image_too_costly", { reason: reasons[kind] });
}
