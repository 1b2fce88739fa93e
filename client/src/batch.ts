import type { Api } from "./api.ts";
import type { BatchAnswers, BatchOperation, BatchOptions } from "./public.ts";
import { rememberTag, type Transport, tagOf } from "./transport.ts";

/** Makes the operations in one request, all of them or none. */
export async function batch<const T extends readonly BatchOperation[]>(
  transport: Transport,
  operations: T,
  { dryRun, ...options }: BatchOptions = {},
): Promise<BatchAnswers<T>> {
  const sent = operations.map(({ call, args, ifMatch, mergePatch, onConflict, ...unknown }) => {
    const [method, path] = call.split(" ") as ["POST", string];
    const [key] = Object.keys(unknown);
    // Left out in silence, it would change what is written.
    if (key) throw new RangeError(`an operation has "${key}"; expected call, args, ifMatch, mergePatch or onConflict`);
    const if_match = ifMatch === undefined ? undefined : tagOf(ifMatch);
    return { method, path, body: args, if_match, merge_patch: mergePatch, on_conflict: onConflict };
  });
  const args: Api["POST /api/batch"]["arguments"] = {
    operations: sent,
    ...(dryRun !== undefined && { dry_run: dryRun }),
  };
  const answers = await transport.call("POST /api/batch", args, options);
  for (const { data, etag } of answers) rememberTag(data, etag);
  return answers as BatchAnswers<T>;
}
