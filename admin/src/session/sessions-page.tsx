import { Badge, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import { useState } from "react";
import type { Session } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { useSession } from "../session-context.ts";
import { Confirm } from "../ui/dialog.tsx";
import { type Column, from, ListPage, usePages } from "../ui/list.tsx";
import { refresh } from "../ui/query.ts";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

/** All live sessions of the admin page. */
export function SessionsPage() {
  const own = useSession();
  const sessions = usePages({
    queryKey: ["sessions"],
    queryFn: ({ pageParam }) => octavo.sessions.page({ cursor: pageParam }),
  });
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: () => octavo.tokens.list() });
  const nameOf = ({ actor, actor_name: name }: Session): string =>
    name ??
    (tokens.data?.find((token) => token.id === actor)?.label || say("Token {actor}", { actor: actor.slice(0, 8) }));
  return (
    <ListPage
      title={say("Sessions")}
      description={say("Live sign-ins to this page, of people and tokens. Devices and IP addresses are not stored.")}
      {...sessions}
      failure={say("The sessions cannot be listed")}
      empty={<Empty icon={MonitorSmartphone} title={say("Nobody is signed in")} />}
      table={{ columns: columnsOf(own.id, nameOf), keyOf: ({ id }) => id }}
    />
  );
}

const columnsOf = (ownId: string, nameOf: (session: Session) => string): Column<Session>[] => [
  {
    label: say("Signed in by"),
    cell: { "data-fill": true },
    show: (session) => (
      <>
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={550} truncate>
            {nameOf(session)}
          </Text>
          {session.id === ownId && <Badge size="sm">{say("This session")}</Badge>}
        </Group>
        <Text size="xs" c="dimmed" className="mono" truncate title={session.id}>
          {session.id.slice(0, 8)}
        </Text>
      </>
    ),
  },
  { label: say("Since"), ...from("sm"), show: ({ created_at: at }) => <Ago seconds={at} /> },
  { label: say("Last seen"), cell: { className: "quiet" }, show: ({ last_seen_at: at }) => <Ago seconds={at} /> },
  { label: say("Ends"), ...from("sm"), show: ({ expires_at: at }) => <Ago seconds={at} /> },
  {
    show: (session) => <EndButton session={session} name={nameOf(session)} isOwn={session.id === ownId} />,
  },
];

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
        aria-label={say("End the session {id} of {name}", { id: session.id.slice(0, 8), name })}
        onClick={() => setAsked(true)}
      >
        {say("End")}
      </Button>
      {isAsked && (
        <Confirm
          title={isOwn ? say("End this session?") : say("End a session of {name}?", { name })}
          submit={say("End")}
          onSubmit={end}
          onClose={() => setAsked(false)}
        >
          {isOwn
            ? say("This is your session: you will be signed out.")
            : say("The user must sign in again. Unsaved changes stay on their page.")}
        </Confirm>
      )}
    </>
  );
}
