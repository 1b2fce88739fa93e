import { Alert, Anchor, Box, Button, Code, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { type Session, signIn, signInByLink } from "./api/session.ts";
import markUrl from "./mark.svg";
import { IssuerSignIn } from "./sign-in/issuer.tsx";
import { useTitle } from "./ui/page.tsx";
import { Failure, messageOf } from "./ui/state.tsx";

type SignInProps = { isOver: boolean; onSignedIn(session: Session): void };

/** The sign-in form for the two tokens; a sign-in link signs in at once. */
export function SignIn({ isOver, onSignedIn }: SignInProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useTitle("Sign in", true);

  const attempt = async (how: () => Promise<Session>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    await how().then(onSignedIn, setError);
    setBusy(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: for the code in the URL, at the start or later.
  useEffect(() => {
    const follow = (): void => {
      const code = takeCode();
      if (code) void attempt(() => signInByLink(code));
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string): string => String(form.get(name)).trim();
    void attempt(() => signIn(textOf("token"), textOf("access_token")));
  };

  return (
    <Box component="main" className="sign-in">
      <Stack gap="lg" w="100%" maw={400}>
        <Stack gap={6} align="center">
          <img src={markUrl} alt="" width={44} height={44} />
          <Title order={1}>Sign in to Octavo</Title>
          <Text size="sm" c="dimmed" ta="center">
            With a management token and an access token
          </Text>
        </Stack>
        {isOver && error === undefined && (
          <Alert color="yellow" title="The session has ended">
            Sign in again to continue where you were.
          </Alert>
        )}
        <Paper withBorder p="lg" component="form" onSubmit={submit}>
          <Stack>
            <PasswordInput
              label="Management token"
              name="token"
              placeholder="oct_m_…"
              autoComplete="username"
              spellCheck={false}
              visibilityToggleButtonProps={{ "aria-label": "Show the management token" }}
              required
              autoFocus
            />
            <PasswordInput
              label="Access token"
              name="access_token"
              placeholder="oct_a_…"
              autoComplete="current-password"
              spellCheck={false}
              visibilityToggleButtonProps={{ "aria-label": "Show the access token" }}
              required
            />
            {error !== undefined && <Failure error={error} message={inWords(error)} title="Not signed in" />}
            <Button type="submit" loading={isBusy} fullWidth>
              Sign in
            </Button>
          </Stack>
        </Paper>
        <IssuerSignIn />
        <Help />
      </Stack>
    </Box>
  );
}

/** Replaces the names of arguments in a refusal by the labels of the fields. */
const inWords = (error: unknown): string =>
  messageOf(error)
    .replace(/"token"/g, "The management token")
    .replace(/"access_token"/g, "The access token");

function Help() {
  return (
    <Text size="xs" c="dimmed" component="div">
      No tokens at hand? Make a pair beside the running service:
      <Code block mt={6} tabIndex={0}>
        {
          "npx octavo token create --kind management \\\n  --resources entries,registry,files,folders,admin\nnpx octavo token create --kind access"
        }
      </Code>
      <Anchor href="/docs/problems" size="xs" mt={8} display="inline-block">
        What the refusals mean
      </Anchor>
    </Text>
  );
}

/** The code of a sign-in link; removed from the URL to keep it out of the history. */
function takeCode(): string | undefined {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}
