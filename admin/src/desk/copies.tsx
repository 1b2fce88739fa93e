import { Checkbox, Text } from "@mantine/core";
import type { BatchOperation, StagedRow } from "../../../client/src/client.ts";
import { type Entry, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { type OpenedEntry, openEntry, stageEntry } from "../api/staged.ts";
import { changesOf, draftOf, isChanged, patchesOf } from "../entry/draft.ts";
import { contentOf } from "../publish/published.ts";
import { plural } from "../ui/format.ts";
import { queries } from "../ui/query.ts";

/** The working copies of several entries, and their publication together. */

/** By the ids of their entries. */
export type Copies = ReadonlyMap<string, StagedRow>;

const mostCopies = 1000;

export const copiesQuery = {
  queryKey: ["collection", "copies"],
  queryFn: async (): Promise<Copies> => {
    const { items } = await octavo.entries.stagedList({ limit: mostCopies });
    return new Map(items.map((row) => [row.id, row]));
  },
};

/** All of them, as they are now. */
export async function readCopies(): Promise<Copies> {
  const found = new Map<string, StagedRow>();
  let cursor: string | undefined;
  do {
    const page = await octavo.entries.stagedList({ limit: mostCopies, cursor });
    for (const row of page.items) found.set(row.id, row);
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (found.size <= mostCopies) queries.setQueryData(copiesQuery.queryKey, found);
  return found;
}

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

const mostNamed = 3;

type CopyLinesProps = CopyGroups & { copies: Copies; isTicked: boolean; onTick(isTicked: boolean): void };

/** Says how many copies there are of each group, and asks for the outdated ones. */
export function CopyLines({ ready, outdated, scheduled, copies, isTicked, onTick }: CopyLinesProps) {
  const named = outdated
    .slice(0, mostNamed)
    .map((entry) => `${titleOf(entry)} (${copies.get(entry.slug)?.outdated.join(", ")})`);
  const rest = outdated.length - named.length;
  return (
    <>
      {ready.length > 0 && (
        <div>
          <Text size="sm">{plural(ready.length, "working copy", "working copies")}</Text>
          <Text size="xs" c="dimmed">
            What was changed is on the site, too.
          </Text>
        </div>
      )}
      {outdated.length > 0 && (
        <Checkbox
          label={`Also ${plural(outdated.length, "outdated working copy", "outdated working copies")}`}
          description={`Corrected on the site meanwhile, which this would put back: ${named.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}. To choose of each field, open the entry.`}
          checked={isTicked}
          onChange={(event) => onTick(event.currentTarget.checked)}
        />
      )}
      {scheduled.length > 0 && (
        <Text size="sm" c="dimmed">
          {plural(scheduled.length, "working copy waits", "working copies wait")} for a time or a release.
        </Text>
      )}
    </>
  );
}

/** The entry with its copy, if that is still what was asked about; throws if not. */
export async function readCopy({ slug }: Entry, isTicked: boolean): Promise<OpenedEntry> {
  const opened = await openEntry(slug);
  if (opened.copy === undefined || opened.copy.publishAt !== undefined)
    throw new Error("Someone else published, discarded or scheduled its changes meanwhile");
  if (opened.copy.outdated.length > 0 && !isTicked) throw new Error("Someone else corrected it meanwhile");
  return opened;
}

export const publicationOf = ({ entry: { slug: id }, tag, copy }: OpenedEntry): BatchOperation => ({
  call: "POST /api/entries/publish",
  args: { id, current: copy?.outdated.length === 0 },
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
