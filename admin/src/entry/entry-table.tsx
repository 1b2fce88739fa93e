import { Box, Group, Table, Text, UnstyledButton } from "@mantine/core";
import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo } from "react";
import { type Entry, titleOf } from "../api/entry.ts";
import type { DeskColumn } from "../desk/column.ts";
import { StateCell, useCopies } from "../desk/state-cell.tsx";
import { say } from "../language/say.ts";
import type { Copies } from "../model/entry/copies.ts";
import { type EntryFilter, newestFirst, orderOf } from "../model/filter/filter.ts";
import { type Column, ListTable } from "../ui/list.tsx";
import { inLocale } from "../ui/locale-select.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { SelectBox } from "../ui/select-box.tsx";
import type { Selection } from "../ui/selection.ts";

const TranslationCell = lazy(async () => ({
  default: (await import("../translation/translation-cell.tsx")).TranslationCell,
}));

type EntryTableProps = {
  /** Above all of them. */
  path: string;
  entries: readonly Entry[];
  /** With those that are not read yet. */
  total: number;
  /** All columns that there are, and the names of those that are shown. */
  columns: readonly DeskColumn[];
  shown: readonly string[];
  /** Somebody chose them: they are all shown, where the usual ones are as many as there is room for. */
  isChosen: boolean;
  /** The picture of an entry. */
  lead?: ((entry: Entry) => ReactNode) | undefined;
  selection: Selection<Entry>;
  filter: EntryFilter;
  /** In which they are opened; undefined for the source. */
  locale: string | undefined;
  onChange(filter: EntryFilter): void;
};

/** Beside the columns, which are the same when something is selected. */
const Selected = createContext<Selection<Entry> | undefined>(undefined);

/** A table of entries, sorted by the selected heading. A narrow one has fewer columns: entry.css says which. */
export function EntryTable({ selection, total, ...props }: EntryTableProps) {
  const { path, entries, columns, shown, isChosen, lead, filter, locale, onChange } = props;
  const copies = useCopies(locale);
  const all = useMemo(
    () => columnsIn({ path, entries, columns, shown, isChosen, lead, filter, locale, onChange, copies }),
    [path, entries, columns, shown, isChosen, lead, filter, locale, onChange, copies],
  );
  return (
    <Selected value={selection}>
      <ListTable
        className="panel table-panel entry-table"
        data-typed={shown.some((name) => isTyped(name, columns)) || undefined}
        rows={entries}
        total={total}
        columns={all}
        keyOf={({ slug }) => slug}
        isLinked
      />
    </Selected>
  );
}

const isTyped = (name: string, columns: readonly DeskColumn[]): boolean =>
  name !== state && columns.find(({ field }) => field === name)?.isQuiet !== true;

type ColumnsIn = Omit<EntryTableProps, "selection" | "total"> & { copies: Copies | undefined };

function columnsIn({ columns, shown, isChosen, lead, filter, locale, onChange, ...rest }: ColumnsIn): Column<Entry>[] {
  const { path, entries, copies } = rest;
  const sorted = (field: string, label: string, cell: Cell = {}): Pick<Column<Entry>, "heading"> => ({
    heading: <SortHeading label={label} field={field} filter={filter} onChange={onChange} {...cell} />,
  });
  const typed = shown.filter((name) => isTyped(name, columns));
  const columnOf = ({ field, label, isSortable, isQuiet, show }: DeskColumn): Column<Entry> => {
    if (!show)
      return {
        ...sorted(field, label, { miw: 104 }),
        show: (entry) => <StateCell entry={entry} copies={locale === undefined ? copies : undefined} />,
      };
    const place = isChosen ? "chosen" : (quietPlaces[field] ?? typed.indexOf(field));
    const cell = { "data-column": place, ...(isQuiet && { miw: 130 }) };
    return {
      ...(isSortable
        ? sorted(field, label, cell)
        : { heading: <Heading field={field} label={label} data-column={place} /> }),
      cell: { className: isQuiet ? "quiet" : "typed-cell", "data-column": place },
      show,
    };
  };
  return [
    { show: (entry) => <SelectCell entry={entry} locale={locale} /> },
    {
      ...sorted("title", say("Title"), { miw: 140 }),
      cell: { "data-fill": true },
      show: (entry) => <Name entry={entry} locale={locale} lead={lead?.(entry)} />,
    },
    ...(locale === undefined ? [] : [translationColumn({ entries, path, locale, copies })]),
    ...shown.flatMap((name) => columns.find(({ field }) => field === name) ?? []).map(columnOf),
  ];
}

function SelectCell({ entry, locale }: { entry: Entry; locale: string | undefined }) {
  const selection = useContext(Selected);
  return selection && <SelectBox thing={entry} name={titleOf(entry)} selection={selection} locale={locale} />;
}

type Shown = Pick<EntryTableProps, "entries" | "path"> & { locale: string; copies: Copies | undefined };

const translationColumn = (shown: Shown): Column<Entry> => ({
  label: say("Translation"),
  show: (entry) => (
    <Suspense>
      <TranslationCell entry={entry} {...shown} />
    </Suspense>
  ),
});

const state = "visibility";
const quietPlaces: Partial<Record<string, string>> = { published_at: "published", modified_at: "changed" };

type NameProps = { entry: Entry; locale: string | undefined; lead: ReactNode };

const Name = ({ entry, locale, lead }: NameProps) => (
  <Group gap={10} wrap="nowrap">
    {lead}
    <Box miw={0} flex={1}>
      <Link href={addressOf("entries", entry.slug, inLocale(locale))} className="row-name" dir="auto">
        {titleOf(entry)}
      </Link>
      <Text size="xs" c="dimmed" className="mono" truncate>
        {entry.slug}
      </Text>
    </Box>
  </Group>
);

type HeadingProps = { field: string; label: string; "data-column": number | string };

const Heading = ({ field, label, ...cell }: HeadingProps) => (
  <Table.Th data-field={field} title={label} {...cell}>
    <span className="typed-value">{label}</span>
  </Table.Th>
);

/** Its least width, and which column it is of those that a narrow table leaves out. */
type Cell = { miw?: number; "data-column"?: number | string };
type SortHeadingProps = Pick<EntryTableProps, "filter" | "onChange"> & Cell & { label: string; field: string };

/** Sorts by its field, then in reverse, then newest first again. */
function SortHeading({ label, field, filter, onChange, ...cell }: SortHeadingProps) {
  const order = orderOf(filter);
  const direction = order?.orderBy === field ? order.direction : undefined;
  // In reverse the newest are first, as where no order is chosen.
  const isLast = direction === "desc" || (direction === "asc" && field === newestFirst.orderBy);
  const sort = (): void => {
    if (isLast && filter.orderBy !== "") onChange({ ...filter, orderBy: "", direction: "asc" });
    else onChange({ ...filter, orderBy: field, direction: direction === "asc" ? "desc" : "asc" });
  };
  const Icon = direction === undefined ? ArrowUpDown : direction === "asc" ? ArrowUp : ArrowDown;
  return (
    <Table.Th data-field={field} aria-sort={direction && (direction === "asc" ? "ascending" : "descending")} {...cell}>
      <UnstyledButton className="sort" data-active={direction !== undefined || undefined} title={label} onClick={sort}>
        <span className="typed-value">{label}</span>
        <Icon size={13} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  );
}
