import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { hasPasskeys } from "../api/passkey.ts";
import { type Session, signInAs, signInByPasskey } from "../api/session.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { useSession } from "../session-context.ts";
import { queries } from "../ui/query.ts";

/** What to do after a refusal because the sign-in is too long ago; nothing after others. */
export const signInAgain = (error: unknown): ReactNode =>
  error instanceof OctavoProblem && error.code === "sign_in_again" ? <SignInAgain /> : undefined;

/** Signs the person in again, in place. It stands in other forms, so it is none. */
function SignInAgain() {
  const { person } = useSession();
  const [password, setPassword] = useState("");
  const [state, setState] = useState<"asks" | "busy" | "done">("asks");
  const [refusal, setRefusal] = useState("");
  const attempt = async (how: () => Promise<Session>): Promise<void> => {
    setState("busy");
    setRefusal("");
    try {
      queries.setQueryData(["session"], await how());
      setState("done");
    } catch (error) {
      setRefusal(messageOf(error));
      setState("asks");
    }
  };
  if (state === "done") return <Text size="sm">{say("Signed in again: now repeat the action.")}</Text>;
  const isBusy = state === "busy";
  const byPassword = (): void => void attempt(() => signInAs(person?.email ?? "", password));
  return (
    <Stack gap="xs" w="100%">
      <PasswordInput
        label={say("Your password")}
        autoComplete="current-password"
        value={password}
        error={refusal}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": say("Show the password") }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Not the form around it.
          event.preventDefault();
          if (password !== "" && !isBusy) byPassword();
        }}
      />
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={isBusy || password === ""} onClick={byPassword}>
          {say("Sign in again")}
        </Button>
        {hasPasskeys() && (
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => void attempt(signInByPasskey)}>
            {say("With a passkey")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
