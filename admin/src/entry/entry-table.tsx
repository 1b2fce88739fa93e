import { Table, Text, UnstyledButton } from "@mantine/core";
import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import { type Entry, titleOf } from "../api/entry.ts";
import type { TypedColumn } from "../type/typed-list.tsx";
import { type Column, ListTable } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { SelectBox } from "../ui/select-box.tsx";
import type { Selection } from "../ui/selection.ts";
import { Ago } from "../ui/time.tsx";
import type { EntryFilter } from "./filter.ts";
import { VisibilityBadge } from "./visibility.tsx";

type EntryTableProps = {
  entries: Entry[];
  /** The columns of the type that all of them have. */
  columns?: readonly TypedColumn[] | undefined;
  selection: Selection<Entry>;
  filter: EntryFilter;
  onChange(filter: EntryFilter): void;
};

/** A table of entries, sorted by the selected heading. A narrow one has fewer columns: entry.css says which. */
export function EntryTable({ entries, columns = [], selection, filter, onChange }: EntryTableProps) {
  const sorted = (field: string, label: string, cell: Cell = {}): Pick<Column<Entry>, "heading"> => ({
    heading: <SortHeading label={label} field={field} filter={filter} onChange={onChange} {...cell} />,
  });
  const dated = (field: "published_at" | "modified_at", label: string, name: string): Column<Entry> => ({
    ...sorted(field, label, { miw: 130, "data-column": name }),
    cell: { className: "quiet", "data-column": name },
    show: (entry) => <Ago seconds={entry[field]} />,
  });
  const shown: Column<Entry>[] = [
    { show: (entry) => <SelectBox thing={entry} name={titleOf(entry)} selection={selection} /> },
    { ...sorted("title", "Title", { miw: 140 }), cell: { "data-fill": true }, show: (entry) => <Name entry={entry} /> },
    {
      ...sorted("visibility", "State", { miw: 104 }),
      show: (entry) => <VisibilityBadge visibility={entry.visibility} publishedAt={entry.published_at} />,
    },
    ...columns.map(({ field, label, isSortable, show }, i) => ({
      ...(isSortable ? sorted(field, label, { "data-column": i }) : { heading: <Heading label={label} column={i} /> }),
      cell: { className: "typed-cell", "data-column": i },
      show,
    })),
    dated("published_at", "Published", "published"),
    dated("modified_at", "Changed", "changed"),
  ];
  return (
    <ListTable
      className="panel table-panel entry-table"
      data-typed={columns.length > 0 || undefined}
      rows={entries}
      columns={shown}
      keyOf={({ slug }) => slug}
      isLinked
    />
  );
}

const Name = ({ entry }: { entry: Entry }) => (
  <>
    <Link href={addressOf("entries", entry.slug)} className="row-name">
      {titleOf(entry)}
    </Link>
    <Text size="xs" c="dimmed" className="mono" truncate>
      {entry.slug}
    </Text>
  </>
);

const Heading = ({ label, column }: { label: string; column: number }) => (
  <Table.Th data-column={column} title={label}>
    <span className="typed-value">{label}</span>
  </Table.Th>
);

/** Its least width, and which column it is of those that a narrow table leaves out. */
type Cell = { miw?: number; "data-column"?: number | string };
type SortHeadingProps = Pick<EntryTableProps, "filter" | "onChange"> & Cell & { label: string; field: string };

/** Sorts by its field, then in reverse, then by id again. */
function SortHeading({ label, field, filter, onChange, ...cell }: SortHeadingProps) {
  const direction = filter.orderBy === field ? filter.direction : undefined;
  const sort = (): void => {
    if (direction === "desc") onChange({ ...filter, orderBy: "", direction: "asc" });
    else onChange({ ...filter, orderBy: field, direction: direction ? "desc" : "asc" });
  };
  const Icon = direction === undefined ? ArrowUpDown : direction === "asc" ? ArrowUp : ArrowDown;
  return (
    <Table.Th aria-sort={direction && (direction === "asc" ? "ascending" : "descending")} {...cell}>
      <UnstyledButton className="sort" data-active={direction !== undefined || undefined} title={label} onClick={sort}>
        <span className="typed-value">{label}</span>
        <Icon size={13} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  );
}
