import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { PersonWithLink } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { RoleInput } from "./role-input.tsx";

type InviteDialogProps = {
  /** True while there is nobody: the first person is to be an owner. */
  isFirst: boolean;
  onMade(person: PersonWithLink): void;
  onClose(): void;
};

/** Invites a person by email address and role; the link is shown next. */
export function InviteDialog({ isFirst, onMade, onClose }: InviteDialogProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState(isFirst ? "owner" : "editor");
  const invite = async (): Promise<void> => {
    onMade(await octavo.people.invite({ email, role }));
    await refresh("people");
  };
  return (
    <FormDialog title={say("Invite a person")} submit={say("Invite")} onSubmit={invite} onClose={onClose}>
      <TextInput
        label={say("Email address")}
        type="email"
        autoComplete="off"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleInput value={role} onChange={setRole} />
    </FormDialog>
  );
}
