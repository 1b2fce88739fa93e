import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { UserRoundPlus } from "lucide-react";
import { useState } from "react";
import type { PersonWithLink } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { may, writesLive } from "../api/session.ts";
import { say } from "../language/say.ts";
import { useSession } from "../session-context.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { MailedDialog } from "./link-dialog.tsx";

/** In a store without an owner: offers whoever signed in with tokens that make one to become it. It can be dismissed. */
export function OwnerOffer() {
  const session = useSession();
  const [isDismissed, setDismissed] = useLocalStorage({
    key: "octavo-owner-offer-dismissed",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const [isMaking, setMaking] = useState(false);
  const [mailed, setMailed] = useState<PersonWithLink>();
  const hasOwner = document.documentElement.dataset.people !== undefined;
  const mayMake = session.person === undefined && may(session, "admin") && writesLive(session);
  if (hasOwner || !mayMake || isDismissed) return null;
  return (
    <>
      <Alert
        m={{ base: "xs", md: "md" }}
        icon={<UserRoundPlus size={18} />}
        title={say("Sign in as yourself")}
        withCloseButton
        closeButtonLabel={say("Not now")}
        onClose={() => setDismissed(true)}
      >
        <Group gap="sm" justify="space-between">
          <span>
            {say(
              "This store has no owner yet. As its owner you sign in with a password or a passkey, invite others with roles of their own, and the log names who wrote what. Tokens go on working.",
            )}
          </span>
          <Button size="xs" onClick={() => setMaking(true)}>
            {say("Become the owner")}
          </Button>
        </Group>
      </Alert>
      {isMaking && <OwnerDialog onMailed={setMailed} onClose={() => setMaking(false)} />}
      {mailed && <MailedDialog person={mailed} onClose={() => setMailed(undefined)} />}
    </>
  );
}

/** The link of an owner to be; of one who was invited before and has not come, another one. */
async function inviteOwner(email: string): Promise<PersonWithLink> {
  try {
    return await octavo.people.invite({ email, role: "owner" });
  } catch (error) {
    const { items } = await octavo.people.list();
    const invited = items.find(({ role, state }) => role === "owner" && state === "invited");
    if (invited?.email.toLowerCase() !== email.trim().toLowerCase()) throw error;
    return octavo.people.reset(invited.id);
  }
}

/** Invites the owner, and goes on with the link here, unless it was mailed. */
function OwnerDialog({ onMailed, onClose }: { onMailed(person: PersonWithLink): void; onClose(): void }) {
  const [email, setEmail] = useState("");
  const invite = async (): Promise<void> => {
    const person = await inviteOwner(email);
    await refresh("people");
    if (person.link === undefined) onMailed(person);
    else location.hash = new URL(person.link).hash;
  };
  return (
    <FormDialog title={say("Become the owner")} submit={say("Continue")} onSubmit={invite} onClose={onClose}>
      <TextInput
        label={say("Your email address")}
        description={say("You sign in with it. Next, you choose a password or a passkey.")}
        type="email"
        autoComplete="email"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
