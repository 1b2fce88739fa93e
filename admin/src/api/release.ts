import type { Release, StagedRow } from "../../../client/src/api.ts";
import { type BatchOperation, OctavoProblem, type ReleasePublishOptions } from "../../../client/src/client.ts";
import { octavo } from "./octavo.ts";

/** The calls of releases: working copies and drafts that go live together. */

export type { Release };

/** An entry that a refusal names, and why. */
export type NamedEntry = OctavoProblem["entries"][number];

/** As many releases as a store has, and as many entries as a release has. */
const limit = 1000;

/** All of them, the newest first. */
export const listReleases = async (): Promise<Release[]> => (await octavo.releases.list({ limit })).items;

/** Its entries, by their ids; of one that is published what it has published. Throws release_not_found. */
export const releaseEntries = async (id: string): Promise<StagedRow[]> =>
  (await octavo.releases.entries(id, { limit })).items;

export const createRelease = (title: string): Promise<Release> => octavo.releases.create(title);

export const renameRelease = async (id: string, title: string): Promise<void> =>
  void (await octavo.releases.rename(id, title));

/** Its working copies stay, in no release. */
export const deleteRelease = (id: string): Promise<void> => octavo.releases.delete(id);

/** Throws release_invalid, which names the entries, with `current` staged_outdated. */
export const publishRelease = async (id: string, how: ReleasePublishOptions): Promise<void> =>
  void (await octavo.releases.publish(id, how));

/** Throws release_changed, which names the entries. */
export const undoRelease = async (id: string): Promise<void> => void (await octavo.releases.undo(id));

/** What keeps the release from being published. */
export async function checkRelease(id: string): Promise<readonly NamedEntry[]> {
  try {
    await publishRelease(id, { dryRun: true });
    return [];
  } catch (error) {
    if (error instanceof OctavoProblem && error.code === "nothing_staged") return [];
    const named = namedEntries(error);
    if (named.length > 0) return named;
    throw error;
  }
}

/** The entries that a refusal of a release names. */
export const namedEntries = (error: unknown): readonly NamedEntry[] =>
  error instanceof OctavoProblem ? error.entries : [];

/** Puts a draft or a working copy into a release; null takes it out. */
export const placeOf = (id: string, release: string | null, locale?: string): BatchOperation => ({
  ...{ call: "PATCH /api/entries/staged", args: { id, release, ...(locale && { locale }) } },
});
