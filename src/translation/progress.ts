import type { Asker } from "../core/list/query.ts";
import type { Path, Slug } from "../core/path.ts";
import type { PathPlace } from "../core/path-cursor.ts";
import type { Entry } from "../entry/entry.ts";
import type { ProgressState, TranslationState } from "./state.ts";
import type { Translation } from "./translation.ts";

/** How far the entries of a subtree are translated. Contract §24, Outdated translations. Plain data: queries are passed to a thread. */

/** `depth`: of so many levels below the path; undefined for the entry at the path and all below it. */
export type Subtree = { path: Path; depth?: number | undefined; paths: readonly Path[] | null };

/** `locales`: those of the rows, of which the source is none. */
export type ProgressQuery = Subtree & {
  locales: readonly string[];
  state: ProgressState | undefined;
  after: PathPlace | undefined;
  limit: number;
};

export type ProgressRow = { id: Slug; title: string } & TranslationState;
/** `next`: where the page goes on that ended for want of time. */
export type ProgressPage = { rows: readonly ProgressRow[]; next: PathPlace | undefined };
/** Of one locale. An entry that is missing and outdated counts in both. */
export type ProgressCounts = Record<"entries" | Exclude<ProgressState, "staged">, number>;

/** An entry with its translation as it will be once its working copy is published. */
export type StagedTranslation = { entry: Entry; translation: Translation | undefined };

export interface ProgressStore {
  /** Rows of entry and locale, in the order of ids and then of `locales`. Throws entry_not_found. */
  list(query: ProgressQuery, asker: Asker): Promise<ProgressPage>;
  /** By locale. Throws entry_not_found, filter_too_costly. */
  summary(subtree: Subtree, locales: readonly string[], asker: Asker): Promise<Record<string, ProgressCounts>>;
  /** Some entries after that one, in the order of their ids; none at the end. Throws entry_not_found at the beginning. */
  staged(subtree: Subtree, locale: string, after: Slug | undefined, nowSeconds: number): Promise<StagedTranslation[]>;
  /** Those at these places, of which there are not many, in their order. */
  stagedAt(slugs: readonly Slug[], locale: string, nowSeconds: number): Promise<StagedTranslation[]>;
  /** Where the entries with these uuids are, by uuid, in the order of their ids. */
  places(uuids: readonly string[], asker: Asker): Promise<ReadonlyMap<string, Slug>>;
}

type Place = { id: Slug; pointer: string };
/** `partial`: some segments of the unit have no target; `refused`: entries that cannot be staged, with a problem each. */
export type XliffOutcome = {
  applied: number;
  unchanged: number;
  outdated: Place[];
  partial: Place[];
  unknown: string[];
  refused: { id: Slug; code: string; detail: string }[];
};
