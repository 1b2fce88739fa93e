import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import { useState } from "react";
import { OctavoProblem, type Person, type Session } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { nameOf } from "../query/everyone.ts";
import { useSession } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Column, from, ListStates, ListTable } from "../ui/list.tsx";
import { refresh } from "../ui/query.ts";
import { Empty, notifyFailure } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

/** Ends sessions; one that has ended meanwhile is as good. */
async function end(sessions: readonly Session[]): Promise<void> {
  for (const { id } of sessions) {
    await octavo.sessions.end(id).catch((error: unknown) => {
      if (!(error instanceof OctavoProblem) || error.code !== "session_not_found") throw error;
    });
  }
}

/** Where a person is signed in: ends one session, or all. The present one is ended by signing out. */
export function PersonSessions({ person, onClose }: { person: Person; onClose(): void }) {
  const own = useSession();
  const [isBusy, setBusy] = useState(false);
  const list = useQuery({
    queryKey: ["sessions", person.id],
    queryFn: () => octavo.sessions.list({ actor: `person:${person.id}`, limit: 1000 }),
    staleTime: 0,
  });
  const others = list.data?.filter(({ id }) => id !== own.id) ?? [];
  const endAll = async (ended: readonly Session[]): Promise<void> => {
    setBusy(true);
    await end(ended).catch(notifyFailure);
    await refresh("sessions");
    setBusy(false);
  };
  const columns = columnsOf(own.id, isBusy, (session) => void endAll([session]));
  return (
    <Dialog title={say("Sessions of {name}", { name: nameOf(person) })} size="lg" onClose={onClose}>
      <Stack>
        <ListStates
          list={list}
          items={list.data}
          failure={say("The sessions cannot be listed")}
          rows={2}
          empty={<NoSession />}
        >
          {(rows) => <ListTable rows={rows} columns={columns} keyOf={({ id }) => id} />}
        </ListStates>
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {say("Unsaved changes stay on the pages of who is signed out.")}
          </Text>
          <Group gap="xs" ms="auto">
            <Button variant="default" onClick={onClose}>
              {say("Close")}
            </Button>
            {others.length > 0 && (
              <Button color="red" loading={isBusy} onClick={() => void endAll(others)}>
                {others.length === list.data?.length ? say("End all") : say("End all others")}
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
    </Dialog>
  );
}

const NoSession = () => <Empty icon={MonitorSmartphone} title={say("Not signed in anywhere")} />;

const columnsOf = (ownId: string, isBusy: boolean, onEnd: (session: Session) => void): Column<Session>[] => [
  {
    label: say("Since"),
    cell: { "data-fill": true },
    show: ({ id, created_at: at }) => (
      <Group gap={6} wrap="nowrap">
        <Text size="sm">
          <Ago seconds={at} />
        </Text>
        {id === ownId && <Badge size="sm">{say("This session")}</Badge>}
      </Group>
    ),
  },
  { label: say("Last seen"), ...from("xs"), show: ({ last_seen_at: at }) => <Ago seconds={at} /> },
  { label: say("Ends"), ...from("sm"), show: ({ expires_at: at }) => <Ago seconds={at} /> },
  {
    show: (session) =>
      session.id !== ownId && (
        <Button
          variant="default"
          size="xs"
          disabled={isBusy}
          aria-label={say("End the session {id}", { id: session.id.slice(0, 8) })}
          onClick={() => onEnd(session)}
        >
          {say("End")}
        </Button>
      ),
  },
];
