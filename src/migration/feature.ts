import { daySeconds, hourSeconds } from "../core/lib/time.ts";
import { feature } from "../feature.ts";
import { keepDays } from "./migration.ts";
import { migrationProblems } from "./problems.ts";

/** Migrations of the fields of types with their entries. */

const nouns = async () => ({ migrations: (await import("./store.ts")).migrationNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const migrationFeature = feature({
  name: "migration",
  nouns,
  problems: migrationProblems,
  chores: [
    {
      name: "forget migrations",
      everySeconds: hourSeconds,
      run: ({ migrations }, _settings, now) => migrations.forget(now - keepDays * daySeconds),
    },
  ],
  commands: async () => (await import("./command.ts")).migrationCommands,
  paths: ["/api/types/migrate"],
  serve: async () => (await import("./service.ts")).serveMigration,
});
