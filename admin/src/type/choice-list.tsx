import { ActionIcon, Button, Group, Text, TextInput } from "@mantine/core";
import { GripVertical, Plus, Trash2 } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import type { JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { wordsOf } from "../model/field-name.ts";
import { moved } from "../model/form/value.ts";
import { type Choice, choicesOf, withChoices } from "../model/type/choices.ts";
import { MoveButtons } from "../ui/move-buttons.tsx";
import { useSorting } from "../ui/sort.ts";
import { focusOnce } from "./focus-once.ts";

type ChoiceListProps = {
  schema: JsonObject;
  /** The field as it is stored. */
  stored: JsonObject | undefined;
  onChange(schema: JsonObject): void;
};

/** The choices of a field: what each is called in forms, and the value that is stored. Enter adds the next. */
export function ChoiceList({ schema, stored, onChange }: ChoiceListProps) {
  const choices = choicesOf(schema);
  const storedValues = new Set(choicesOf(stored ?? {}).map(({ value }) => value));
  const id = useId();
  const [added, setAdded] = useState<number>();
  const set = (changed: readonly Choice[]): void => onChange(withChoices(schema, changed));
  const addAt = (at: number): void => {
    setAdded(at);
    set(choices.toSpliced(at, 0, { value: freeValue("choice", choices), label: "" }));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout.
    <div role="group" aria-labelledby={id}>
      <span id={id} className="choices-label">
        {say("Choices")}
      </span>
      <Text size="xs" c="dimmed" mb={4}>
        {say("What forms and lists show, and the value that is stored")}
      </Text>
      <ol className="field-cards">
        {choices.map((_, i) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: two choices may be the same while they are typed.
            key={i}
            list={id}
            index={i}
            choices={choices}
            storedValues={storedValues}
            isNew={i === added}
            onChange={(changed) => set(choices.with(i, changed))}
            onMove={(from, to) => {
              setAdded(undefined);
              set(moved(choices, from, to));
            }}
            onRemove={() => {
              setAdded(undefined);
              set(choices.toSpliced(i, 1));
            }}
            onNext={() => addAt(i + 1)}
          />
        ))}
      </ol>
      <Button variant="default" size="xs" leftSection={<Plus size={14} />} onClick={() => addAt(choices.length)}>
        {say("Add a choice")}
      </Button>
    </div>
  );
}

const freeValue = (wanted: string, others: readonly Choice[]): string => {
  for (let i = 1; ; i++) {
    const value = i === 1 ? wanted : `${wanted}_${i}`;
    if (others.every((each) => each.value !== value)) return value;
  }
};

type RowProps = {
  list: string;
  index: number;
  choices: readonly Choice[];
  /** Entries may have them. */
  storedValues: ReadonlySet<string>;
  isNew: boolean;
  onChange(choice: Choice): void;
  onMove(from: number, to: number): void;
  onRemove(): void;
  onNext(): void;
};

type Following = Pick<RowProps, "storedValues" | "isNew" | "onChange"> & { choice: Choice; others: readonly Choice[] };

/** Changes of a choice: its value follows its label until it is typed, or stored. */
function useFollowing({ choice: { value, label }, others, storedValues, isNew, onChange }: Following) {
  /** The value that was set last, and whether its label has made it. */
  const last = useRef<{ value: string; isMade: boolean }>(undefined);
  const setLabel = (typed: string): void => {
    const isInStep = label !== "" && freeValue(wordsOf(label), others) === value;
    const isMade = last.current?.value === value ? last.current.isMade : isNew || isInStep;
    const words = isMade && !storedValues.has(value) ? wordsOf(typed) : "";
    const made = words === "" ? value : freeValue(words, others);
    last.current = { value: made, isMade };
    onChange({ label: typed, value: made });
  };
  const setValue = (typed: string): void => {
    last.current = { value: typed, isMade: false };
    onChange({ label, value: typed });
  };
  return { setLabel, setValue };
}

function Row({ list, index, choices, storedValues, isNew, onChange, onMove, onRemove, onNext }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  const grip = useRef<HTMLSpanElement>(null);
  const edge = useSorting({ list, index, row, handle: grip, onMove });
  const { value, label } = choices[index] as Choice;
  const others = choices.toSpliced(index, 1);
  const isTwice = others.some((each) => each.value === value);
  const name = label || value;
  const { setLabel, setValue } = useFollowing({ choice: { value, label }, others, storedValues, isNew, onChange });
  const next = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    onNext();
  };
  return (
    <li ref={row} className="sortable choice-row" data-edge={edge}>
      <span ref={grip} className="field-grip" title={say("Drag to sort")} aria-hidden>
        <GripVertical size={15} />
      </span>
      <TextInput
        size="xs"
        aria-label={say("Label of choice {index}", { index: index + 1 })}
        placeholder={value}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        onKeyDown={next}
        ref={isNew ? focusOnce : undefined}
        attributes={{ input: { dir: "auto" } }}
      />
      <TextInput
        size="xs"
        aria-label={say("Value of choice {index}", { index: index + 1 })}
        className="mono-input"
        spellCheck={false}
        value={value}
        error={isTwice ? say("Twice in the list") : undefined}
        onChange={(event) => setValue(event.currentTarget.value)}
        onKeyDown={next}
      />
      <Group gap={0} wrap="nowrap">
        <MoveButtons {...{ index, name, onMove }} count={choices.length} />
        <ActionIcon
          onClick={onRemove}
          disabled={choices.length === 1}
          aria-label={say("Remove the choice {name}", { name })}
        >
          <Trash2 size={15} />
        </ActionIcon>
      </Group>
    </li>
  );
}
