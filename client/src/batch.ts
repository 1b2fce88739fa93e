import type { Api } from "./api.ts";
import type { BatchAnswers, BatchOperation, BatchOptions } from "./public.ts";
import { rememberTag, type Transport, tagOf } from "./transport.ts";

/** Left out in silence, it would change what is written. */
function refuseUnknown(unknown: object): void {
  for (const key in unknown) throw new RangeError(`unknown: ${key}`);
}

/** Makes the operations in one request, all of them or none. */
export async function batch<const T extends readonly BatchOperation[]>(
  transport: Transport,
  operations: T,
  { dryRun: dry_run, signal, keepalive, idempotencyKey, ...others }: BatchOptions = {},
): Promise<BatchAnswers<T>> {
  refuseUnknown(others);
  const sent = operations.map(
    ({ call, args: body, ifMatch, mergePatch: merge_patch, onConflict: on_conflict, ...unknown }) => {
      refuseUnknown(unknown);
      const [method, path] = call.split(" ") as ["POST", string];
      return { method, path, body, if_match: ifMatch && tagOf(ifMatch), merge_patch, on_conflict };
    },
  );
  const args: Api["POST /api/batch"]["arguments"] = { operations: sent, dry_run };
  const answers = await transport.call("POST /api/batch", args, { signal, keepalive, idempotencyKey });
  for (const { data, etag } of answers) rememberTag(data, etag);
  return answers as BatchAnswers<T>;
}
