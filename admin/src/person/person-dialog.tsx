import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Person } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { RoleInput } from "./role-input.tsx";
import { signInAgain } from "./sign-in-again.tsx";

/** Only where there is an issuer is there somebody to be. */
const hasIssuer = (): boolean => document.documentElement.dataset.oidc !== undefined;

/** Changes the name, the address and the role of a person, and who the person is at the issuer. */
export function PersonDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email);
  const [role, setRole] = useState(person.role);
  const bound = person.subject ?? "";
  const [subject, setSubject] = useState(bound);
  const save = async (): Promise<void> => {
    await octavo.people.update(person.id, {
      role,
      ...(name !== "" && { name }),
      ...(email !== person.email && { email }),
      ...(subject !== bound && { subject: subject || null }),
    });
    await refresh("people");
  };
  return (
    <FormDialog
      title={person.name || person.email}
      submit={say("Save")}
      onSubmit={save}
      remedy={signInAgain}
      onClose={onClose}
    >
      <TextInput
        label={say("Name")}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={say("Email address")}
        type="email"
        autoComplete="off"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleInput value={role} onChange={setRole} />
      {(hasIssuer() || bound !== "") && (
        <TextInput
          label={say("Subject at the issuer")}
          description={say(
            "Who signs in there as this sub is this person here, whatever the email address. A password stays. Empty: nobody.",
          )}
          autoComplete="off"
          maxLength={255}
          value={subject}
          onChange={(event) => setSubject(event.currentTarget.value.trim())}
        />
      )}
    </FormDialog>
  );
}
