import { Button, Group, Menu, Stack, Text } from "@mantine/core";
import { Copy, Pencil } from "lucide-react";
import { useState } from "react";
import { OctavoProblem, type Person, type Role } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { listed } from "../model/role-words.ts";
import { nameOf } from "../query/everyone.ts";
import { Confirm, Dialog } from "../ui/dialog.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { RemovalItem, RowMenu } from "../ui/row-menu.tsx";
import { RoleDialog } from "./role-dialog.tsx";

type RoleMenuProps = { role: Role; known: readonly Role[]; holders: readonly Person[] | undefined };

/** Actions on a role. One that is built in only begins another one. */
export function RoleMenu({ role, known, holders = [] }: RoleMenuProps) {
  const [action, setAction] = useState<"edit" | "copy" | "delete">();
  const name = role.title || role.id;
  const close = (): void => setAction(undefined);
  return (
    <>
      <RowMenu name={name}>
        {!role.built_in && (
          <Menu.Item leftSection={<Pencil size={15} />} onClick={() => setAction("edit")}>
            {say("Edit")}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Copy size={15} />} onClick={() => setAction("copy")}>
          {say("New role like this")}
        </Menu.Item>
        {!role.built_in && <RemovalItem onClick={() => setAction("delete")} />}
      </RowMenu>
      {action === "edit" && <RoleDialog role={role} known={known} onClose={close} />}
      {action === "copy" && <RoleDialog like={role} known={known} onClose={close} />}
      {action === "delete" &&
        (holders.length > 0 ? (
          <InUse name={name} holders={holders} onClose={close} />
        ) : (
          <DeleteRole id={role.id} name={name} onClose={close} />
        ))}
    </>
  );
}

type InUseProps = { name: string; holders: readonly Person[]; onClose(): void };

/** Why a role stays. */
const InUse = ({ name, holders, onClose }: InUseProps) => (
  <Dialog title={say("{name} is in use", { name })} onClose={onClose}>
    <Stack>
      <Text size="sm">
        {sayMany(
          holders.length,
          "{names} has this role. Give this person another one first.",
          "{names} have this role. Give them another one first.",
          { names: listed(holders.map(nameOf)) },
        )}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {say("Cancel")}
        </Button>
        <Button component={Link} href={addressOf("people")}>
          {say("To the people")}
        </Button>
      </Group>
    </Stack>
  </Dialog>
);

function DeleteRole({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const remove = async (): Promise<void> => {
    try {
      await octavo.roles.delete(id);
    } catch (error) {
      // Somebody got it meanwhile.
      await refresh("people");
      if (!(error instanceof OctavoProblem) || error.code !== "role_in_use") throw error;
      throw new Error(say("Somebody has this role now: give them another one first."), { cause: error });
    }
    await refresh("roles");
  };
  return (
    <Confirm
      title={say("Delete the role {name}?", { name })}
      submit={say("Delete")}
      onSubmit={remove}
      onClose={onClose}
    >
      {say("Nobody has it. This cannot be undone.")}
    </Confirm>
  );
}
