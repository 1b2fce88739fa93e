import type { BatchOperation, StagedRow } from "../../../../client/src/client.ts";
import type { Entry } from "../../api/entry.ts";
import { type OpenedEntry, openEntry, stageEntry } from "../../api/staged.ts";
import { say } from "../../language/say.ts";
import { changesOf, draftOf, isChanged, patchesOf } from "../draft/draft.ts";
import { contentOf } from "../draft/published.ts";

/** The working copies of several entries, and their publication together. */

/** By the ids of their entries. */
export type Copies = ReadonlyMap<string, StagedRow>;

/** What publishing does with the copies of entries: those that are `outdated` only where somebody says so. */
export type CopyGroups = { ready: Entry[]; outdated: Entry[]; scheduled: Entry[] };

export function groupCopies(entries: readonly Entry[], copies: Copies): CopyGroups {
  const groups: CopyGroups = { ready: [], outdated: [], scheduled: [] };
  for (const entry of entries) {
    const copy = copies.get(entry.slug);
    if (!copy) continue;
    if (copy.publish_at !== null || copy.release !== undefined) groups.scheduled.push(entry);
    else if (copy.outdated.length > 0) groups.outdated.push(entry);
    else groups.ready.push(entry);
  }
  return groups;
}

/** The entry with its copy, of the source or in a locale, if that is still what was asked about; throws if not. */
export async function readCopy({ slug }: Entry, isTicked: boolean, locale?: string): Promise<OpenedEntry> {
  const opened = await openEntry(slug, locale);
  if (opened.copy === undefined || opened.copy.publishAt !== undefined)
    throw new Error(say("Someone else published, discarded or scheduled its changes meanwhile"));
  if (opened.copy.outdated.length > 0 && !isTicked) throw new Error(say("Someone else corrected it meanwhile"));
  return opened;
}

export const publicationOf = ({ entry: { slug: id }, tag, copy }: OpenedEntry, locale?: string): BatchOperation => ({
  call: "POST /api/entries/publish",
  args: { id, current: copy?.outdated.length === 0, ...(locale !== undefined && { locale }) },
  ifMatch: tag,
});

/** Brings back what was live before, in the state in which it was, unless it was written to since. */
export const restorationOf = (before: OpenedEntry, ifMatch: string): BatchOperation => ({
  call: "POST /api/entries/restore",
  args: { id: before.entry.slug, revision: contentOf(before), state: true },
  ifMatch,
});

/** Makes what was published a working copy again. */
export async function stageAgain({ entry: published }: OpenedEntry): Promise<void> {
  let state = await openEntry(published.slug);
  const changes = changesOf(draftOf(state.entry), draftOf(published));
  if (!isChanged(changes)) return;
  for (const part of patchesOf(state.entry, changes)) state = await stageEntry(state, part);
}
