import { Badge, Button, Group, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useContext, useEffect, useRef, useState } from "react";
import type { Json, JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { faultOf, insteadOf, isLastPart, nameFor, wordsOf } from "../model/field-name.ts";
import { objectOf } from "../model/type/fields.ts";
import { kindOf, labelOf } from "../model/type/kind.ts";
import { type SchemaField, withKeyword } from "../model/type/schema-edit.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { Card } from "./card.tsx";
import { isAtOrBelow, pointerTo, SchemaFaultContext } from "./fault-place.ts";
import { FieldKindInput } from "./field-kind-input.tsx";
import { FieldOptions } from "./field-options.tsx";
import { focusOnce } from "./focus-once.ts";
import { KeywordJson } from "./keyword-inputs.tsx";
import { LocalizedInput } from "./localized-input.tsx";

type FieldCardProps = {
  list: string;
  index: number;
  count: number;
  field: SchemaField;
  /** The name with which it is stored; undefined when the group is not. */
  storedAs: string | undefined;
  stored: JsonObject | undefined;
  pointer: string;
  isNew: boolean;
  taken(name: string): boolean;
  /** Changes the field, and its name when one is given. */
  onChange(schema: Json, name?: string): void;
  onRequire(isRequired: boolean): void;
  onMove(from: number, to: number): void;
  onInsert(): void;
  onRemove(): void;
};

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** One field: its title and kind, and all about it when it is open. */
export function FieldCard(props: FieldCardProps) {
  const { field, isNew, pointer, list, index, count, onMove, onInsert, onRemove } = props;
  const own = pointerTo(pointer, "properties", field.name);
  const fault = useContext(SchemaFaultContext);
  const isFaulty = isAtOrBelow(fault, own);
  const [isOpen, setOpen] = useState(isNew);
  useEffect(() => {
    if (isFaulty) setOpen(true);
  }, [isFaulty]);
  const title = textOf(objectOf(field.schema)?.title);
  const head = (
    <>
      <span className="name-lines">
        <span dir="auto">{title || field.name}</span>
        <small className="mono">{field.name}</small>
      </span>
      <Badge color="gray" visibleFrom="xs">
        {labelOf(field.schema)}
      </Badge>
      {field.isRequired && <Badge color="indigo">{say("Required")}</Badge>}
    </>
  );
  return (
    <Card
      {...{ list, index, count, head, isFaulty, isOpen, onMove, onInsert, onRemove }}
      noun="field"
      name={field.name}
      onToggle={() => setOpen(!isOpen)}
    >
      {isFaulty && (
        <Text size="sm" c="red" role="alert">
          {fault?.pointer}: {fault?.rule}
        </Text>
      )}
      <FieldBody {...props} own={own} />
    </Card>
  );
}

function FieldBody(props: FieldCardProps & { own: string }) {
  const { field, storedAs, own, onChange, onRequire } = props;
  const { name } = field;
  const stored = propertiesOf(props.stored);
  const schema = objectOf(field.schema);
  const kind = kindOf(schema);
  const set = (keyword: string, value: Json | undefined): void => onChange(withKeyword(schema ?? {}, keyword, value));
  return (
    <>
      <FieldNames {...props} />
      {schema && kind && (
        <>
          <Textarea
            label={say("Help text")}
            value={textOf(schema.description)}
            onChange={(event) => set("description", event.currentTarget.value || undefined)}
            autosize
            minRows={1}
            maxRows={6}
          />
          <FieldKindInput name={name} schema={schema} kind={kind} onChange={onChange} />
        </>
      )}
      <Switch
        label={say("Required")}
        checked={field.isRequired}
        onChange={(event) => onRequire(event.currentTarget.checked)}
        className="field-required"
      />
      {props.pointer === "" && schema && <LocalizedInput name={name} schema={schema} onChange={onChange} />}
      {schema && kind ? (
        <FieldOptions
          name={name}
          schema={schema}
          kind={kind}
          // One that was added has its own name once it is saved.
          stored={(storedAs === undefined ? undefined : stored[storedAs]) ?? stored[name]}
          pointer={own}
          onChange={onChange}
        />
      ) : (
        <KeywordJson
          label={say("Schema of {name}", { name })}
          value={field.schema}
          onChange={(value) => onChange(value ?? true)}
        />
      )}
    </>
  );
}

/** The title and the name of a field, and what there is to know of its name. */
function FieldNames({ field, storedAs, stored, isNew, pointer, taken, onChange, onRemove }: FieldCardProps) {
  const { name } = field;
  const schema = objectOf(field.schema);
  const names = { taken, isTop: pointer === "" };
  const title = textOf(schema?.title);
  // The name of a new field follows its title until it is typed.
  const [follows, setFollows] = useState(isNew && (title === "" || nameFor(title, names) === name));
  const rename = (to: string): void => {
    setFollows(false);
    onChange(field.schema, to);
  };
  const setTitle = (typed: string): void => {
    const to = (follows && nameFor(typed, names)) || name;
    if (schema) onChange(withKeyword(schema, "title", typed || undefined), to);
  };
  const isRenamed = storedAs !== undefined && storedAs !== name && Object.hasOwn(propertiesOf(stored), storedAs);
  return (
    <>
      <Group gap="sm" grow preventGrowOverflow={false} align="flex-start">
        {schema && kindOf(schema) && (
          <TextInput
            label={say("Title")}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            ref={isNew ? focusOnce : undefined}
            attributes={{ input: { dir: "auto" } }}
          />
        )}
        <NameInput name={name} faultOf={(typed) => faultOf(typed, names)} onRename={rename} />
      </Group>
      {names.isTop && <OwnName name={name} wanted={isNew ? wordsOf(title) : name} onRemove={onRemove} />}
      {isRenamed && (
        <Text size="xs" c="dimmed" role="note">
          {sayParts("Entries have it as {storedAs}. When you save, it can be renamed in them, too.", {
            storedAs: <b>{storedAs}</b>,
          })}
        </Text>
      )}
    </>
  );
}

const propertiesOf = (schema: JsonObject | undefined): JsonObject => objectOf(schema?.properties) ?? {};

type OwnNameProps = { name: string /** The name that its title asks for. */; wanted: string; onRemove(): void };

/** Says what every entry has already, in place of a field of that name. */
function OwnName({ name, wanted, onRemove }: OwnNameProps) {
  if (isLastPart(wanted))
    return (
      <div role="note" className="field-note">
        <Text size="sm">
          {say(
            "Every entry has this already: the last part of its id, with which its address ends. It is made from the title of a new entry, and can be changed there and later. A field beside it would be a second one, and nothing would follow it.",
          )}
        </Text>
        <Button size="xs" variant="default" onClick={onRemove}>
          {say("Use the last part of the id")}
        </Button>
      </div>
    );
  if (insteadOf(wanted) === undefined || wanted === name) return null;
  return (
    <Text size="sm" role="note" className="field-note">
      {sayParts("The service has {wanted} of every entry itself, so this field is named {name}.", {
        wanted: <b>{wanted}</b>,
        name: <b>{name}</b>,
      })}
    </Text>
  );
}

type NameInputProps = { name: string; faultOf(name: string): string | undefined; onRename(name: string): void };

/** The name of a field; it is renamed when the input is left. */
function NameInput({ name, faultOf, onRename }: NameInputProps) {
  const [typed, setTyped] = useState(name);
  const before = useRef(name);
  useEffect(() => {
    if (before.current !== name) setTyped(name);
    before.current = name;
  }, [name]);
  const fault = faultOf(typed);
  const rename = (): void => {
    if (fault === undefined && typed !== name) onRename(typed);
  };
  return (
    <TextInput
      label={say("Name")}
      value={typed}
      error={fault}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={rename}
      onKeyDown={(event) => event.key === "Enter" && rename()}
      className="mono-input"
      spellCheck={false}
    />
  );
}
