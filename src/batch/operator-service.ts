import { originOf, servingOf } from "../operator.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { batchAsOperator } from "./routes.ts";

/** A batch of a command. */

/** What an operation of a batch answered. */
export type OperationAnswer = { status: number; data: unknown; etag: string | null };
/** What the operations answered, and the arguments that none of them takes. */
export type BatchAnswer = { answers: OperationAnswer[]; ignored: string[] };

/**
 * Makes the writes of a batch, all of them or none, with the rights of whoever runs the command. `operations` is the JSON
 * of the list. Throws what a batch over HTTP is refused with.
 */
export async function operate(
  stores: Stores,
  settings: Settings,
  operations: string,
  { isDryRun, nowSeconds }: { isDryRun: boolean; nowSeconds: number },
): Promise<BatchAnswer> {
  const origin = originOf(settings);
  const { routes } = (await servingOf(stores, settings, origin)).service;
  const { answers, ignored } = await batchAsOperator(routes, stores, { origin, nowSeconds }, operations, isDryRun);
  return { answers: JSON.parse(answers), ignored };
}
