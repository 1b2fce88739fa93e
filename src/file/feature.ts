import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { fileEvents } from "./events.ts";
import type { folderNoun } from "./folder-store.ts";
import { fileProblems } from "./problems.ts";
import type { fileNoun } from "./store.ts";

/** Files and folders. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    folders: PortOf<typeof folderNoun>;
    files: PortOf<typeof fileNoun>;
  }
}

export const fileFeature = feature({
  name: "file",
  nouns: async () => ({
    folders: (await import("./folder-store.ts")).folderNoun,
    files: (await import("./store.ts")).fileNoun,
  }),
  events: fileEvents,
  problems: fileProblems,
  serve: async () => (await import("./service.ts")).serveFile,
});
