import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "./dialog.tsx";

type PathDialogProps = {
  title: string;
  submit: string;
  label: string;
  /** What the field holds first; its last segment is selected. */
  initial: string;
  help?: string;
  isEmptyAllowed?: boolean;
  onSubmit(path: string): Promise<void>;
  onClose(): void;
};

const trimmed = (path: string): string => path.trim().replace(/^\/+|\/+$/g, "");

/** Asks for a path: where something goes, or what it is to be called. */
export function PathDialog({ title, submit, label, initial, onSubmit, onClose, ...rest }: PathDialogProps) {
  const { help, isEmptyAllowed = false } = rest;
  const [path, setPath] = useState(initial);
  const select = (input: HTMLInputElement | null): void => {
    if (!input || input.dataset.selected) return;
    input.dataset.selected = "true";
    const dot = initial.lastIndexOf(".");
    const start = initial.lastIndexOf("/") + 1;
    // After the dialog has trapped the focus, which would select all of it.
    setTimeout(() => {
      input.focus();
      input.setSelectionRange(start, dot > start ? dot : initial.length);
    }, 60);
  };
  return (
    <FormDialog
      title={title}
      submit={submit}
      onSubmit={() => onSubmit(trimmed(path))}
      onClose={onClose}
      isDisabled={!isEmptyAllowed && trimmed(path) === ""}
    >
      <TextInput
        ref={select}
        label={label}
        value={path}
        onChange={(event) => setPath(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
        className="mono-input"
        data-autofocus
        required={!isEmptyAllowed}
      />
      {help && (
        <Text size="xs" c="dimmed">
          {help}
        </Text>
      )}
    </FormDialog>
  );
}
