import type { StagedEntry } from "../working-copy/staged.ts";
import type { FaultyEntry } from "./entry.ts";

/** What a management read says of a working copy. Contract, part two, §11. */
export function stagedHeaders({ entry, copy, outdated }: Pick<StagedEntry, "entry"> & Partial<StagedEntry>) {
  if (entry.stagedRevision === null) return undefined;
  const headers = ["Octavo-Staged", String(entry.stagedRevision)];
  const at = copy?.publishAtSeconds ?? null;
  if (at !== null) headers.push("Octavo-Publish-At", String(at));
  if (copy && copy.release !== null) headers.push("Octavo-Release", copy.release);
  if (outdated && outdated.length > 0) headers.push("Octavo-Outdated", headerOf(outdated));
  return headers;
}

const maxHeaderKeys = 100;

/** Keys as a header can have them, the first of many: percent-encoded. */
export const headerOf = (keys: readonly string[]): string =>
  keys
    .slice(0, maxHeaderKeys)
    .map((key) => encodeURIComponent(key.toWellFormed()))
    .join(", ");

/** Where the data does not fit its type, though the write was accepted. */
export const faultHeaders = ({ faults = [] }: Pick<FaultyEntry, "faults">): string[] =>
  faults.length > 0 ? ["Octavo-Faults", headerOf([...new Set(faults.map(({ pointer }) => pointer))])] : [];
