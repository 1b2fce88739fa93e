import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "./dialog.tsx";

type PathDialogProps = {
  title: string;
  submit: string;
  label: string;
  /** The initial value; its last segment, without an extension, is selected. */
  initial: string;
  help?: string;
  isEmptyAllowed?: boolean;
  onSubmit(path: string): Promise<void>;
  onClose(): void;
};

const trimmed = (path: string): string => path.trim().replace(/^\/+|\/+$/g, "");

/** Asks for a path: a destination or a new name. */
export function PathDialog({ title, submit, label, initial, onSubmit, onClose, ...rest }: PathDialogProps) {
  const { help, isEmptyAllowed = false } = rest;
  const [path, setPath] = useState(initial);
  return (
    <FormDialog
      title={title}
      submit={submit}
      onSubmit={() => onSubmit(trimmed(path))}
      onClose={onClose}
      isDisabled={!isEmptyAllowed && trimmed(path) === ""}
    >
      <TextInput
        ref={selectName}
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

/** Selects it on mount; a later focus keeps the selection. */
function selectName(input: HTMLInputElement | null): void {
  if (!input) return;
  const { value } = input;
  const dot = value.lastIndexOf(".");
  const start = value.lastIndexOf("/") + 1;
  input.setSelectionRange(start, dot > start ? dot : value.length);
}
