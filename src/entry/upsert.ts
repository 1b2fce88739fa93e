import { isSameJson } from "../core/lib/json.ts";
import {
  type ChangedEntry,
  type Entry,
  type EntryInput,
  existingEntry,
  type FaultyEntry,
  updatedEntry,
} from "./entry.ts";
import { hasSameFields } from "./field.ts";

/** An upsert: a create that says what becomes of an entry that is there. Contract §4, Create. */

/**
 * `fail` refuses; `update` merges as an update does; `replace` sets the data whole, and keeps the service's fields that it
 * does not name, so that no draft goes live by it; `skip` leaves the entry as it is.
 */
export const conflictRules = ["fail", "update", "replace", "skip"] as const;
export type ConflictRule = (typeof conflictRules)[number];

/** What an upsert did: `unchanged` where what was sent is there already. */
export type UpsertOutcome = "created" | "updated" | "replaced" | "skipped" | "unchanged";

/** Plain data: it is passed to the writer's thread. */
export type UpsertInput = EntryInput & { onConflict: Exclude<ConflictRule, "fail"> };

/** The entry after an upsert, and what that did. */
export type UpsertedEntry = FaultyEntry & { readonly outcome: UpsertOutcome };

/** What an upsert makes of an entry that is there; without `change` nothing is written. */
type Upsert = { outcome: UpsertOutcome; change?: ChangedEntry };

/** Rejects with revision_mismatch, data_too_large. */
export async function upsertOf(
  entry: Entry,
  input: UpsertInput,
  { ifMatch, nowSeconds }: { ifMatch?: string | undefined; nowSeconds: number },
): Promise<Upsert> {
  const { onConflict } = input;
  if (onConflict === "skip") {
    existingEntry(entry, entry.slug, ifMatch);
    return { outcome: "skipped" };
  }
  const isWhole = onConflict === "replace";
  const change = await updatedEntry(entry, entry.slug, { ...input, isWhole }, ifMatch, { nowSeconds });
  if (hasSameFields(change.entry, entry) && isSameJson(change.data, change.before)) return { outcome: "unchanged" };
  return { outcome: isWhole ? "replaced" : "updated", change };
}
