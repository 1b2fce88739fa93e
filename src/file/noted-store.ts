import type { Path } from "../core/path.ts";
import { isWithinSql, type Sql } from "../core/sql/sql.ts";
import { insertNoted } from "../feed/event-entry-store.ts";
import { pathOfFile } from "./rows.ts";

/** What the log keeps of the folders and files of a subtree that a write moved, copied or deleted. Decision 74. */

/** Every folder and file at and below a folder, for webhooks: a store without any keeps none. */
const places = `(SELECT path FROM folder WHERE ${isWithinSql("path", "?2")}
    UNION ALL SELECT ${pathOfFile} FROM file JOIN folder AS above ON above.id = file.folder
    WHERE ${isWithinSql("above.path", "?2")}) AS place WHERE EXISTS (SELECT 1 FROM webhook)`;
const insertPlaces = (from: string, to: string) =>
  `${insertNoted} SELECT ?1, {new_uuid}, ${from}, ${to}, 0, 0 FROM ${places}`;

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
