import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { fileEvents } from "./events.ts";
import { folderNoun } from "./folder-store.ts";
import { fileProblems } from "./problems.ts";
import { fileNoun } from "./store.ts";

/** Files and folders. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    folders: PortOf<typeof folderNoun>;
    files: PortOf<typeof fileNoun>;
  }
}

export const fileFeature = feature({
  name: "file",
  nouns: { folders: folderNoun, files: fileNoun },
  events: fileEvents,
  problems: fileProblems,
  serve: async () => (await import("./service.ts")).serveFile,
});
