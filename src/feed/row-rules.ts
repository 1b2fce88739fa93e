import { type KindFacts, kindFacts, notedPublicity } from "../core/event.ts";
import { eventRow } from "../core/event-row.ts";
import {
  added,
  type BackupRow,
  type Column,
  id,
  integer,
  json,
  maxCounted,
  orNull,
  pathBelowRoot,
  refused,
  uuid,
} from "../core/row-column.ts";
import { registryKey } from "../registry/row-rules.ts";
import { typeIdColumn } from "../type/row-rules.ts";

/** The rules of the rows of the event log: see core/row.ts. */

export const eventRule = {
  ...eventRow,
  whole: checkEvent,
  key: ({ sequence }: BackupRow) => sequence,
};

const noted = integer(0, notedPublicity.length - 1);

export const eventEntryRule = {
  noun: "event_entry",
  columns: {
    sequence: integer(1, maxCounted),
    uuid,
    old_slug: orNull(pathBelowRoot),
    new_slug: orNull(pathBelowRoot),
    was_listed: added(noted, () => 0),
    is_listed: added(noted, () => 0),
  },
  key: (row: BackupRow) => `${row.sequence} ${row.uuid}`,
};

/** The subject of an event. */
const subjects: Readonly<Record<KindFacts["subject"], Column>> = {
  path: pathBelowRoot,
  "registry key": registryKey,
  "type id": typeIdColumn,
  id,
};

/** Throws argument_invalid, path_invalid. */
function checkEvent({ kind, subject, target, uuid, was_public, is_public, outdated }: BackupRow): void {
  const change = [uuid, was_public, is_public].filter((value) => value !== null);
  if (change.length % 3 !== 0) throw refused("uuid", uuid, "a uuid, was_public and is_public, or none of them");
  const { subject: sort, target: named } = kindFacts(String(kind)) as KindFacts;
  // A restore of all entries is at the root.
  if (kind !== "entry.restore" || subject !== "") subjects[sort].check("subject", subject);
  if (named === "always") pathBelowRoot.check("target", target);
  else if (named === "maybe") orNull(pathBelowRoot).check("target", target);
  else if (target !== null) throw refused("target", target, `nothing, for ${kind}`);
  const isKeys = (list: unknown) => Array.isArray(list) && list.every((key) => typeof key === "string");
  if (outdated !== null && !isKeys(json("outdated", outdated)))
    throw refused("outdated", outdated, "a JSON array of keys, or nothing");
}
