import { Anchor, Badge, Box, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Plus, UserCog } from "lucide-react";
import { useState } from "react";
import type { Person, Role } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { listed, meaningOf } from "../model/role-words.ts";
import { nameOf, useEveryone } from "../query/everyone.ts";
import { type Column, from, ListPage } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Empty } from "../ui/state.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { RoleMenu } from "./role-menu.tsx";

/** What people may do: the roles of every store, and those of this one. */
export function RolesPage() {
  const list = useQuery({ queryKey: ["roles"], queryFn: () => octavo.roles.list() });
  const { data: people } = useEveryone();
  const [isMaking, setMaking] = useState(false);
  const holdersOf = ({ id }: Role): readonly Person[] | undefined => people?.filter(({ role }) => role === id);
  const known = list.data ?? [];
  const menu: Column<Role> = { show: (role) => <RoleMenu role={role} known={known} holders={holdersOf(role)} /> };
  return (
    <ListPage
      title={say("Roles")}
      description={sayParts("What people may do. Everybody has one role, given on the page {page}.", {
        page: (
          <Anchor component={Link} href={addressOf("people")} inherit underline="always">
            {say("People")}
          </Anchor>
        ),
      })}
      actions={
        <Button leftSection={<Plus size={15} />} onClick={() => setMaking(true)}>
          {say("New role")}
        </Button>
      }
      list={list}
      items={list.data}
      failure={say("The roles cannot be listed")}
      empty={<Empty icon={UserCog} title={say("No roles")} />}
      table={{ columns: [...columnsOf(holdersOf), menu], keyOf: ({ id }) => id }}
    >
      {isMaking && <RoleDialog known={known} onClose={() => setMaking(false)} />}
    </ListPage>
  );
}

type Holders = (role: Role) => readonly Person[] | undefined;

const columnsOf = (holdersOf: Holders): Column<Role>[] => [
  {
    label: say("Role"),
    cell: { "data-fill": true },
    show: (role) => (
      <>
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={550} truncate dir="auto">
            {role.title || role.id}
          </Text>
          {role.built_in && <Badge color="gray">{say("Built in")}</Badge>}
        </Group>
        <Text size="sm">{meaningOf(role)}</Text>
        <Box hiddenFrom="sm">
          <Who holders={holdersOf(role)} />
        </Box>
      </>
    ),
  },
  { label: say("Id"), ...from("md"), show: ({ id }) => <span className="mono">{id}</span> },
  {
    label: say("People"),
    both: { visibleFrom: "sm" },
    cell: { className: "role-people" },
    show: (role) => <Who holders={holdersOf(role)} />,
  },
];

const shownNames = 3;

/** The names of some who have the role, and the number of the others. */
function Who({ holders }: { holders: readonly Person[] | undefined }) {
  if (!holders) return null;
  const names = holders.map(nameOf);
  const more = names.length - shownNames;
  const shown = more > 1 ? [...names.slice(0, shownNames), say("{more} more", { more })] : names;
  return (
    <Text size="xs" c="dimmed" title={names.join("\n")}>
      {names.length === 0 ? say("Nobody") : listed(shown)}
    </Text>
  );
}
