import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { say } from "../language/say.ts";
import { CopyLine } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

type ShownOnceProps = {
  title: string;
  icon: ReactNode;
  /** What to do with it. */
  advice: string;
  value: string;
  /** Of the button that copies it. */
  label: string;
  /** Below it, small. */
  hint: string;
  onClose(): void;
  /** Why it has to be copied now. */
  children: ReactNode;
};

/** Shows a line that cannot be read again. */
export const ShownOnce = ({ value, label, hint, children, ...rest }: ShownOnceProps) => (
  <OnceDialog why={children} {...rest}>
    <CopyLine value={value} label={label} />
    <Text size="xs" c="dimmed">
      {hint}
    </Text>
  </OnceDialog>
);

type OnceProps = Pick<ShownOnceProps, "title" | "icon" | "advice" | "onClose"> & {
  why: ReactNode;
  children: ReactNode;
};

/** Shows what cannot be read again: only the button closes the dialog, and it stays over the page that asks to sign in again. */
export function OnceDialog({ title, icon, advice, why, onClose, children }: OnceProps) {
  return (
    <Dialog
      onClose={onClose}
      className="secret"
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert icon={icon} color="yellow" title={advice}>
          {why}
        </Alert>
        {children}
        <Button onClick={onClose} ms="auto">
          {say("I have it")}
        </Button>
      </Stack>
    </Dialog>
  );
}
