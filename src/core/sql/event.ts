import { type ClockFacts, clockSlackSeconds } from "../clock.ts";
import {
  type ChangedThing,
  type CommittedEvent,
  type EntryChange,
  type Event,
  type EventKind,
  type EventStore,
  type FollowerPosition,
  type NewEvent,
  notedPublicity,
  type Pruned,
  type PruneOptions,
  publicity,
  type WriteContext,
} from "../event.ts";
import { eventRow } from "../event-row.ts";
import type { Path, Slug } from "../path.ts";
import { noun, type Scanning, type Writing } from "./noun.ts";
import { insertOf } from "./rows.ts";
import { findNumber, numberOf, type Row, type SharedSql, type Sql } from "./sql.ts";

/** What followers read of an event. */
export const eventColumns = "sequence, at, kind, subject, target, count, actor, outdated, locale";
/** The same with the request. */
const loggedColumns = `${eventColumns}, request_id, address, trace`;
const noOrigin = {};
const insert = insertOf(eventRow);

export const eventNoun = noun({
  writes: { saveEventPosition, forgetEventPosition, pruneEvents },
  scans: { newestEvent },
  port: ({ sql, writes }): EventStore => ({
    list: (since, limit) => listEvents(sql, since, limit, loggedColumns),
    listCommitted: (since, limit) => listCommitted(sql, since, limit),
    listThings: (from, to) => listThings(sql, from, to),
    listBefore: (before, limit) => listEventsBefore(sql, before, limit),
    bounds: () => eventBounds(sql),
    position: (follower) => eventPosition(sql, follower),
    savePosition: writes.saveEventPosition,
    forgetPosition: writes.forgetEventPosition,
    prune: async (beforeSeconds, { nowSeconds = Number.MAX_SAFE_INTEGER, ...options } = {}) =>
      // A log without old events is not written to.
      (await mayHaveOld(sql, beforeSeconds, nowSeconds))
        ? writes.pruneEvents(beforeSeconds, { ...options, nowSeconds })
        : { count: 0, behind: [], forgotten: [] },
  }),
});

/** Writes that are made together, whose events say so: what followers get as one. Their first event, once there is one. */
export type Commit = { first?: number | undefined };

/**
 * Appends events and answers their sequences, which are the revisions of what the writes change. One transaction at a
 * time appends, until it ends, so sequences are in commit order and a reader that follows them misses no event.
 */
export async function appendEvents(
  sql: SharedSql,
  events: readonly NewEvent[],
  commit: Commit | undefined,
): Promise<number[]> {
  sql.lockShared();
  const last = await numberOf(sql, "SELECT coalesce(max(sequence), 0) FROM event");
  const sequences = events.map((_, i) => last + 1 + i);
  if (commit) commit.first ??= sequences[0];
  const rows = events.map(({ atSeconds, kind, subject, target, count, actor, entry, origin, locale }, i) => {
    const sequence = sequences[i] ?? 0;
    const change = entry ? [entry.uuid, entry.wasPublic, entry.isPublic] : [null, null, null];
    const outdated = entry?.outdated?.length ? JSON.stringify(entry.outdated) : null;
    const first = commit && commit.first !== sequence ? commit.first : null;
    const { requestId = null, address = null, trace = null } = origin;
    const request = [requestId, address, trace];
    return [
      sequence,
      atSeconds,
      kind,
      subject,
      target,
      count,
      actor,
      ...change,
      outdated,
      first ?? null,
      ...request,
      locale ?? null,
    ];
  });
  sql.later(insert, rows);
  return sequences;
}

/** Appends the event of a write of what has no path: its subject is an id or a key. Returns the revision. */
export function appendAbout(
  { append }: Writing,
  kind: EventKind,
  subject: string,
  { actor, nowSeconds, origin = noOrigin, locale }: WriteContext,
  count = 1,
): Promise<number> {
  return append({ atSeconds: nowSeconds, kind, subject, target: null, count, actor, origin, locale });
}

/** Appends the event of a write at a path: `count` is the size of the subtree. Returns the revision. */
export function appendWrite(
  { append }: Writing,
  kind: EventKind,
  subject: Path,
  target: Path | null,
  count: number,
  { actor, nowSeconds, origin = noOrigin, locale }: WriteContext,
  entry?: EntryChange,
): Promise<number> {
  return append({ atSeconds: nowSeconds, kind, subject, target, count, actor, entry, origin, locale });
}

/** Appends an event of each of these entries, as writes of one entry do. Returns the revisions. */
export function appendChanges(
  { appendAll }: Writing,
  kind: EventKind,
  entries: readonly { slug: Slug; locale?: string | undefined; change: EntryChange }[],
  { actor, nowSeconds, origin = noOrigin }: WriteContext,
): Promise<number[]> {
  const event = { atSeconds: nowSeconds, kind, target: null, count: 1, actor, origin };
  return appendAll(entries.map(({ slug, locale, change }) => ({ ...event, subject: slug, locale, entry: change })));
}

/** Events after `since`, oldest first. */
export async function listEvents(sql: Sql, since: number, limit: number, columns = eventColumns): Promise<Event[]> {
  const rows = await sql.rows(
    `SELECT ${columns} FROM event WHERE sequence > ?1 ORDER BY sequence LIMIT ?2`,
    since,
    limit,
  );
  return rows.map(toEvent);
}

async function listCommitted(sql: Sql, since: number, limit: number): Promise<CommittedEvent[]> {
  const rows = await sql.rows(
    `SELECT ${loggedColumns}, coalesce(first_sequence, sequence) FROM event WHERE sequence > ?1 ORDER BY sequence LIMIT ?2`,
    since,
    limit,
  );
  return rows.map((row) => ({ ...toEvent(row), first: row.at(-1) as number }));
}

async function listThings(sql: Sql, from: number, to: number): Promise<ChangedThing[]> {
  const ones = await sql.rows(
    `SELECT sequence, uuid, subject, coalesce(target, subject), was_public, is_public FROM event
     WHERE sequence BETWEEN ?1 AND ?2 AND uuid IS NOT NULL ORDER BY sequence`,
    from,
    to,
  );
  const many = await sql.rows(
    `SELECT sequence, uuid, old_slug, new_slug, ${publicityOfSql("old_slug", "was_listed")}, ${publicityOfSql("new_slug", "is_listed")}
     FROM event_entry WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence, uuid`,
    from,
    to,
  );
  return [...ones, ...many].map(([sequence, uuid, before, after, was, is]) => ({
    sequence,
    uuid,
    from: before,
    to: after,
    was,
    is,
  })) as ChangedThing[];
}

const publicityOfSql = (slug: string, listed: string): string =>
  `CASE WHEN ${slug} IS NULL THEN ${publicity.none} ${notedPublicity.map((each, i) => `WHEN ${listed} = ${i} THEN ${each}`).join(" ")} END`;

/** Events before `before`, newest first. */
async function listEventsBefore(sql: Sql, before: number | undefined, limit: number): Promise<Event[]> {
  const rows = await sql.rows(
    `SELECT ${loggedColumns} FROM event WHERE sequence < ?1 ORDER BY sequence DESC LIMIT ?2`,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  );
  return rows.map(toEvent);
}

/** The sequences of the oldest and the newest event; 0 for none. SQLite reads every row for both in one query. */
export const boundColumns =
  "coalesce((SELECT min(sequence) FROM event), 0), coalesce((SELECT max(sequence) FROM event), 0)";

export async function eventBounds(sql: Pick<Sql, "row">): Promise<{ oldest: number; newest: number }> {
  const row = await sql.row(`SELECT ${boundColumns}`);
  const [oldest, newest] = row as readonly [number, number];
  return { oldest, newest };
}

async function newestEvent({ sql }: Scanning): Promise<number> {
  return (await eventBounds(sql)).newest;
}

/** Compares the latest time in the log with the clock. Reads entries only if an event is ahead of the clock. */
export async function clockFacts(sql: Sql, nowSeconds: number): Promise<ClockFacts> {
  const newest = await numberOf(sql, "SELECT coalesce(max(at), 0) FROM event");
  if (newest <= nowSeconds + clockSlackSeconds) return { behindSeconds: 0, futureEntries: 0 };
  // A create or a copy sets both times of an entry to the time of its event.
  const ahead = "SELECT count(*) FROM entry WHERE published_at > ?1 AND published_at = created_at";
  return { behindSeconds: newest - nowSeconds, futureEntries: await numberOf(sql, ahead, nowSeconds) };
}

async function eventPosition(sql: Sql, follower: string): Promise<number | undefined> {
  return findNumber(sql, "SELECT sequence FROM event_position WHERE follower = ?1", follower);
}

async function saveEventPosition({ sql }: Writing, follower: string, sequence: number): Promise<void> {
  await sql.run(
    "INSERT INTO event_position (follower, sequence) VALUES (?1, ?2) ON CONFLICT (follower) DO UPDATE SET sequence = ?2",
    follower,
    sequence,
  );
}

async function forgetEventPosition({ sql }: Writing, follower: string): Promise<void> {
  await sql.run("DELETE FROM event_position WHERE follower = ?1", follower);
}

/**
 * Deletes the events before a time, up to the first that a follower, or a webhook that is on, has not handled. Webhooks that
 * are off, and those that are late for too long, learn that they have a gap. The last event stays, so that no sequence is
 * assigned twice.
 */
async function pruneEvents(
  on: Writing,
  beforeSeconds: number,
  { nowSeconds, unhandledBeforeSeconds }: PruneOptions & { nowSeconds: number },
): Promise<Pruned> {
  const { sql } = on;
  const old = await lastOldEvent(sql, beforeSeconds, nowSeconds);
  const late = await positionsBefore(sql, old);
  const mayForget = late.length > 0 && unhandledBeforeSeconds !== undefined;
  const tooOld = mayForget ? await lastOldEvent(sql, unhandledBeforeSeconds, nowSeconds) : 0;
  const { forgotten = [], behind = [] } = Object.groupBy(late, ({ sequence }) =>
    sequence < tooOld ? "forgotten" : "behind",
  );
  for (const { follower } of forgotten) await forgetEventPosition(on, follower);
  const last = Math.min(old, ...behind.map(({ sequence }) => sequence));
  await sql.run("UPDATE webhook SET sequence = ?1, has_gap = 1 WHERE sequence < ?1", last);
  return { count: await sql.run("DELETE FROM event WHERE sequence <= ?1", last), behind, forgotten };
}

/** False only where no event before the time may be deleted. The oldest are first, but where a clock was ahead. */
async function mayHaveOld(sql: Sql, beforeSeconds: number, nowSeconds: number): Promise<boolean> {
  const { oldest, newest } = await eventBounds(sql);
  const at = await findNumber(sql, "SELECT at FROM event WHERE sequence = ?1", oldest);
  return at !== undefined && oldest < newest && (at < beforeSeconds || at > nowSeconds);
}

/**
 * The last event before a time, of those that may be deleted; 0 for none.
 *
 * The log is in commit order, whatever the clock showed: an event that precedes an old event is old. The search ends at
 * the first event within the retention period, so it needs no index, and answers the last old event before that. A time
 * ahead of the clock does not show an event's age: such an event is as old as the next old event after it, or stays.
 * Decision 20.
 */
async function lastOldEvent(sql: Sql, beforeSeconds: number, nowSeconds: number): Promise<number> {
  const { newest } = await eventBounds(sql);
  const firstKept = "SELECT sequence FROM event WHERE at >= ?1 AND at <= ?2 ORDER BY sequence LIMIT 1";
  const lastOld = `SELECT sequence FROM event WHERE at < ?1 AND sequence < coalesce((${firstKept}), ?3)
    ORDER BY sequence DESC LIMIT 1`;
  const last = await findNumber(sql, lastOld, beforeSeconds, nowSeconds, newest + 1);
  return Math.min(last ?? 0, newest - 1);
}

async function positionsBefore(sql: Sql, sequence: number): Promise<FollowerPosition[]> {
  const rows = await sql.rows(
    `SELECT follower, sequence FROM event_position WHERE sequence < ?1
     UNION ALL SELECT 'webhook ' || id, sequence FROM webhook WHERE sequence < ?1 AND state = 'on'
     ORDER BY follower`,
    sequence,
  );
  return (rows as (readonly [string, number])[]).map(([follower, reached]) => ({ follower, sequence: reached }));
}

type EventRow = readonly [
  sequence: number,
  at: number,
  kind: EventKind,
  subject: string,
  target: string | null,
  count: number,
  actor: string,
  outdated: string | null,
  locale: string | null,
  requestId?: string | null,
  address?: string | null,
  trace?: string | null,
];

export function toEvent(row: Row): Event {
  const [sequence, atSeconds, kind, subject, target, count, actor, outdated, locale, requestId, address, trace] =
    row as EventRow;
  const event: Event = { sequence, atSeconds, kind, subject, target, count, actor };
  if (requestId != null) event.requestId = requestId;
  if (address != null) event.address = address;
  if (trace != null) event.trace = trace;
  if (locale !== null) event.locale = locale;
  if (outdated !== null) event.outdated = JSON.parse(outdated) as string[];
  return event;
}
