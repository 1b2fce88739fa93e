import { noCompanions } from "../companions.ts";
import { silentLog } from "../core/http/log.ts";
import type { Service } from "../service.ts";
import { loadFeatures, Serving } from "../serving.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { batchAsOperator } from "./routes.ts";

/** The routes of a service, for commands: nothing listens, and nothing runs in the background. */
async function servingOf(stores: Stores, settings: Settings, origin: string): Promise<Service> {
  const ground = {
    settings,
    stores,
    companions: noCompanions,
    log: silentLog,
    version: "",
    url: () => origin,
    isOpen: () => true,
    open: async () => ({ connections: 0, streams: 0 }),
    every: () => undefined,
    chore: async () => undefined,
  };
  return new Serving(ground, await loadFeatures()).service;
}

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
  const origin = settings.publicUrl ?? `http://localhost:${settings.port}`;
  const { routes } = await servingOf(stores, settings, origin);
  const { answers, ignored } = await batchAsOperator(routes, stores, { origin, nowSeconds }, operations, isDryRun);
  return { answers: JSON.parse(answers), ignored };
}
