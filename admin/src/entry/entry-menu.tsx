import { ActionIcon, Menu } from "@mantine/core";
import { Ellipsis, ListTree } from "lucide-react";
import type { Entry } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { parentOf } from "../api/path.ts";
import { addressOf, go } from "../ui/location.tsx";
import { PathMenu } from "../ui/path-menu.tsx";
import { queries } from "../ui/query.ts";
import { addressBelow } from "./address.ts";
import { deleteEntries } from "./delete-entries.tsx";
import { entryKey, rereadEntries } from "./query.ts";

/** Actions on the whole entry. */
export function EntryMenu({ entry, isDirty }: { entry: Entry; isDirty: boolean }) {
  const { slug } = entry;
  const forget = (): void => queries.removeQueries({ queryKey: entryKey(slug) });
  const follow = (placed: Entry): Promise<unknown> => {
    go(addressOf("entries", placed.slug));
    return rereadEntries();
  };
  const move = async (newSlug: string): Promise<void> => {
    const moved = await octavo.entries.move(slug, newSlug);
    forget();
    await follow(moved);
  };
  const copy = async (newSlug: string): Promise<void> => void (await follow(await octavo.entries.copy(slug, newSlug)));
  const remove = (): void => {
    deleteEntries([entry]);
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
      help="All descendants move along."
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
