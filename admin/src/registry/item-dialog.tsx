import { Button, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { formatJson, type Json, parseJson } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { Segments } from "../ui/segments.tsx";
import { listRegistry, type RegistryItem } from "./item.ts";

type Form = "text" | "json";

type ItemDialogProps = { item: RegistryItem | undefined; onEdit(item: RegistryItem): void; onClose(): void };

/** Sets an item: a text or any JSON value. A new item must have an unused key. */
export function ItemDialog({ item, onEdit, onClose }: ItemDialogProps) {
  const [key, setKey] = useState(item?.key ?? "");
  const [form, setForm] = useState<Form>(item && typeof item.value !== "string" ? "json" : "text");
  const [text, setText] = useState(() => (item ? textOf(item.value) : ""));
  const [taken, setTaken] = useState<RegistryItem>();
  const value = read(text, form);
  const save = async (): Promise<void> => {
    const found = item ? undefined : await findItem(key.trim());
    setTaken(found);
    if (found) throw new Error(say("An item with this key already exists."));
    await octavo.registry.set(key.trim(), value as Json);
    await refresh("registry");
  };
  return (
    <FormDialog
      title={item ? item.key : say("New item")}
      submit={item ? say("Save") : say("Create")}
      onSubmit={save}
      onClose={onClose}
      isDisabled={key.trim() === "" || value === undefined}
      remedy={
        taken &&
        !taken.read_only && (
          <Button size="xs" variant="default" onClick={() => onEdit(taken)}>
            {say("Edit {key}", { key: taken.key })}
          </Button>
        )
      }
    >
      {!item && <KeyInput value={key} onChange={setKey} />}
      <Segments
        label={say("Type of the value")}
        options={{ text: say("Text"), json: "JSON" }}
        value={form}
        onChange={setForm}
        w="fit-content"
      />
      <Textarea
        label={say("Value")}
        autosize
        minRows={3}
        maxRows={16}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        className={form === "json" ? "mono-input" : undefined}
        error={value === undefined ? say("Not valid JSON") : undefined}
        data-autofocus={item ? true : undefined}
      />
    </FormDialog>
  );
}

const KeyInput = ({ value, onChange }: { value: string; onChange(key: string): void }) => (
  <TextInput
    label={say("Key")}
    placeholder="site.title"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    className="mono-input"
    spellCheck={false}
    data-autofocus
    required
  />
);

// The API does not distinguish create and overwrite: another client can create the item between check and write.
const findItem = async (key: string): Promise<RegistryItem | undefined> =>
  (await listRegistry()).find((item) => item.key === key.normalize("NFC"));

const textOf = (value: Json): string => (typeof value === "string" ? value : formatJson(value, 2));

function read(text: string, form: Form): Json | undefined {
  if (form === "text") return text;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
