import type { Api } from "./api.ts";
import type { Fields } from "./field.ts";
import { where } from "./filter.ts";
import type { CallOptions, Page, PageQuery, Query, Rendering, Reply, SearchPage, SearchQuery } from "./public.ts";
import type { Transport } from "./transport.ts";

/** The arguments of a collection request besides the path. */
export type CollectionArguments = {
  filter: object;
  options: object;
  cursor?: string;
  render?: string;
  image_preset?: string;
  locale?: string;
  locale_fallback?: string;
  locale_info?: boolean;
};
/** Reads a collection; each noun supplies its own path. */
export type ReadCollection = (args: CollectionArguments) => Promise<Reply<unknown>>;

type Returns = "first" | "count" | "exists";

/** One page. Queries are plain objects here: the nouns' types check them against the fields. */
export async function readPage<R>(read: ReadCollection, query: object): Promise<Page<R>> {
  const reply = await read(formatCollection(query));
  const { locales, facets } = reply;
  return Object.assign(pageOf<R>(reply), locales && { locales }, facets && { facets });
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

/** Gives the object what the reply included, if anything was requested. */
export function attach(object: unknown, included: object | undefined): void {
  if (included && object instanceof Object) Object.defineProperty(object, "included", { value: included });
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
    preview,
    sentName,
    render,
    imagePreset,
    locale,
    localeFallback,
    localeInfo,
    ...rest
  } = query as PageQuery<Fields> & Rendering & { recursive?: boolean; preview?: boolean; sentName?: boolean };
  return {
    filter: { ...conditionsOf(filter), order_by: [sort].flat().map(formatSortKey), ...rest, return: returns },
    options: { collection: true, recursive, preview, sent_name: sentName },
    cursor,
    render,
    image_preset: imagePreset,
    locale,
    locale_fallback: localeFallback,
    locale_info: localeInfo,
  };
}

/** What a search has found: the members of the reply beside its data are those of the page. */
export async function readSearch<R>(
  transport: Transport,
  operation: string,
  q: string,
  query: object,
  options?: CallOptions,
): Promise<SearchPage<R>> {
  const sent = query as SearchQuery<Fields> & Rendering;
  const { filter, imagePreset: image_preset, localeFallback: locale_fallback, ...rest } = sent;
  const args = { q, filter: conditionsOf(filter), image_preset, locale_fallback, ...rest };
  const { data, headers: _, included, ...found } = await transport.reply<R[]>(operation, args, options);
  const page = { items: data, ...found } as unknown as SearchPage<R>;
  for (const object of [page, ...data]) attach(object, included);
  return page;
}

/** The conditions of a filter on the wire. */
function conditionsOf(filter: Query<Fields>["filter"]): { where?: object; or_where?: object } {
  const { all, any } = (typeof filter === "function" ? filter(where) : filter) ?? {};
  return { where: all, or_where: any };
}

const formatSortKey = (key: string) => ({
  field: key.replace(/^-/, ""),
  direction: key.startsWith("-") ? "desc" : "asc",
});

/** One page of the rows of an operation. */
export async function readRows<O extends keyof Api, R>(
  transport: Transport,
  operation: O,
  args: Api[O]["arguments"],
  options?: CallOptions,
): Promise<Page<R>> {
  return pageOf(await transport.reply(operation, args, options));
}
