import { isSameJson } from "../core/lib/json.ts";
import {
  type ChangedEntry,
  type Entry,
  existingEntry,
  type UpsertInput,
  type UpsertOutcome,
  updatedEntry,
} from "./entry.ts";
import { hasSameFields } from "./field.ts";

/** An upsert: a create that says what becomes of an entry that is there. Contract §4, Create. */

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
