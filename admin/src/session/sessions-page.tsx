import { Badge, Button, Group, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import { useState } from "react";
import type { Session } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { useSession } from "../session-context.ts";
import { Confirm } from "../ui/dialog.tsx";
import { Page } from "../ui/page.tsx";
import { refresh } from "../ui/query.ts";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

/** All live sessions of the admin page. */
export function SessionsPage() {
  const list = useInfiniteQuery({
    queryKey: ["sessions"],
    queryFn: ({ pageParam }) => octavo.sessions.page({ cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  });
  const { data, error, refetch } = list;
  const sessions = data?.pages.flatMap((page) => page.items);
  return (
    <Page
      title="Sessions"
      description="Live sign-ins to this page and their tokens. Devices and IP addresses are not stored."
    >
      {error ? (
        <Failure error={error} title="The sessions cannot be listed" onRetry={() => void refetch()} />
      ) : !sessions ? (
        <Loading />
      ) : sessions.length === 0 ? (
        <Empty icon={MonitorSmartphone} title="Nobody is signed in" />
      ) : (
        <>
          <SessionTable sessions={sessions} />
          <ShowMore list={list} />
        </>
      )}
    </Page>
  );
}

function SessionTable({ sessions }: { sessions: Session[] }) {
  const own = useSession();
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: () => octavo.tokens.list() });
  const nameOf = (id: string): string =>
    tokens.data?.find((token) => token.id === id)?.label || `Token ${id.slice(0, 8)}`;
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Signed in by</Table.Th>
            <Table.Th visibleFrom="sm">Since</Table.Th>
            <Table.Th>Last seen</Table.Th>
            <Table.Th visibleFrom="sm">Ends</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Table.Tr key={session.id}>
              <Table.Td data-fill>
                <Group gap={6} wrap="nowrap">
                  <Text size="sm" fw={550} truncate>
                    {nameOf(session.actor)}
                  </Text>
                  {session.id === own.id && <Badge size="sm">This session</Badge>}
                </Group>
                <Text size="xs" c="dimmed" className="mono" truncate title={session.id}>
                  {session.id.slice(0, 8)}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={session.created_at} />
              </Table.Td>
              <Table.Td className="quiet">
                <Ago seconds={session.last_seen_at} />
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={session.expires_at} />
              </Table.Td>
              <Table.Td>
                <EndButton session={session} name={nameOf(session.actor)} isOwn={session.id === own.id} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type EndProps = { session: Session; name: string; isOwn: boolean };

function EndButton({ session, name, isOwn }: EndProps) {
  const [isAsked, setAsked] = useState(false);
  const end = async (): Promise<void> => {
    await octavo.sessions.end(session.id);
    await refresh("sessions");
  };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={`End the session ${session.id.slice(0, 8)} of ${name}`}
        onClick={() => setAsked(true)}
      >
        End
      </Button>
      {isAsked && (
        <Confirm
          title={isOwn ? "End this session?" : `End a session of ${name}?`}
          submit="End"
          onSubmit={end}
          onClose={() => setAsked(false)}
        >
          {isOwn
            ? "This is your session: you will be signed out."
            : "The user must sign in again. Unsaved changes stay on their page."}
        </Confirm>
      )}
    </>
  );
}
