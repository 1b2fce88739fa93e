import { Anchor, Badge, Box, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Plus, Users } from "lucide-react";
import { useState } from "react";
import type { Person, PersonWithLink } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { nameOf } from "../query/everyone.ts";
import { useSession } from "../session-context.ts";
import { type Column, from, ListPage, usePages } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { PersonMenu } from "./person-menu.tsx";

/** Everybody who signs in by name. */
export function PeoplePage() {
  const people = usePages({
    queryKey: ["people"],
    queryFn: ({ pageParam }) => octavo.people.list({ cursor: pageParam }),
  });
  const roleTitle = useRoleTitles();
  const [isInviting, setInviting] = useState(false);
  const [linked, setLinked] = useState<PersonWithLink>();
  const menu: Column<Person> = { show: (person) => <PersonMenu person={person} onLink={setLinked} /> };
  const invite = (
    <Button leftSection={<Plus size={15} />} onClick={() => setInviting(true)}>
      {say("Invite")}
    </Button>
  );
  return (
    <ListPage
      title={say("People")}
      description={sayParts("Who signs in to this page. Each has a {role}; the log names them.", {
        role: (
          <Anchor component={Link} href={addressOf("roles")} inherit underline="always">
            {say("role")}
          </Anchor>
        ),
      })}
      actions={invite}
      {...people}
      failure={say("The people cannot be listed")}
      empty={
        <Empty icon={Users} title={say("Nobody yet")}>
          {say(
            "Invite yourself as the owner first: the link makes your password, and tokens are no longer needed to sign in.",
          )}
        </Empty>
      }
      table={{ columns: [...columnsOf(roleTitle), menu], keyOf: ({ id }) => id }}
    >
      {isInviting && (
        <InviteDialog isFirst={people.items?.length === 0} onMade={setLinked} onClose={() => setInviting(false)} />
      )}
      {linked && <LinkDialog person={linked} onClose={() => setLinked(undefined)} />}
    </ListPage>
  );
}

/** The title of a role by its id. */
function useRoleTitles(): (id: string) => string {
  const { data = [] } = useQuery({ queryKey: ["roles"], queryFn: () => octavo.roles.list() });
  return (id) => data.find((role) => role.id === id)?.title || id;
}

const columnsOf = (roleTitle: (id: string) => string): Column<Person>[] => [
  {
    label: say("Person"),
    cell: { "data-fill": true },
    show: (person) => <Name person={person} role={roleTitle(person.role)} />,
  },
  { label: say("Role"), ...from("xs"), show: ({ role }) => roleTitle(role) },
  { label: say("State"), show: ({ state }) => <StateBadge state={state} /> },
  {
    label: say("Last seen"),
    ...from("sm"),
    show: ({ last_seen_at: at }) => (at === null ? say("Never") : <Ago seconds={at} />),
  },
];

function Name({ person, role }: { person: Person; role: string }) {
  const own = useSession().person;
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={550} truncate>
          {nameOf(person)}
        </Text>
        {own?.id === person.id && <Badge size="sm">{say("You")}</Badge>}
      </Group>
      {person.name !== "" && (
        <Text size="xs" c="dimmed" truncate title={person.email}>
          {person.email}
        </Text>
      )}
      <Box hiddenFrom="xs">
        <Text size="xs">{role}</Text>
      </Box>
    </>
  );
}

function StateBadge({ state }: Pick<Person, "state">) {
  if (state === "invited") return <Badge color="yellow">{say("Invited")}</Badge>;
  return state === "active" ? (
    <Badge color="teal">{say("Active")}</Badge>
  ) : (
    <Badge color="gray">{say("Disabled")}</Badge>
  );
}
