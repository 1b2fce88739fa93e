import { Table, Text, UnstyledButton } from "@mantine/core";
import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import { type Entry, titleOf } from "../api/entry.ts";
import type { TypedColumn } from "../type/typed-list.tsx";
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
  const order = { filter, onChange };
  return (
    <div className="panel table-panel entry-table" data-typed={columns.length > 0 || undefined}>
      <Table verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            <SortHeading label="Title" field="title" {...order} miw={140} />
            <SortHeading label="State" field="visibility" {...order} miw={104} />
            {columns.map(({ field, label, isSortable }, i) =>
              isSortable ? (
                <SortHeading key={field} label={label} field={field} {...order} data-column={i} />
              ) : (
                <Table.Th key={field} data-column={i} title={label}>
                  <span className="typed-value">{label}</span>
                </Table.Th>
              ),
            )}
            <SortHeading label="Published" field="published_at" {...order} miw={130} data-column="published" />
            <SortHeading label="Changed" field="modified_at" {...order} miw={130} data-column="changed" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.slug} className="row-link">
              <Table.Td>
                <SelectBox thing={entry} name={titleOf(entry)} selection={selection} />
              </Table.Td>
              <Table.Td data-fill>
                <Link href={addressOf("entries", entry.slug)} className="row-name">
                  {titleOf(entry)}
                </Link>
                <Text size="xs" c="dimmed" className="mono" truncate>
                  {entry.slug}
                </Text>
              </Table.Td>
              <Table.Td>
                <VisibilityBadge visibility={entry.visibility} publishedAt={entry.published_at} />
              </Table.Td>
              {columns.map(({ field, show }, i) => (
                <Table.Td key={field} data-column={i} className="typed-cell">
                  {show(entry)}
                </Table.Td>
              ))}
              <Table.Td data-column="published" className="quiet">
                <Ago seconds={entry.published_at} />
              </Table.Td>
              <Table.Td data-column="changed" className="quiet">
                <Ago seconds={entry.modified_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type SortHeadingProps = Pick<EntryTableProps, "filter" | "onChange"> & {
  label: string;
  field: string;
  miw?: number | undefined;
  /** Which column it is of those that a narrow table leaves out. */
  "data-column"?: number | "published" | "changed";
};

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
