import { type Access, seesPublic } from "../core/access/access.ts";
import { type EntryChange, type Publicity, publicity, type WriteContext } from "../core/event.ts";
import type { Filter } from "../core/list/filter.ts";
import { sourceLocale } from "../translation/locale.ts";
import type { Entry, UnsavedEntry } from "./entry.ts";
import { type Visibility, visibilities } from "./field.ts";

/**
 * How an entry stands in lists: the first column of every index of entries after the parent, so that a read touches
 * only entries that it may list. `scheduled`: visible, with a date of publication that had not come when the entry was
 * written; the chore that lists what is due turns it into `listed`. `elsewhere`: no draft, but public in other locales than
 * the source alone.
 */
export const listing = { draft: 0, listed: 1, scheduled: 2, hidden: 3, elsewhere: 4 } as const;

type Listed = Pick<Entry, "visibility" | "publishedAt" | "onlyLocales" | "locale">;

/** The listing of an entry at this time. */
export function listingOf(entry: Listed, nowSeconds: number): number {
  const { visibility, publishedAt, onlyLocales, locale } = entry;
  const isElsewhere = locale === undefined && onlyLocales && !onlyLocales.includes(JSON.stringify(sourceLocale));
  if (isElsewhere && visibility !== "draft" && publishedAt <= nowSeconds) return listing.elsewhere;
  if (visibility === "visible") return publishedAt <= nowSeconds ? listing.listed : listing.scheduled;
  return listing[visibility];
}

/**
 * The same when its index is built. An entry that became due while the service was stopped stays scheduled: the chore that
 * lists it writes its event.
 */
export function keptListing(entry: Listed, nowSeconds: number, before: number): number {
  const now = listingOf(entry, nowSeconds);
  return now === listing.listed && before === listing.scheduled ? listing.scheduled : now;
}

/** SQL for entries that are due and still scheduled, at the time in the parameter. */
export const isDueSql = (parameter: string): string =>
  `listing = ${listing.scheduled} AND published_at <= ${parameter}`;

const byVisibility: Record<Visibility, readonly number[]> = {
  visible: [listing.listed, listing.scheduled, listing.elsewhere],
  hidden: [listing.hidden, listing.elsewhere],
  draft: [listing.draft],
};

/**
 * The listings that a collection for this access and filter can have. For a public access entries that are due and
 * still scheduled come in addition: see `isDueSql`.
 */
export function listingsOf(access: Access, { all, any }: Filter, hasElsewhere: boolean): readonly number[] {
  if (access.reads === "nothing") return [];
  if (seesPublic(access)) return hasElsewhere ? [listing.listed, listing.elsewhere] : [listing.listed];
  const named = any.length > 0 ? undefined : all.find(({ key, operator }) => key === "visibility" && operator === "eq");
  const visibility = visibilities.find((name) => name === named?.value);
  return visibility ? byVisibility[visibility] : Object.values(listing);
}

/** An entry, and the listing of its row. */
type ListedEntry = Pick<Entry, "uuid" | "visibility" | "publishedAt" | "name" | "onlyLocales"> & {
  readonly listing: number;
};

/**
 * What the log keeps of a write of one entry, from its row before and its state after. What stays public under another name, or by
 * its id in other locales, comes as something that was not.
 */
export function changeOf(
  before: ListedEntry | undefined,
  after: UnsavedEntry | undefined,
  { nowSeconds }: Pick<WriteContext, "nowSeconds">,
): EntryChange {
  const { uuid } = (before ?? after) as UnsavedEntry;
  const wasPublic = before ? publicityOf(before, before.listing, nowSeconds) : publicity.none;
  const isPublic = after ? publicityOf(after, listingOf(after, nowSeconds), nowSeconds) : publicity.none;
  const isOther =
    before?.name !== after?.name || (isPublic === publicity.byId && before?.onlyLocales !== after?.onlyLocales);
  return { uuid, wasPublic: isOther && wasPublic === isPublic ? publicity.none : wasPublic, isPublic };
}

/** The same for a write after which its row stands in lists as before. */
export function keptChange(entry: ListedEntry, { nowSeconds }: WriteContext): EntryChange {
  const kept = publicityOf(entry, entry.listing, nowSeconds);
  return { uuid: entry.uuid, wasPublic: kept, isPublic: kept };
}

/**
 * How the public sees an entry that is listed so. One whose time came after its last write is not listed before the event
 * `entry.live` says so: what the log says of an entry is true of its row.
 */
export function publicityOf(
  entry: Pick<Entry, "visibility" | "publishedAt">,
  listed: number,
  nowSeconds: number,
): Publicity {
  if (listed === listing.listed) return publicity.listed;
  if (listed === listing.elsewhere) return entry.visibility === "visible" ? publicity.elsewhere : publicity.byId;
  return listed === listing.hidden && entry.publishedAt <= nowSeconds ? publicity.byId : publicity.none;
}
