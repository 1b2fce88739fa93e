import { feature } from "../feature.ts";
import { verifyNoun } from "./verify-store.ts";

/** Backups, restore, verify. */

export const backupFeature = feature({
  name: "backup",
  nouns: { verification: verifyNoun },
  commands: async () => [
    (await import("./verify-command.ts")).verifyCommand,
    (await import("./command.ts")).backupCommand,
    (await import("./restore-command.ts")).restoreCommand,
  ],
});
