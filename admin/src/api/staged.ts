import type { StagedRow } from "../../../client/src/api.ts";
import { etagOf, type Page, type Reply, type UpdateOptions } from "../../../client/src/client.ts";
import { createEntry, type Entry, type EntryPatch, type TaggedEntry } from "./entry.ts";
import type { JsonObject } from "./json.ts";
import { octavo } from "./octavo.ts";

/** The calls of working copies. */

export type WorkingCopy = {
  /** When it is published, in Unix seconds; undefined when that is not scheduled. */
  publishAt: number | undefined;
  /** Its keys that were changed live since they were staged: a publish would put them back. */
  outdated: readonly string[];
  /** The id of the release that it goes live with; undefined without one. */
  release: string | undefined;
};

/** An entry with its working copy laid over, if it has one. The tag names the states of both: a staged tag. */
export type OpenedEntry = TaggedEntry & { copy: WorkingCopy | undefined };

const url = "/api/entries/staged";

/** The entry as the reply to a read or a write of its copy has it. */
export function opened({ data, headers }: Reply<object>): OpenedEntry {
  const publishAt = headers.get("Octavo-Publish-At");
  const outdated = headers.get("Octavo-Outdated")?.split(", ").map(decodeURIComponent) ?? [];
  const release = headers.get("Octavo-Release") ?? undefined;
  const copy = { publishAt: publishAt === null ? undefined : Number(publishAt), outdated, release };
  return { entry: data as Entry, tag: etagOf(data) ?? "", copy: headers.has("Octavo-Staged") ? copy : undefined };
}

/** Reads what the editor opens; in a locale as that is read. Throws entry_not_found. */
export const openEntry = async (id: string, locale?: string): Promise<OpenedEntry> =>
  opened(await octavo.request(`GET ${url}`, { id, ...(locale && { locale }) }));

/** Creates an entry; in a release only drafts. Throws entry_exists. */
export async function createDraft(id: string, data: JsonObject, release: string | undefined): Promise<OpenedEntry> {
  if (release === undefined || data.visibility !== "draft") return withoutCopy(await createEntry(id, data));
  await octavo.entries.create(id, data, { release });
  return openEntry(id);
}

/** Changes the working copy, in a release. Throws revision_mismatch after a change of the entry or of its copy. */
export const stageEntry = async (
  { entry: { slug: id }, tag }: OpenedEntry,
  { data, isMergePatch }: EntryPatch,
  release?: string,
): Promise<OpenedEntry> => {
  const options: UpdateOptions = { ifMatch: tag, mergePatch: isMergePatch };
  return opened(await octavo.request(`PATCH ${url}`, { id, data, ...(release !== undefined && { release }) }, options));
};

/** Puts a draft or a working copy into a release; null takes it out. Throws revision_mismatch. */
export const placeEntry = async (
  { entry: { slug: id }, tag }: OpenedEntry,
  release: string | null,
): Promise<OpenedEntry> => opened(await octavo.request(`PATCH ${url}`, { id, release }, { ifMatch: tag }));

/** Publishes the working copy or a draft now. Throws revision_mismatch, nothing_staged, staged_outdated. */
export async function publishStaged({ entry: { slug: id }, tag }: OpenedEntry): Promise<OpenedEntry> {
  const entry = await octavo.entries.publish<JsonObject>(id, { ifMatch: tag, current: true });
  return withoutCopy({ entry: entry as Entry, tag: etagOf(entry) ?? "" });
}

/** Sets when it is published, in Unix seconds; null takes that back. Throws revision_mismatch, nothing_staged. */
export const scheduleStaged = async (
  { entry: { slug: id }, tag }: OpenedEntry,
  at: number | null,
): Promise<OpenedEntry> => opened(await octavo.request("POST /api/entries/publish", { id, at }, { ifMatch: tag }));

/** Drops the working copy, or keys of it. Throws revision_mismatch, nothing_staged. */
export const discardStaged = ({ entry: { slug: id }, tag }: OpenedEntry, keys?: string[]): Promise<void> =>
  octavo.entries.discard(id, { ifMatch: tag, keys });

/** Takes a live entry without a working copy off the site at a time. Throws revision_mismatch. */
export async function scheduleUnpublish({ entry: { slug: id }, tag }: OpenedEntry, at: number): Promise<OpenedEntry> {
  await octavo.batch([
    { call: "PATCH /api/entries/staged", args: { id, data: { visibility: "draft" } }, ifMatch: tag },
    { call: "POST /api/entries/publish", args: { id, at } },
  ]);
  return openEntry(id);
}

/** An entry has a copy in each language. */
export const copyKey = ({ id, locale }: Pick<StagedRow, "id" | "locale">): string => (locale ? `${id} ${locale}` : id);

/** One page of all working copies, by the ids of their entries. */
export const listStaged = (cursor?: string, limit = 50): Promise<Page<StagedRow>> =>
  octavo.entries.stagedList({ limit, cursor });

// ---------------------------------------------------------------------------------------------- tags

/** The revision of the entry, with which ETags begin: `<revision>` of the entry, `<revision>.<revision of the copy>`. */
export const revisionOf = (tag: string): string => /^(?:W\/)?"([0-9a-z]+)/.exec(tag)?.[1] ?? "";

/** What a tag says of both states, without the rest of it: two tags of the same text are of the same states. */
export const statesOf = (tag: string): string => /^(?:W\/)?"([0-9a-z]+\.[0-9a-z]+)/.exec(tag)?.[1] ?? "";

/** The same state for a write of the entry itself. */
export const liveOf = ({ entry, tag }: OpenedEntry): TaggedEntry => ({ entry, tag: `"${revisionOf(tag)}"` });

/** An entry as a write answered it, which has no working copy. If it has, the next write detects that. */
export const withoutCopy = ({ entry, tag }: TaggedEntry): OpenedEntry => ({
  entry,
  tag: `"${revisionOf(tag)}.0"`,
  copy: undefined,
});
