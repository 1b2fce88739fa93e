import { octavo } from "./octavo.ts";

/** A page of a list; without a cursor it is the last one. */
export type ListPage<Row> = { rows: Row[]; cursor: string | undefined };

/** One page of a list whose next page is in the Link header. */
export async function readList<Row>(operation: string, args: object): Promise<ListPage<Row>> {
  const { data, headers } = await octavo.request<Row[]>(operation, args);
  return { rows: data, cursor: /[?&]cursor=([^&>]+)/.exec(headers.get("Link") ?? "")?.[1] };
}
