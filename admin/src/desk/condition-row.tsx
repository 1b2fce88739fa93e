import { ActionIcon, Autocomplete, Group, MultiSelect, Select, TextInput } from "@mantine/core";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type Condition, type Operator, operators, partsOf } from "../model/filter/filter.ts";
import { type FilterField, faultOf, fieldOf, onField, operatorsOf } from "../model/filter/filter-field.ts";
import { localOf, momentAt } from "../model/filter/moment.ts";

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
        aria-label={`Field of condition ${number}`}
        placeholder="Field, as year or origin.country"
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
        aria-label={`Operator of condition ${number}`}
        data={isOffered ? offered : [...offered, { value: operator, label: operators[operator].label }]}
        value={operator}
        allowDeselect={false}
        maxDropdownHeight={320}
        onChange={(chosen) => onChange({ ...condition, operator: chosen as Operator })}
      />
      <ValueInput label={`Value of condition ${number}`} field={field} condition={condition} onChange={onChange} />
      <ActionIcon onClick={onRemove} aria-label={`Remove condition ${number}`}>
        <X size={16} />
      </ActionIcon>
    </div>
  );
}

type ValueProps = { label: string; field: FilterField; condition: Condition; onChange(condition: Condition): void };
const hints = { none: "", one: "Value", two: "From, to", many: "Values, separated by commas" };

function ValueInput({ label, field, condition, onChange }: ValueProps) {
  const { operator, value } = condition;
  const takes = operators[operator].value;
  const set = (changed: string): void => onChange({ ...condition, value: changed });
  const error = faultOf(field, condition);
  const type = field.kind === "day" ? "date" : undefined;
  const shared = { size: "xs", error } as const;
  if (takes === "none") return <TextInput size="xs" aria-label={label} disabled value="" readOnly />;
  if (field.options && takes === "many")
    return (
      <MultiSelect
        {...shared}
        aria-label={label}
        data={field.options}
        value={partsOf(value).filter(Boolean)}
        onChange={(chosen) => set(chosen.join(", "))}
      />
    );
  if (field.options)
    return (
      <Select
        {...shared}
        aria-label={label}
        data={field.options}
        value={value === "" ? null : value}
        onChange={(chosen) => set(chosen ?? "")}
      />
    );
  if ((type || field.kind === "number") && takes === "two") {
    const [from = "", to = ""] = partsOf(value);
    return (
      <Group gap={6} wrap="nowrap" grow>
        <TextInput
          {...shared}
          type={type}
          aria-label={`${label}, from`}
          placeholder="From"
          value={from}
          onChange={(event) => set(`${event.currentTarget.value}, ${to}`)}
        />
        <TextInput
          {...shared}
          type={type}
          aria-label={`${label}, to`}
          placeholder="To"
          value={to}
          onChange={(event) => set(`${from}, ${event.currentTarget.value}`)}
        />
      </Group>
    );
  }
  if (field.kind === "moment")
    return (
      <TextInput
        {...shared}
        type="datetime-local"
        aria-label={label}
        value={localOf(value)}
        onChange={(event) => set(momentAt(event.currentTarget.value))}
      />
    );
  return (
    <TextInput
      {...shared}
      type={type}
      aria-label={label}
      placeholder={hints[takes]}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
