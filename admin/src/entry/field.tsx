import { ActionIcon, Group, JsonInput, Menu, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { EllipsisVertical, Trash2 } from "lucide-react";
import { memo, type ReactNode, useId, useState } from "react";
import { imageUrl } from "../api/file.ts";
import { formatJson, isNumber, isSame, type Json, parseJson, parseNumber } from "../api/json.ts";
import { useMay } from "../session-context.ts";
import { messageOf } from "../ui/state.tsx";
import { convert, type FieldKind, fieldKinds, kindOf } from "./draft.ts";
import { useFault } from "./fault.ts";

type FieldProps = {
  name: string;
  value: Json;
  onChange(name: string, value: Json): void;
  onRemove(name: string): void;
};

/** A field of an entry, edited as the kind of its value asks. */
export const Field = memo(function Field({ name, value, onChange, onRemove }: FieldProps) {
  const id = useId();
  const change = (changed: Json): void => onChange(name, changed);
  return (
    <div className="field" data-kind={kindOf(value)}>
      <Group justify="space-between" mb={4} gap="xs" wrap="nowrap">
        <label htmlFor={id} className="field-name">
          {name}
        </label>
        <KindMenu name={name} value={value} onChange={change} onRemove={() => onRemove(name)} />
      </Group>
      <Control id={id} name={name} value={value} onChange={change} />
    </div>
  );
});

type ControlProps = { id: string; name: string; value: Json; onChange(value: Json): void };

function Control({ id, name, value, onChange }: ControlProps): ReactNode {
  if (typeof value === "string") return <TextField id={id} value={value} onChange={onChange} />;
  if (isNumber(value)) return <NumberField id={id} name={name} value={value} onChange={onChange} />;
  if (typeof value === "boolean") {
    return (
      <Switch
        id={id}
        label={value ? "Yes" : "No"}
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (kindOf(value) === "list") {
    return <TagsInput id={id} value={value as string[]} onChange={onChange} placeholder="Type and press Enter" />;
  }
  return <JsonField id={id} name={name} value={value} onChange={onChange} />;
}

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** A text of any length; a path of a picture shows it. */
function TextField({ id, value, onChange }: { id: string; value: string; onChange(value: string): void }) {
  const maySee = useMay("files");
  const isPicture = maySee && picture.test(value) && !value.includes("://");
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Textarea
        id={id}
        attributes={{ input: { dir: "auto" } }}
        flex={1}
        autosize
        minRows={1}
        maxRows={14}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isPicture && (
        <img
          className="field-picture"
          src={imageUrl(value, { w: 96, h: 72, fit: "crop", fm: "webp" })}
          alt=""
          onError={(event) => event.currentTarget.remove()}
          key={value}
        />
      )}
    </Group>
  );
}

/** Numbers by their text, so that no digit of a long one is lost. */
function NumberField({ id, name, value, onChange }: ControlProps) {
  const [text, setText] = useState(() => formatJson(value));
  const read = parseNumber(text);
  const shown = read !== undefined && !isSame(read, value) ? formatJson(value) : text;
  useFault(name, read === undefined ? `${name} is no number` : undefined);
  return (
    <TextInput
      id={id}
      inputMode="decimal"
      value={shown}
      error={read === undefined ? "This is no number" : undefined}
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
  const [text, setText] = useState(() => formatJson(value, 2));
  const read = tryParse(text);
  const shown = read.value !== undefined && !isSame(read.value, value) ? formatJson(value, 2) : text;
  useFault(name, read.fault && `${name} is no JSON`);
  return (
    <JsonInput
      id={id}
      label={id === undefined ? name : undefined}
      autosize
      minRows={2}
      maxRows={18}
      className="mono-input"
      value={shown}
      error={read.fault}
      onChange={(changed) => {
        setText(changed);
        const parsed = tryParse(changed);
        if (parsed.value !== undefined) onChange(parsed.value);
      }}
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

type KindMenuProps = { name: string; value: Json; onChange(value: Json): void; onRemove(): void };

function KindMenu({ name, value, onChange, onRemove }: KindMenuProps) {
  const kind = kindOf(value);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={`Options of ${name}`}>
          <EllipsisVertical size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Kind</Menu.Label>
        {Object.entries(fieldKinds).map(([other, { label }]) => (
          <Menu.Item
            key={other}
            disabled={other === kind}
            onClick={() => onChange(convert(value, other as FieldKind))}
            rightSection={other === kind ? "•" : undefined}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={14} />} onClick={onRemove}>
          Remove the field
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
