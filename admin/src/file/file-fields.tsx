import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { deleteMeta, type File, metaOf, setMeta } from "../api/file.ts";
import { formatJson, isSame, type Json, parseJson } from "../api/json.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { queries, refresh } from "../ui/query.ts";
import { Failure } from "../ui/state.tsx";

/** Title, description and the fields that clients gave a file: each is stored by itself when it is left. */
export function FileFields({ file, path }: { file: File; path: string }) {
  const [error, setError] = useState<unknown>();
  const [isAdding, setAdding] = useState(false);
  const store = async (change: Promise<File>): Promise<void> => {
    setError(undefined);
    await change.then((changed) => queries.setQueryData(["file", path], changed), setError);
    void refresh("files");
  };
  const save = (field: string, value: Json) => void store(setMeta(path, field, value, false));
  return (
    <Stack gap="sm">
      <TextField label="Title" value={file.title} onSave={(text) => save("title", text)} />
      <TextField label="Description" value={file.description} onSave={(text) => save("description", text)} isLong />
      {metaOf(file).map(([name, value]) => (
        <Group key={name} gap="xs" wrap="nowrap" align="flex-end">
          <MetaField name={name} value={value} onSave={(changed) => save(name, changed)} />
          <ActionIcon
            size={36}
            onClick={() => void store(deleteMeta(path, name))}
            aria-label={`Delete the field ${name}`}
          >
            <Trash2 size={16} />
          </ActionIcon>
        </Group>
      ))}
      {error !== undefined && <Failure error={error} title="Not stored" />}
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} />}
        onClick={() => setAdding(true)}
        w="fit-content"
      >
        Add a field
      </Button>
      {isAdding && (
        <NewMeta
          onClose={() => setAdding(false)}
          onAdd={async (field, value) => {
            queries.setQueryData(["file", path], await setMeta(path, field, value, true));
          }}
        />
      )}
    </Stack>
  );
}

type TextFieldProps = { label: string; value: string; onSave(text: string): void; isLong?: boolean };

function TextField({ label, value, onSave, isLong = false }: TextFieldProps) {
  const [text, setText] = useState(value);
  const props = {
    label,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    onBlur: () => (text === value ? undefined : onSave(text)),
  };
  if (isLong) return <Textarea {...props} autosize minRows={2} maxRows={8} />;
  return <TextInput {...props} flex={1} onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()} />;
}

type MetaFieldProps = { name: string; value: Json; onSave(value: Json): void };

/** Texts as they are, anything else as JSON. */
function MetaField({ name, value, onSave }: MetaFieldProps) {
  if (typeof value === "string") return <TextField label={name} value={value} onSave={onSave} />;
  const save = (text: string): void => {
    try {
      const parsed = parseJson(text);
      if (!isSame(parsed, value)) onSave(parsed);
    } catch {
      onSave(text);
    }
  };
  return <TextField label={`${name} (JSON)`} value={formatJson(value)} onSave={save} />;
}

function NewMeta({ onAdd, onClose }: { onAdd(field: string, value: Json): Promise<void>; onClose(): void }) {
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  return (
    <FormDialog
      title="New field"
      submit="Add"
      onClose={onClose}
      isDisabled={field.trim() === ""}
      onSubmit={() => onAdd(field.trim(), value)}
    >
      <TextInput
        label="Name"
        value={field}
        onChange={(event) => setField(event.currentTarget.value)}
        data-autofocus
        required
      />
      <TextInput label="Value" value={value} onChange={(event) => setValue(event.currentTarget.value)} />
      <Text size="xs" c="dimmed">
        Dots lead into objects: author.name
      </Text>
    </FormDialog>
  );
}
