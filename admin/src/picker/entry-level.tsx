import { Anchor } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { EntryChild } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { parentOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import type { EntryRow } from "../model/entry/entry-row.ts";
import { ListStates } from "../ui/list.tsx";
import { Empty } from "../ui/state.tsx";
import { EntryRows } from "./entry-rows.tsx";
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
  const rows = list.data?.pages.flat().map(rowOf);
  const host = useFirstFocused(path, rows !== undefined);
  const move = ({ key, target }: KeyboardEvent): void => {
    const opens = (target as Element).closest("li")?.querySelector<HTMLElement>("[data-opens]");
    if (key === "ArrowRight") opens?.click();
    if (key === "ArrowLeft" && path !== "") setPath(parentOf(path));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows do what its buttons do.
    <div ref={host} onKeyDown={move}>
      <PickerCrumbs label={say("Where")} root={say("Entries")} path={path} onOpen={setPath} />
      <ListStates
        list={list}
        items={rows}
        failure={say("The entries cannot be listed")}
        rows={5}
        empty={
          <Empty
            icon={BookOpenText}
            title={say("No entries here")}
            action={
              path !== "" && (
                <Anchor component="button" data-row size="sm" onClick={() => setPath(parentOf(path))}>
                  {say("One level up")}
                </Anchor>
              )
            }
          />
        }
      >
        {(items) => <EntryRows rows={items} onPick={onPick} onOpen={setPath} />}
      </ListStates>
    </div>
  );
}

const rowOf = ({ slug, has_children: hasChildren, entry }: EntryChild): EntryRow => ({
  slug,
  hasChildren,
  entry: entry ? { title: entry.title, visibility: entry.visibility, publishedAt: entry.published_at } : undefined,
});
