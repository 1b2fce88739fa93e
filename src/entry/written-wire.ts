import { type Answer, data, modifiedDate } from "../core/http/reply.ts";
import { formatRevision } from "../core/revision.ts";
import { type StagedEntry, stagedTag } from "../working-copy/staged.ts";
import { type FaultyEntry, formatEntry, type UpsertOutcome } from "./entry.ts";
import { faultHeaders, stagedHeaders } from "./staged-header-wire.ts";

/** The answers to writes of entries. */

/** The entry with its working copy laid over, as the answer to a write. */
export const stagedAnswer = (found: StagedEntry): Answer => {
  const headers = [...(stagedHeaders(found) ?? []), ...faultHeaders(found)];
  return data(formatEntry(found.entry), { tag: stagedTag(found.entry), headers });
};

/** The entry, as the answer to a write; with the outcome of an upsert. */
export function writtenAnswer(entry: FaultyEntry, outcome?: UpsertOutcome): Answer {
  const headers = faultHeaders(entry);
  return data(formatEntry(entry), {
    tag: formatRevision(entry.revision),
    lastModified: modifiedDate(entry.modifiedAt),
    headers: outcome === undefined ? headers : [...headers, "Octavo-Outcome", outcome],
  });
}
