import { Button, Paper, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { Session } from "../api/session.ts";

/** Tries to sign in: shows that it is busy, then the session, or the refusal. */
export type Attempt = (how: () => Promise<Session>) => Promise<void>;

/** What a form to sign in shows of its attempt, with the refusal as children. */
export type FormProps = { isBusy: boolean; attempt: Attempt; children: ReactNode };

type PanelProps = {
  submit: string;
  isBusy: boolean;
  onSubmit(texts: FormData): void;
  below?: ReactNode;
  children: ReactNode;
};

/** The panel of a form with the button that submits it; calls back with its texts by name. */
export function FormPanel({ submit, isBusy, onSubmit, below, children }: PanelProps) {
  return (
    <Paper
      withBorder
      p="lg"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      <Stack>
        {children}
        <Button type="submit" loading={isBusy} fullWidth>
          {submit}
        </Button>
        {below}
      </Stack>
    </Paper>
  );
}
