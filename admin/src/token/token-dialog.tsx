import { Checkbox, Group, NumberInput, SegmentedControl, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { endOf, livesOf, resourcesOf, type TokenKind, usualLife } from "../api/token.ts";
import { say } from "../language/say.ts";
import { PathsInput } from "../picker/paths-input.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { LocalesInput } from "../ui/locales-input.tsx";
import { refresh } from "../ui/query.ts";

type TokenDialogProps = { token?: Token; onMade?(token: TokenWithSecret): void; onClose(): void };

const meanings: Record<TokenKind, string> = {
  delivery: say("Reads public content: for websites and apps."),
  management: say("Reads everything; writes together with an access token."),
  preview: say("Reads drafts and unpublished changes, too. Expires after 30 days at most."),
  images: say("Reads images, transformed in any way."),
  access: say("Lets a management token write. Useless alone."),
};
const writesMeanings: Record<Writes, string> = {
  all: say("What it writes is live at once."),
  staged: say("It creates drafts and changes working copies; others publish them."),
};
type Writes = NonNullable<Token["writes"]>;

/** Creates a token, or edits the editable properties of one. */
export function TokenDialog({ token, onMade, onClose }: TokenDialogProps) {
  const [kind, setKind] = useState<TokenKind>(token?.kind ?? "delivery");
  const [resources, setResources] = useState<string[]>(["entries"]);
  const [paths, setPaths] = useState<string[]>(token?.paths ?? []);
  const [writes, setWrites] = useState<Writes>(token?.writes ?? "all");
  const [locales, setLocales] = useState<string[]>(token?.locales ?? []);
  const [more, setMore] = useState<More>(() => ({
    label: token?.label ?? "",
    environment: token?.environment ?? "",
    limit: token?.limit_calls || "",
    life: token ? null : usualLife(kind),
  }));
  const offered = resourcesOf(kind, paths.length > 0);
  const chosen = offered.filter((resource) => resources.includes(resource));
  const expires = livesOf(kind).find(({ label }) => label === more.life);
  const choose = (chosenKind: TokenKind): void => {
    setKind(chosenKind);
    setMore({ ...more, life: usualLife(chosenKind) });
  };
  const save = async (): Promise<void> => {
    const change = {
      label: more.label,
      environment: more.environment,
      limit_calls: Number(more.limit) || 0,
      ...(expires && { expires_at: endOf(expires) }),
      paths: paths.length > 0 ? paths : null,
      ...(kind === "management" && { writes, locales: locales.length > 0 ? locales : null }),
    };
    if (token) await octavo.tokens.update(token.id, change);
    else
      onMade?.(await octavo.tokens.create({ kind, ...(offered.length > 0 ? { resources: chosen } : {}), ...change }));
    await refresh("tokens");
  };
  return (
    <FormDialog
      title={token ? say("Edit the token") : say("New token")}
      submit={token ? say("Save") : say("Create")}
      size="lg"
      onSubmit={save}
      onClose={onClose}
      isDisabled={!token && offered.length > 0 && chosen.length === 0}
    >
      {!token && <KindInput value={kind} onChange={choose} />}
      {!token && offered.length > 0 && <ResourcesInput offered={offered} value={chosen} onChange={setResources} />}
      <PathsInput value={paths} onChange={setPaths} />
      {kind === "management" && <WritesInput value={writes} onChange={setWrites} />}
      {kind === "management" && <LocalesInput value={locales} onChange={setLocales} />}
      <MoreInputs kind={kind} value={more} onChange={setMore} />
    </FormDialog>
  );
}

/** What may be said of a token of any kind. */
type More = {
  label: string;
  environment: string;
  limit: string | number;
  /** The name of its life; null leaves its end as it is. */
  life: string | null;
};

type MoreProps = { kind: TokenKind; value: More; onChange(more: More): void };

const MoreInputs = ({ kind, value, onChange }: MoreProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
    <TextInput
      label={say("Label")}
      placeholder={say("Website")}
      value={value.label}
      onChange={(event) => onChange({ ...value, label: event.currentTarget.value })}
      data-autofocus
    />
    <TextInput
      label={say("Environment")}
      placeholder={say("production")}
      value={value.environment}
      onChange={(event) => onChange({ ...value, environment: event.currentTarget.value })}
    />
    <NumberInput
      label={say("Call limit")}
      placeholder={say("No limit")}
      min={0}
      allowDecimal={false}
      thousandSeparator=" "
      value={value.limit}
      onChange={(limit) => onChange({ ...value, limit })}
    />
    <Select
      label={say("Expires")}
      data={livesOf(kind).map(({ label }) => label)}
      value={value.life}
      placeholder={say("Unchanged")}
      onChange={(life) => onChange({ ...value, life })}
      allowDeselect={false}
    />
  </SimpleGrid>
);

function KindInput({ value, onChange }: { value: TokenKind; onChange(kind: TokenKind): void }) {
  const isNarrow = useMediaQuery("(max-width: 36em)", undefined, { getInitialValueInEffect: false });
  return (
    <div>
      <SegmentedControl
        fullWidth
        orientation={isNarrow ? "vertical" : "horizontal"}
        aria-label={say("Kind")}
        data={Object.keys(meanings)}
        value={value}
        onChange={(kind) => onChange(kind as TokenKind)}
      />
      <Text size="xs" c="dimmed" mt={6}>
        {meanings[value]}
      </Text>
    </div>
  );
}

type ResourcesProps = { offered: readonly string[]; value: string[]; onChange(resources: string[]): void };

const ResourcesInput = ({ offered, value, onChange }: ResourcesProps) => (
  <Checkbox.Group label={say("Resources")} value={value} onChange={onChange}>
    <Group mt={6} gap="md">
      {offered.map((resource) => (
        <Checkbox key={resource} value={resource} label={resource} />
      ))}
    </Group>
  </Checkbox.Group>
);

const WritesInput = ({ value, onChange }: { value: Writes; onChange(writes: Writes): void }) => (
  <Select
    label={say("Writes")}
    description={writesMeanings[value]}
    data={[
      { value: "all", label: say("All") },
      { value: "staged", label: say("Drafts and working copies") },
    ]}
    value={value}
    onChange={(writes) => onChange((writes ?? "all") as Writes)}
    allowDeselect={false}
  />
);
