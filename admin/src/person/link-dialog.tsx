import { Button, Stack, Text } from "@mantine/core";
import { Link2 } from "lucide-react";
import type { PersonWithLink } from "../../../client/src/client.ts";
import { say } from "../language/say.ts";
import { formatMoment } from "../model/format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";

/** The link at the address where this page is: the service may know another one of itself. */
const linkHere = (link: string): string => `${location.origin}/admin${new URL(link).hash}`;

/** Shows a link once. Of one that was mailed it says so. */
export function LinkDialog({ person, onClose }: { person: PersonWithLink; onClose(): void }) {
  const { link } = person;
  if (link === undefined) return <MailedDialog person={person} onClose={onClose} />;
  return (
    <ShownOnce
      title={say("The link for {name}", { name: person.name || person.email })}
      icon={<Link2 size={18} />}
      advice={say("Copy it and send it to the person")}
      value={linkHere(link)}
      label={say("Copy the link")}
      hint={say("A lost link is replaced with “New link” in the menu of the person.")}
      onClose={onClose}
    >
      {say("It is shown this once. Whoever opens it sets the password, once, until {time}.", {
        time: formatMoment(person.link_expires_at),
      })}
    </ShownOnce>
  );
}

/** Says that the link was mailed. */
export function MailedDialog({
  person: { email, link_expires_at },
  onClose,
}: {
  person: PersonWithLink;
  onClose(): void;
}) {
  return (
    <Dialog onClose={onClose} title={say("Mailed to {email}", { email })} size="lg">
      <Stack>
        <Text size="sm">
          {say(
            "The mail has a link that sets the password, once, until {time}. Another one is sent with “New link” in the menu of the person.",
            { time: formatMoment(link_expires_at) },
          )}
        </Text>
        <Button onClick={onClose} ms="auto">
          {say("Close")}
        </Button>
      </Stack>
    </Dialog>
  );
}
