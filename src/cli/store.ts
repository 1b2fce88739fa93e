import type { Settings } from "../settings.ts";
import type { OnError, Stores } from "../stores.ts";
import { CommandError } from "./command.ts";

export { nowSeconds } from "../service.ts";

/** Opens the store for one task, beside a running server if there is one. Creates the store if it is missing. */
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
 * Like withStores, for a store that exists: a command with other settings than the service must not create another
 * store. Throws StoreError if it does not exist.
 */
export const withExistingStores = <T>(
  settings: Settings,
  work: (stores: Stores) => Promise<T>,
  onError?: OnError,
): Promise<T> => withStores(settings, work, { mustExist: true, ...(onError && { onError }) });

/** How long a command waits for the chores of a running service. */
const choresMs = 10 * 60 * 1000;

/**
 * Does the work while no process of this store prunes or sweeps, or starts to: nothing that the work has read is
 * removed. Throws CommandError when a running chore takes too long, or another backup is running.
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

/** The actor in the event log for writes of the command line. */
export const actor = "octavo";
