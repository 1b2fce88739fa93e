import { ActionIcon, Autocomplete, Group, MultiSelect, Select, TextInput } from "@mantine/core";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { say } from "../language/say.ts";
import { type Condition, type Operator, operators, partsOf } from "../model/filter/filter.ts";
import {
  type FieldOption,
  type FilterField,
  faultOf,
  fieldOf,
  onField,
  operatorsOf,
} from "../model/filter/filter-field.ts";
import { localOf, momentAt } from "../model/filter/moment.ts";
import { EntryChoice } from "./entry-choice.tsx";

type ConditionRowProps = {
  number: number;
  condition: Condition;
  fields: readonly FilterField[];
  /** Added just now: it takes the focus. */
  isNew: boolean;
  onChange(condition: Condition): void;
  onRemove(): void;
};

/** A condition: its field, an operator in words, and a value as the field's kind has it. */
export function ConditionRow({ number, condition, fields, isNew, onChange, onRemove }: ConditionRowProps) {
  const field = fieldOf(fields, condition.key);
  const [typed, setTyped] = useState(field.name);
  // What is typed stays while it names the field; a row may become that of another condition.
  const text = fieldOf(fields, typed).key === field.key ? typed : field.name;
  const offered = operatorsOf(field);
  const isOffered = offered.some(({ value }) => value === condition.operator);
  const { operator } = condition;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) input.current?.focus();
  }, [isNew]);
  return (
    <div className="condition">
      <Autocomplete
        ref={input}
        size="xs"
        aria-label={say("Field of condition {number}", { number })}
        placeholder={say("Field, as year or origin.country")}
        data={[...new Set(fields.map(({ name }) => name))]}
        value={text}
        maxDropdownHeight={320}
        onChange={(changed) => {
          setTyped(changed);
          onChange(onField(condition, fieldOf(fields, changed)));
        }}
        onBlur={() => setTyped(field.name)}
      />
      <Select
        size="xs"
        aria-label={say("Operator of condition {number}", { number })}
        data={isOffered ? offered : [...offered, { value: operator, label: operators[operator].label }]}
        value={operator}
        allowDeselect={false}
        maxDropdownHeight={320}
        onChange={(chosen) => onChange({ ...condition, operator: chosen as Operator })}
      />
      <ValueInput
        label={say("Value of condition {number}", { number })}
        field={field}
        condition={condition}
        onChange={onChange}
      />
      <ActionIcon onClick={onRemove} aria-label={say("Remove condition {number}", { number })}>
        <X size={16} />
      </ActionIcon>
    </div>
  );
}

type ValueProps = { label: string; field: FilterField; condition: Condition; onChange(condition: Condition): void };
const hints = { none: "", one: say("Value"), two: say("From, to"), many: say("Values, separated by commas") };

function ValueInput(props: ValueProps) {
  const { label, field, condition, onChange } = props;
  const { operator, value } = condition;
  const takes = operators[operator].value;
  if (takes === "none") return <TextInput size="xs" aria-label={label} disabled value="" readOnly />;
  const input = {
    label,
    value,
    error: faultOf(field, condition),
    onChange: (changed: string): void => onChange({ ...condition, value: changed }),
  };
  if (field.types) return <EntryChoice {...input} types={field.types} />;
  if (field.options && takes === "many") return <ManyChoices {...input} options={field.options} />;
  if (field.options) return <OneChoice {...input} options={field.options} />;
  const type = field.kind === "day" ? "date" : undefined;
  if ((type || field.kind === "number") && takes === "two") return <Between {...input} type={type} />;
  if (field.kind === "moment") return <Moment {...input} />;
  return <Typed {...input} type={type} placeholder={hints[takes]} />;
}

/** A value is a text; of several values one with commas. */
type InputProps = { label: string; value: string; error: string | undefined; onChange(value: string): void };
type ChoiceProps = InputProps & { options: readonly FieldOption[] };

const ManyChoices = ({ label, value, error, options, onChange }: ChoiceProps) => (
  <MultiSelect
    size="xs"
    error={error}
    aria-label={label}
    data={options}
    value={partsOf(value).filter(Boolean)}
    onChange={(chosen) => onChange(chosen.join(", "))}
  />
);

const OneChoice = ({ label, value, error, options, onChange }: ChoiceProps) => (
  <Select
    size="xs"
    error={error}
    aria-label={label}
    data={options}
    value={value === "" ? null : value}
    onChange={(chosen) => onChange(chosen ?? "")}
  />
);

type TypedProps = InputProps & { type: "date" | undefined; placeholder?: string };

const Typed = ({ label, value, error, type, placeholder, onChange }: TypedProps) => (
  <TextInput
    size="xs"
    error={error}
    type={type}
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

function Between({ label, value, onChange, ...rest }: TypedProps) {
  const [from = "", to = ""] = partsOf(value);
  return (
    <Group gap={6} wrap="nowrap" grow>
      <Typed
        {...rest}
        label={say("{label}, from", { label })}
        placeholder={say("From")}
        value={from}
        onChange={(changed) => onChange(`${changed}, ${to}`)}
      />
      <Typed
        {...rest}
        label={say("{label}, to", { label })}
        placeholder={say("To")}
        value={to}
        onChange={(changed) => onChange(`${from}, ${changed}`)}
      />
    </Group>
  );
}

const Moment = ({ label, value, error, onChange }: InputProps) => (
  <TextInput
    size="xs"
    error={error}
    type="datetime-local"
    aria-label={label}
    value={localOf(value)}
    onChange={(event) => onChange(momentAt(event.currentTarget.value))}
  />
);
