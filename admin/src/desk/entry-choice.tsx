import { Button, Input } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { say } from "../language/say.ts";
import { EntryTitle } from "../query/reference.tsx";

const EntryPicker = lazy(async () => ({ default: (await import("../picker/entry-picker.tsx")).EntryPicker }));

type EntryChoiceProps = {
  label: string;
  /** Shown above it. */
  hasLabel?: boolean;
  /** The id; empty for none. */
  value: string;
  /** Of the entries that may be chosen; none for all. */
  types: readonly string[];
  onChange(id: string): void;
};

/** A reference as a value: the title of its entry, which is chosen in a dialog. */
export function EntryChoice({ label, hasLabel = false, value, types, onChange }: EntryChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Input.Wrapper label={hasLabel ? label : undefined} labelElement="div">
      <Button
        variant="default"
        size="xs"
        fullWidth
        justify="flex-start"
        className="entry-choice"
        aria-label={hasLabel || value === "" ? label : undefined}
        onClick={() => setOpen(true)}
      >
        {value === "" ? say("Choose an entry…") : <EntryTitle id={value} />}
      </Button>
      {isOpen && (
        <Suspense>
          <EntryPicker types={types} onPick={onChange} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Input.Wrapper>
  );
}
