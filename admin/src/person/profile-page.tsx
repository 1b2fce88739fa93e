import { Badge, Button, Group, Paper, Stack, Switch, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { octavo } from "../api/octavo.ts";
import { useAutosaveChoice } from "../draft/autosave.ts";
import { useSession } from "../session-context.ts";
import { type Column, from, ListStates, ListTable } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { refresh } from "../ui/query.ts";
import { Empty, Failure, Loading, notifyFailure } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { Passkeys } from "./passkeys.tsx";
import { NameForm, PasswordForm } from "./profile-forms.tsx";

/** The own account: name, address, how one writes, password, passkeys and sessions. */
export function ProfilePage() {
  const { person } = useSession();
  const me = useQuery({ queryKey: ["me"], queryFn: () => octavo.people.me.fetch(), enabled: person !== undefined });
  if (!person) {
    return (
      <Empty icon={UserRound} title="No profile" isPage>
        You signed in with tokens, which are no person.
      </Empty>
    );
  }
  return (
    <Page title="Profile" description="Your name stands beside what you change.">
      {me.error && <Failure error={me.error} onRetry={() => void me.refetch()} />}
      {!me.data && !me.error && <Loading />}
      {me.data && (
        <Stack gap="xl">
          <NameForm person={me.data} />
          <Writing />
          <PasswordForm />
          <Passkeys />
          <OwnSessions />
        </Stack>
      )}
    </Page>
  );
}

function Writing() {
  const [isOn, set] = useAutosaveChoice();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="own-writing" maw={480}>
      <Stack>
        <Title order={2} id="own-writing">
          Writing
        </Title>
        <Switch
          label="Save automatically"
          description="What you type is saved when you pause: in the draft, or of an entry that is on the site in a working copy. Nothing is published."
          checked={isOn}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      </Stack>
    </Paper>
  );
}

type OwnSession = Awaited<ReturnType<typeof octavo.people.me.sessions>>[number];

function OwnSessions() {
  const list = useQuery({ queryKey: ["own sessions"], queryFn: () => octavo.people.me.sessions() });
  return (
    <section aria-labelledby="own-sessions">
      <Title order={2} id="own-sessions" mb="sm">
        Sessions
      </Title>
      <ListStates list={list} items={list.data} failure="The sessions cannot be listed" rows={2} empty={null}>
        {(rows) => <ListTable rows={rows} columns={columns} keyOf={({ id }) => id} />}
      </ListStates>
    </section>
  );
}

const end = async (id: string): Promise<void> => {
  await octavo.people.me.endSession(id);
  await refresh("own sessions");
};

const columns: Column<OwnSession>[] = [
  {
    label: "Since",
    cell: { "data-fill": true },
    show: ({ created_at: at, current }) => (
      <Group gap={6} wrap="nowrap">
        <Text size="sm">
          <Ago seconds={at} />
        </Text>
        {current && <Badge size="sm">This session</Badge>}
      </Group>
    ),
  },
  { label: "Last seen", ...from("xs"), show: ({ last_seen_at: at }) => <Ago seconds={at} /> },
  {
    show: ({ id, current }) =>
      !current && (
        <Button
          variant="default"
          size="xs"
          aria-label={`End the session ${id.slice(0, 8)}`}
          onClick={() => void end(id).catch(notifyFailure)}
        >
          End
        </Button>
      ),
  },
];
