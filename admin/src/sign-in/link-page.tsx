import { Anchor, PasswordInput, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { hasPasskeys } from "../api/passkey.ts";
import { joinByPasskey, type LinkFacts, readLink, type Session, signInByLink } from "../api/session.ts";
import { say } from "../language/say.ts";
import { Failure } from "../ui/state.tsx";
import { type LinkPurpose, purposeOf } from "./code.ts";
import { FormPanel } from "./form-panel.tsx";
import { SignInFrame, useAttempt } from "./sign-in.tsx";

type LinkPageProps = { code: string; onSignedIn(session: Session): void; onClose(): void };

const titles: Record<LinkPurpose, [title: string, description: string]> = {
  owner: [say("Welcome to Octavo"), say("Make yourself the owner: you invite the others")],
  invite: [say("Welcome to Octavo"), say("You were invited: choose a password")],
  reset: [say("A new password"), say("It takes the place of the old one and ends all sessions")],
};

/** The page of a one-use link: takes what it needs, and signs in. */
export function LinkPage({ code, onSignedIn, onClose }: LinkPageProps) {
  const { isBusy, error, attempt } = useAttempt(onSignedIn);
  const [isByPasskey, setByPasskey] = useState(false);
  const purpose = purposeOf(code);
  useAtOnce(purpose === undefined, () => void attempt(() => signInByLink(code)));
  const [title, description] = purpose ? titles[purpose] : [say("Sign in to Octavo"), say("With a link")];
  const submit = (form: FormData): void => {
    const texts = Object.fromEntries([...form].map(([name, text]) => [name, String(text)]));
    void attempt(() => (isByPasskey ? joinByPasskey(code, texts) : signInByLink(code, texts)));
  };
  const { data: facts } = useQuery({
    queryKey: ["link", code],
    queryFn: () => readLink(code),
    enabled: purpose === "invite" || purpose === "reset",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const failure = error !== undefined && <Failure error={error} title={say("Not signed in")} />;
  return (
    <SignInFrame title={title} description={description}>
      {purpose === undefined ? (
        failure
      ) : (
        <FormPanel
          submit={isByPasskey ? say("Continue with a passkey") : say("Continue")}
          isBusy={isBusy}
          onSubmit={submit}
          below={
            hasPasskeys() && (
              <Anchor component="button" type="button" size="sm" onClick={() => setByPasskey(!isByPasskey)}>
                {isByPasskey ? say("Use a password") : say("Use a passkey in place of a password")}
              </Anchor>
            )
          }
        >
          {facts && <About facts={facts} isInvited={purpose === "invite"} />}
          <LinkFields purpose={purpose} isByPasskey={isByPasskey} />
          {failure}
        </FormPanel>
      )}
      {purpose === "owner" && (
        <Anchor component="button" type="button" size="sm" onClick={() => void attempt(() => signInByLink(code))}>
          {say("Continue without a person")}
        </Anchor>
      )}
      {error !== undefined && (
        <Anchor component="button" type="button" size="sm" onClick={onClose}>
          {say("Go on without the link")}
        </Anchor>
      )}
    </SignInFrame>
  );
}

/** Who invites whom to what; the address is what one signs in with from then on. */
function About({ facts: { email, site, invited_by: by }, isInvited }: { facts: LinkFacts; isInvited: boolean }) {
  const place = site ?? location.host;
  const inviter = by?.name ? `${by.name} (${by.email})` : by?.email;
  return (
    <Text size="sm" className="lines">
      {isInvited &&
        (inviter === undefined
          ? say("You are invited to edit {place}.", { place })
          : say("{inviter} invites you to edit {place}.", { inviter, place }))}
      {isInvited && " "}
      {say("You sign in as {email}.", { email })}
    </Text>
  );
}

/** Once, when the page opens. */
function useAtOnce(isMeant: boolean, act: () => void): void {
  const isDone = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once.
  useEffect(() => {
    if (isMeant && !isDone.current) act();
    isDone.current = true;
  }, []);
}

const LinkFields = ({ purpose, isByPasskey }: { purpose: LinkPurpose; isByPasskey: boolean }) => (
  <>
    {purpose !== "reset" && <TextInput label={say("Name")} name="name" autoComplete="name" required autoFocus />}
    {purpose === "owner" && (
      <TextInput label={say("Email address")} name="email" type="email" autoComplete="username" required />
    )}
    {!isByPasskey && (
      <PasswordInput
        label={say("Password")}
        description={say("At least 8 characters: a few words that do not belong together are good")}
        name="password"
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": say("Show the password") }}
        required
        autoFocus={purpose === "reset"}
      />
    )}
  </>
);
