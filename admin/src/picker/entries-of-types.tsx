import { useInfiniteQuery } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import type { Page } from "../../../client/src/client.ts";
import { type Entry, listEntries, orMissing } from "../api/entry.ts";
import { say } from "../language/say.ts";
import { entryRowsOf } from "../model/entry/entry-row.ts";
import { placesOf } from "../model/entry/type-place.ts";
import type { Types } from "../model/types.ts";
import { ListStates } from "../ui/list.tsx";
import { Empty } from "../ui/state.tsx";
import { EntryRows } from "./entry-rows.tsx";

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
  const found = list.data?.pages.flat().flatMap(({ items }) => items);
  const empty = <Empty icon={BookOpenText} title={say("No entries here yet")} />;
  return (
    <ListStates
      list={list}
      items={types && found && entryRowsOf(found, types, narrowed)}
      failure={say("The entries cannot be listed")}
      rows={5}
      empty={empty}
    >
      {(rows) => <EntryRows rows={rows} onPick={onPick} />}
    </ListStates>
  );
}

const nothing: Page<Entry> = { items: [] };
