import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { say } from "../language/say.ts";

/** The host of the issuer that the settings name, as the service wrote it into the page; undefined without one. */
export const issuer = (): string | undefined => document.documentElement.dataset.oidc;

/** Leads to the issuer, and says why it led back without a sign-in. Nothing where the settings name none. */
export function IssuerSignIn() {
  const [refusal] = useState(takeRefusal);
  const name = issuer();
  if (name === undefined) return null;
  return (
    <>
      {refusal !== undefined && (
        <Alert color="red" title={say("Not signed in")}>
          {reasons(name)[refusal] ?? say("The sign-in failed. The log of the service has the reason.")}
        </Alert>
      )}
      <Button component="a" href="/admin/session/oidc" fullWidth>
        {say("Sign in with {name}", { name })}
      </Button>
    </>
  );
}

const reasons = (name: string): Record<string, string> => ({
  sign_in_failed: say(
    "The sign-in at {name} was not completed, or you may not sign in here. People are invited by the email address that is verified there.",
    { name },
  ),
  issuer_unavailable: say("{name} does not answer as it should. Try again, or sign in otherwise.", { name }),
  last_owner: say(
    "{name} gives you another role, but you are the only owner here. Make another person an owner first.",
    { name },
  ),
});

/** The code of the refusal in the URL, which is removed from it: a reload tells nothing old. */
function takeRefusal(): string | undefined {
  const [, code] = /^#refused=([a-z_]+)$/.exec(location.hash) ?? [];
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}
