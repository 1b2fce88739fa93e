import { feature } from "../feature.ts";

/** Backups, restore, verify. */

export const backupFeature = feature({
  name: "backup",
  nouns: async () => ({ verification: (await import("./verify-store.ts")).verifyNoun }),
  commands: async () => [
    (await import("./verify-command.ts")).verifyCommand,
    (await import("./command.ts")).backupCommand,
    (await import("./restore-command.ts")).restoreCommand,
  ],
});
