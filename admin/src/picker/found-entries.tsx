import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type Entry, orMissing } from "../api/entry.ts";
import { entryRowsOf } from "../model/entry/entry-row.ts";
import { type EntryPlace, placesOf } from "../model/entry/type-place.ts";
import { plural } from "../model/format.ts";
import type { Types } from "../model/types.ts";
import { findEntries } from "../query/find-entries.ts";
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

/** Entries with a text in their title or id, and then in any other text. */
export function FoundEntries({ text, narrowed, types, onPick }: FoundEntriesProps) {
  const isNarrowed = narrowed.length > 0;
  const places = isNarrowed ? types && placesOf(narrowed, types) : everywhere;
  const { data, error, refetch } = useQuery({
    queryKey: ["collection", "picker", text, places],
    queryFn: ({ signal }) => findIn(places ?? [], text, signal),
    enabled: places !== undefined,
    placeholderData: (before) => before,
  });
  if (error) return <Failure error={error} title="The search failed" onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={5} />;
  const rows = entryRowsOf(data, types, narrowed);
  const shown = rows.slice(0, foundLimit);
  return (
    <>
      <Text size="xs" c="dimmed" role="status" mb={4}>
        {rows.length > foundLimit ? `The first ${foundLimit} matches` : plural(rows.length, "match", "matches")}
      </Text>
      {shown.length > 0 ? <EntryRows rows={shown} onPick={onPick} /> : <Empty icon={Search} title="Nothing found" />}
    </>
  );
}

async function findIn(places: readonly EntryPlace[], text: string, signal: AbortSignal): Promise<Entry[]> {
  const found = places.map((place) => findEntries(text, { ...place, limit: foundLimit + 1 }, { signal }));
  return (await Promise.all(found.map(orMissing))).flatMap((entries) => entries ?? []);
}
