import { Button, Group, Paper, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, type ReactNode, useState } from "react";
import type { OwnChange, Person } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { refresh } from "../ui/query.ts";
import { Failure } from "../ui/state.tsx";

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
        {error !== undefined && <Failure error={error} title="Not saved" />}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            Save
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** Changes the name and the address; another address needs the password. */
export function NameForm({ person }: { person: Person }) {
  const [email, setEmail] = useState(person.email);
  const changeOf = (form: FormData): OwnChange => {
    const current = String(form.get("current_password") ?? "");
    return { name: String(form.get("name")), email, ...(current && { current_password: current }) };
  };
  return (
    <ProfileForm title="Name and address" done="Saved" changeOf={changeOf}>
      <TextInput label="Name" name="name" autoComplete="name" required defaultValue={person.name} />
      <TextInput
        label="Email address"
        name="email"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {email !== person.email && (
        <PasswordInput label="Your password" name="current_password" autoComplete="current-password" required />
      )}
    </ProfileForm>
  );
}

/** Changes the password; the other sessions end. */
export const PasswordForm = () => (
  <ProfileForm
    title="Password"
    done="The password is changed. Your other sessions have ended."
    changeOf={(form) => ({
      password: String(form.get("password")),
      current_password: String(form.get("current_password")),
    })}
  >
    <PasswordInput label="Present password" name="current_password" autoComplete="current-password" required />
    <PasswordInput
      label="New password"
      description="At least 8 characters: a few words that do not belong together are good"
      name="password"
      autoComplete="new-password"
      required
    />
  </ProfileForm>
);
