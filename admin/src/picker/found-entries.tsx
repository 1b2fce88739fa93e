import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { orMissing } from "../api/entry.ts";
import { say, sayMany } from "../language/say.ts";
import { entryRowsOf } from "../model/entry/entry-row.ts";
import { marksOf } from "../model/entry/excerpt.ts";
import { type EntryPlace, placesOf } from "../model/entry/type-place.ts";
import type { Types } from "../model/types.ts";
import { type FoundEntries as FoundEntryData, findEntries } from "../query/find-entries.ts";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { EntryRows } from "./entry-rows.tsx";

type FoundEntriesProps = {
  text: string;
  narrowed: readonly string[];
  types: Types | undefined;
  onPick(id: string): void;
};

const everywhere: EntryPlace[] = [{ path: "", depth: "*" }];
const foundLimit = 50;
/** As many as a search pages through. */
const mostFound = 1000;

/** Entries with a text in their title or id, and then in any other text; all of them on demand. */
export function FoundEntries({ text, narrowed, types, onPick }: FoundEntriesProps) {
  const isNarrowed = narrowed.length > 0;
  const places = isNarrowed ? types && placesOf(narrowed, types) : everywhere;
  // Of another text the first ones are shown again.
  const [shownAll, setShownAll] = useState("");
  const limit = shownAll === text ? mostFound : foundLimit;
  const { data, error, refetch } = useQuery({
    queryKey: ["collection", "picker", text, places, limit],
    queryFn: ({ signal }) => findIn(places ?? [], text, limit, signal),
    enabled: places !== undefined,
    placeholderData: (before) => before,
  });
  if (error) return <Failure error={error} title={say("The search failed")} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={5} />;
  const rows = entryRowsOf(data.entries, types, narrowed);
  const shown = rows.slice(0, limit);
  return (
    <>
      <Text size="xs" c="dimmed" role="status" mb={4}>
        {rows.length > limit
          ? say("The first {limit} matches", { limit })
          : sayMany(rows.length, "{count} match", "{count} matches")}
      </Text>
      {shown.length > 0 ? (
        <EntryRows rows={shown} marks={marksOf(data.entries, data.matches)} onPick={onPick} />
      ) : (
        <Empty icon={Search} title={say("Nothing found")} />
      )}
      {rows.length > limit && limit < mostFound && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setShownAll(text)}>
          {say("Show all")}
        </Button>
      )}
    </>
  );
}

async function findIn(places: readonly EntryPlace[], text: string, limit: number, signal: AbortSignal) {
  const asked = places.map((place) => orMissing(findEntries(text, { ...place, limit: limit + 1 }, { signal })));
  const found = (await Promise.all(asked)).flatMap((one) => one ?? []);
  const matches: FoundEntryData["matches"] = Object.assign({}, ...found.map((one) => one.matches));
  return { entries: found.flatMap(({ entries }) => entries), matches };
}
