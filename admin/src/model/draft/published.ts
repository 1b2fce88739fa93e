import type { Entry } from "../../api/entry.ts";
import type { JsonObject } from "../../api/json.ts";
import { bringBack, type OpenedEntry, revisionOf, stageEntry } from "../../api/staged.ts";
import { changesOf, draftOf, isChanged, patchesOf } from "./draft.ts";

/** What a publication did: the content before it, the state after it, and whether an undo stages that again. */
export type Publication = { before: number; after: OpenedEntry; isStagedAgain: boolean };

/** The revision whose content is in force in this state. */
export const contentOf = ({ tag }: OpenedEntry): number => Number.parseInt(revisionOf(tag), 36);

/**
 * Brings back what was live before, and makes what was published a working copy again; a draft is a draft again. Throws
 * revision_mismatch after a later change, revision_not_found where no history is kept.
 */
export async function undoPublication({ before, after, isStagedAgain }: Publication): Promise<OpenedEntry> {
  let state = await bringBack(after, before);
  if (!isStagedAgain) return state;
  const changes = changesOf(draftOf(state.entry), draftOf(after.entry));
  if (state.entry.visibility === "draft") forgetPublic(changes.set, after.entry);
  if (!isChanged(changes)) return state;
  for (const part of patchesOf(state.entry, changes)) state = await stageEntry(state, part);
  return state;
}

/** A draft that is published becomes visible and gets a date by itself: that is no change of it. */
function forgetPublic(set: JsonObject, published: Entry): void {
  delete set.visibility;
  if (set.published_at === published.modified_at) delete set.published_at;
}

/** Where the site shows the entry; undefined where the service does not know. */
export const siteAddress = (template: string | undefined, { slug }: Pick<Entry, "slug">): string | undefined =>
  template?.replaceAll("{id}", slug.split("/").map(encodeURIComponent).join("/"));
