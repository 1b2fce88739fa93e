import { isBlobHash } from "../core/bytes/blob.ts";
import { isDrawn } from "../core/bytes/media-type.ts";
import { type LongText, wholeText } from "../core/lib/long-text.ts";
import { OneAtATime } from "../core/lib/one-at-a-time.ts";
import { isProblem } from "../core/problem.ts";

/**
 * What stands in for a picture until it is loaded, `preview` on the wire: made once for each picture's bytes, when it is first
 * asked for. Contract, part three, §17.
 */

/** A ThumbHash in base64, and the mean colour as `#rrggbb`. */
export type Placeholder = Readonly<{ thumbhash: string; color: string }>;

/** What a placeholder is made of: the bytes with this hash, of this media type. */
export type PictureBytes = Readonly<{ hash: string; type: string }>;

export interface PlaceholderStore {
  /** Those that are kept, by the hash of the bytes. */
  findAll(hashes: readonly string[]): Promise<Map<string, Placeholder>>;
  /** Keeps it as long as the bytes; does nothing when these are gone, or it is kept already. */
  keep(hash: string, placeholder: Placeholder): Promise<void>;
}

export interface PlaceholderDrawer {
  /** Throws as Renderer does. */
  placeholder(picture: PictureBytes): Promise<Placeholder>;
}

/** So many are drawn for one reply, and it usually waits so long for them. */
const maxDrawn = 24;
const usualWaitMs = 15_000;
/** So many wait to be drawn, one after the other: pictures of pages have the other drawing processes. */
const maxWaiting = 240;
const maxRefused = 5000;

/**
 * The last member of a file object whose preview was asked for. That of a picture is filled in by `Placeholders.fill`; no other
 * JSON has such a text, since no value begins with an at sign.
 */
export const previewMember = ({ hash, type }: PictureBytes): string =>
  isDrawn(type) && isBlobHash(hash) ? `"preview":@${hash} ${type}` : '"preview":null';

const unfilled = /,?"preview":@(?<hash>[0-9a-f]{64}) (?<type>[\w+./-]+)/g;

export class Placeholders {
  private readonly store: PlaceholderStore;
  private readonly drawer: PlaceholderDrawer;
  private readonly maxWaitMs: number;
  private readonly turns = new OneAtATime();
  private readonly drawing = new Map<string, Promise<Placeholder | undefined>>();
  /** Hashes of pictures that cannot be drawn with the settings of this process. */
  private readonly refused = new Set<string>();

  /** A reply waits for its drawings at most this long: 15 seconds, unless somebody must not wait. */
  constructor(store: PlaceholderStore, drawer: PlaceholderDrawer, maxWaitMs = usualWaitMs) {
    this.store = store;
    this.drawer = drawer;
    this.maxWaitMs = maxWaitMs;
  }

  /**
   * The text with the preview of each picture: null for one that cannot be drawn, none where it is not made yet. `pending` is
   * the number of these: the next request has more.
   */
  async fill(text: LongText): Promise<{ text: string; pending: number }> {
    const whole = wholeText(text);
    const types = new Map<string, string>();
    for (const { groups = {} } of whole.matchAll(unfilled)) types.set(groups.hash as string, groups.type as string);
    const found = await this.find(types);
    let pending = 0;
    const filled = whole.replace(unfilled, (member: string, hash: string) => {
      const placeholder = found.get(hash);
      if (placeholder === undefined) pending++;
      return placeholder === undefined ? "" : `${member.slice(0, member.indexOf("@"))}${JSON.stringify(placeholder)}`;
    });
    return { text: filled, pending };
  }

  private async find(types: ReadonlyMap<string, string>): Promise<Map<string, Placeholder | null>> {
    if (types.size === 0) return new Map();
    const found: Map<string, Placeholder | null> = await this.store.findAll([...types.keys()]);
    const isKnown = (hash: string) => found.has(hash) || this.refused.has(hash);
    const missing = [...types].filter(([hash]) => !isKnown(hash)).slice(0, maxDrawn);
    const drawn = missing.map(async ([hash, type]) => {
      const placeholder = await this.draw(hash, type);
      if (placeholder) found.set(hash, placeholder);
    });
    await inTime(Promise.all(drawn), this.maxWaitMs);
    for (const hash of types.keys()) if (this.refused.has(hash)) found.set(hash, null);
    return new Map(found);
  }

  /** Undefined where there is none now. Never throws: a reply is not refused for what stands in for its pictures. */
  private draw(hash: string, type: string): Promise<Placeholder | undefined> {
    const running = this.drawing.get(hash);
    if (running) return running;
    if (this.drawing.size >= maxWaiting) return Promise.resolve(undefined);
    const drawing = this.turns
      .run(() => this.make(hash, type))
      .catch((error: unknown) => this.note(hash, error))
      .finally(() => this.drawing.delete(hash));
    this.drawing.set(hash, drawing);
    return drawing;
  }

  private async make(hash: string, type: string): Promise<Placeholder> {
    const placeholder = await this.drawer.placeholder({ hash, type });
    await this.store.keep(hash, placeholder);
    return placeholder;
  }

  /** What is wrong with a picture stays so as long as the settings; a machine without time, or bytes that are away, does not. */
  private note(hash: string, error: unknown): undefined {
    const codes = ["image_unreadable", "image_unsupported", "image_too_large", "image_too_costly"] as const;
    if (!codes.some((code) => isProblem(error, code))) return;
    if (this.refused.size >= maxRefused) this.refused.clear();
    this.refused.add(hash);
  }
}

async function inTime(work: Promise<unknown>, maxWaitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxWaitMs);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
