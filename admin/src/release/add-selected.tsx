import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { BatchOperation } from "../../../client/src/client.ts";
import { type Entry, titleOf } from "../api/entry.ts";
import { placeOf, type Release } from "../api/release.ts";
import { say, sayMany } from "../language/say.ts";
import { doTogether } from "../model/bulk/together.ts";
import type { Copies } from "../model/entry/copies.ts";
import { readCopies } from "../query/copies.ts";
import { rereadAll } from "../query/entry.ts";
import { rereadReleases } from "../query/releases.ts";
import { Failure, Loading } from "../ui/state.tsx";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { AddToRelease } from "./add-dialog.tsx";

type AddSelectedProps = {
  entries: readonly Entry[];
  /** Whose copies are added; undefined for the source, of which drafts are added, too. */
  locale?: string;
  onDone(failed: readonly Entry[]): void;
  onClose(): void;
};

const countOf = (entries: readonly Entry[]): string => sayMany(entries.length, "{count} entry", "{count} entries");

/** Puts the selected drafts and working copies into a release, all of them or none, and says which cannot go into it. */
export function AddSelected({ entries, locale, onDone, onClose }: AddSelectedProps) {
  const { data, error } = useQuery({
    queryKey: ["release", "copies", locale],
    queryFn: () => readCopies(locale),
    ...{ staleTime: 0, gcTime: 0 },
  });
  const groups = data && groupsOf(entries, data, locale === undefined);
  return (
    <AddToRelease
      title={say("Add {count} to a release", { count: countOf(entries) })}
      submit={groups ? say("Add {count}", { count: countOf(groups.ready) }) : say("Add")}
      isDisabled={!groups || groups.ready.length === 0}
      onSubmit={async (release) => onDone(await addAll(groups?.ready ?? [], release, data ?? new Map(), locale))}
      onClose={onClose}
    >
      {error && <Failure error={error} />}
      {groups ? <Left {...groups} /> : !error && <Loading rows={1} />}
    </AddToRelease>
  );
}

type Groups = { ready: Entry[]; unchanged: Entry[]; elsewhere: Entry[]; scheduled: Entry[] };

function groupsOf(entries: readonly Entry[], copies: Copies, isOfSource: boolean): Groups {
  const groups: Groups = { ready: [], unchanged: [], elsewhere: [], scheduled: [] };
  for (const entry of entries) {
    const copy = copies.get(entry.slug);
    if (copy?.release !== undefined) groups.elsewhere.push(entry);
    else if (copy && copy.publish_at !== null) groups.scheduled.push(entry);
    else if (copy || (isOfSource && entry.visibility === "draft")) groups.ready.push(entry);
    else groups.unchanged.push(entry);
  }
  return groups;
}

/** Those that cannot go into it. */
function Left({ unchanged, elsewhere, scheduled }: Groups) {
  const lines = [
    sayMany(
      unchanged.length,
      "{count} entry has no changes that could go live.",
      "{count} entries have no changes that could go live.",
    ),
    sayMany(elsewhere.length, "{count} entry is in a release already.", "{count} entries are in a release already."),
    sayMany(
      scheduled.length,
      "{count} entry waits for the time that is set.",
      "{count} entries wait for the time that is set.",
    ),
  ];
  const said = lines.filter((_, at) => [unchanged, elsewhere, scheduled][at]?.length);
  if (said.length === 0) return null;
  return (
    <Stack gap={4}>
      {said.map((line) => (
        <Text key={line} size="sm" c="dimmed">
          {line}
        </Text>
      ))}
    </Stack>
  );
}

/** Resolves to those that stay as they were. */
async function addAll(
  entries: readonly Entry[],
  { id, title }: Pick<Release, "id" | "title">,
  copies: Copies,
  locale: string | undefined,
): Promise<Entry[]> {
  const made = await doTogether(entries, titleOf, ({ slug }) => placeOf(slug, id, locale));
  const tags = new Map(entries.slice(0, made.etags.length).map((entry, i) => [entry, made.etags[i] ?? ""]));
  const reread = (): Promise<unknown> => Promise.all([rereadReleases(), rereadAll()]);
  // A draft had no working copy before.
  const back = ([{ slug }, ifMatch]: [Entry, string]): BatchOperation => ({
    ...(copies.has(slug) ? placeOf(slug, null, locale) : { call: "DELETE /api/entries/staged", args: { id: slug } }),
    ifMatch,
  });
  const undo = async (): Promise<void> => {
    notifyFailed(say("Not taken out"), await doTogether([...tags], ([entry]) => titleOf(entry), back));
    await reread();
  };
  await reread();
  notifyFailed(say("Not added"), made);
  if (tags.size > 0)
    offerUndo(
      say("Added to {title}:", { title }),
      sayMany(tags.size, "{count} entry", "{count} entries"),
      () => void undo(),
    );
  return made.failed;
}
