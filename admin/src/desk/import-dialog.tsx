import { Alert, Button, FileButton, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { CircleAlert, Upload } from "lucide-react";
import { useMemo, useState } from "react";
import { say, sayMany } from "../language/say.ts";
import type { FilterField } from "../model/filter/filter-field.ts";
import { formatCount } from "../model/format.ts";
import { type CsvRow, parseCsv, textOfBytes } from "../model/table/csv.ts";
import { type ImportRow, type Mapping, mappingOf, ownTargets, rowsOf } from "../model/table/import.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Segments } from "../ui/segments.tsx";
import { importRows, presentIds, type Refusal, refusalsOf } from "./import-csv.ts";

type ImportDialogProps = {
  /** New entries are below it. */
  path: string;
  /** Those of the type of the entries there. */
  fields: readonly FilterField[];
  onClose(): void;
};

const states = { draft: say("Drafts"), public: say("Public") };

/** Entries from a table: which file, which column is which field, and what of it is refused. */
export function ImportDialog({ path, fields, onClose }: ImportDialogProps) {
  const { table, targets, mapping, map, state, setState, rows, faults, refusals, take, send } = useImport(path, fields);
  return (
    <FormDialog
      title={path === "" ? say("Import a CSV file") : say("Import a CSV file below {path}", { path })}
      submit={sayMany(rows.length, "Import {count} row", "Import {count} rows")}
      isDisabled={rows.length === 0 || faults.length > 0}
      size="760"
      onSubmit={send}
      onClose={onClose}
    >
      <Group>
        <FileButton onChange={(file) => void take(file)} accept=".csv,.tsv,.txt,text/csv">
          {(props) => (
            <Button {...props} variant="default" leftSection={<Upload size={15} />} data-autofocus>
              {table ? say("Another file…") : say("Choose a file…")}
            </Button>
          )}
        </FileButton>
        {table && <Text size="sm">{`${table.name}: ${sayMany(rows.length, "{count} row", "{count} rows")}`}</Text>}
      </Group>
      <Text size="xs" c="dimmed">
        {say(
          "The first row names the fields. A row whose id is there changes that entry, in the fields that it has a text for; what is live changes at once. A thousand rows together are all imported, or none.",
        )}
      </Text>
      {table && rows.length > 0 && (
        <>
          <ColumnFields table={table.rows} mapping={mapping} fields={targets} onChange={map} />
          <Group gap="sm">
            <Text size="sm">{say("New entries are")}</Text>
            <Segments label={say("New entries are")} options={states} value={state} onChange={setState} />
          </Group>
          <Preview rows={rows} />
        </>
      )}
      <Refused refusals={faults.length > 0 ? faults : refusals} />
    </FormDialog>
  );
}

/** The file, what its columns are, and the rows that come of both. */
function useImport(path: string, typed: readonly FilterField[]) {
  const targets = useMemo(
    () => [...ownTargets, ...typed.filter(({ key }) => ownTargets.every((own) => own.key !== key))],
    [typed],
  );
  const [table, setTable] = useState<{ name: string; rows: CsvRow[] }>();
  const [mapping, setMapping] = useState<Mapping>([]);
  const [state, setState] = useState<keyof typeof states>("draft");
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const rows = useMemo(
    () => rowsOf(table?.rows.slice(1) ?? [], mapping, targets, path),
    [table, mapping, targets, path],
  );
  const faults = rows.flatMap(({ line, id, faults: [reason] }) => (reason === undefined ? [] : [{ line, id, reason }]));
  const map = (next: Mapping): void => {
    setRefusals([]);
    setMapping(next);
  };
  const take = async (file: globalThis.File | null): Promise<void> => {
    if (!file) return;
    const read = parseCsv(textOfBytes(await file.arrayBuffer()));
    setTable({ name: file.name, rows: read });
    map(mappingOf(read[0]?.cells ?? [], targets, typed.length > 0));
  };
  const send = async (): Promise<void> => {
    const plan = { rows, present: await presentIds(rows), fields: targets, isDraft: state === "draft" };
    const refused = await refusalsOf(plan);
    setRefusals(refused);
    if (refused.length > 0) throw new Error(say("Nothing was imported: some rows are refused."));
    const { created, updated, unchanged } = await importRows(plan);
    const message = say("New: {created}. Changed: {updated}. As it was: {unchanged}.", {
      created: formatCount(created),
      updated: formatCount(updated),
      unchanged: formatCount(unchanged),
    });
    notifications.show({ title: say("Imported {name}", { name: table?.name ?? "" }), message });
  };
  return { table, targets, mapping, map, state, setState, rows, faults, refusals, take, send };
}

type ColumnFieldsProps = {
  table: readonly CsvRow[];
  mapping: Mapping;
  fields: readonly FilterField[];
  onChange(mapping: Mapping): void;
};

/** Which field each column is. */
function ColumnFields({ table, mapping, fields, onChange }: ColumnFieldsProps) {
  const [heads, first] = table;
  return (
    <div className="panel table-panel">
      <Table aria-label={say("Columns of the file")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say("Column")}</Table.Th>
            <Table.Th>{say("First row")}</Table.Th>
            <Table.Th>{say("Field")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {heads?.cells.map((head, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a file stay.
            <Table.Tr key={i}>
              <Table.Td>{head}</Table.Td>
              <Table.Td className="import-cell" title={first?.cells[i]}>
                {first?.cells[i]}
              </Table.Td>
              <Table.Td>
                <NativeSelect
                  size="xs"
                  aria-label={say("Field of {head}", { head: head || say("column {i}", { i: i + 1 }) })}
                  data={targetsOf(head, fields)}
                  value={mapping[i]}
                  onChange={({ currentTarget }) => onChange(mapping.with(i, currentTarget.value))}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function targetsOf(head: string, fields: readonly FilterField[]): { value: string; label: string }[] {
  const own = head.trim();
  const isOwn = own !== "" && fields.every(({ key }) => key !== own);
  return [
    { value: "", label: say("Left out") },
    ...fields.map(({ key, name }) => ({ value: key, label: name })),
    ...(isOwn ? [{ value: own, label: say("A field “{own}”", { own }) }] : []),
  ];
}

const mostShown = 5;

/** The first rows as the entries that they become. */
const Preview = ({ rows }: { rows: readonly ImportRow[] }) => (
  <div className="panel table-panel">
    <Table aria-label={say("The first rows")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{say("Row")}</Table.Th>
          <Table.Th>{say("Entry")}</Table.Th>
          <Table.Th>{say("What it sets")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.slice(0, mostShown).map(({ line, id, data, faults }) => (
          <Table.Tr key={line}>
            <Table.Td>{line}</Table.Td>
            <Table.Td className="mono">{id}</Table.Td>
            <Table.Td>{faults[0] ?? Object.keys(data).join(", ")}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
);

const mostNamed = 20;

function Refused({ refusals }: { refusals: readonly Refusal[] }) {
  if (refusals.length === 0) return null;
  return (
    <Alert color="red" icon={<CircleAlert size={18} />} title={say("Rows that do not fit")} role="alert">
      <Stack gap={2} component="ul" className="plain-list">
        {refusals.slice(0, mostNamed).map(({ line, id, reason }) => (
          <li key={line}>
            {id === ""
              ? say("Row {line}: {reason}", { line, reason })
              : say("Row {line}, {id}: {reason}", { line, id, reason })}
          </li>
        ))}
        {refusals.length > mostNamed && (
          <li>{say("and {refusals} more", { refusals: formatCount(refusals.length - mostNamed) })}</li>
        )}
      </Stack>
    </Alert>
  );
}
