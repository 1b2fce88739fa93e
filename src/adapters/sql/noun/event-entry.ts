import type { Path } from "../../../domain/path.ts";
import { listing } from "../index/listing.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../rows.ts";
import { isWithinSql, type Sql } from "../sql.ts";

export const insertEventEntries = insertOf("event_entry");

/**
 * What the log keeps of the entries of a subtree that a write moved, copied or deleted: of each that was or is public a
 * row. Contract, part two, §12.
 */
export const eventEntryRows = rowTable("event_entry", "sequence, uuid", {
  refusals: [
    ["there is no such event", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM event WHERE sequence = ?1)", "sequence"],
    [isTwice, "SELECT 1 FROM event_entry WHERE sequence = ?1 AND uuid = ?2", "sequence", "uuid"],
  ],
});

const insert = `INSERT INTO event_entry (${namesOf("event_entry").join(", ")})`;
const isPublic = `(listing = ${listing.listed} OR listing = ${listing.hidden} AND published_at <= ?3)`;
const isOld = `${isWithinSql("slug", "?2")} AND ${isPublic}`;
const isListed = `CASE listing WHEN ${listing.listed} THEN 1 ELSE 0 END`;

/** Before they move: their slugs before and after. */
export async function noteMoved(sql: Sql, sequence: number, from: Path, to: Path, nowSeconds: number): Promise<void> {
  const target = "?4 || substr(slug, length(?2) + 1)";
  await sql.run(
    `${insert} SELECT ?1, uuid, slug, ${target}, ${isListed}, ${isListed} FROM entry WHERE ${isOld}`,
    sequence,
    from,
    nowSeconds,
    to,
  );
}

/** Before they are deleted. */
export async function noteGone(sql: Sql, sequence: number, top: Path, nowSeconds: number): Promise<void> {
  await sql.run(
    `${insert} SELECT ?1, uuid, slug, NULL, ${isListed}, 0 FROM entry WHERE ${isOld}`,
    sequence,
    top,
    nowSeconds,
  );
}

/** After they were copied to `top`. */
export async function noteCopied(sql: Sql, sequence: number, top: Path, nowSeconds: number): Promise<void> {
  const query = `SELECT ?1, uuid, NULL, slug, 0, ${isListed} FROM entry WHERE ${isOld} AND revision = ?1`;
  await sql.run(`${insert} ${query}`, sequence, top, nowSeconds);
}
