import { createHash } from "node:crypto";
import type { Bytes } from "../core/bytes/blob.ts";
import { isRasterImage, undrawn } from "../core/bytes/media-type.ts";
import type { Accepted } from "../core/lib/accept.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import { Memo } from "../core/lib/memo.ts";
import { joinPath, type Path } from "../core/path.ts";
import type { Problem } from "../core/problem.ts";
import type { File, FileStore } from "../file/file.ts";
import { defaultQuality, type Format, formatModifiers, type Modifiers } from "./modifier.ts";
import { problem } from "./problems.ts";

/**
 * A picture derived from a source image. Its content depends only on the source bytes and the effective arguments: its
 * key is computed from these, so equal pictures are rendered once. Contract §7.
 */

/** Increased whenever the same arguments produce another picture; all stored renditions are then rendered again. */
const pipelineVersion = 4;
/** The same for SVGs, which no other picture shares. */
const svgVersion = 5;

/** The rendition's identity, hex; also its ETag. */
function renditionKey({ hash, type, markHash, modifiers, format, isStrict }: RenderJob): string {
  const text = formatModifiers(effective(modifiers, format));
  const version = type === "image/svg+xml" ? svgVersion : pipelineVersion;
  const parts = [version, hash, markHash ?? "", format, text, ...(isStrict ? ["strict"] : [])];
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 40);
}

/** Removes what the format does not use, and the arguments that choose the format, which is in the key itself. */
function effective(modifiers: Modifiers, format: Format): Modifiers {
  const hasQuality = format !== "png" && format !== "gif";
  const isLossless = modifiers.lossless && (format === "webp" || format === "avif");
  const hasInterlace = format === "png" || format === "gif";
  return {
    ...modifiers,
    fm: undefined,
    q: hasQuality && !isLossless && modifiers.q !== defaultQuality ? modifiers.q : undefined,
    lossless: isLossless || undefined,
    interlace: hasInterlace ? modifiers.interlace : undefined,
  };
}

/** The asker of all who have no token: they share one turn, and at most half of the queue. */
export const strangers = "strangers";

/** A stored rendition. */
export type Rendition = { key: string; format: Format; size: number };

/** The name under which it is stored. */
export const renditionName = ({ key, format }: { key: string; format: Format }): string => `${key}.${format}`;

/**
 * Stored renditions within a byte budget; evicts the least recently used. Throws `busy` when the disk or server behind
 * it is not available.
 */
export interface RenditionStore {
  /** The rendition, which is marked as used now; undefined when it is not stored. */
  find(key: string, format: Format): MaybePromise<Rendition | undefined>;
  /** Undefined when it is gone meanwhile: evicted, or cleared by another process. Then it is no longer stored. */
  open(rendition: Rendition): MaybePromise<Bytes | undefined>;
  /**
   * Takes ownership of a new file: it is gone afterwards, also when this throws. Racing puts of one key all succeed.
   */
  put(key: string, format: Format, file: string, size: number): Promise<Rendition>;
  /** Removes all renditions; returns how many. */
  clear(): Promise<number>;
  usage(): Promise<{ count: number; bytes: number }>;
}

const types: Record<Format, string> = {
  jpg: "image/jpeg",
  pjpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
};
export const typeOf = (format: Format): string => types[format];

const formats = new Map<string, Format>([
  ["image/jpeg", "jpg"],
  ["image/png", "png"],
  ["image/apng", "png"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/avif", "avif"],
  ["image/svg+xml", "png"],
]);

/**
 * Whether rendering can detect faults that only a strict request refuses: frames above the budget, missing bytes of a
 * JPEG, a size above the limits of a picture whose size is not known before. Drawing also detects an unreadable watermark and
 * the size left by a trim. All other pictures are the same, strict or not.
 */
const mayBeRefused = (file: File): boolean => mayMove(file) || file.type === "image/jpeg" || !sureSize(file);

/** The size before the orientation, where it is known without drawing: an AVIF may also crop and rotate itself. */
export const sureSize = ({ image, type }: File): File["image"] => (type === "image/avif" ? undefined : image);

const mayMove = ({ type }: { type: string }): boolean => type === "image/gif" || type === "image/webp";

/** The format of the rendition of a file of this type; progressive for an interlaced JPEG. */
export function formatFor({ fm, interlace }: Modifiers, type: string, accepted = anyType): Format {
  const format = chooseFormat(fm, type, accepted);
  return format === "jpg" && interlace ? "pjpg" : format;
}

/** For a client that does not name the types it accepts. */
const anyType = (): Accepted => ({ weightOf: () => 1, names: () => false });

/**
 * The format of the rendition: the one requested; for `auto` the one that the client prefers, among equals AVIF before
 * WebP where the client names these (for images that may be animated only WebP, which can be animated too), then the
 * file's own, JPEG, PNG, GIF; without a request the file's own, or JPEG where browsers do not show that. `accepted` is
 * called for `auto` only.
 */
export function chooseFormat(asked: Modifiers["fm"], type: string, accepted = anyType): Format {
  if (asked !== undefined && asked !== "auto") return asked;
  const own = formats.get(type) ?? "jpg";
  if (asked === undefined) return own;
  const { names, weightOf } = accepted();
  const modern: Format[] = mayMove({ type }) ? ["webp"] : ["avif", "webp"];
  const offered = [...modern.filter((format) => names(typeOf(format))), own, "jpg", "png", "gif"] as const;
  const weights = offered.map((format) => weightOf(typeOf(format)));
  const most = Math.max(...weights);
  // Where the client accepts none of them, the file's own: an image is more useful than a refusal.
  return most === 0 ? own : (offered[weights.indexOf(most)] ?? own);
}

/** A rendering job. The bytes are those of the blobs with these hashes. */
export type RenderJob = {
  hash: string;
  type: string;
  markHash: string | undefined;
  modifiers: Modifiers;
  format: Format;
  /** Refuses what only drawing can detect: see mayBeRefused. */
  isStrict: boolean;
};

/** Draws pictures, a limited number at once. */
export interface Renderer {
  /**
   * Draws into a new file, which the caller owns. Throws image_unreadable, image_too_large, image_too_costly for a
   * picture that exceeds the limits by itself, and busy when too many wait, when the machine is too busy to draw it in
   * time or the disk is full. When strict also argument_invalid. When it throws no file is left. Askers take turns.
   */
  render(job: RenderJob, asker: string): Promise<{ file: string; size: number }>;
}

/** A rendition that may or may not exist yet. */
export type RenditionPlan = RenderJob & { key: string };

/** The types that the client accepts, and whether invalid arguments are refused. */
export type DrawOptions = { accepted: () => Accepted; isStrict: boolean };

export type RenditionPorts = { files: FileStore; renditions: RenditionStore; renderer: Renderer };

/** About 5 MB of them. */
const maxKnownPlans = 5000;

/** Renders each picture once, however many requests wait for it at the same time. */
export class RenditionMaker {
  private readonly ports: RenditionPorts;
  private readonly markFolder: Path;
  private readonly making = new Map<string, Promise<Rendition>>();
  private readonly plans = new Memo<string, RenditionPlan>(maxKnownPlans);
  /** Modifiers are never changed in place, so their text stays valid as long as they exist. */
  private readonly texts = new WeakMap<Modifiers, string>();

  /** Watermarks are files below `markFolder`. */
  constructor(ports: RenditionPorts, markFolder: Path) {
    this.ports = ports;
    this.markFolder = markFolder;
  }

  /**
   * Decides what to render. A missing watermark is left out; when strict throws argument_invalid. Throws
   * image_unsupported for a picture that is stored but not drawn. Compatibility, Watermarks.
   */
  plan(file: File, modifiers: Modifiers, options: DrawOptions): MaybePromise<RenditionPlan> {
    const { mark } = modifiers;
    const received = undrawn.get(file.type);
    if (received !== undefined) throw problem("image_unsupported", { argument: "path", received });
    if (mark === undefined) return this.planWith(undefined, file, modifiers, options);
    const found = this.ports.files.find(joinPath(this.markFolder, mark.path), "delivery");
    return after(found, (markFile) => this.planWith(markFile, file, modifiers, options));
  }

  private planWith(markFile: File | undefined, file: File, modifiers: Modifiers, options: DrawOptions): RenditionPlan {
    const { hash, type } = file;
    const markHash = markFile && isRasterImage(markFile.type) ? markFile.hash : undefined;
    if (options.isStrict && modifiers.mark && markHash === undefined) throw this.missingMark(modifiers.mark.path);
    const format = formatFor(modifiers, type, options.accepted);
    const isStrict = options.isStrict && (mayBeRefused(file) || markHash !== undefined || modifiers.trim !== undefined);
    // The same pictures are requested repeatedly, and computing the key costs more than the rest of serving a stored
    // one.
    return this.plans.get(`${hash} ${type} ${markHash} ${format} ${isStrict} ${this.textOf(modifiers)}`, () => {
      const { mark: _, ...unmarked } = modifiers;
      const drawn = markHash === undefined ? unmarked : modifiers;
      const job = { hash, type, markHash, modifiers: drawn, format, isStrict };
      return { ...job, key: renditionKey(job) };
    });
  }

  private missingMark(path: Path): Problem {
    const accepted = `the path of a picture below ${this.markFolder}`;
    return problem("argument_invalid", { argument: "mark", received: path, accepted });
  }

  private textOf(modifiers: Modifiers): string {
    const known = this.texts.get(modifiers);
    if (known !== undefined) return known;
    const text = formatModifiers(modifiers);
    this.texts.set(modifiers, text);
    return text;
  }

  /** The rendition, rendered if it is not stored. Throws as Renderer does. */
  make(plan: RenditionPlan, asker: string): MaybePromise<Rendition> {
    return after(this.ports.renditions.find(plan.key, plan.format), (kept) => kept ?? this.makeOnce(plan, asker));
  }

  private makeOnce(plan: RenditionPlan, asker: string): Promise<Rendition> {
    const { key } = plan;
    const running = this.making.get(key);
    if (running) return running;
    const making = this.draw(plan, asker).finally(() => this.making.delete(key));
    this.making.set(key, making);
    return making;
  }

  /** Its bytes; rendered again if they were removed meanwhile. Throws as Renderer does. */
  open(plan: RenditionPlan, rendition: Rendition, asker: string): MaybePromise<Bytes> {
    return after(this.ports.renditions.open(rendition), (bytes) => bytes ?? this.openAnew(plan, asker));
  }

  private async openAnew(plan: RenditionPlan, asker: string): Promise<Bytes> {
    const again = await this.ports.renditions.open(await this.make(plan, asker));
    if (again) return again;
    throw problem("busy", { reason: "the image is evicted again and again before it is sent" });
  }

  private async draw({ key, ...job }: RenditionPlan, asker: string): Promise<Rendition> {
    const { file, size } = await this.ports.renderer.render(job, asker);
    return this.ports.renditions.put(key, job.format, file, size);
  }
}
