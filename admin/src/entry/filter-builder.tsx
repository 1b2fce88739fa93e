import { ActionIcon, Button, Group, SegmentedControl, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { Plus, X } from "lucide-react";
import { useId } from "react";
import { collectionUrl } from "../api/entry.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { type Condition, type EntryFilter, type Operator, operators, toQuery } from "./filter.ts";

type FilterBuilderProps = {
  path: string;
  filter: EntryFilter;
  /** The keys of the entries shown. */
  keys: string[];
  /** The fields of the type that they have. */
  hints?: readonly FieldHint[] | undefined;
  onChange(filter: EntryFilter): void;
};

const operatorChoices = Object.entries(operators).map(([value, { label }]) => ({ value, label }));
const hints = { none: "", one: "Value", two: "From, to", many: "Values, separated by commas" };

/** Conditions, order and depth, with the resulting URL. */
export function FilterBuilder({ path, filter, keys, hints = [], onChange }: FilterBuilderProps) {
  const change = (part: Partial<EntryFilter>): void => onChange({ ...filter, ...part });
  const { conditions } = filter;
  const url = collectionUrl(path, toQuery(filter));
  const replace = (at: number, condition: Condition): void =>
    change({ conditions: conditions.map((one, i) => (i === at ? condition : one)) });
  return (
    <Stack gap="sm" className="panel" p="md" mb="lg" component="section" aria-label="Filter">
      {conditions.map((condition, i) => (
        <ConditionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no name of their own.
          key={i}
          number={i + 1}
          condition={condition}
          values={hints.find(({ key }) => key === condition.key.trim())?.values ?? []}
          onChange={(changed) => replace(i, changed)}
          onRemove={() => change({ conditions: conditions.filter((_, at) => at !== i) })}
        />
      ))}
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} />}
          onClick={() => change({ conditions: [...conditions, { key: "", operator: "eq", value: "" }] })}
        >
          Add a condition
        </Button>
        {conditions.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="Which conditions must hold"
            data={[
              { value: "all", label: "All hold" },
              { value: "any", label: "Any holds" },
            ]}
            value={filter.match}
            onChange={(match) => change({ match: match as EntryFilter["match"] })}
          />
        )}
      </Group>
      <Group gap="sm" align="flex-end">
        <TextInput
          size="xs"
          w={{ base: "100%", xs: 200 }}
          label="Order by"
          placeholder="id"
          list="entry-keys"
          value={filter.orderBy}
          onChange={(event) => change({ orderBy: event.currentTarget.value })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Direction"
          data={[
            { value: "asc", label: "Ascending" },
            { value: "desc", label: "Descending" },
          ]}
          value={filter.direction}
          onChange={(direction) => change({ direction: direction as EntryFilter["direction"] })}
        />
        <Switch
          size="sm"
          label="All levels below"
          checked={filter.isDeep}
          onChange={(event) => change({ isDeep: event.currentTarget.checked })}
          mb={5}
        />
      </Group>
      <div>
        <Text size="xs" c="dimmed" mb={4}>
          The URL of this list for a website, with your token:
        </Text>
        {/* Copied with encoded brackets: curl reads brackets as ranges. */}
        <CopyLine value={url} shown={url.replace(/%5[BD]/g, decodeURIComponent)} label="Copy the address" />
      </div>
      <datalist id="entry-keys">
        {hints.map(({ key, label }) => (
          <option key={key} value={key} label={`${key}: ${label}`} />
        ))}
        {keys
          .filter((key) => !hints.some((hint) => hint.key === key))
          .map((key) => (
            <option key={key} value={key} />
          ))}
      </datalist>
    </Stack>
  );
}

type ConditionRowProps = {
  number: number;
  condition: Condition;
  /** Values to suggest. */
  values: readonly string[];
  onChange(condition: Condition): void;
  onRemove(): void;
};

function ConditionRow({ number, condition, values, onChange, onRemove }: ConditionRowProps) {
  const { key, operator, value } = condition;
  const takes = operators[operator].value;
  const list = useId();
  return (
    <div className="condition">
      <TextInput
        size="xs"
        aria-label={`Field of condition ${number}`}
        placeholder="Field, as year or origin.country"
        list="entry-keys"
        value={key}
        onChange={(event) => onChange({ ...condition, key: event.currentTarget.value })}
      />
      <Select
        size="xs"
        aria-label={`Operator of condition ${number}`}
        data={operatorChoices}
        value={operator}
        allowDeselect={false}
        maxDropdownHeight={320}
        onChange={(chosen) => onChange({ ...condition, operator: chosen as Operator })}
      />
      <TextInput
        size="xs"
        aria-label={`Value of condition ${number}`}
        placeholder={hints[takes]}
        disabled={takes === "none"}
        list={values.length > 0 ? list : undefined}
        value={takes === "none" ? "" : value}
        onChange={(event) => onChange({ ...condition, value: event.currentTarget.value })}
      />
      {values.length > 0 && (
        <datalist id={list}>
          {values.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <ActionIcon onClick={onRemove} aria-label={`Remove condition ${number}`}>
        <X size={16} />
      </ActionIcon>
    </div>
  );
}
