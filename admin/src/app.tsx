import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { whenSignedOut } from "./api/request.ts";
import { readSession, type Session } from "./api/session.ts";
import { SessionContext } from "./session-context.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { queries } from "./ui/query.ts";
import { Failure } from "./ui/state.tsx";

const sessionKey = ["session"];

/** The sign-in, or the page of who is signed in. */
export function App() {
  const { data: session, error, refetch, isPending } = useQuery({ queryKey: sessionKey, queryFn: readSession });
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    whenSignedOut(() => {
      if (queries.getQueryData(sessionKey)) setOver(true);
      queries.setQueryData(sessionKey, null);
    });
  }, []);
  useEnd(session, () => {
    setOver(true);
    queries.setQueryData(sessionKey, null);
  });
  const enter = (entered: Session | null): void => {
    setOver(false);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    queries.setQueryData(sessionKey, entered);
  };

  if (isPending) {
    return (
      <Center h="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (error) {
    return (
      <Center component="main" h="100dvh" p="md">
        <Failure error={error} title="The service cannot be reached" onRetry={() => void refetch()} />
      </Center>
    );
  }
  if (!session) return <SignIn isOver={isOver} onSignedIn={enter} />;
  return (
    <SessionContext value={session}>
      <Shell onSignedOut={() => enter(null)} />
    </SessionContext>
  );
}

/** Calls back when the session's time is over. */
function useEnd(session: Session | null | undefined, onEnd: () => void): void {
  const endsAt = session?.expires_at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the moment alone matters.
  useEffect(() => {
    if (endsAt === undefined) return;
    // Longer waits than a timer can hold are none that a page lives to see.
    const timer = setTimeout(onEnd, Math.min(endsAt * 1000 - Date.now(), 2_000_000_000));
    return () => clearTimeout(timer);
  }, [endsAt]);
}
