import type { Api, HistoryRow } from "./api.ts";
import { pageOf } from "./collection.ts";
import type { CallOptions, Page } from "./public.ts";
import type { Transport } from "./transport.ts";

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
