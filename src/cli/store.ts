import { existsSync } from "node:fs";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { CommandError } from "./command.ts";

/** Opens the store for one piece of work, beside a running server if there is one. It is made when missing. */
export async function withStores<T>(settings: Settings, work: (stores: Stores) => Promise<T>): Promise<T> {
  const { openStores } = await import("../stores.ts");
  const stores = await openStores(settings);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** As withStores, for work on what is there: a mistyped folder must not become an empty store. Throws CommandError. */
export async function withExistingStores<T>(settings: Settings, work: (stores: Stores) => Promise<T>): Promise<T> {
  if (!settings.postgresUrl && !existsSync(settings.data)) {
    throw new CommandError(`there is no store in ${settings.data}; name its folder with --data`);
  }
  return withStores(settings, work);
}

/** Who writes in the event log when the command line does. */
export const actor = "octavo";

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
