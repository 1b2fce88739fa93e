import {
  Accordion,
  ActionIcon,
  Badge,
  ColorInput,
  Group,
  Select,
  Slider,
  Switch,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { CircleQuestionMark, X } from "lucide-react";
import { useId } from "react";
import { say } from "../language/say.ts";
import { type Argument, type Group as ArgumentGroup, groups, type Values } from "../model/image/arguments.ts";
import { useArgumentHelp } from "./use-argument-help.ts";

type ControlsProps = { values: Values; onChange(values: Values): void };

/** All arguments in groups; each group shows how many of its arguments are set. */
export function Controls({ values, onChange }: ControlsProps) {
  const help = useArgumentHelp();
  const set = (name: string, value: string): void => {
    const { [name]: _, ...others } = values;
    onChange(value === "" ? others : { ...others, [name]: value });
  };
  return (
    <Accordion
      multiple
      defaultValue={[say("Size"), say("Tone"), say("Output")]}
      variant="default"
      chevronPosition="left"
    >
      {groups.map((group) => (
        // The value becomes part of element ids, which contain no spaces.
        <Accordion.Item key={group.label} value={group.label.replaceAll(" ", "-")}>
          <Accordion.Control>
            <GroupLabel group={group} values={values} />
          </Accordion.Control>
          <Accordion.Panel>
            {group.arguments.map((argument) => (
              <ArgumentRow
                key={argument.name}
                argument={argument}
                value={values[argument.name] ?? ""}
                help={help[argument.name] ?? ""}
                onChange={(value) => set(argument.name, value)}
              />
            ))}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function GroupLabel({ group, values }: { group: ArgumentGroup; values: Values }) {
  const count = group.arguments.filter(({ name }) => name in values).length;
  return (
    <Group justify="space-between" wrap="nowrap">
      <span className="field-name">{group.label}</span>
      {count > 0 && <Badge size="sm">{count}</Badge>}
    </Group>
  );
}

type RowProps = { argument: Argument; value: string; help: string; onChange(value: string): void };

function ArgumentRow({ argument, value, help, onChange }: RowProps) {
  const id = useId();
  const { name, label } = argument;
  return (
    <div className="argument" data-argument={name}>
      <Group gap={4} wrap="nowrap" mb={3}>
        <label htmlFor={id} id={`${id}-label`} className="argument-label">
          {label} <code>{name}</code>
        </label>
        <Tooltip label={help} multiline w={280} position="left">
          <ActionIcon size={20} aria-label={`${label}: ${help}`} className="argument-help">
            <CircleQuestionMark size={13} />
          </ActionIcon>
        </Tooltip>
        <ActionIcon
          size={20}
          ms="auto"
          onClick={() => onChange("")}
          aria-label={say("Clear {label} ({name})", { label, name })}
          style={{ visibility: value === "" ? "hidden" : undefined }}
        >
          <X size={13} />
        </ActionIcon>
      </Group>
      <ControlOf id={id} argument={argument} control={argument.control} value={value} onChange={onChange} />
    </div>
  );
}

type Control = Argument["control"];
type ControlProps<C = Control> = {
  id: string;
  argument: Argument;
  control: C;
  value: string;
  onChange(value: string): void;
};
/** A control of this sort. */
type Sort<S extends Control["sort"]> = Extract<Control, { sort: S }>;

function ControlOf({ control, ...props }: ControlProps) {
  switch (control.sort) {
    case "range":
      return <Range control={control} {...props} />;
    case "choice":
      return <Choice control={control} {...props} />;
    case "colour":
      return <Colour control={control} {...props} />;
    case "switch":
      return <OnOff control={control} {...props} />;
    default:
      return <Typed control={control} {...props} />;
  }
}

function Range({ id, argument: { name, label }, control, value, onChange }: ControlProps<Sort<"range">>) {
  const { min, max, step, neutral } = control;
  const number = value === "" ? neutral : Number(value);
  const change = (chosen: number) => onChange(chosen === neutral ? "" : String(Math.round(chosen * 100) / 100));
  return (
    <Group gap="sm" wrap="nowrap">
      <Slider
        flex={1}
        size="sm"
        label={null}
        min={min}
        max={max}
        step={step}
        value={number}
        onChange={change}
        thumbLabel={`${label} (${name})`}
      />
      <TextInput
        id={id}
        size="xs"
        w={62}
        inputMode="decimal"
        value={value}
        placeholder={String(neutral)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Group>
  );
}

const Choice = ({ id, control, value, onChange }: ControlProps<Sort<"choice">>) => (
  <Select
    id={id}
    size="xs"
    data={control.options}
    value={value || null}
    onChange={(chosen) => onChange(chosen ?? "")}
    placeholder={say("Not set")}
    searchable={control.options.length > 9}
  />
);

const Colour = ({ id, argument: { label }, value, onChange }: ControlProps<Sort<"colour">>) => (
  <ColorInput
    id={id}
    size="xs"
    format="hex"
    value={value === "" ? "" : `#${value}`}
    onChange={(colour) => onChange(colour.replace("#", ""))}
    placeholder="#f0f0f0"
    eyeDropperButtonProps={{ "aria-label": say("{label}: take a colour from the screen", { label }) }}
    popoverProps={{ position: "bottom-end" }}
  />
);

const OnOff = ({ id, value, onChange }: ControlProps<Sort<"switch">>) => (
  <Switch
    id={id}
    size="sm"
    checked={value === "1"}
    onChange={(event) => onChange(event.currentTarget.checked ? "1" : "")}
  />
);

const Typed = ({ id, control, value, onChange }: ControlProps<Sort<"text">>) => (
  <TextInput
    id={id}
    size="xs"
    value={value}
    placeholder={control.placeholder}
    onChange={(event) => onChange(event.currentTarget.value)}
    spellCheck={false}
  />
);
