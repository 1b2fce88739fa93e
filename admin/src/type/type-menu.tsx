import { ActionIcon, Menu } from "@mantine/core";
import { EllipsisVertical, ListX, Trash2 } from "lucide-react";
import type { ContentType } from "../../../client/src/client.ts";
import { useMayChangeTypes } from "../query/types.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { deleteType } from "./delete-type.ts";

/** Actions on a whole type. */
export function TypeMenu({ type, onDeleted }: { type: ContentType; onDeleted?(): void }) {
  const mayChange = useMayChangeTypes();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={34} aria-label={`Actions for ${type.title || type.id}`}>
          <EllipsisVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          href={addressOf("types", type.id, { view: "faults" })}
          leftSection={<ListX size={15} />}
        >
          Entries with faults
        </Menu.Item>
        {mayChange && (
          <Menu.Item
            leftSection={<Trash2 size={15} />}
            onClick={() => {
              void deleteType(type);
              onDeleted?.();
            }}
          >
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
