import { feature } from "../feature.ts";
import { fileEvents } from "./events.ts";
import { fileProblems } from "./problems.ts";

/** Files and folders. */

const nouns = async () => ({
  folders: (await import("./folder-store.ts")).folderNoun,
  files: (await import("./store.ts")).fileNoun,
});

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const fileFeature = feature({
  name: "file",
  nouns,
  events: fileEvents,
  problems: fileProblems,
  serve: async () => (await import("./service.ts")).serveFile,
});
