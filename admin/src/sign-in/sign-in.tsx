import { Alert, Anchor, Box, Divider, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Session } from "../api/session.ts";
import { say } from "../language/say.ts";
import markUrl from "../mark.svg";
import { messageOf } from "../model/message.ts";
import { useTitle } from "../ui/page.tsx";
import { Failure } from "../ui/state.tsx";
import type { Attempt } from "./form-panel.tsx";
import { IssuerSignIn, issuer } from "./issuer.tsx";
import { PasswordForm } from "./password-form.tsx";
import { TokenForm } from "./token-form.tsx";

/** State of a form that signs in. */
export function useAttempt(onSignedIn: (session: Session) => void) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const attempt: Attempt = async (how) => {
    setBusy(true);
    setError(undefined);
    await how().then(onSignedIn, setError);
    setBusy(false);
  };
  return { isBusy, error, attempt };
}

type SignInProps = { isOver: boolean; onSignedIn(session: Session): void };

/** The forms to sign in: by email address and password where the store has people, otherwise by the two tokens. */
export function SignIn({ isOver, onSignedIn }: SignInProps) {
  const hasPeople = document.documentElement.dataset.people !== undefined;
  const hasIssuer = issuer() !== undefined;
  const [isByTokens, setByTokens] = useState(!hasPeople && !hasIssuer);
  const { isBusy, error, attempt } = useAttempt(onSignedIn);
  const Form = isByTokens ? TokenForm : PasswordForm;
  return (
    <SignInFrame
      title={say("Sign in to Octavo")}
      description={
        isByTokens
          ? say("With a management token and an access token")
          : hasIssuer
            ? say("With your account, or your email address and password")
            : say("With your email address and password")
      }
    >
      {isOver && error === undefined && (
        <Alert color="yellow" title={say("The session has ended")}>
          {say("Sign in again to continue where you were.")}
        </Alert>
      )}
      <IssuerSignIn />
      {hasIssuer && <Divider label={say("or")} />}
      <Form isBusy={isBusy} attempt={attempt}>
        {error !== undefined && <Failure error={error} message={inWords(error)} title={say("Not signed in")} />}
      </Form>
      <Anchor component="button" type="button" size="sm" onClick={() => setByTokens(!isByTokens)}>
        {isByTokens ? say("Use an email address instead") : say("Use tokens instead")}
      </Anchor>
    </SignInFrame>
  );
}

type FrameProps = { title: string; description: string; children: ReactNode };

/** The page of a form to sign in. */
export function SignInFrame({ title, description, children }: FrameProps) {
  useTitle(say("Sign in"), true);
  return (
    <Box component="main" className="sign-in">
      <Stack gap="lg" w="100%" maw={400}>
        <Stack gap={6} align="center">
          <img src={markUrl} alt="" width={44} height={44} />
          <Title order={1}>{title}</Title>
          <Text size="sm" c="dimmed" ta="center">
            {description}
          </Text>
        </Stack>
        {children}
      </Stack>
    </Box>
  );
}

/** Replaces the names of arguments in a refusal by the labels of the fields. */
const inWords = (error: unknown): string =>
  messageOf(error)
    .replace(/"token"/g, say("The management token"))
    .replace(/"access_token"/g, say("The access token"));
