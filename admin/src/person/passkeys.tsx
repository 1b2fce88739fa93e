import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { octavo } from "../api/octavo.ts";
import { hasPasskeys, makePasskey } from "../api/passkey.ts";
import { say } from "../language/say.ts";
import { Confirm, FormDialog } from "../ui/dialog.tsx";
import { type Column, from, ListStates, ListTable } from "../ui/list.tsx";
import { refresh } from "../ui/query.ts";
import { Ago } from "../ui/time.tsx";
import { signInAgain } from "./sign-in-again.tsx";

type Passkey = Awaited<ReturnType<typeof octavo.people.me.passkeys>>[number];

export const ownPasskeys = { queryKey: ["passkeys"], queryFn: () => octavo.people.me.passkeys() };

/** The own passkeys: add one, remove one. */
export function Passkeys() {
  const list = useQuery(ownPasskeys);
  const [isAdding, setAdding] = useState(false);
  const isPossible = hasPasskeys();
  return (
    <section aria-labelledby="passkeys">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="passkeys">
          {say("Passkeys")}
        </Title>
        {isPossible && (
          <Button variant="default" size="xs" leftSection={<KeyRound size={14} />} onClick={() => setAdding(true)}>
            {say("Add a passkey")}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {isPossible
          ? say("They sign in without a password, by the fingerprint, face or PIN of a device.")
          : say("Browsers have passkeys only at an address with https and a host name, and at localhost.")}
      </Text>
      <ListStates list={list} items={list.data} failure={say("The passkeys cannot be listed")} rows={1} empty={null}>
        {(rows) => <ListTable rows={rows} columns={columns} keyOf={({ id }) => id} />}
      </ListStates>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </section>
  );
}

const columns: Column<Passkey>[] = [
  {
    label: say("Name"),
    cell: { "data-fill": true },
    show: ({ name, counter_back_at: at }) => (
      <Stack gap={0}>
        <Text size="sm">{name}</Text>
        {at !== null && (
          <Text size="xs" c="var(--mantine-color-error)">
            {say("Perhaps copied: remove it if you do not know why")}
          </Text>
        )}
      </Stack>
    ),
  },
  { label: say("Added"), ...from("sm"), show: ({ created_at: at }) => <Ago seconds={at} /> },
  {
    label: say("Last used"),
    ...from("xs"),
    show: ({ last_used_at: at }) => (at === null ? say("Never") : <Ago seconds={at} />),
  },
  { show: (passkey) => <RemoveButton passkey={passkey} /> },
];

function AddDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState("");
  const add = async (): Promise<void> => {
    const options = await octavo.people.me.passkeyOptions();
    await octavo.people.me.addPasskey(name, await makePasskey(options));
    await refresh("passkeys");
  };
  return (
    <FormDialog
      title={say("Add a passkey")}
      submit={say("Continue")}
      onSubmit={add}
      remedy={signInAgain}
      onClose={onClose}
    >
      <TextInput
        label={say("Name")}
        description={say("Where it is, such as Phone or Laptop")}
        required
        maxLength={200}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function RemoveButton({ passkey: { id, name } }: { passkey: Passkey }) {
  const [isAsked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    await octavo.people.me.deletePasskey(id);
    await refresh("passkeys");
  };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={say("Remove the passkey {name}", { name })}
        onClick={() => setAsked(true)}
      >
        {say("Remove")}
      </Button>
      {isAsked && (
        <Confirm
          title={say("Remove the passkey {name}?", { name })}
          submit={say("Remove")}
          onSubmit={remove}
          remedy={signInAgain}
          onClose={() => setAsked(false)}
        >
          {say("It signs in no more. The device still shows it until it is removed there, too.")}
        </Confirm>
      )}
    </>
  );
}
