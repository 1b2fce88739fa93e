import { Badge, Button, Group, Paper, Stack, Switch, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { octavo } from "../api/octavo.ts";
import { useAutosaveChoice } from "../draft/autosave.ts";
import { say } from "../language/say.ts";
import { useSession } from "../session-context.ts";
import { LanguageInput } from "../ui/language-choice.tsx";
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
      <Empty icon={UserRound} title={say("No profile")} isPage>
        {say("You signed in with tokens, which are no person.")}
      </Empty>
    );
  }
  return (
    <Page title={say("Profile")} description={say("Your name stands beside what you change.")}>
      {me.error && <Failure error={me.error} onRetry={() => void me.refetch()} />}
      {!me.data && !me.error && <Loading />}
      {me.data && (
        <Stack gap="xl">
          <NameForm person={me.data} />
          <Writing />
          <Paper withBorder p="lg" maw={480}>
            <LanguageInput />
          </Paper>
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
          {say("Writing")}
        </Title>
        <Switch
          label={say("Save automatically")}
          description={say(
            "What you type is saved when you pause: in the draft, or of an entry that is on the site in a working copy. Nothing is published.",
          )}
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
        {say("Sessions")}
      </Title>
      <ListStates list={list} items={list.data} failure={say("The sessions cannot be listed")} rows={2} empty={null}>
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
    label: say("Since"),
    cell: { "data-fill": true },
    show: ({ created_at: at, current }) => (
      <Group gap={6} wrap="nowrap">
        <Text size="sm">
          <Ago seconds={at} />
        </Text>
        {current && <Badge size="sm">{say("This session")}</Badge>}
      </Group>
    ),
  },
  { label: say("Last seen"), ...from("xs"), show: ({ last_seen_at: at }) => <Ago seconds={at} /> },
  {
    show: ({ id, current }) =>
      !current && (
        <Button
          variant="default"
          size="xs"
          aria-label={say("End the session {id}", { id: id.slice(0, 8) })}
          onClick={() => void end(id).catch(notifyFailure)}
        >
          {say("End")}
        </Button>
      ),
  },
];
