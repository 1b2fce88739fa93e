import { ActionIcon, Menu } from "@mantine/core";
import { EllipsisVertical, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { say } from "../language/say.ts";

/** The menu of what can be done with a thing, at the end of its row. */
export const RowMenu = ({ name, children }: { name: string; children: ReactNode }) => (
  <Menu>
    <Menu.Target>
      <ActionIcon aria-label={say("Actions for {name}", { name })}>
        <EllipsisVertical size={16} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);

type RemovalProps = { label?: string; disabled?: boolean | undefined; onClick(): void };

/** The last item of a menu, set apart: what it takes away is gone. */
export const RemovalItem = ({ label = say("Delete"), ...rest }: RemovalProps) => (
  <>
    <Menu.Divider />
    <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={15} />} {...rest}>
      {label}
    </Menu.Item>
  </>
);
