import type { SettingsOf } from "../core/lib/setting.ts";
import { counter, gauge } from "../core/metric.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import type { placeholderNoun } from "./placeholder-store.ts";
import { imageProblems } from "./problems.ts";
import { imageSettings, presetFaults } from "./settings.ts";

/** Pictures, drawn as their address says. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    placeholders: PortOf<typeof placeholderNoun>;
  }
}

type ImageSettings = SettingsOf<typeof imageSettings>;
declare module "../settings-type.ts" {
  interface Settings extends ImageSettings {}
}

export const imageFeature = feature({
  name: "image",
  nouns: async () => ({ placeholders: (await import("./placeholder-store.ts")).placeholderNoun }),
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
