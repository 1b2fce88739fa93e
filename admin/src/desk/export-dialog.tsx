import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { type Entry, titleOf } from "../api/entry.ts";
import { formatJson, type Json } from "../api/json.ts";
import { say, sayMany } from "../language/say.ts";
import type { FilterField } from "../model/filter/filter-field.ts";
import { allColumns, type CsvColumn, csvOf } from "../model/table/export.ts";
import { findEntry } from "../query/find-entry.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Segments } from "../ui/segments.tsx";
import { download } from "./download.ts";

export type ExportDialogProps = {
  entries: readonly Entry[];
  /** The columns of the table, with their labels. */
  shown: readonly { field: string; label: string }[];
  fields: readonly FilterField[];
  onClose(): void;
};

const choices = { table: say("Those of the table"), all: say("All fields") };

/** Saves entries as a table: which columns, and what the values say. */
export function ExportDialog({ entries: selected, shown, fields, onClose }: ExportDialogProps) {
  const [entries] = useState(selected);
  const [choice, setChoice] = useState<keyof typeof choices>("table");
  const [isInWords, setInWords] = useState(false);
  const count = sayMany(entries.length, "{count} entry", "{count} entries");
  const save = async (): Promise<void> => {
    const columns = choice === "all" ? allColumns(entries) : tableColumns(shown);
    const told = isInWords ? await inWords(columns, { entries, shown, fields }) : columns;
    download("entries.csv", "text/csv", csvOf(entries, told));
  };
  return (
    <FormDialog
      title={say("Export {count} as CSV", { count })}
      submit={say("Export {count}", { count })}
      onSubmit={save}
      onClose={onClose}
    >
      <Segments label={say("Columns")} options={choices} value={choice} onChange={setChoice} fullWidth size="sm" />
      <Checkbox
        label={say("Labels and titles in place of what is stored")}
        checked={isInWords}
        onChange={(event) => setInWords(event.currentTarget.checked)}
      />
      <Text size="xs" c="dimmed">
        {say(
          "A file that you import again has what is stored. Times are in UTC. A text that a spreadsheet would run as a formula begins with an apostrophe.",
        )}
      </Text>
    </FormDialog>
  );
}

const tableColumns = (shown: ExportDialogProps["shown"]): CsvColumn[] =>
  ["slug", "title", ...shown.map(({ field }) => field)].map((field) => ({ field, head: field }));

type Words = Pick<ExportDialogProps, "entries" | "shown" | "fields">;

/** The columns by their labels, choices by theirs, and references by the titles of their entries. */
async function inWords(columns: readonly CsvColumn[], { entries, shown, fields }: Words): Promise<CsvColumn[]> {
  const names = new Map([
    ...[...ownNames, ...fields].map(({ key, name }) => [key, name] as const),
    ...shown.map(({ field, label }) => [field, label] as const),
  ]);
  return Promise.all(
    columns.map(async ({ field }) => {
      const known = fields.find(({ key }) => key === field);
      const titles = known?.types ? await titlesOf(entries, field) : undefined;
      const labels = new Map(known?.options?.map(({ value, label }) => [value, label]));
      const word = (value: Json): Json => {
        const text = typeof value === "string" ? value : formatJson(value);
        return titles?.get(text) ?? labels.get(text) ?? value;
      };
      const wordOf = (value: Json): Json => (Array.isArray(value) && known ? joined(value.map(word)) : word(value));
      return { field, head: names.get(field) ?? field, word: wordOf };
    }),
  );
}

const ownNames = [
  { key: "slug", name: say("Id") },
  { key: "title", name: say("Title") },
];

const joined = (values: readonly Json[]): string =>
  values.map((value) => (typeof value === "string" ? value : formatJson(value))).join(", ");

async function titlesOf(entries: readonly Entry[], field: string): Promise<Map<string, string>> {
  const ids = new Set(entries.flatMap((entry) => entry[field] ?? []).filter((id) => typeof id === "string"));
  const found = await Promise.all([...ids].map(findEntry));
  return new Map(found.flatMap((entry) => (entry ? [[entry.slug, titleOf(entry)]] : [])));
}
