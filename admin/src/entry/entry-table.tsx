import { Table, Text, UnstyledButton } from "@mantine/core";
import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import { type Entry, titleOf } from "../api/entry.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { SelectBox } from "../ui/select-box.tsx";
import type { Selection } from "../ui/selection.ts";
import { Ago } from "../ui/time.tsx";
import type { EntryFilter } from "./filter.ts";
import { VisibilityBadge } from "./visibility.tsx";

type EntryTableProps = {
  entries: Entry[];
  selection: Selection<Entry>;
  filter: EntryFilter;
  onChange(filter: EntryFilter): void;
};

/** A table of entries, sorted by the selected heading. */
export function EntryTable({ entries, selection, filter, onChange }: EntryTableProps) {
  const order = { filter, onChange };
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            <SortHeading label="Title" field="title" {...order} />
            <SortHeading label="State" field="visibility" {...order} miw={104} />
            <SortHeading label="Published" field="published_at" {...order} miw={130} visibleFrom="sm" />
            <SortHeading label="Changed" field="modified_at" {...order} miw={130} visibleFrom="sm" />
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
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={entry.published_at} />
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={entry.modified_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type SortHeadingProps = Omit<EntryTableProps, "entries" | "selection"> & {
  label: string;
  field: string;
  miw?: number;
  visibleFrom?: "sm";
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
      <UnstyledButton className="sort" data-active={direction !== undefined || undefined} onClick={sort}>
        {label}
        <Icon size={13} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  );
}
