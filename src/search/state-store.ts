import { quietKinds } from "../core/event.ts";
import type { Slug } from "../core/path.ts";
import { boundColumns } from "../core/sql/event.ts";
import type { ReadSql, Row } from "../core/sql/sql.ts";
import { restoredLogColumn } from "../core/sql/state.ts";
import { nameOf, type Way } from "./way.ts";

/** How far the words of a store are indexed. Each write of an entry has an event: what is missing is named by the log. */

export type SearchState = {
  /** All events before this one are indexed, of it the entries up to the uuid. */
  sequence: number;
  uuid: string;
  /** The number of the entry up to which a build has come; null when it has ended. */
  builtTo: number | null;
  /** The number after which the documents of the last build begin, the last one, and how many have ended. */
  base: number;
  documents: number;
  ended: number;
  /** The newest event. */
  newest: number;
  log: string;
  /** True where another way, a restored log or one that was cut short makes a new build necessary. */
  isVoid: boolean;
};

/** The place after all entries of an event: it comes after every uuid. */
export const wholeEvent = "~";

export async function searchState(sql: Pick<ReadSql, "row">, way: Way): Promise<SearchState> {
  const row = await sql.row(
    `SELECT sequence, uuid, log, way, built_to, base, documents, ended, ${boundColumns}, ${restoredLogColumn} FROM search_state`,
  );
  const [sequence, uuid, log, name, builtTo, base, documents, ended, oldest, newest, present] = row as unknown as [
    number,
    string,
    string,
    string,
    number | null,
    number,
    number,
    number,
    number,
    number,
    string,
  ];
  const isVoid = name !== nameOf(way) || log !== present || sequence < oldest - 1 || sequence > newest;
  return { sequence, uuid, builtTo, base, documents, ended, newest, log: present, isVoid };
}

/** An entry that a write has changed, and the id that it has since. */
export type Noted = { sequence: number; uuid: string; id: Slug | null };

const after = "sequence >= ?1 AND (sequence > ?1 OR uuid > ?2)";
const quiet = quietKinds()
  .map((kind) => `'${kind}'`)
  .join(", ");

/** What the log notes after a place, in its order. */
export async function notedAfter(
  sql: Pick<ReadSql, "rows">,
  { sequence, uuid }: Pick<SearchState, "sequence" | "uuid">,
  limit: number,
): Promise<Noted[]> {
  const ones = await sql.rows(
    `SELECT sequence, uuid, coalesce(target, subject) FROM event
     WHERE ${after} AND uuid IS NOT NULL AND kind NOT IN (${quiet}) ORDER BY sequence LIMIT ?3`,
    sequence,
    uuid,
    limit,
  );
  const many = await sql.rows(
    `SELECT sequence, uuid, new_slug FROM event_entry WHERE ${after} ORDER BY sequence, uuid LIMIT ?3`,
    sequence,
    uuid,
    limit,
  );
  const toNoted = ([at, of, id]: Row) => ({ sequence: at, uuid: of, id }) as Noted;
  const all = [...ones, ...many].map(toNoted);
  return all.sort((a, b) => a.sequence - b.sequence || (a.uuid < b.uuid ? -1 : 1)).slice(0, limit);
}
