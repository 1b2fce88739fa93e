import { feature } from "../feature.ts";

/** Import and export. */

export const movingFeature = feature({
  name: "moving",
  commands: async () => [
    (await import("./import-command.ts")).importCommand,
    (await import("./export-command.ts")).exportCommand,
  ],
});
