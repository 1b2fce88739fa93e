import { Button, Group, Paper, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { OwnChange, Person } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { refresh } from "../ui/query.ts";
import { Failure } from "../ui/state.tsx";
import { ownPasskeys } from "./passkeys.tsx";
import { signInAgain } from "./sign-in-again.tsx";

type FormProps = { title: string; done: string; changeOf(form: FormData): OwnChange; children: ReactNode };

/** A part of the profile that is saved by itself. */
function ProfileForm({ title, done, changeOf, children }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await octavo.people.me.update(changeOf(new FormData(form)));
      for (const input of form.querySelectorAll<HTMLInputElement>("input[name*=password]")) input.value = "";
      notifications.show({ message: done });
      await refresh("me", "own sessions", "people");
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save(event.currentTarget);
  };
  return (
    <Paper withBorder p="lg" component="form" aria-label={title} onSubmit={submit} maw={480}>
      <Stack>
        <Title order={2}>{title}</Title>
        {children}
        {error !== undefined && <Failure error={error} title={say("Not saved")} remedy={signInAgain(error)} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {say("Save")}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Whoever signs in by a passkey or at an issuer may have no password. */
function PresentPassword({ label }: { label: string }) {
  const { data: passkeys = [] } = useQuery(ownPasskeys);
  const mayHaveNone = passkeys.length > 0 || document.documentElement.dataset.oidc !== undefined;
  return (
    <PasswordInput
      label={label}
      description={mayHaveNone && say("Empty if you have none")}
      name="current_password"
      autoComplete="current-password"
      required={!mayHaveNone}
    />
  );
}

function presentOf(form: FormData): Pick<OwnChange, "current_password"> {
  const current = String(form.get("current_password") ?? "");
  return current ? { current_password: current } : {};
}

/** Changes the name and the address; another address needs the password. */
export function NameForm({ person }: { person: Person }) {
  const [email, setEmail] = useState(person.email);
  const changeOf = (form: FormData): OwnChange => {
    return { name: String(form.get("name")), email, ...presentOf(form) };
  };
  return (
    <ProfileForm title={say("Name and address")} done={say("Saved")} changeOf={changeOf}>
      <TextInput label={say("Name")} name="name" autoComplete="name" required defaultValue={person.name} />
      <TextInput
        label={say("Email address")}
        name="email"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {email !== person.email && <PresentPassword label={say("Your password")} />}
    </ProfileForm>
  );
}

/** Changes the password; the other sessions end. */
export const PasswordForm = () => (
  <ProfileForm
    title={say("Password")}
    done={say("The password is changed. Your other sessions have ended.")}
    changeOf={(form) => ({
      password: String(form.get("password")),
      ...presentOf(form),
    })}
  >
    <PresentPassword label={say("Present password")} />
    <PasswordInput
      label={say("New password")}
      description={say("At least 8 characters: a few words that do not belong together are good")}
      name="password"
      autoComplete="new-password"
      required
    />
  </ProfileForm>
);
