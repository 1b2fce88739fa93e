import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { Failure } from "./state.tsx";

type FormDialogProps = {
  title: string;
  submit: string;
  /** What is done; the dialog closes when it succeeds and shows why when it does not. */
  onSubmit(): Promise<void>;
  onClose(): void;
  isDangerous?: boolean;
  isDisabled?: boolean;
  size?: string;
  /** What can be done when it did not succeed. */
  remedy?: ReactNode;
  children: ReactNode;
};

/** A dialog with a form: Enter sends it, Escape closes it. */
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
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title} size={rest.size} centered>
      <form onSubmit={send}>
        <Stack gap="md">
          {children}
          {error !== undefined && <Failure error={error} remedy={rest.remedy} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
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
    </Modal>
  );
}

/** A question before what cannot be undone. */
export function Confirm({ children, ...rest }: FormDialogProps) {
  return (
    <FormDialog isDangerous {...rest}>
      <Text size="sm">{children}</Text>
    </FormDialog>
  );
}
