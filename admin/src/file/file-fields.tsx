import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { addMeta, deleteMeta, type File, isPicture, metaOf, putMeta, setMeta } from "../api/file.ts";
import { formatJson, isSame, type Json, parseJson } from "../api/json.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { refusalOf } from "../model/describe-refusal.ts";
import { useWritesLive } from "../session-context.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { queries, refresh } from "../ui/query.ts";
import { Failure, notifyFailure } from "../ui/state.tsx";
import { useWriting } from "../ui/writing.ts";

type Save<T> = (value: T, isPageLeft: boolean) => Promise<void>;

/** The meta fields of a picture that have their own places. */
export const shownAbove = new Set(["alt", "focal"]);

/** Who made it, and under which licence: a meta field that any file may have. */
const credited = "credit";

/** The title, the description and the meta fields of a file. Each field is saved when it loses the focus. */
export function FileFields({ file, path }: { file: File; path: string }) {
  const isLive = useWritesLive();
  const { error, store } = useStore(path);
  const saveAs =
    (field: string): Save<Json> =>
    (value, isPageLeft) =>
      store(setMeta(path, field, value, isPageLeft));
  const credit = file[credited];
  // What others keep there may be no text.
  const hasCredit = credit === undefined || typeof credit === "string";
  return (
    <Stack gap="sm">
      {isPicture(file) && (
        <TextField
          label={say("What the picture shows")}
          value={typeof file.alt === "string" ? file.alt : ""}
          onSave={(alt, isPageLeft) => store(putMeta(file, path, "alt", alt, isPageLeft))}
        />
      )}
      <TextField label={say("Title")} value={file.title} onSave={saveAs("title")} />
      <TextField label={say("Description")} value={file.description} onSave={saveAs("description")} isLong />
      {hasCredit && (
        <TextField
          label={say("Credit")}
          placeholder={say("Photo: Ada Lovelace, CC BY 4.0")}
          value={typeof credit === "string" ? credit : ""}
          onSave={(text, isPageLeft) =>
            store(text === "" ? deleteMeta(path, credited) : putMeta(file, path, credited, text, isPageLeft))
          }
          isReadOnly={!isLive}
        />
      )}
      {metaOf(file)
        .filter(([name]) => !(hasCredit && name === credited) && (!isPicture(file) || !shownAbove.has(name)))
        .map(([name, value]) => (
          <Group key={name} gap="xs" wrap="nowrap" align="flex-end">
            <MetaField name={name} value={value} onSave={saveAs(name)} isReadOnly={!isLive} />
            <ActionIcon
              size={36}
              disabled={!isLive}
              onClick={() => store(deleteMeta(path, name)).catch(() => undefined)}
              aria-label={say("Delete the field {name}", { name })}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Group>
        ))}
      {error !== undefined && <Failure error={isLive ? error : refusalOf(error)} title={say("Not saved")} />}
      <AddMeta path={path} />
    </Stack>
  );
}

/** Takes what a change of the file answers; a failure is told here, or everywhere once the fields are gone. */
export function useStore(path: string, locale?: string) {
  const [error, setError] = useState<unknown>();
  const isThere = useIsThere();
  const store = async (change: Promise<File>): Promise<void> => {
    setError(undefined);
    try {
      queries.setQueryData(["file", path, ...(locale === undefined ? [] : [locale])], await change);
      if (!isThere.current) notifications.show({ message: say("Saved {name}", { name: nameOf(path) }) });
    } catch (failure) {
      isThere.current ? setError(failure) : notifyFailure(failure);
      throw failure;
    } finally {
      void refresh("files");
    }
  };
  return { error, store };
}

function AddMeta({ path }: { path: string }) {
  const [isAdding, adding] = useDisclosure(false);
  const isLive = useWritesLive();
  return (
    <>
      {isLive && (
        <Button variant="default" size="xs" leftSection={<Plus size={14} />} onClick={adding.open} w="fit-content">
          {say("Add a field")}
        </Button>
      )}
      {isAdding && (
        <NewMeta
          onClose={adding.close}
          onAdd={async (field, value) => {
            queries.setQueryData(["file", path], await addMeta(path, field, value));
          }}
        />
      )}
    </>
  );
}

function useIsThere() {
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return isThere;
}

type TextFieldProps = {
  label: ReactNode;
  /** Above the input. */
  description?: ReactNode;
  placeholder?: string;
  value: string;
  onSave: Save<string>;
  isLong?: boolean;
  isReadOnly?: boolean;
};

export function TextField({ value, onSave, isLong = false, isReadOnly = false, ...shown }: TextFieldProps) {
  const writing = useWriting();
  const [text, setText] = useState(value);
  const [isSaved, setSaved] = useState(false);
  /** The value that is saved or being saved. */
  const sent = useRef(value);
  const saving = useRef(0);
  const save = (isPageLeft: boolean): void => {
    if (text === sent.current) return;
    const before = sent.current;
    sent.current = text;
    saving.current++;
    onSave(text, isPageLeft)
      .then(
        () => setSaved(true),
        () => {
          sent.current = before;
        },
      )
      .finally(() => saving.current--);
  };
  useLeft(save);
  // A restore changed it. What is being typed or saved stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new value matters.
  useEffect(() => {
    if (text !== sent.current || saving.current > 0) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const props = {
    ...shown,
    attributes: { input: writing },
    value: text,
    readOnly: isReadOnly,
    onChange: (event: { currentTarget: { value: string } }) => {
      setText(event.currentTarget.value);
      setSaved(false);
    },
    onBlur: () => save(false),
    rightSection: isSaved && (
      <Text size="xs" c="dimmed" role="status">
        {say("Saved")}
      </Text>
    ),
    rightSectionWidth: isSaved ? 56 : undefined,
    rightSectionPointerEvents: "none" as const,
  };
  if (isLong) return <Textarea {...props} autosize minRows={2} maxRows={8} />;
  return <TextInput {...props} flex={1} onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()} />;
}

/** Calls back when the component unmounts or the page unloads: neither emits a blur event. */
function useLeft(onLeave: (isPageLeft: boolean) => void): void {
  const current = useRef(onLeave);
  current.current = onLeave;
  useEffect(() => {
    const leavePage = (): void => current.current(true);
    addEventListener("pagehide", leavePage);
    return () => {
      removeEventListener("pagehide", leavePage);
      current.current(false);
    };
  }, []);
}

type MetaFieldProps = { name: string; value: Json; onSave: Save<Json>; isReadOnly: boolean };

/** Texts unchanged, other values as JSON. */
function MetaField({ name, value, onSave, isReadOnly }: MetaFieldProps) {
  if (typeof value === "string") return <TextField label={name} {...{ value, onSave, isReadOnly }} />;
  const save: Save<string> = async (text, isPageLeft) => {
    const typed = read(text);
    if (!isSame(typed, value)) await onSave(typed, isPageLeft);
  };
  return (
    <TextField label={say("{name} (JSON)", { name })} value={formatJson(value)} onSave={save} isReadOnly={isReadOnly} />
  );
}

function read(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function NewMeta({ onAdd, onClose }: { onAdd(field: string, value: Json): Promise<void>; onClose(): void }) {
  const [field, setField] = useState("");
  const [value, setValue] = useState("");
  return (
    <FormDialog
      title={say("New field")}
      submit={say("Add")}
      onClose={onClose}
      isDisabled={field.trim() === ""}
      onSubmit={() => onAdd(field.trim(), value)}
    >
      <TextInput
        label={say("Name")}
        value={field}
        onChange={(event) => setField(event.currentTarget.value)}
        data-autofocus
        required
      />
      <TextInput label={say("Value")} value={value} onChange={(event) => setValue(event.currentTarget.value)} />
      <Text size="xs" c="dimmed">
        {say("Dots lead into objects: author.name")}
      </Text>
    </FormDialog>
  );
}
