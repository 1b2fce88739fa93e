import type { Filter, Uses, Where } from "./condition.ts";
import type { FieldName, Fields } from "./field.ts";
import { where } from "./filter.ts";
import { attach } from "./include.ts";
import type { Reply } from "./transport.ts";

/** Which fields are returned: those of `only`, or all but those of `except`. */
export type Projection<T> = {
  only?: readonly FieldName<T>[] | undefined;
  except?: readonly FieldName<T>[] | undefined;
};

/** Reads entries with sanitised HTML for their Markdown: for delivery and preview tokens. */
export type Rendering = { render?: "html" | "raw" | undefined };

/** The query of a collection. `T` is the type that has the fields. */
export type Query<T> = {
  /** Conditions, or a function that receives `where`, which knows the fields. */
  filter?: Filter<Uses<T>> | ((where: Where<T>) => Filter<Uses<T>>) | undefined;
  /** Sorts by one field or several; descending with `-` in front. Default: by id or name. */
  sort?: SortKey<T> | readonly SortKey<T>[] | undefined;
  /** Maximum number of items. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** The depth below the path: 1, which is the default, for children, `<=2`, `*` for everything. */
  depth?: number | string | undefined;
  /** Words that must all occur in a text field. */
  search?: string | undefined;
};
export type SortKey<T> = FieldName<T> | `-${FieldName<T>}`;
/** A query for one page. */
export type PageQuery<T> = Query<T> & {
  /** True to receive the total count. */
  total?: boolean | undefined;
  /** The `cursor` of the previous page. */
  cursor?: string | undefined;
};

export type Page<T> = {
  items: T[];
  /** The total count; only when the query requested it. */
  total?: number;
  /** The cursor of the next page; absent on the last page. */
  cursor?: string;
};

/** The arguments of a collection request besides the path. */
export type CollectionArguments = { filter: object; options: object; cursor?: string; render?: string };
/** Reads a collection; each noun supplies its own path. */
export type ReadCollection = (args: CollectionArguments) => Promise<Reply<unknown>>;

type Returns = "first" | "count" | "exists";

/** One page. Queries are plain objects here: the nouns' types check them against the fields. */
export async function readPage<R>(read: ReadCollection, query: object): Promise<Page<R>> {
  return pageOf(await read(formatCollection(query)));
}

/** The page in a reply. */
export function pageOf<R>({ data, headers, included }: Reply<unknown>): Page<R> {
  const total = headers.get("X-Total-Count");
  const cursor = /[?&]cursor=([^&>]+)/.exec(headers.get("Link") ?? "")?.[1];
  // Files are returned as an object by their names.
  const items: R[] = Object.values(data as R[]);
  const page = { items, ...(total && { total: Number(total) }), ...(cursor && { cursor }) };
  for (const object of [page, ...items]) attach(object, included);
  return page;
}

/** All pages, one after the other. */
export async function* readEach<R>(read: ReadCollection, query: object): AsyncGenerator<R, void> {
  let cursor: string | undefined;
  do {
    const page: Page<R> = await readPage(read, cursor ? { ...query, cursor } : query);
    yield* page.items;
    cursor = page.cursor;
  } while (cursor);
}

/** What is returned instead of a list. */
export async function readOne<R>(read: ReadCollection, query: object, returns: Returns): Promise<R> {
  const { data, included } = await read(formatCollection(query, returns));
  attach(data, included);
  return data as R;
}

/** The arguments of a query on the wire. */
export function formatCollection(query: PageQuery<Fields>, returns?: Returns): CollectionArguments {
  const {
    filter,
    sort = [],
    cursor,
    recursive,
    render,
    ...rest
  } = query as PageQuery<Fields> & Rendering & { recursive?: boolean };
  const { all, any } = (typeof filter === "function" ? filter(where) : filter) ?? {};
  return {
    filter: { where: all, or_where: any, order_by: [sort].flat().map(formatSortKey), ...rest, return: returns },
    options: { collection: true, recursive },
    cursor,
    render,
  };
}

const formatSortKey = (key: string) => ({
  field: key.replace(/^-/, ""),
  direction: key.startsWith("-") ? "desc" : "asc",
});
