import { Anchor } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { EntryChild } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { parentOf } from "../api/path.ts";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { type EntryRow, EntryRows } from "./entry-rows.tsx";
import { PickerCrumbs } from "./picker-crumbs.tsx";
import { useFirstFocused } from "./rows.ts";

const childrenPage = 100;

/** One level of the tree of entries. Right opens the level below a row, left the one above. */
export function EntryLevel({ onPick }: { onPick(id: string): void }) {
  const [path, setPath] = useState("");
  const list = useInfiniteQuery({
    queryKey: ["children", path],
    queryFn: ({ pageParam, signal }) =>
      octavo.entries.children(path, { after: pageParam, limit: childrenPage }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length < childrenPage ? undefined : last.at(-1)?.slug),
  });
  const { data, error, refetch } = list;
  const rows = (data?.pages ?? []).flat().map(rowOf);
  const isRead = data !== undefined;
  const host = useFirstFocused(path, isRead);
  const move = ({ key, target }: KeyboardEvent): void => {
    const opens = (target as Element).closest("li")?.querySelector<HTMLElement>("[data-opens]");
    if (key === "ArrowRight") opens?.click();
    if (key === "ArrowLeft" && path !== "") setPath(parentOf(path));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows do what its buttons do.
    <div ref={host} onKeyDown={move}>
      <PickerCrumbs label="Where" root="Entries" path={path} onOpen={setPath} />
      {error ? (
        <Failure error={error} title="The entries cannot be listed" onRetry={() => void refetch()} />
      ) : !isRead ? (
        <Loading rows={5} />
      ) : rows.length === 0 ? (
        <Empty
          icon={BookOpenText}
          title="No entries here"
          action={
            path !== "" && (
              <Anchor component="button" data-row size="sm" onClick={() => setPath(parentOf(path))}>
                One level up
              </Anchor>
            )
          }
        />
      ) : (
        <>
          <EntryRows rows={rows} onPick={onPick} onOpen={setPath} />
          <ShowMore list={list} />
        </>
      )}
    </div>
  );
}

const rowOf = ({ slug, has_children: hasChildren, entry }: EntryChild): EntryRow => ({
  slug,
  hasChildren,
  entry: entry ? { title: entry.title, visibility: entry.visibility, publishedAt: entry.published_at } : undefined,
});
