import { Checkbox, Group, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Role } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import type { Resource } from "../api/token.ts";
import { say } from "../language/say.ts";
import { meaningOf } from "../model/role-words.ts";
import { PathsInput } from "../picker/paths-input.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { LocalesInput } from "../ui/locales-input.tsx";
import { refresh } from "../ui/query.ts";

type RoleDialogProps = {
  /** The role to change; a new one without. */
  role?: Role;
  /** What a new one begins with. */
  like?: Role;
  known: readonly Role[];
  onClose(): void;
};

/** Nobody but owners has `admin`. */
const resourceLabels: Record<Exclude<Resource, "admin">, string> = {
  entries: say("Entries"),
  files: say("Files"),
  folders: say("Folders"),
  registry: say("Registry"),
};

type RoleResource = keyof typeof resourceLabels;
const all = Object.keys(resourceLabels) as RoleResource[];

/** Makes a role, or changes one. It says in words what its people may do. */
export function RoleDialog({ role, like, known, onClose }: RoleDialogProps) {
  const first = role ?? like;
  const [title, setTitle] = useState(role?.title ?? "");
  const [typedId, setTypedId] = useState<string | undefined>(role?.id);
  const [resources, setResources] = useState<string[]>(first?.resources ?? ["entries", "files", "folders"]);
  const [paths, setPaths] = useState<string[]>(first?.paths ?? []);
  const [writes, setWrites] = useState<Role["writes"]>(first?.writes ?? "all");
  const [locales, setLocales] = useState<string[]>(first?.locales ?? []);
  const id = typedId ?? idOf(title);
  // The registry has no paths.
  const offered = all.filter((name) => name !== "registry" || paths.length === 0);
  const chosen = offered.filter((name) => resources.includes(name));
  const limits = { paths: paths.length > 0 ? paths : null, locales: locales.length > 0 ? locales : null };
  const rights = { resources: chosen, writes, ...limits };
  const save = async (): Promise<void> => {
    // The API does not distinguish create and replace.
    if (!role && known.some((other) => other.id === id))
      throw new Error(say("There is a role with the id {id} already.", { id }));
    await octavo.roles.put({ id, title: title.trim(), ...rights });
    await refresh("roles");
  };
  return (
    <FormDialog
      title={role ? say("The role {title}", { title: role.title || role.id }) : say("New role")}
      submit={role ? say("Save") : say("Create")}
      size="lg"
      onSubmit={save}
      onClose={onClose}
      isDisabled={id === "" || chosen.length === 0}
    >
      <NameInputs title={title} id={id} isNew={!role} onTitle={setTitle} onId={setTypedId} />
      <ResourcesInput offered={offered} value={chosen} onChange={setResources} />
      <WritesInput value={writes} onChange={setWrites} />
      <PathsInput
        value={paths}
        onChange={setPaths}
        description={say(
          "Its people see and change only what is at and below these paths; without any, everything. Type a path and press Enter.",
        )}
      />
      {writes !== "none" && <LocalesInput value={locales} onChange={setLocales} />}
      <Text size="sm" className="role-meaning" aria-live="polite">
        {chosen.length > 0 ? meaningOf(rights) : say("Choose what it is about.")}
      </Text>
    </FormDialog>
  );
}

type NameProps = {
  title: string;
  id: string;
  isNew: boolean;
  onTitle(title: string): void;
  onId(id: string): void;
};

const NameInputs = ({ title, id, isNew, onTitle, onId }: NameProps) => (
  <Group grow align="flex-start" preventGrowOverflow={false}>
    <TextInput
      label={say("Title")}
      placeholder={say("News desk")}
      data-autofocus
      maxLength={200}
      value={title}
      onChange={(event) => onTitle(event.currentTarget.value)}
    />
    <TextInput
      label={say("Id")}
      description={isNew ? say("Small letters, digits, _ and -. It stays.") : say("It stays.")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      className="mono-input"
      spellCheck={false}
      required
      disabled={!isNew}
      value={id}
      onChange={(event) => onId(event.currentTarget.value)}
    />
  </Group>
);

type ResourcesProps = { offered: readonly RoleResource[]; value: string[]; onChange(resources: string[]): void };

const ResourcesInput = ({ offered, value, onChange }: ResourcesProps) => (
  <Checkbox.Group label={say("What it is about")} value={value} onChange={onChange}>
    <Group mt={6} gap="md">
      {offered.map((name) => (
        <Checkbox key={name} value={name} label={resourceLabels[name]} />
      ))}
    </Group>
  </Checkbox.Group>
);

const writesLabels: Record<Role["writes"], [label: string, description: string]> = {
  none: [say("Reads only"), say("Changes nothing.")],
  staged: [say("Drafts and working copies"), say("They go live when somebody else publishes them. Uploads new files.")],
  all: [say("Everything"), say("What is changed is live at once, or when it is published.")],
};

type WritesInputProps = { value: Role["writes"]; onChange(writes: Role["writes"]): void };

const WritesInput = ({ value, onChange }: WritesInputProps) => (
  <Radio.Group label={say("What it writes")} value={value} onChange={(writes) => onChange(writes as Role["writes"])}>
    <Stack mt={6} gap={6}>
      {Object.entries(writesLabels).map(([writes, [label, description]]) => (
        <Radio key={writes} value={writes} label={label} description={description} />
      ))}
    </Stack>
  </Radio.Group>
);

const idOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
