import type { Access, Reach } from "../core/access/access.ts";
import type { Asker } from "../core/list/query.ts";
import { isWithin, type Path, type Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import type { Entry } from "../entry/entry.ts";
import { Seal } from "../people/seal.ts";

/**
 * The feed of changes: what a mirror of all that a delivery list may show has to do. Contract, part three, §12; decision
 * 73.
 */

/**
 * How far a mirror is. While it walks, after which entry in the order of ids; the log is followed from `sequence` on.
 * Then the last change it has, of the event `sequence` that of the entry `uuid` and those before it.
 */
export type ChangePlace = ({ after: Slug | "" } | { uuid: string }) & {
  sequence: number;
  /** Of which log: each restore begins another one, whose numbers say something else. "" for one that was never restored. */
  log: string;
};

/** The place at which all changes of an event are handled: it comes after every uuid. */
export const wholeEvent = "~";

/** An entry as it is now, or that it is gone, with the id that it last had, and the place after that. */
export type Change = ({ entry: Entry } | { uuid: string; id: Slug }) & { place: ChangePlace };

export type ChangePage = {
  changes: Change[];
  place: ChangePlace;
  hasMore: boolean;
  /** The newest event that the page knows of. */
  sequence: number;
};

export interface ChangeStore {
  /**
   * The changes after a place, undefined for the beginning, of what a public access lists in its locale: at most `limit`, each
   * entry once. Undefined when the log no longer has, or has not, what comes after the place.
   */
  read(place: ChangePlace | undefined, limit: number, access: Access, asker?: Asker): Promise<ChangePage | undefined>;
}

/** The paths without those that are inside of others, in one order: what the walk goes through. */
export const walkedPaths = ({ paths }: Reach): readonly Path[] | null =>
  paths === null || paths.includes("" as Path)
    ? null
    : paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other))).toSorted();

/**
 * Cursors of the feed. They are sealed, each with its own number: two cursors of one place differ, so nobody learns from
 * them whether something was written that he may not see.
 */
export class ChangeCursors {
  private readonly seal: Seal;

  constructor(signingKey: string) {
    this.seal = new Seal(signingKey, "octavo changes");
  }

  /** The cursor at a place, for tokens of these paths, in a locale. */
  format(place: ChangePlace, reach: Mirrored): string {
    const { sequence, log } = place;
    const parts = "uuid" in place ? [sequence, place.uuid, null, log] : [sequence, null, place.after, log];
    return this.seal.seal(JSON.stringify(parts), bindingOf(reach));
  }

  /** The inverse. Throws cursor_invalid for one that is made up, of other paths, or of another locale or chain. */
  parse(cursor: string, reach: Mirrored): ChangePlace {
    const text = this.seal.open(cursor, bindingOf(reach));
    if (text === undefined) throw problem("cursor_invalid");
    const [sequence, uuid, after, log = ""] = JSON.parse(text) as [number, string | null, Slug | "", string?];
    return uuid === null ? { sequence, after, log } : { sequence, uuid, log };
  }
}

type Mirrored = Pick<Access, "paths" | "locale">;

const bindingOf = ({ paths, locale }: Mirrored): string =>
  JSON.stringify(locale ? { paths: walkedPaths({ paths }), locale } : walkedPaths({ paths }));
