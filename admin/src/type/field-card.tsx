import {
  ActionIcon,
  Badge,
  Collapse,
  Group,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { ArrowDown, ArrowUp, ChevronRight, GripVertical, Trash2 } from "lucide-react";
import { useContext, useEffect, useId, useRef, useState } from "react";
import type { Json, JsonObject } from "../api/json.ts";
import { isAtOrBelow, pointerTo, SchemaFaultContext } from "./fault-place.ts";
import { FieldKindInput } from "./field-kind-input.tsx";
import { FieldOptions } from "./field-options.tsx";
import { KeywordJson } from "./keyword-inputs.tsx";
import { kindOf, labelOf } from "./kind.ts";
import { objectOf, type SchemaField, withKeyword } from "./schema-edit.ts";

type FieldCardProps = {
  field: SchemaField;
  /** The name with which it is stored; undefined when the group is not. */
  storedAs: string | undefined;
  stored: JsonObject | undefined;
  pointer: string;
  isNew: boolean;
  isFirst: boolean;
  isLast: boolean;
  taken(name: string): boolean;
  onChange(schema: Json): void;
  onRename(name: string): void;
  onRequire(isRequired: boolean): void;
  onMove(by: -1 | 1): void;
  onRemove(): void;
  onDrag(isDragged: boolean): void;
};

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** One field: its name and kind, and all about it when it is open. */
export function FieldCard(props: FieldCardProps) {
  const { field, isNew, pointer } = props;
  const own = pointerTo(pointer, "properties", field.name);
  const fault = useContext(SchemaFaultContext);
  const isFaulty = isAtOrBelow(fault, own);
  const [isOpen, setOpen] = useState(isNew);
  const panel = useId();
  useEffect(() => {
    if (isFaulty) setOpen(true);
  }, [isFaulty]);
  const title = textOf(objectOf(field.schema)?.title);
  const { onMove, onRemove, onDrag, isFirst, isLast } = props;
  return (
    <div className="panel field-card" data-faulty={isFaulty || undefined}>
      <div className="field-head">
        <span
          className="field-grip"
          draggable
          onDragStart={(event) => {
            event.stopPropagation();
            event.dataTransfer.setData("text/plain", field.name);
            event.dataTransfer.effectAllowed = "move";
            onDrag(true);
          }}
          onDragEnd={() => onDrag(false)}
          aria-hidden
        >
          <GripVertical size={15} />
        </span>
        <UnstyledButton
          className="field-open"
          aria-expanded={isOpen}
          aria-controls={panel}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={14} className="field-arrow" aria-hidden />
          <span className="name-lines">
            <span dir="auto">{title || field.name}</span>
            <small className="mono">{field.name}</small>
          </span>
          <Badge color="gray" visibleFrom="xs">
            {labelOf(field.schema)}
          </Badge>
          {field.isRequired && <Badge color="indigo">Required</Badge>}
        </UnstyledButton>
        <ActionIcon onClick={() => onMove(-1)} disabled={isFirst} aria-label={`Move ${field.name} up`}>
          <ArrowUp size={15} />
        </ActionIcon>
        <ActionIcon onClick={() => onMove(1)} disabled={isLast} aria-label={`Move ${field.name} down`}>
          <ArrowDown size={15} />
        </ActionIcon>
        <ActionIcon onClick={onRemove} aria-label={`Remove the field ${field.name}`}>
          <Trash2 size={15} />
        </ActionIcon>
      </div>
      <Collapse expanded={isOpen} id={panel}>
        {isOpen && (
          <Stack gap="sm" className="field-body">
            {isFaulty && (
              <Text size="sm" c="red" role="alert">
                {fault?.pointer}: {fault?.rule}
              </Text>
            )}
            <FieldBody {...props} pointer={own} />
          </Stack>
        )}
      </Collapse>
    </div>
  );
}

function FieldBody({ field, storedAs, stored, pointer, isNew, taken, onChange, onRename, onRequire }: FieldCardProps) {
  const { name, isRequired } = field;
  const schema = objectOf(field.schema);
  const kind = kindOf(schema);
  const requirement = (
    <Switch
      label="Required"
      checked={isRequired}
      onChange={(event) => onRequire(event.currentTarget.checked)}
      className="field-required"
    />
  );
  const names = <NameInput name={name} isNew={isNew} taken={taken} onRename={onRename} />;
  const isRenamed = storedAs !== undefined && storedAs !== name && Object.hasOwn(propertiesOf(stored), storedAs);
  const note = isRenamed && (
    <Text size="xs" c="dimmed" role="note">
      Entries keep what they have under <b>{storedAs}</b>: it is not renamed in them.
    </Text>
  );
  if (!schema || !kind)
    return (
      <>
        {names}
        {note}
        {requirement}
        <KeywordJson label={`Schema of ${name}`} value={field.schema} onChange={(value) => onChange(value ?? true)} />
      </>
    );
  const set = (keyword: string, value: Json | undefined): void => onChange(withKeyword(schema, keyword, value));
  return (
    <>
      <Group gap="sm" grow preventGrowOverflow={false} align="flex-start">
        {names}
        <TextInput
          label="Title"
          value={textOf(schema.title)}
          onChange={(event) => set("title", event.currentTarget.value || undefined)}
        />
      </Group>
      {note}
      <Textarea
        label="Help text"
        value={textOf(schema.description)}
        onChange={(event) => set("description", event.currentTarget.value || undefined)}
        autosize
        minRows={1}
        maxRows={6}
      />
      <FieldKindInput name={name} schema={schema} kind={kind} onChange={onChange} />
      {requirement}
      <FieldOptions
        name={name}
        schema={schema}
        kind={kind}
        stored={storedAs === undefined ? undefined : propertiesOf(stored)[storedAs]}
        pointer={pointer}
        onChange={onChange}
      />
    </>
  );
}

const propertiesOf = (schema: JsonObject | undefined): JsonObject => objectOf(schema?.properties) ?? {};

type NameInputProps = { name: string; isNew: boolean; taken(name: string): boolean; onRename(name: string): void };

/** The name of a field; it is renamed when the input is left. */
function NameInput({ name, isNew, taken, onRename }: NameInputProps) {
  const [typed, setTyped] = useState(name);
  const before = useRef(name);
  useEffect(() => {
    if (before.current !== name) setTyped(name);
    before.current = name;
  }, [name]);
  const fault = faultOf(typed, taken);
  const rename = (): void => {
    if (fault === undefined && typed !== name) onRename(typed);
  };
  return (
    <TextInput
      label="Name"
      value={typed}
      error={fault}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={rename}
      onKeyDown={(event) => event.key === "Enter" && rename()}
      className="mono-input"
      spellCheck={false}
      ref={isNew ? selectOnce : undefined}
    />
  );
}

const seen = new WeakSet<HTMLInputElement>();
function selectOnce(input: HTMLInputElement | null): void {
  if (!input || seen.has(input)) return;
  seen.add(input);
  input.focus();
  input.select();
}

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

function faultOf(name: string, taken: (name: string) => boolean): string | undefined {
  if (name === "") return "A field needs a name";
  if (forbidden.has(name)) return "The service accepts no field of this name";
  return taken(name) ? "There is a field of this name already" : undefined;
}
