import { ActionIcon, Menu } from "@mantine/core";
import { Copy, Ellipsis, FolderInput, ListTree, Trash2 } from "lucide-react";
import { useState } from "react";
import { copyEntry, deleteEntry, type Entry, moveEntry, parentOf, titleOf } from "../api/entry.ts";
import { addressOf, go } from "../ui/location.tsx";
import { PathDialog } from "../ui/path-dialog.tsx";
import { queries, refresh } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";
import { entryKey } from "./use-draft.ts";

const lists = ["children", "collection"];

/** What is done with an entry as a whole. */
export function EntryMenu({ entry, isDirty }: { entry: Entry; isDirty: boolean }) {
  const [asked, setAsked] = useState<"move" | "copy">();
  const { slug } = entry;
  const place = async (path: string): Promise<void> => {
    const placed = await (asked === "move" ? moveEntry : copyEntry)(slug, path);
    if (asked === "move") queries.removeQueries({ queryKey: entryKey(slug) });
    go(addressOf("entries", placed.slug));
    await refresh(...lists);
  };
  const remove = (): void => {
    deleteWithUndo({
      key: `entry:${slug}`,
      name: titleOf(entry),
      send: (keepalive) => deleteEntry(slug, keepalive),
      onSent: () => {
        queries.removeQueries({ queryKey: entryKey(slug) });
        return refresh(...lists);
      },
    });
    const parent = parentOf(slug);
    go(addressOf("entries", parent, parent ? { view: "below" } : {}));
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size={34} variant="default" aria-label="More actions">
            <Ellipsis size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<ListTree size={15} />}
            onClick={() => go(addressOf("entries", slug, { view: "below" }))}
          >
            Entries below
          </Menu.Item>
          <Menu.Item leftSection={<FolderInput size={15} />} disabled={isDirty} onClick={() => setAsked("move")}>
            Rename or move
          </Menu.Item>
          <Menu.Item leftSection={<Copy size={15} />} disabled={isDirty} onClick={() => setAsked("copy")}>
            Copy
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={15} />} onClick={remove}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked && (
        <PathDialog
          title={asked === "move" ? "Rename or move" : "Copy"}
          submit={asked === "move" ? "Move" : "Copy"}
          label="New id"
          initial={asked === "move" ? slug : `${slug}-copy`}
          help="All entries below go along."
          onSubmit={place}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
