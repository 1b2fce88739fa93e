import { Group, Input, JsonInput, Skeleton, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { lazy, memo, type ReactNode, Suspense, useId, useMemo, useState } from "react";

import { formatJson, isNumber, isSame, type Json, parseJson, parseNumber } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { kindOf } from "../model/entry/kind.ts";
import { messageOf } from "../model/message.ts";
import { useMay } from "../session-context.ts";
import { notNumber, useFault, useTyped } from "./fault.ts";
import { FieldMenu } from "./field-menu.tsx";

const CodeEditor = lazy(async () => ({ default: (await import("../ui/code-editor.tsx")).CodeEditor }));

type FieldProps = {
  name: string;
  value: Json;
  onChange(name: string, value: Json): void;
  onRemove(name: string): void;
};

/** A field of an entry, with the editor of its kind. */
export const Field = memo(function Field({ name, value, onChange, onRemove }: FieldProps) {
  const id = useId();
  const change = (changed: Json): void => onChange(name, changed);
  return (
    <div className="field" data-kind={kindOf(value)} data-pointer={`/${name}`}>
      <Group justify="space-between" mb={4} gap="xs" wrap="nowrap">
        <label htmlFor={id} className="field-name">
          {name}
        </label>
        <FieldMenu name={name} value={value} onChange={change} onRemove={() => onRemove(name)} />
      </Group>
      <Control id={id} name={name} value={value} onChange={change} />
    </div>
  );
});

type ControlProps = { id: string; name: string; value: Json; onChange(value: Json): void };

function Control({ id, name, value, onChange }: ControlProps): ReactNode {
  if (typeof value === "string") return <TextField id={id} name={name} value={value} onChange={onChange} />;
  if (isNumber(value)) return <NumberField id={id} name={name} value={value} onChange={onChange} />;
  if (typeof value === "boolean") {
    return (
      <Switch
        id={id}
        label={value ? say("Yes") : say("No")}
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (kindOf(value) === "list") return <ListField id={id} name={name} value={value as string[]} onChange={onChange} />;
  return <JsonField id={id} name={name} value={value} onChange={onChange} />;
}

/** A longer list is edited as JSON: every item of a tags input is an element of the page. */
const mostTags = 200;

function ListField({ id, name, value, onChange }: ControlProps & { value: string[] }) {
  // Decided once: adding and removing items does not switch the editor.
  const [isLong] = useState(value.length > mostTags);
  if (isLong) return <JsonField id={id} name={name} value={value} onChange={onChange} />;
  return <TagsInput id={id} value={value} onChange={onChange} placeholder={say("Type and press Enter")} />;
}

/** A text area takes seconds to lay out a longer text; the code editor renders only the visible lines. */
export const mostPlain = 20_000;
const mostRows = 16;

/** Grows with its text up to some lines; estimates the lines where the browser does not support that. */
export function heightOf(text: string): { rows: number; "data-fitted": true } {
  const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / 90), 0);
  return { rows: Math.min(mostRows, lines), "data-fitted": true };
}

type LongTextProps = {
  label: string;
  title?: string | undefined;
  language: "text" | "json";
  value: string;
  fault?: string | undefined;
};

export function LongText({ fault, title, ...rest }: LongTextProps & { onChange(text: string): void }) {
  return (
    <Input.Wrapper error={fault} label={title} labelElement="div">
      <Suspense fallback={<Skeleton height={262} />}>
        <CodeEditor {...rest} minHeight={0} maxHeight={260} />
      </Suspense>
    </Input.Wrapper>
  );
}

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** A text of any length; a path to an image shows a preview. */
function TextField({ id, name, value, onChange }: ControlProps & { value: string }) {
  // A growing text keeps its editor while it is typed in: a switch would lose the cursor.
  const [isLong] = useState(value.length > mostPlain);
  const maySee = useMay("files");
  const isPicture = maySee && picture.test(value) && !value.includes("://");
  if (isLong) return <LongText label={name} language="text" value={value} onChange={onChange} />;
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Textarea
        id={id}
        attributes={{ input: { dir: "auto" } }}
        flex={1}
        {...heightOf(value)}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isPicture && (
        <img
          className="field-picture"
          src={octavo.imageUrl(value, { w: 96, h: 72, fit: "crop", fm: "webp" })}
          alt=""
          onError={(event) => event.currentTarget.remove()}
          key={value}
        />
      )}
    </Group>
  );
}

/** Numbers are kept as text, so that long ones lose no digits. */
function NumberField({ id, name, value, onChange }: ControlProps) {
  const [text, setText] = useTyped(name, () => formatJson(value));
  const read = parseNumber(text);
  const shown = read !== undefined && !isSame(read, value) ? formatJson(value) : text;
  useFault(name, read === undefined ? say("{name} is not a number", { name }) : undefined, text);
  return (
    <TextInput
      id={id}
      inputMode="decimal"
      value={shown}
      error={read === undefined ? notNumber(text) : undefined}
      onChange={(event) => {
        setText(event.currentTarget.value);
        const number = parseNumber(event.currentTarget.value);
        if (number !== undefined) onChange(number);
      }}
    />
  );
}

type JsonFieldProps = { id?: string; name: string; value: Json; onChange(value: Json): void };

export function JsonField({ id, name, value, onChange }: JsonFieldProps) {
  const [text, setText] = useTyped(name, () => formatJson(value, 2));
  const [isLong] = useState(text.length > mostPlain);
  const read = useMemo(() => tryParse(text), [text]);
  const shown = read.value !== undefined && !isSame(read.value, value) ? formatJson(value, 2) : text;
  useFault(name, read.fault && say("{name} is not valid JSON", { name }), text);
  const change = (changed: string): void => {
    setText(changed);
    const parsed = tryParse(changed);
    if (parsed.value !== undefined) onChange(parsed.value);
  };
  if (isLong) return <LongText label={name} language="json" value={shown} fault={read.fault} onChange={change} />;
  return (
    <JsonInput
      id={id}
      label={id === undefined ? name : undefined}
      {...heightOf(shown)}
      className="mono-input"
      value={shown}
      error={read.fault}
      onChange={change}
    />
  );
}

function tryParse(text: string): { value?: Json; fault?: string } {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
