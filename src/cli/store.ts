import type { Settings } from "../settings.ts";
import type { OnError, Stores } from "../stores.ts";
import { CommandError } from "./command.ts";

/** Opens the store for one piece of work, beside a running server if there is one. It is made when missing. */
export async function withStores<T>(
  settings: Settings,
  work: (stores: Stores) => Promise<T>,
  options: { mustExist?: boolean; onError?: OnError } = {},
): Promise<T> {
  const { openStores } = await import("../stores.ts");
  const stores = await openStores(settings, options);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/**
 * As withStores, for a store that exists: a command with other settings than the service must not make another store.
 * Throws StoreError where there is none.
 */
export const withExistingStores = <T>(
  settings: Settings,
  work: (stores: Stores) => Promise<T>,
  onError?: OnError,
): Promise<T> => withStores(settings, work, { mustExist: true, ...(onError && { onError }) });

/** How long a command waits for the chores of a running service. */
const choresMs = 10 * 60 * 1000;

/**
 * Does the work while no process of this store prunes or sweeps, nor begins to: what the work has seen stays. Throws
 * CommandError when one goes on for too long, or another backup does.
 */
export async function withoutChores<T>(stores: Stores, work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  const worked = async () => void results.push(await work());
  for (const deadline = performance.now() + choresMs; !(await stores.alone("chores", worked)); ) {
    if (performance.now() > deadline) throw new CommandError("the store is being swept or backed up; try again later");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return results[0] as T;
}

/** Who writes in the event log when the command line does. */
export const actor = "octavo";

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
