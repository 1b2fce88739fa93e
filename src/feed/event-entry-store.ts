import type { Path } from "../core/path.ts";
import { noun } from "../core/sql/noun.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../core/sql/rows.ts";
import { isWithinSql, type Sql } from "../core/sql/sql.ts";
import { listing } from "../entry/listing-rows.ts";
import { pathOfFile } from "../file/rows.ts";
import { eventEntryRule, eventRule } from "./row-rules.ts";

export const insertEventEntries = insertOf(eventEntryRule);

/**
 * What the log keeps of what is in a subtree that a write moved, copied or deleted: of each entry that was or is public a
 * row; of each folder and file one that lists none, while there is a webhook. Contract, part two, §12; decision 74.
 */
const eventEntryRows = rowTable(eventEntryRule, "sequence, uuid", {
  refusals: [
    ["there is no such event", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM event WHERE sequence = ?1)", "sequence"],
    [isTwice, "SELECT 1 FROM event_entry WHERE sequence = ?1 AND uuid = ?2", "sequence", "uuid"],
  ],
});

/** The rows of the log. Its events are written by the core, with each write. */
export const eventLogNoun = noun({ rows: [rowTable(eventRule, "sequence"), eventEntryRows] });

const insert = `INSERT INTO event_entry (${namesOf(eventEntryRule).join(", ")})`;
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

/** Every folder and file at and below a folder, for webhooks: a store without any keeps none. */
const places = `(SELECT path FROM folder WHERE ${isWithinSql("path", "?2")}
    UNION ALL SELECT ${pathOfFile} FROM file JOIN folder AS above ON above.id = file.folder
    WHERE ${isWithinSql("above.path", "?2")}) AS place WHERE EXISTS (SELECT 1 FROM webhook)`;
const insertPlaces = (from: string, to: string) =>
  `${insert} SELECT ?1, {new_uuid}, ${from}, ${to}, 0, 0 FROM ${places}`;

/** Before they move. */
export async function notePlacesMoved(sql: Sql, sequence: number, from: Path, to: Path): Promise<void> {
  await sql.run(insertPlaces("path", "?3 || substr(path, length(?2) + 1)"), sequence, from, to);
}

/** Before they are deleted. */
export async function notePlacesGone(sql: Sql, sequence: number, top: Path): Promise<void> {
  await sql.run(insertPlaces("path", "NULL"), sequence, top);
}

/** After they have come. */
export async function notePlacesMade(sql: Sql, sequence: number, top: Path): Promise<void> {
  await sql.run(insertPlaces("NULL", "path"), sequence, top);
}
