import { type Access, reaches } from "../core/access/access.ts";
import { notedOf, publicity, quietKinds } from "../core/event.ts";
import { isWithin, type Path, type Slug } from "../core/path.ts";
import { boundColumns } from "../core/sql/event.ts";
import { noun, type Scanning } from "../core/sql/noun.ts";
import { isWithinSql, type Row } from "../core/sql/sql.ts";
import { restoredLogColumn } from "../core/sql/state.ts";
import { isInLocaleSql } from "../entry/access-store.ts";
import type { Entry } from "../entry/entry.ts";
import { listing } from "../entry/listing-rows.ts";
import { entryColumns, type StoredEntry, toEntry } from "../entry/rows.ts";
import { type Change, type ChangePage, type ChangePlace, type ChangeStore, walkedPaths, wholeEvent } from "./change.ts";

/** It has no rows: it reads the log and the entries. */
export const changeNoun = noun({
  scans: { readChanges },
  port: ({ scansFor }): ChangeStore => ({
    read: (place, limit, access, asker) => scansFor(asker).readChanges(place, limit, access),
  }),
});

/** A page ends where its entries have so many characters; the first one may have more. */
const maxPageLength = 1024 * 1024;
/** Rows of the log that are read beyond a page: an entry whose later moves are among them is found by its newest id. */
const readAhead = 1000;

/** See ChangeStore.read. The snapshot and the log agree: an event says what the rows of its entries are. */
async function readChanges(
  on: Scanning,
  place: ChangePlace | undefined,
  limit: number,
  access: Access,
): Promise<ChangePage | undefined> {
  const row = await on.sql.row(`SELECT ${boundColumns}, ${restoredLogColumn}`);
  const [oldest, newest, log] = row as readonly [number, number, string];
  if (place && (place.sequence < oldest - 1 || place.sequence > newest || place.log !== log)) return undefined;
  const page = new Page(on, limit, access, newest, log);
  if (!place || "after" in place) return walk(page, place ?? { sequence: newest, after: "" });
  return follow(page, place);
}

type WalkPlace = { sequence: number; after: Slug | "" };
type LogPlace = { sequence: number; uuid: string };
type NewChange = ({ entry: Entry } | { uuid: string; id: Slug }) & { place: LogPlace | WalkPlace };

/** A page while it is read. */
class Page {
  readonly on: Scanning;
  readonly limit: number;
  readonly access: Access;
  readonly newest: number;
  readonly changes: Change[] = [];
  private readonly log: string;
  private readonly sent = new Set<string>();
  private length = 0;

  constructor(on: Scanning, limit: number, access: Access, newest: number, log: string) {
    this.on = on;
    this.limit = limit;
    this.access = access;
    this.newest = newest;
    this.log = log;
  }

  /** How many more changes it takes. */
  get room(): number {
    return this.limit - this.changes.length;
  }

  has(uuid: string): boolean {
    return this.sent.has(uuid);
  }

  /** Adds the change, unless the page has the entry as it is now already; false when the page is full. */
  add(change: NewChange): boolean {
    const uuid = "entry" in change ? change.entry.uuid : change.uuid;
    if (this.sent.has(uuid)) return true;
    const length = "entry" in change ? change.entry.data.length : 0;
    const isFull = this.changes.length > 0 && this.length + length > maxPageLength;
    if (isFull || this.room === 0) return false;
    this.changes.push({ ...change, place: { ...change.place, log: this.log } });
    this.sent.add(uuid);
    this.length += length;
    return true;
  }

  ended(place: LogPlace | WalkPlace, hasMore: boolean): ChangePage {
    return { changes: this.changes, place: { ...place, log: this.log }, hasMore, sequence: this.newest };
  }
}

/** Entries may be large: this many are read at a time. */
const entriesAtOnce = 50;

/** The next entries that are listed, path after path, each in the order of ids; then the log from where the walk began. */
async function walk(page: Page, { sequence, after }: WalkPlace): Promise<ChangePage> {
  const paths = walkedPaths(page.access) ?? [undefined];
  const isBegun = (path: Path | undefined) => after !== "" && (path === undefined || isWithin(after, path));
  let place = { sequence, after };
  for (const path of paths.slice(Math.max(0, paths.findIndex(isBegun)))) {
    const within = path === undefined ? "CAST(?2 AS TEXT) IS NOT NULL" : isWithinSql("slug", "?2");
    const text = `SELECT ${entryColumns} FROM entry
      WHERE ${isListedSql(page.access)} AND slug > ?1 AND ${within} ORDER BY slug LIMIT ?3`;
    let last: string = isBegun(path) ? after : "";
    for (;;) {
      const count = Math.min(entriesAtOnce, page.room + 1);
      const rows = await page.on.sql.rows(text, last, path ?? "", count);
      for (const entry of await seen(page, rows)) {
        const next = { sequence, after: entry.slug };
        if (!page.add({ entry, place: next })) return page.ended(place, true);
        last = entry.slug;
        place = next;
      }
      if (rows.length < count) break;
    }
  }
  return follow(page, { sequence, uuid: wholeEvent });
}

/** SQL for what delivery lists have in the locale. */
const isListedSql = ({ locale }: Access): string =>
  locale
    ? `listing IN (${listing.listed}, ${listing.elsewhere}) AND visibility = 'visible' AND ${isInLocaleSql({ locale })}`
    : `listing = ${listing.listed}`;

/** The entries of these rows as the reader sees them. */
const seen = ({ on, access }: Page, rows: readonly Row[]): Promise<readonly StoredEntry[]> =>
  on.links.inLocale(on, rows.map(toEntry), access);

/** What an event says of an entry: the ids under which it was and is listed. */
type Noted = { sequence: number; uuid: string; old: Slug | null; new: Slug | null };

const toNoted = ([sequence, uuid, before, after]: Row) => ({ sequence, uuid, old: before, new: after }) as Noted;

const isAfter = "sequence >= ?1 AND (sequence > ?1 OR uuid > ?2)";
/** Of a translation that may be laid over, the entry is looked at: it neither comes nor goes by it. */
const ofOne = (list: string, isRead: string): string => `SELECT sequence, uuid,
    CASE WHEN locale IS NULL AND was_public IN (${list}) THEN subject END,
    CASE WHEN locale IS NOT NULL OR is_public IN (${list}) THEN coalesce(target, subject) END
  FROM event WHERE ${isAfter} AND (was_public IN (${list}) OR is_public IN (${list})) AND ${isRead} AND kind NOT IN (${quietKinds()
    .map((kind) => `'${kind}'`)
    .join(", ")}) ORDER BY sequence LIMIT ?3`;
const ofMany = (list: string): string => `SELECT sequence, uuid,
    CASE WHEN was_listed IN (${list}) THEN old_slug END, CASE WHEN is_listed IN (${list}) THEN new_slug END
  FROM event_entry WHERE ${isAfter} AND (was_listed IN (${list}) OR is_listed IN (${list})) ORDER BY sequence, uuid LIMIT ?3`;

/** The next changes in the order of the log. */
async function follow(page: Page, from: LogPlace): Promise<ChangePage> {
  let place = from;
  for (;;) {
    const rows = await notedAfter(page, place);
    const isLast = rows.length < page.limit + readAhead;
    // The rest of the rows, which are read ahead, comes again.
    const own = isLast ? rows : rows.slice(0, page.limit);
    const ids = new Map<string, Slug>();
    for (const each of rows) if (each.new !== null && reaches(page.access, each.new)) ids.set(each.uuid, each.new);
    const goneFrom = new Map<string, Slug>();
    for (const each of own) if (each.old !== null && reaches(page.access, each.old)) goneFrom.set(each.uuid, each.old);
    for (let at = 0; at < own.length; at += entriesAtOnce) {
      const some = own.slice(at, at + entriesAtOnce);
      const found = await listedNow(page, some, ids);
      for (const { sequence, uuid } of some) {
        const next = { sequence, uuid };
        const entry = found.get(uuid);
        const id = goneFrom.get(uuid);
        const change = entry ? { entry } : id === undefined ? undefined : { uuid, id };
        if (change && !page.add({ ...change, place: next })) return page.ended(place, true);
        place = next;
      }
    }
    if (isLast) return page.ended({ sequence: page.newest, uuid: wholeEvent }, false);
  }
}

/** What the log notes next, in its order. */
async function notedAfter(page: Page, { sequence, uuid }: LogPlace): Promise<Noted[]> {
  const { sql } = page.on;
  const { locale } = page.access;
  const listed = locale ? [publicity.listed, publicity.elsewhere] : [publicity.listed];
  // Tags of languages need no escapes.
  const isRead = locale?.chain.length
    ? `(locale IS NULL OR locale IN ('${locale.chain.join("', '")}'))`
    : "locale IS NULL";
  const count = page.limit + readAhead;
  const ones = await sql.rows(ofOne(listed.join(), isRead), sequence, uuid, count);
  const many = await sql.rows(ofMany(listed.map(notedOf).join()), sequence, uuid, count);
  const all = [...ones, ...many].map(toNoted);
  return all.sort((a, b) => a.sequence - b.sequence || (a.uuid < b.uuid ? -1 : 1)).slice(0, count);
}

/** Of the entries that are not in the page yet those that are listed now, by uuid; `ids` are their newest ids. */
async function listedNow(
  page: Page,
  rows: readonly Noted[],
  ids: ReadonlyMap<string, Slug>,
): Promise<Map<string, StoredEntry>> {
  const uuids = [...new Set(rows.map(({ uuid }) => uuid))].filter((uuid) => ids.has(uuid) && !page.has(uuid));
  const sets = uuids.map((uuid) => [ids.get(uuid) as Slug]);
  const text = `SELECT ${entryColumns} FROM entry WHERE slug = ?1 AND ${isListedSql(page.access)}`;
  const entries = await seen(page, (await page.on.sql.rowsAll(text, sets, ["text"])).flat());
  // Another entry may have the id by now.
  return new Map(entries.filter(({ slug, uuid }) => ids.get(uuid) === slug).map((entry) => [entry.uuid, entry]));
}
