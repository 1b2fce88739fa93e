import { Button, Group, Modal, type ModalProps, Stack, Text } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { say } from "../language/say.ts";
import { useFocusBack } from "./focus.ts";
import { Failure } from "./state.tsx";

/** A dialog, open while it is mounted. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  useFocusBack();
  return <Modal opened centered {...props} />;
}

type FormDialogProps = {
  title: string;
  submit: string;
  /** The action; the dialog closes on success and shows the error on failure. */
  onSubmit(): Promise<void>;
  /** Shows a failure at the field that it is about; true when it does. */
  isShownAtField?(error: unknown): boolean;
  onClose(): void;
  isDangerous?: boolean;
  isDisabled?: boolean;
  size?: string;
  /** An action to offer after a failure. */
  remedy?: ReactNode | ((error: unknown) => ReactNode);
  children: ReactNode;
};

/** A dialog with a form: Enter submits, Escape closes. */
export function FormDialog({ title, submit, onSubmit, onClose, children, ...rest }: FormDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
      onClose();
    } catch (failure) {
      if (!rest.isShownAtField?.(failure)) setError(failure);
      setBusy(false);
    }
  };
  const { remedy } = rest;
  const remedyOf = typeof remedy === "function" ? remedy : () => remedy;
  return (
    <Dialog onClose={onClose} title={title} size={rest.size}>
      <form onSubmit={send}>
        <Stack gap="md">
          {children}
          {error !== undefined && <Failure error={error} remedy={remedyOf(error)} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {say("Cancel")}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={rest.isDisabled}
              color={rest.isDangerous ? "red" : undefined}
            >
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Asks for confirmation of an action that cannot be undone. */
export function Confirm({ children, ...rest }: FormDialogProps) {
  return (
    <FormDialog isDangerous {...rest}>
      <Text size="sm">{children}</Text>
    </FormDialog>
  );
}
