import { Group, Select, Switch } from "@mantine/core";
import type { JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { type FieldKind, type Offer, offerOf, offers, withKind, withOffer } from "../model/type/kind.ts";

type FieldKindInputProps = { name: string; schema: JsonObject; kind: FieldKind; onChange(schema: JsonObject): void };

/** What values a field has, and whether it has a list of them. */
export function FieldKindInput({ name, schema, kind, onChange }: FieldKindInputProps) {
  return (
    <Group gap="md" align="flex-end">
      <Select
        label={say("Kind")}
        data={offers}
        value={offerOf(schema, kind)}
        allowDeselect={false}
        maxDropdownHeight={340}
        w={220}
        onChange={(chosen) => onChange(withOffer(schema, chosen as Offer))}
      />
      <Switch
        label={say("A list of these")}
        aria-label={say("A list of these: {name}", { name })}
        checked={kind.isList}
        onChange={(event) => onChange(withKind(schema, { ...kind, isList: event.currentTarget.checked }))}
        mb={8}
      />
    </Group>
  );
}
