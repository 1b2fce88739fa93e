import type { Reach } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import type { Problem } from "../core/problem.ts";
import { parseName } from "../people/person.ts";
import { problem } from "./problems.ts";
import type { StagedQuery, StagedRow } from "./staged.ts";

/**
 * Releases: named sets of working copies and drafts that go live together, and come back together. A draft in a release has
 * a working copy, maybe an empty one, so what is in a release are copies. Those of entries in the trash wait there: they are
 * in it again once they are restored, unless it was published or deleted meanwhile. Contract, part three, §21; decision 78.
 */

/** `failed`: it was due, and refused; it may be corrected and published again. */
export const releaseStates = ["open", "scheduled", "published", "failed"] as const;
export type ReleaseState = (typeof releaseStates)[number];

export type Release = Readonly<{
  id: string;
  title: string;
  state: ReleaseState;
  /** When it is published, or was; null for neither. */
  atSeconds: number | null;
  /** Who scheduled it. */
  scheduledBy: string | null;
  /** The number of its entries, of those that the asker may see. */
  count: number;
  createdAtSeconds: number;
  createdBy: string;
  /** Of the event that created it: newer ones have a higher one. */
  sequence: number;
}>;

/** Releases from before the event `before`, newest first, at most `limit`. */
export type ReleaseQuery = Reach & { readonly before: number | undefined; readonly limit: number };

/** `atSeconds`: when, null for no time any more; absent for now. A dry run is refused as the call would be, and writes nothing. */
export type ReleasePublishing = Reach & {
  readonly atSeconds?: number | null | undefined;
  /** Refuses copies with outdated keys. */
  readonly current?: boolean | undefined;
  readonly isDryRun?: boolean | undefined;
};

/**
 * Where releases are stored. Each write is one transaction. Whoever publishes, undoes or deletes one must reach all of its
 * entries: otherwise scope_missing. Every method with an id throws release_not_found.
 */
export interface ReleaseStore {
  /** Newest first. */
  list(query: ReleaseQuery): Promise<Release[]>;
  get(id: string, reach: Reach): Promise<Release>;
  /** Its working copies, in the order of their ids; of one that is published what it has published, where it was then. */
  entries(id: string, query: StagedQuery): Promise<StagedRow[]>;
  /** Throws too_many_releases. */
  create(release: NewRelease, context: WriteContext): Promise<Release>;
  /** Throws release_published. */
  rename(id: string, title: string, reach: Reach, context: WriteContext): Promise<Release>;
  /** Its copies stay, in no release. One that is published cannot be undone any more. Throws publish_scheduled. */
  delete(id: string, reach: Reach, context: WriteContext): Promise<void>;
  /**
   * Publishes all its copies at once, or sets or takes back the time for that. Throws release_published, publish_scheduled,
   * nothing_staged, release_invalid (names what is wrong with each entry), type_too_costly, with `current` staged_outdated.
   */
  publish(id: string, how: ReleasePublishing, context: WriteContext): Promise<Release>;
  /**
   * Gives its entries the content that they had before, and lays the copies back; it is open again. Throws
   * release_not_published, release_changed (names the entries that were changed, deleted or staged since), revision_not_found
   * (a content is not kept), release_invalid (a content does not fit its type any more), type_too_costly, too_many_copies.
   */
  undo(id: string, reach: Reach, context: WriteContext): Promise<Release>;
  /**
   * Publishes those whose time has come, each exactly once; answers how many. One that is refused has the state `failed`,
   * and the log says so.
   */
  publishDue(nowSeconds: number): Promise<number>;
  /** The earliest time at which one is published, in Unix seconds; undefined when none has a time. */
  nextDue(): Promise<number | undefined>;
}

/** Of a store: the list counts the entries of each. */
export const maxReleases = 1000;
/** Of a release: all are published in one transaction. Contract, part three, §21. */
export const maxReleaseEntries = 1000;

export type NewRelease = Omit<Release, "sequence">;

/** A new release. Throws argument_invalid for its title. */
export const newRelease = (
  title: string,
  { id, actor, nowSeconds }: Pick<WriteContext, "actor" | "nowSeconds"> & { id: string },
): NewRelease => ({
  id,
  title: parseReleaseTitle(title),
  state: "open",
  atSeconds: null,
  scheduledBy: null,
  count: 0,
  createdAtSeconds: nowSeconds,
  createdBy: actor,
});

/** The stored form of a title. Throws argument_invalid. */
export const parseReleaseTitle = (title: string): string => parseName("title", title);

/** What says whether a release may change. */
export type ReleaseNow = Pick<Release, "id" | "state" | "atSeconds">;

/** Refuses to change what a release has, or will have, published. Throws release_published, publish_scheduled. */
export function refuseFixed(release: ReleaseNow, argument = "id"): void {
  refusePublished(release, argument);
  if (release.state === "scheduled")
    throw problem("publish_scheduled", { argument, release: release.id, id: release.id, at: release.atSeconds ?? 0 });
}

/** Throws release_published. */
export function refusePublished({ id, state }: ReleaseNow, argument = "id"): void {
  if (state === "published") throw problem("release_published", { argument, id });
}

/** The refusal of who does not reach all of it; names nothing that he may not see. */
export const unseen = (): Problem =>
  problem("scope_missing", { needed: "writes:all at the paths of all entries that are in the release" });

/** A release under the wire's names. */
export const releaseFields = ({ id, title, state, atSeconds, count, createdAtSeconds, createdBy }: Release) => ({
  id,
  title,
  state,
  ...(atSeconds !== null && { at: atSeconds }),
  count,
  created_at: createdAtSeconds,
  created_by: createdBy,
});
