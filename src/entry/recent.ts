import type { EventKind } from "../core/event.ts";
import type { Path, Slug } from "../core/path.ts";
import type { Visibility } from "./field.ts";

/** What was changed last, and by whom: an entry with its newest event. Contract, part three, §19, The desk. */
export type RecentEntry = {
  readonly slug: Slug;
  /** "" for an entry without a title that is a text. */
  readonly title: string;
  readonly visibility: Visibility;
  readonly publishedAt: number;
  readonly hasCopy: boolean;
  readonly kind: EventKind;
  readonly atSeconds: number;
  readonly actor: string;
};

export type RecentQuery = {
  /** Entries at and below these paths; null for all. */
  readonly paths: readonly Path[] | null;
  /** Only what this actor changed, with its newest change. */
  readonly by: string | undefined;
  readonly visibility: Visibility | undefined;
  readonly limit: number;
};

/** How far back the log is looked at: the cost of an answer does not grow with the log. */
export const recentEvents = 5000;

/** A row under the wire's names. */
export const recentFields = (row: RecentEntry) => ({
  id: row.slug,
  title: row.title,
  visibility: row.visibility,
  published_at: row.publishedAt,
  staged: row.hasCopy,
  kind: row.kind,
  at: row.atSeconds,
  actor: row.actor,
});
