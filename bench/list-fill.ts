/** Run as a child process: reads a Filling on its IPC channel, fills the store, answers its tokens. */
import { createTokens, inStores, loadSamples } from "./store.ts";

/** How many samples go below `list`, into the store of the folder and of the settings in `env`. */
export type Filling = { folder: string; size: number; env: Record<string, string> };

process.on("message", ({ folder, size, env }: Filling) => {
  void inStores(
    folder,
    async (stores) => {
      await loadSamples(stores, "list", size);
      return createTokens(stores, ["entries"]);
    },
    env,
  ).then((tokens) => process.send?.(tokens));
});
