import { useInfiniteQuery } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import type { Page } from "../../../client/src/client.ts";
import { type Entry, listEntries, orMissing } from "../api/entry.ts";
import type { Types } from "../type/types.ts";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { entryRowsOf } from "./entry-row-of.ts";
import { EntryRows } from "./entry-rows.tsx";
import { placesOf } from "./places.ts";

type EntriesOfTypesProps = { narrowed: readonly string[]; types: Types | undefined; onPick(id: string): void };

const pageEntries = 50;
/** The cursor of a place; null when it is read to its end. */
type Cursor = string | undefined | null;

/** All entries of these types, by id within each place. */
export function EntriesOfTypes({ narrowed, types, onPick }: EntriesOfTypesProps) {
  const places = types ? placesOf(narrowed, types) : [];
  const list = useInfiniteQuery({
    queryKey: ["collection", "of types", places],
    queryFn: ({ pageParam, signal }) =>
      Promise.all(
        places.map(async ({ path, ...query }, i) => {
          const cursor = pageParam[i];
          if (cursor === null) return nothing;
          const page = listEntries(path, { ...query, limit: pageEntries, cursor }, { signal });
          return (await orMissing(page)) ?? nothing;
        }),
      ),
    initialPageParam: places.map((): Cursor => undefined),
    getNextPageParam: (pages) => {
      const cursors = pages.map(({ cursor }) => cursor ?? null);
      return cursors.some((cursor) => cursor !== null) ? cursors : undefined;
    },
    enabled: types !== undefined,
  });
  const { data, error, refetch } = list;
  if (error) return <Failure error={error} title="The entries cannot be listed" onRetry={() => void refetch()} />;
  if (!types || !data) return <Loading rows={5} />;
  const rows = entryRowsOf(
    data.pages.flat().flatMap(({ items }) => items),
    types,
    narrowed,
  );
  return (
    <>
      {rows.length > 0 ? (
        <EntryRows rows={rows} onPick={onPick} />
      ) : (
        <Empty icon={BookOpenText} title="No entries here yet" />
      )}
      <ShowMore list={list} />
    </>
  );
}

const nothing: Page<Entry> = { items: [] };
