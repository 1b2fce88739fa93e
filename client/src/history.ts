import type { Api, HistoryRow } from "./api.ts";
import { type Page, pageOf } from "./collection.ts";
import type { OrUndefined } from "./field.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** Pages of 100 rows unless `limit` says otherwise; `cursor` is that of the previous page. */
export type HistoryQuery = OrUndefined<Omit<Api["GET /api/registry/history"]["arguments"], "id">>;

type Operation = "GET /api/entries/history" | "GET /api/files/history" | "GET /api/registry/history";

/** One page of the earlier contents of a thing, newest first. */
export async function readHistory<O extends Operation>(
  transport: Transport,
  operation: O,
  args: Api[O]["arguments"],
  options?: CallOptions,
): Promise<Page<HistoryRow>> {
  return pageOf(await transport.reply(operation, args, options));
}
