import { Text, TextInput } from "@mantine/core";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { FormDialog } from "../ui/dialog.tsx";

export type PathDialogProps = {
  title: string;
  submit: string;
  label: string;
  /** The initial value; its last segment, without an extension, is selected. */
  initial: string;
  help?: string;
  isEmptyAllowed?: boolean;
  /** Why the initial value was refused. */
  fault?: string | undefined;
  /** The failures that are about the path: they are shown at the field. */
  faultOf?(error: unknown): string | undefined;
  /** What to do about a failure. */
  remedy?: ((error: unknown) => ReactNode) | undefined;
  onSubmit(path: string): Promise<void>;
  onClose(): void;
  /** Another way to choose the path. */
  picker?: ((path: string, onPick: (path: string) => void) => ReactNode) | undefined;
  /** More inputs. */
  children?: ReactNode;
};

const trimmed = (path: string): string => path.trim().replace(/^\/+|\/+$/g, "");

/** Asks for a path: a destination or a new name. */
export function PathDialog({ title, submit, label, initial, onSubmit, onClose, ...rest }: PathDialogProps) {
  const { help, isEmptyAllowed = false, faultOf } = rest;
  const [path, setPath] = useState(initial);
  const [fault, setFault] = useState(rest.fault);
  const input = useRef<HTMLInputElement>(null);
  // Stable across renders: it is called once.
  const take = useCallback((element: HTMLInputElement | null) => {
    input.current = element;
    selectName(element);
  }, []);
  return (
    <FormDialog
      title={title}
      submit={submit}
      onSubmit={() => onSubmit(trimmed(path))}
      onClose={onClose}
      remedy={rest.remedy}
      isDisabled={!isEmptyAllowed && trimmed(path) === ""}
      isShownAtField={(error) => {
        const found = faultOf?.(error);
        setFault(found);
        if (found !== undefined) input.current?.focus();
        return found !== undefined;
      }}
    >
      <TextInput
        ref={take}
        label={label}
        value={path}
        onChange={(event) => {
          setPath(event.currentTarget.value);
          setFault(undefined);
        }}
        error={fault}
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
      {rest.picker?.(trimmed(path), (picked) => {
        setPath(picked);
        setFault(undefined);
      })}
      {rest.children}
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
