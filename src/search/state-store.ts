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
  /** The name of the types that documents have (`SearchTypes`), and the document up to which they got them; null for all. */
  types: string;
  typedTo: number | null;
  /** See sweep-store.ts. */
  swept: number;
  kept: number;
  sweepEnd: number | null;
  sweepAt: string;
  /** The newest event. */
  newest: number;
  log: string;
  /** True where another way, a restored log or one that was cut short makes a new build necessary. */
  isVoid: boolean;
};

/** The place after all entries of an event: it comes after every uuid. */
export const wholeEvent = "~";

type StateRow = readonly [
  sequence: number,
  uuid: string,
  log: string,
  way: string,
  builtTo: number | null,
  base: number,
  documents: number,
  ended: number,
  types: string,
  typedTo: number | null,
  swept: number,
  kept: number,
  sweepEnd: number | null,
  sweepAt: string,
  oldest: number,
  newest: number,
  present: string,
];

export async function searchState(sql: Pick<ReadSql, "row">, way: Way): Promise<SearchState> {
  const row = await sql.row(
    `SELECT sequence, uuid, log, way, built_to, base, documents, ended, types, typed_to, swept, kept, sweep_end, sweep_at,
       ${boundColumns}, ${restoredLogColumn} FROM search_state`,
  );
  const [sequence, uuid, log, name, builtTo, base, documents, ended, types, typedTo, ...rest] = row as StateRow;
  const [swept, kept, sweepEnd, sweepAt, oldest, newest, present] = rest;
  const isVoid = name !== nameOf(way) || log !== present || sequence < oldest - 1 || sequence > newest;
  const built = { sequence, uuid, builtTo, base, documents, ended, types, typedTo, swept, kept, sweepEnd, sweepAt };
  return { ...built, newest, log: present, isVoid };
}

/** Where the index is, as a text: each of its writes makes another one. */
export const placeOf = ({ sequence, uuid, builtTo, documents, ended, isVoid, ...rest }: SearchState): string => {
  const { types, typedTo, swept, sweepEnd, sweepAt } = rest;
  return JSON.stringify([sequence, uuid, builtTo, documents, ended, isVoid, types, typedTo, swept, sweepEnd, sweepAt]);
};

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
  const ofMany = (table: string) =>
    sql.rows(
      `SELECT sequence, uuid, new_slug FROM ${table} WHERE ${after} ORDER BY sequence, uuid LIMIT ?3`,
      sequence,
      uuid,
      limit,
    );
  const many = [...(await ofMany("event_entry")), ...(await ofMany("event_private"))];
  const toNoted = ([at, of, id]: Row) => ({ sequence: at, uuid: of, id }) as Noted;
  const all = [...ones, ...many].map(toNoted);
  return all.sort((a, b) => a.sequence - b.sequence || (a.uuid < b.uuid ? -1 : 1)).slice(0, limit);
}
