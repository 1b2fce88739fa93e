import { noun } from "../core/sql/noun.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../core/sql/rows.ts";
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

/** The rows of a query, into the table of what the log keeps of subtrees. */
export const insertNoted = `INSERT INTO event_entry (${namesOf(eventEntryRule).join(", ")})`;
