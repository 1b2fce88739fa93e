import { ActionIcon, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ellipsis, ListTree } from "lucide-react";
import { copyEntry, countBelow, deleteEntry, type Entry, moveEntry, titleOf } from "../api/entry.ts";
import { parentOf } from "../api/path.ts";
import { plural } from "../ui/format.ts";
import { addressOf, go } from "../ui/location.tsx";
import { PathMenu } from "../ui/path-menu.tsx";
import { queries } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";
import { addressBelow } from "./address.ts";
import { entryKey, rereadEntries } from "./query.ts";

/** How many go along with an entry that is deleted. */
function Below({ slug }: { slug: string }) {
  const { data = 0 } = useQuery({ queryKey: ["collection", slug, "below"], queryFn: () => countBelow(slug, "*") });
  return data > 0 && `and ${plural(data, "entry", "entries")} below it`;
}

/** What is done with an entry as a whole. */
export function EntryMenu({ entry, isDirty }: { entry: Entry; isDirty: boolean }) {
  const { slug } = entry;
  const forget = (): void => queries.removeQueries({ queryKey: entryKey(slug) });
  const follow = (placed: Entry): Promise<unknown> => {
    go(addressOf("entries", placed.slug));
    return rereadEntries();
  };
  const move = async (newSlug: string): Promise<void> => {
    const moved = await moveEntry(slug, newSlug);
    forget();
    await follow(moved);
  };
  const copy = async (newSlug: string): Promise<void> => void (await follow(await copyEntry(slug, newSlug)));
  const remove = (): void => {
    const send = (keepalive: boolean) => deleteEntry(slug, keepalive);
    deleteWithUndo([{ key: `entry:${slug}`, name: titleOf(entry), more: <Below slug={slug} />, send }], () => {
      forget();
      return rereadEntries();
    });
    go(addressBelow(parentOf(slug)));
  };
  return (
    <PathMenu
      button={
        <ActionIcon size={34} variant="default" aria-label="More actions">
          <Ellipsis size={17} />
        </ActionIcon>
      }
      path={slug}
      copyPath={`${slug}-copy`}
      label="New id"
      help="All entries below go along."
      isDirty={isDirty}
      onMove={move}
      onCopy={copy}
      onDelete={remove}
    >
      <Menu.Item leftSection={<ListTree size={15} />} onClick={() => go(addressBelow(slug))}>
        Entries below
      </Menu.Item>
    </PathMenu>
  );
}
