import { Table, type TableTdProps } from "@mantine/core";
import { keepPreviousData, type QueryFunctionContext, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import type { Page as ListPart } from "../../../client/src/client.ts";
import { Page, type PageProps } from "./page.tsx";
import { mostDrawn, Rows } from "./rows.tsx";
import { type PagedList, ShowMore } from "./show-more.tsx";
import { Failure, Loading } from "./state.tsx";

/** Lists: read page by page, shown as failed, loading, empty or with their items, as a table, as a page of its own. */

type Pages<T> = {
  queryKey: QueryKey;
  /** Reads one page; `pageParam` is the cursor of the one before. */
  queryFn(context: QueryFunctionContext<QueryKey, string | undefined>): Promise<ListPart<T>>;
  staleTime?: number;
  enabled?: boolean;
  /** Shows what was read last while another query is read. */
  isKept?: boolean;
};

/** A list that is read page by page; without items until the first one is there. */
export function usePages<T>({ isKept = false, ...query }: Pages<T>) {
  const list = useInfiniteQuery({
    ...query,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: isKept ? keepPreviousData : undefined,
  });
  const { data } = list;
  const items = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  return { list, items, total: data?.pages[0]?.total };
}

type StatesProps<T> = {
  /** A query: of the whole list, or of its pages. */
  list: { error: unknown; refetch(): unknown } & Partial<PagedList>;
  items: readonly T[] | undefined;
  /** The title of a failure. */
  failure?: string;
  /** The skeleton while it loads. */
  rows?: number | undefined;
  height?: number | undefined;
  /** Of a long list the rest is loaded as one scrolls, once it was asked for more. */
  goesOn?: boolean;
  empty: ReactNode;
  children(items: readonly T[]): ReactNode;
};

/** A list in its states, with "Show more" while there is more. */
export function ListStates<T>({ list, items, failure, rows, height, goesOn, empty, children }: StatesProps<T>) {
  if (list.error) return <Failure error={list.error} title={failure} onRetry={() => void list.refetch()} />;
  if (!items) return <Loading rows={rows} height={height} />;
  return (
    <>
      {items.length > 0 ? children(items) : empty}
      {isPaged(list) && <ShowMore list={list} goesOn={goesOn} />}
    </>
  );
}

const isPaged = (list: Partial<PagedList>): list is PagedList => list.hasNextPage !== undefined;

export type Column<T> = {
  /** Of its heading; a column of buttons has none. */
  label?: string;
  /** The whole heading, where it is more than a label. */
  heading?: ReactNode;
  /** Properties of its heading and of its cells, such as the width of the window from which on they are shown. */
  both?: Pick<TableTdProps, "visibleFrom" | "ta">;
  cell?: Pick<TableTdProps, "className"> & { "data-fill"?: true; "data-column"?: number | string };
  /** The tooltip of a cell. */
  titleOf?(row: T): string | undefined;
  show(row: T): ReactNode;
};

/** A column of quiet facts, which a window that is narrower does not show. */
export const from = (visibleFrom: "xs" | "sm" | "md") => ({ both: { visibleFrom }, cell: { className: "quiet" } });

export type ListTableProps<T> = {
  columns: readonly Column<T>[];
  keyOf(row: T): string | number;
  /** A link in a row is for all of it. */
  isLinked?: boolean;
  spacing?: number;
  /** Of the panel, with its own classes. */
  className?: string;
  "data-typed"?: true | undefined;
};

type TableProps<T> = ListTableProps<T> & {
  rows: readonly T[] /** With those that are not read yet. */;
  total?: number;
};

/** The rows of a list in a panel. Of a long one those are drawn that are near the window; all of them are counted. */
export function ListTable<T>(props: TableProps<T>) {
  const { rows, total, columns, keyOf, isLinked = false, spacing = "xs", ...panel } = props;
  const isLong = rows.length > mostDrawn;
  const count = isLong ? Math.max(total ?? 0, rows.length) + 1 : undefined;
  return (
    <div className="panel table-panel" {...panel}>
      <Table verticalSpacing={spacing} highlightOnHover={isLinked} aria-rowcount={count}>
        <Table.Thead>
          <Table.Tr aria-rowindex={isLong ? 1 : undefined}>
            {columns.map(({ label, heading, both }, i) => (
              // biome-ignore-start lint/suspicious/noArrayIndexKey: the columns of a table stay.
              <Fragment key={i}>
                {heading ?? (label === undefined ? <Table.Td /> : <Table.Th {...both}>{label}</Table.Th>)}
              </Fragment>
              // biome-ignore-end lint/suspicious/noArrayIndexKey: the columns of a table stay.
            ))}
          </Table.Tr>
        </Table.Thead>
        <Rows
          rows={rows}
          columns={columns.length}
          row={(row, place) => (
            <Row
              key={keyOf(row)}
              row={row}
              place={place}
              columns={columns as readonly Column<unknown>[]}
              isLinked={isLinked}
            />
          )}
        />
      </Table>
    </div>
  );
}

type RowProps = { row: unknown; place: number | undefined; columns: readonly Column<unknown>[]; isLinked: boolean };

/** Drawn anew when its thing or the columns are others. */
const Row = memo(({ row, place, columns, isLinked }: RowProps) => (
  <Table.Tr aria-rowindex={place} className={isLinked ? "row-link" : undefined}>
    {columns.map(({ both, cell, titleOf, show }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table stay.
      <Table.Td key={i} {...both} {...cell} title={titleOf?.(row)}>
        {show(row)}
      </Table.Td>
    ))}
  </Table.Tr>
));

type ListPageProps<T> = Omit<PageProps, "children"> &
  Omit<StatesProps<T>, "children"> & {
    /** Between the heading and the list. */
    above?: ReactNode;
    table: ListTableProps<T>;
    /** Dialogs. */
    children?: ReactNode;
  };

/** A page that is one list. */
export function ListPage<T>({
  title,
  description,
  actions,
  isWide,
  above,
  table,
  children,
  ...states
}: ListPageProps<T>) {
  return (
    <Page title={title} description={description} actions={actions} isWide={isWide}>
      {above}
      <ListStates {...states}>{(rows) => <ListTable rows={rows} {...table} />}</ListStates>
      {children}
    </Page>
  );
}
