/** Run as a child process: reads a Filling on its IPC channel, fills the store, answers its tokens. */

import type { Slug } from "../src/core/path.ts";
import { translationsOf } from "./locale-sample.ts";
import { createTokens, inStores, loadSamples } from "./store.ts";

/** How many samples go below `list`, into the store of the folder and of the settings in `env`; most of them translated or none. */
export type Filling = { folder: string; size: number; env: Record<string, string>; isTranslated?: boolean };

process.on("message", ({ folder, size, env, isTranslated = false }: Filling) => {
  void inStores(
    folder,
    async (stores) => {
      // One that was filled before is as it is.
      if (!(await stores.entries.find("list/e0" as Slug)))
        await loadSamples(stores, "list", size, isTranslated ? translationsOf : undefined);
      return createTokens(stores, ["entries"]);
    },
    env,
  ).then((tokens) => process.send?.(tokens));
});
