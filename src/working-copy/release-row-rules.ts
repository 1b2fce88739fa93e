import { actor, anyTime, type BackupRow, count, id, oneOf, orNull, refused, text, time } from "../core/row-column.ts";
import { parseReleaseTitle, releaseStates } from "./release.ts";

/** The rules of the rows of releases: see core/row.ts. */

export const releaseRule = {
  noun: "release",
  columns: {
    id,
    title: text,
    state: oneOf(releaseStates),
    at: orNull(anyTime),
    scheduled_by: orNull(actor),
    count,
    created_at: time,
    created_by: actor,
    sequence: count,
  },
  whole: checkRelease,
  key: ({ id }: BackupRow) => id,
};

/** Throws argument_invalid. */
function checkRelease({ title, state, at, scheduled_by }: BackupRow): void {
  if (parseReleaseTitle(String(title)) !== title) throw refused("title", title, "its stored form");
  const hasTime = state === "scheduled" || state === "published";
  if (hasTime !== (at !== null)) throw refused("at", at, hasTime ? "a time" : `nothing for the state ${state}`);
  if ((state === "scheduled") !== (scheduled_by !== null))
    throw refused("scheduled_by", scheduled_by, "who scheduled it, and nothing for other states");
}
