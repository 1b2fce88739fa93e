import type { Filter, Uses, Where } from "./condition.ts";
import type { FieldName, Fields } from "./field.ts";
import { where } from "./filter.ts";

/** Which fields are answered: those of `only`, or all but those of `except`. */
export type Projection<T> = {
  only?: readonly FieldName<T>[] | undefined;
  except?: readonly FieldName<T>[] | undefined;
};

/** What of a collection is asked for. `T` is what has the fields. */
export type Query<T> = {
  /** Conditions, or a function that is handed `where`, which knows the fields. */
  filter?: Filter<Uses<T>> | ((where: Where<T>) => Filter<Uses<T>>) | undefined;
  /** By a field, or several; downwards with `-` in front. By id or name without it. */
  sort?: SortKey<T> | readonly SortKey<T>[] | undefined;
  /** How many at most. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** How deep below: 1, which is the default, for children, `<=2`, `*` for everything. */
  depth?: number | string | undefined;
  /** Words that must all be in a text field. */
  search?: string | undefined;
};
export type SortKey<T> = FieldName<T> | `-${FieldName<T>}`;
/** A query of which one page is asked for. */
export type PageQuery<T> = Query<T> & {
  /** True to be told how many there are in all. */
  total?: boolean | undefined;
  /** The `cursor` of the page before. */
  cursor?: string | undefined;
};

export type Page<T> = {
  items: T[];
  /** How many there are in all; only when the query asked. */
  total?: number;
  /** For the page after this one; without it this is the last. */
  cursor?: string;
};

/** What the reads of collections take beside the path. */
export type CollectionArguments = { filter: object; options: object; cursor?: string };
/** Reads a collection; what lies below is written as the noun has it. */
export type ReadCollection = (args: CollectionArguments) => Promise<{ data: unknown; headers: Headers }>;

type Returns = "all" | "first" | "count" | "exists";

/** One page. Queries come as plain objects here: what fits which fields is the business of the nouns. */
export async function readPage<R>(read: ReadCollection, query: object): Promise<Page<R>> {
  const { data, headers } = await read(formatCollection(query));
  const total = headers.get("X-Total-Count");
  const cursor = /[?&]cursor=([^&>]+)/.exec(headers.get("Link") ?? "")?.[1];
  // Files come as an object by their names.
  const items: R[] = Object.values(data as R[]);
  return { items, ...(total && { total: Number(total) }), ...(cursor && { cursor }) };
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

/** What is answered in place of a list. */
export async function readOne<R>(read: ReadCollection, query: object, returns: Returns): Promise<R> {
  return (await read(formatCollection(query, returns))).data as R;
}

function formatCollection(query: PageQuery<Fields>, returns: Returns = "all"): CollectionArguments {
  const { filter, sort = [], cursor, recursive, ...rest } = query as PageQuery<Fields> & { recursive?: boolean };
  const { all, any } = (typeof filter === "function" ? filter(where) : filter) ?? {};
  return {
    filter: { where: all, or_where: any, order_by: [sort].flat().map(formatSortKey), ...rest, return: returns },
    options: { collection: true, recursive },
    cursor,
  };
}

const formatSortKey = (key: string) => ({
  field: key.replace(/^-/, ""),
  direction: key.startsWith("-") ? "desc" : "asc",
});
