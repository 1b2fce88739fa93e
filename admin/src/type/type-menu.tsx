import { ActionIcon, Menu } from "@mantine/core";
import { EllipsisVertical, ListX, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import { say } from "../language/say.ts";
import { useMayChangeTypes } from "../query/types.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { deleteType } from "./delete-type.ts";
import { RenameType } from "./rename-type.tsx";

type TypeMenuProps = {
  type: ContentType;
  /** It has changes that are not saved, which a rename would lose. */
  isDirty?: boolean;
  onRenamed?(id: string): void;
  onDeleted?(): void;
};

/** Actions on a whole type. */
export function TypeMenu({ type, isDirty = false, onRenamed, onDeleted }: TypeMenuProps) {
  const mayChange = useMayChangeTypes();
  const [isRenaming, setIsRenaming] = useState(false);
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size={34} aria-label={say("Actions for {title}", { title: type.title || type.id })}>
            <EllipsisVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            href={addressOf("types", type.id, { view: "faults" })}
            leftSection={<ListX size={15} />}
          >
            {say("Entries with faults")}
          </Menu.Item>
          {mayChange && (
            <Menu.Item leftSection={<Pencil size={15} />} disabled={isDirty} onClick={() => setIsRenaming(true)}>
              {say("Rename…")}
            </Menu.Item>
          )}
          {mayChange && (
            <Menu.Item
              leftSection={<Trash2 size={15} />}
              onClick={() => {
                void deleteType(type);
                onDeleted?.();
              }}
            >
              {say("Delete")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isRenaming && <RenameType type={type} onRenamed={onRenamed} onClose={() => setIsRenaming(false)} />}
    </>
  );
}
