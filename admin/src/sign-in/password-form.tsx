import { PasswordInput, Text, TextInput } from "@mantine/core";
import { signInAs } from "../api/session.ts";
import { say } from "../language/say.ts";
import { FormPanel, type FormProps } from "./form-panel.tsx";
import { issuer } from "./issuer.tsx";
import { PasskeyButton } from "./passkey-button.tsx";

/** Signs a person in. */
export function PasswordForm({ isBusy, attempt, children }: FormProps) {
  const submit = (form: FormData): void =>
    void attempt(() => signInAs(String(form.get("email")), String(form.get("password"))));
  return (
    <>
      <FormPanel submit={say("Sign in")} isBusy={isBusy} onSubmit={submit}>
        <TextInput
          label={say("Email address")}
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus={issuer() === undefined}
        />
        <PasswordInput
          label={say("Password")}
          name="password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": say("Show the password") }}
          required
        />
        {children}
      </FormPanel>
      <PasskeyButton isBusy={isBusy} attempt={attempt} />
      <Text size="xs" c="dimmed" ta="center">
        {say("A forgotten password is replaced by a link from an owner.")}
      </Text>
    </>
  );
}
