import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Person } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { RoleInput } from "./role-input.tsx";

/** Changes the name and the role of a person. */
export function PersonDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const [name, setName] = useState(person.name);
  const [role, setRole] = useState(person.role);
  const save = async (): Promise<void> => {
    await octavo.people.update(person.id, { role, ...(name !== "" && { name }) });
    await refresh("people");
  };
  return (
    <FormDialog title={person.name || person.email} submit="Save" onSubmit={save} onClose={onClose}>
      <TextInput
        label="Name"
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RoleInput value={role} onChange={setRole} />
    </FormDialog>
  );
}
