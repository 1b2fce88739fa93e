import { Anchor, Code, PasswordInput, Text } from "@mantine/core";
import { signIn } from "../api/session.ts";
import { say } from "../language/say.ts";
import { FormPanel, type FormProps } from "./form-panel.tsx";

/** Signs in with a management and an access token. */
export function TokenForm({ isBusy, attempt, children }: FormProps) {
  const submit = (form: FormData): void => {
    const textOf = (name: string): string => String(form.get(name)).trim();
    void attempt(() => signIn(textOf("token"), textOf("access_token")));
  };
  return (
    <>
      <FormPanel submit={say("Sign in")} isBusy={isBusy} onSubmit={submit}>
        <PasswordInput
          label={say("Management token")}
          name="token"
          placeholder="oct_m_…"
          autoComplete="username"
          spellCheck={false}
          visibilityToggleButtonProps={{ "aria-label": say("Show the management token") }}
          required
          autoFocus
        />
        <PasswordInput
          label={say("Access token")}
          name="access_token"
          placeholder="oct_a_…"
          autoComplete="current-password"
          spellCheck={false}
          visibilityToggleButtonProps={{ "aria-label": say("Show the access token") }}
          required
        />
        {children}
      </FormPanel>
      <Help />
    </>
  );
}

function Help() {
  return (
    <Text size="xs" c="dimmed" component="div">
      {say("No tokens at hand? Make a pair beside the running service:")}
      <Code block mt={6} tabIndex={0}>
        {
          "npx octavo token create --kind management \\\n  --resources entries,registry,files,folders,admin\nnpx octavo token create --kind access"
        }
      </Code>
      <Anchor href="/docs/problems" size="xs" mt={8} display="inline-block">
        {say("What the refusals mean")}
      </Anchor>
    </Text>
  );
}
