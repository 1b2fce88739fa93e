import type { SettingsOf } from "../core/lib/setting.ts";
import { counter, gauge } from "../core/metric.ts";
import { feature } from "../feature.ts";
import { imageProblems } from "./problems.ts";
import { imageSettings, presetFaults } from "./settings.ts";

/** Pictures, drawn as their address says. */

const nouns = async () => ({ placeholders: (await import("./placeholder-store.ts")).placeholderNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof imageSettings> {}
}

export const imageFeature = feature({
  name: "image",
  nouns,
  problems: imageProblems,
  settings: imageSettings,
  settingFaults: presetFaults,
  commands: async () => [
    ...(await import("./renditions-command.ts")).renditionsCommands,
    (await import("./sign-command.ts")).signCommand,
  ],
  metrics: {
    octavo_renders_total: counter("Pictures that were drawn, by outcome."),
    octavo_renders_waiting: gauge("Pictures that wait to be drawn."),
  },
  serve: async () => (await import("./service.ts")).serveImage,
});
