import type { Api } from "./api.ts";
import type { BatchAnswers, BatchOperation, BatchOptions } from "./public.ts";
import { rememberTag, type Transport, tagOf } from "./transport.ts";

/** Makes the operations in one request, all of them or none. */
export async function batch<const T extends readonly BatchOperation[]>(
  transport: Transport,
  operations: T,
  { dryRun: dry_run, ...options }: BatchOptions = {},
): Promise<BatchAnswers<T>> {
  const sent = operations.map(
    ({ call, args: body, ifMatch, mergePatch: merge_patch, onConflict: on_conflict, ...unknown }) => {
      // Left out in silence, it would change what is written.
      for (const key in unknown) throw new RangeError(`unknown: ${key}`);
      const [method, path] = call.split(" ") as ["POST", string];
      return { method, path, body, if_match: ifMatch && tagOf(ifMatch), merge_patch, on_conflict };
    },
  );
  const args: Api["POST /api/batch"]["arguments"] = { operations: sent, dry_run };
  const answers = await transport.call("POST /api/batch", args, options);
  for (const { data, etag } of answers) rememberTag(data, etag);
  return answers as BatchAnswers<T>;
}
