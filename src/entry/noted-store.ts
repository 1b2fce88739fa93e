import { notedOf, publicity } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import { isWithinSql, type Sql } from "../core/sql/sql.ts";
import { insertNoted } from "../feed/event-entry-store.ts";
import { listing } from "./listing-rows.ts";

/** What the log keeps of the entries of a subtree that a write moved, copied or deleted. Contract, part two, §12. */

const isPublic = `(listing IN (${listing.listed}, ${listing.elsewhere}) OR listing = ${listing.hidden} AND published_at <= ?3)`;
const isBelow = isWithinSql("slug", "?2");
const isOld = `${isBelow} AND ${isPublic}`;
/** The others are told to nobody; the index of words reads them. */
const insertPrivate = "INSERT INTO event_private (sequence, uuid, new_slug)";
const isPrivate = `${isBelow} AND NOT (${isPublic})`;
const isListed = `CASE WHEN listing = ${listing.listed} THEN ${notedOf(publicity.listed)}
  WHEN listing = ${listing.elsewhere} AND visibility = 'visible' THEN ${notedOf(publicity.elsewhere)} ELSE 0 END`;

/** Before they move: their slugs before and after. */
export async function noteMoved(sql: Sql, sequence: number, from: Path, to: Path, nowSeconds: number): Promise<void> {
  const target = "?4 || substr(slug, length(?2) + 1)";
  const values = [sequence, from, nowSeconds, to];
  await sql.run(
    `${insertNoted} SELECT ?1, uuid, slug, ${target}, ${isListed}, ${isListed} FROM entry WHERE ${isOld}`,
    ...values,
  );
  await sql.run(`${insertPrivate} SELECT ?1, uuid, ${target} FROM entry WHERE ${isPrivate}`, ...values);
}

/** Before they are deleted. */
export async function noteGone(sql: Sql, sequence: number, top: Path, nowSeconds: number): Promise<void> {
  await sql.run(
    `${insertNoted} SELECT ?1, uuid, slug, NULL, ${isListed}, 0 FROM entry WHERE ${isOld}`,
    sequence,
    top,
    nowSeconds,
  );
  await sql.run(`${insertPrivate} SELECT ?1, uuid, NULL FROM entry WHERE ${isPrivate}`, sequence, top, nowSeconds);
}

/** After they were copied to `top`. */
export async function noteCopied(sql: Sql, sequence: number, top: Path, nowSeconds: number): Promise<void> {
  const query = `SELECT ?1, uuid, NULL, slug, 0, ${isListed} FROM entry WHERE ${isOld} AND revision = ?1`;
  await sql.run(`${insertNoted} ${query}`, sequence, top, nowSeconds);
  const others = `SELECT ?1, uuid, slug FROM entry WHERE ${isPrivate} AND revision = ?1`;
  await sql.run(`${insertPrivate} ${others}`, sequence, top, nowSeconds);
}
