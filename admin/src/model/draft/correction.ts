import { type Entry, patchEntry, type TaggedEntry } from "../../api/entry.ts";
import { isSame } from "../../api/json.ts";
import { bringBack, discardStaged, type OpenedEntry, openEntry, stageEntry } from "../../api/staged.ts";
import { type Change, changedKeys, changesOf, draftOf, isChanged, patchesOf } from "./draft.ts";
import { contentOf } from "./published.ts";

/** What a correction of a live entry did while a working copy of it waits. */
export type Correction = {
  /** The revision of the content that was live before. */
  before: number;
  /** The entry with its copy laid over, as it was opened before. */
  copied: Entry;
  keys: readonly string[];
  /** The live entry after it. */
  live: TaggedEntry;
  /** The entry with its copy laid over now. */
  after: OpenedEntry;
  /** Corrected keys that the copy changes, too: which text is published is to be said. */
  asked: readonly string[];
};

/**
 * Changes what is live. The copy has the correction where it does not change the key, and where it has the value that was
 * live: that is dropped from it, unless the copy is scheduled. Throws revision_mismatch.
 */
export async function correctLive(live: TaggedEntry, copied: Entry, changes: Change): Promise<Correction> {
  const { slug } = live.entry;
  const keys = changedKeys(changes);
  let written = live;
  for (const part of patchesOf(live.entry, changes)) written = await patchEntry(written, part);
  let after = await openEntry(slug);
  const outdated = after.copy?.outdated.filter((key) => keys.includes(key)) ?? [];
  const alike = outdated.filter((key) => isSame(after.entry[key], live.entry[key]));
  if (alike.length > 0 && after.copy?.publishAt === undefined) {
    await discardStaged(after, alike);
    after = await openEntry(slug);
  }
  const asked = outdated.filter((key) => !alike.includes(key));
  return { before: contentOf({ ...live, copy: undefined }), copied, keys, live: written, after, asked };
}

/**
 * Brings back what was live before, and what the copy had in the corrected keys. Throws revision_mismatch after a later
 * change of what is live.
 */
export async function undoCorrection({ before, copied, keys, live, after }: Correction): Promise<OpenedEntry> {
  let state = await bringBack({ ...after, tag: live.tag }, before);
  const earlier = draftOf(copied);
  const now = draftOf(state.entry);
  const had = Object.fromEntries(Object.entries(earlier).filter(([key]) => keys.includes(key)));
  const rest = Object.fromEntries(Object.entries(now).filter(([key]) => !keys.includes(key)));
  const changes = changesOf(now, { ...rest, ...had });
  if (!isChanged(changes)) return state;
  for (const part of patchesOf(state.entry, changes)) state = await stageEntry(state, part);
  return state;
}
