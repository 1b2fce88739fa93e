import { Group, Select, Switch } from "@mantine/core";
import type { JsonObject } from "../api/json.ts";
import { type FieldKind, type Kind, kinds, withKind } from "./kind.ts";

type FieldKindInputProps = { name: string; schema: JsonObject; kind: FieldKind; onChange(schema: JsonObject): void };

const choices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

/** What values a field has, and whether it has a list of them. */
export function FieldKindInput({ name, schema, kind, onChange }: FieldKindInputProps) {
  return (
    <Group gap="md" align="flex-end">
      <Select
        label="Kind"
        data={choices}
        value={kind.kind}
        allowDeselect={false}
        maxDropdownHeight={340}
        w={220}
        onChange={(chosen) => onChange(withKind(schema, { ...kind, kind: chosen as Kind }))}
      />
      <Switch
        label="A list of these"
        aria-label={`${name} is a list`}
        checked={kind.isList}
        onChange={(event) => onChange(withKind(schema, { ...kind, isList: event.currentTarget.checked }))}
        mb={8}
      />
    </Group>
  );
}
