import { Button, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { collectionUrl } from "../api/entry.ts";
import { ConditionRow } from "../desk/condition-row.tsx";
import { say } from "../language/say.ts";
import { type Condition, type EntryFilter, newestFirst, orderOf, toQueryIn } from "../model/filter/filter.ts";
import { type FilterField, serviceFields } from "../model/filter/filter-field.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Segments } from "../ui/segments.tsx";

type FilterBuilderProps = {
  path: string;
  filter: EntryFilter;
  /** Of the list; undefined for the source. */
  locale?: string | undefined;
  /** The keys of the entries shown. */
  keys: string[];
  /** The fields of the type that they have. */
  hints?: readonly FieldHint[] | undefined;
  onChange(filter: EntryFilter): void;
};

/** Conditions, order and depth, with the resulting URL. */
export function FilterBuilder({ path, filter, locale, keys, hints = [], onChange }: FilterBuilderProps) {
  const change = (part: Partial<EntryFilter>): void => onChange({ ...filter, ...part });
  const named = [...hints, ...serviceFields.filter(({ key }) => !hints.some((hint) => hint.key === key))];
  const others = keys.filter((key) => !named.some((field) => field.key === key));
  const fields: FilterField[] = [...named, ...others.map((key) => ({ key, name: key, kind: "any" as const }))];
  const url = collectionUrl(path, toQueryIn(filter, locale));
  return (
    <Stack gap="sm" className="panel" p="md" mb="lg" component="section" aria-label={say("Filter")}>
      <Conditions filter={filter} fields={fields} onChange={change} />
      <Order filter={filter} onChange={change} />
      <div>
        <Text size="xs" c="dimmed" mb={4}>
          {say("The URL of this list for a website, with your token:")}
        </Text>
        {/* Copied with encoded brackets: curl reads brackets as ranges. */}
        <CopyLine value={url} shown={url.replace(/%5[BD]/g, decodeURIComponent)} label={say("Copy the address")} />
      </div>
      <datalist id="entry-keys">
        {hints.map(({ key, label }) => (
          <option key={key} value={key} label={`${key}: ${label}`} />
        ))}
        {serviceFields.map(({ key, name }) => (
          <option key={key} value={key} label={name} />
        ))}
        {others.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
    </Stack>
  );
}

type ConditionsProps = OrderProps & { fields: readonly FilterField[] };

function Conditions({ filter: { conditions, match }, fields, onChange }: ConditionsProps) {
  const [added, setAdded] = useState<number>();
  const add = useRef<HTMLButtonElement>(null);
  const set = (changed: Condition[]): void => onChange({ conditions: changed });
  return (
    <>
      {conditions.map((condition, i) => (
        <ConditionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no name of their own.
          key={i}
          number={i + 1}
          condition={condition}
          fields={fields}
          isNew={i === added}
          onChange={(changed) => set(conditions.with(i, changed))}
          onRemove={() => {
            setAdded(undefined);
            set(conditions.toSpliced(i, 1));
            add.current?.focus();
          }}
        />
      ))}
      <Group gap="sm">
        <Button
          ref={add}
          variant="default"
          size="xs"
          leftSection={<Plus size={14} />}
          onClick={() => {
            setAdded(conditions.length);
            set([...conditions, { key: "", operator: "eq", value: "" }]);
          }}
        >
          {say("Add a condition")}
        </Button>
        {conditions.length > 1 && (
          <Segments
            label={say("Which conditions must hold")}
            options={{ all: say("All hold"), any: say("Any holds") }}
            value={match}
            onChange={(chosen) => onChange({ match: chosen })}
          />
        )}
      </Group>
    </>
  );
}

type OrderProps = { filter: EntryFilter; onChange(part: Partial<EntryFilter>): void };

function Order({ filter, onChange }: OrderProps) {
  const { direction } = orderOf(filter) ?? filter;
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        size="xs"
        w={{ base: "100%", xs: 200 }}
        label={say("Order by")}
        placeholder={say("Newest first")}
        list="entry-keys"
        value={filter.orderBy}
        onChange={(event) => onChange({ orderBy: event.currentTarget.value })}
      />
      <Segments
        label={say("Direction")}
        options={{ asc: say("Ascending"), desc: say("Descending") }}
        value={direction}
        onChange={(chosen) => onChange({ orderBy: filter.orderBy || newestFirst.orderBy, direction: chosen })}
      />
      <Switch
        size="sm"
        label={say("All levels below")}
        checked={filter.isDeep}
        onChange={(event) => onChange({ isDeep: event.currentTarget.checked })}
        mb={5}
      />
    </Group>
  );
}
