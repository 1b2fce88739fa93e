import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { whenSignedOut } from "./api/octavo.ts";
import { readSession, type Session } from "./api/session.ts";
import { say } from "./language/say.ts";
import { SessionContext } from "./session-context.ts";
import { Shell } from "./shell.tsx";
import { useLinkCode } from "./sign-in/code.ts";
import { LinkPage } from "./sign-in/link-page.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";
import { queries } from "./ui/query.ts";
import { Failure } from "./ui/state.tsx";

const sessionKey = ["session"];
const isContent = ({ queryKey }: { queryKey: readonly unknown[] }): boolean => queryKey[0] !== sessionKey[0];

/**
 * The sign-in form, or the page of the current session. When a session ends, its open pages stay hidden for the next
 * one of the same person.
 */
export function App() {
  const { data: session, error, refetch, isPending } = useQuery({ queryKey: sessionKey, queryFn: readSession });
  const [ended, setEnded] = useState<Session>();
  const end = (): void => {
    const over = queries.getQueryData<Session | null>(sessionKey);
    if (over) setEnded(over);
    queries.setQueryData(sessionKey, null);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is stable across renders.
  useEffect(() => whenSignedOut(end), []);
  useEnd(session, end);
  const [code, dropCode] = useLinkCode();
  const isOver = !session && ended !== undefined;
  // Dialogs are portals elsewhere in the document.
  useEffect(() => {
    document.documentElement.toggleAttribute("data-over", isOver);
  }, [isOver]);
  const enter = (entered: Session): void => {
    // Somebody else sees nothing of what was read before.
    if (ended?.token.id !== entered.token.id) queries.removeQueries({ predicate: isContent });
    setEnded(undefined);
    dropCode();
    queries.setQueryData(sessionKey, entered);
    void queries.invalidateQueries({ predicate: isContent });
  };
  const leave = (): void => {
    queries.setQueryData(sessionKey, null);
    queries.removeQueries({ predicate: isContent });
  };

  if (isPending) {
    return (
      <Center h="100dvh">
        <Loader aria-label={say("Loading")} />
      </Center>
    );
  }
  const shown = session ?? ended;
  if (error && !shown) {
    return (
      <Center component="main" h="100dvh" p="md">
        <Failure error={error} title={say("The service cannot be reached")} onRetry={() => void refetch()} />
      </Center>
    );
  }
  // The link of another person replaces the session.
  if (code !== undefined) return <LinkPage key={code} code={code} onSignedIn={enter} onClose={dropCode} />;
  return (
    <>
      {!session && <SignIn isOver={isOver} onSignedIn={enter} />}
      {shown && (
        <div hidden={isOver}>
          <SessionContext value={shown}>
            <Shell key={shown.token.id} onSignedOut={leave} />
          </SessionContext>
        </div>
      )}
    </>
  );
}

/** Calls back when the session expires. */
function useEnd(session: Session | null | undefined, onEnd: () => void): void {
  const endsAt = session?.expires_at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the time matters.
  useEffect(() => {
    if (endsAt === undefined) return;
    // Delays past the range of a timer are longer than a page stays open.
    const timer = setTimeout(onEnd, Math.min(endsAt * 1000 - Date.now(), 2_000_000_000));
    return () => clearTimeout(timer);
  }, [endsAt]);
}
