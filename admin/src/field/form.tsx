import { Button, Menu, Skeleton, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Plus } from "lucide-react";
import { lazy, Suspense, useCallback, useState } from "react";
import type { Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { kept } from "../model/draft/draft.ts";
import type { DraftEdit } from "../model/draft/editing.ts";
import { type FieldKind, fieldKinds } from "../model/entry/kind.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { JsonField } from "./field.tsx";
import { Fields } from "./fields.tsx";

const ContentEditor = lazy(async () => ({ default: (await import("./content-editor.tsx")).ContentEditor }));

/** The title, the text and all other fields, each with the editor of its kind. */
export function Form({ editing }: { editing: DraftEdit }) {
  return (
    <Stack gap="lg" className="form">
      <TitleField editing={editing} />
      <OtherFields editing={editing} />
    </Stack>
  );
}

/** Stable across renders, so that a keystroke renders only its own field. */
function useSet({ edit }: DraftEdit): (key: string, value: Json) => void {
  return useCallback((key, value) => edit((before) => ({ ...before, [key]: value })), [edit]);
}

export function TitleField({ editing }: { editing: DraftEdit }) {
  const set = useSet(editing);
  const { title } = editing.draft;
  if (title !== undefined && typeof title !== "string")
    return <JsonField name="title" value={title} onChange={(value) => set("title", value)} />;
  return (
    <TextInput
      label={say("Title")}
      attributes={{ input: { dir: "auto" } }}
      size="md"
      labelProps={{ size: "sm" }}
      value={title ?? ""}
      onChange={(event) => set("title", event.currentTarget.value)}
    />
  );
}

type OtherFieldsProps = {
  editing: DraftEdit;
  /** The names of fields that are shown elsewhere. */
  shown?: ReadonlySet<string>;
};

const none: ReadonlySet<string> = new Set();

/** The text and all other fields, and a button to add one. */
export function OtherFields({ editing, shown = none }: OtherFieldsProps) {
  const { base, draft, edit } = editing;
  const set = useSet(editing);
  const setContent = useCallback((text: string) => set("content", text), [set]);
  const { content } = draft;
  return (
    <>
      {!shown.has("content") &&
        (typeof content === "string" ? (
          <Suspense fallback={<Skeleton height={372} />}>
            <ContentEditor slug={base.slug} value={content} onChange={setContent} />
          </Suspense>
        ) : (
          <JsonField name="content" value={content ?? ""} onChange={(value) => set("content", value)} />
        ))}
      <Fields draft={draft} shown={shown} edit={edit} onChange={set} />
      <AddField taken={[...Object.keys(draft), ...shown]} onAdd={set} />
    </>
  );
}

type AddFieldProps = { taken: string[]; onAdd(key: string, value: Json): void };

function AddField({ taken, onAdd }: AddFieldProps) {
  const [kind, setKind] = useState<FieldKind>();
  const [isOpen, menu] = useDisclosure(false);
  return (
    <div>
      <Menu opened={isOpen} onChange={menu.toggle} position="bottom-start">
        <Menu.Target>
          <Button variant="default" size="xs" leftSection={<Plus size={14} />}>
            {say("Add a field")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(fieldKinds).map(([name, { label }]) => (
            <Menu.Item key={name} onClick={() => setKind(name as FieldKind)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {kind && (
        <NewField
          kind={kind}
          taken={taken}
          onAdd={(key) => onAdd(key, fieldKinds[kind].initial)}
          onClose={() => setKind(undefined)}
        />
      )}
    </div>
  );
}

type NewFieldProps = { kind: FieldKind; taken: string[]; onAdd(key: string): void; onClose(): void };

function NewField({ kind, taken, onAdd, onClose }: NewFieldProps) {
  const [name, setName] = useState("");
  const key = name.trim();
  const isTaken = taken.includes(key) || kept.has(key);
  return (
    <FormDialog
      title={say("New field: {label}", { label: fieldKinds[kind].label.toLowerCase() })}
      submit={say("Add")}
      onClose={onClose}
      isDisabled={key === "" || isTaken}
      onSubmit={async () => onAdd(key)}
    >
      <TextInput
        label={say("Name")}
        description={say("As programs read it: author, release_date")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={isTaken ? say("The entry already has this field") : undefined}
        data-autofocus
        required
      />
    </FormDialog>
  );
}
