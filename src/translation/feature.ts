import type { SettingsOf } from "../core/lib/setting.ts";
import { feature } from "../feature.ts";
import { translationProblems } from "./problems.ts";
import { translationFaults, translationSettings } from "./settings.ts";
import { xliffProblems } from "./xliff/problems.ts";

/** Translations of entries and files, and the locales that they are in. */

const nouns = async () => ({
  translations: (await import("./store.ts")).translationNoun,
  progress: (await import("./progress-store.ts")).progressNoun,
  fileTranslations: (await import("./file-store.ts")).fileTranslationNoun,
});

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
  interface Links extends LinksOf<typeof nouns> {}
}

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof translationSettings> {}
}
export const translationFeature = feature({
  name: "translation",
  nouns,
  problems: { ...translationProblems, ...xliffProblems },
  settings: translationSettings,
  commands: async () => (await import("./command.ts")).translationCommands,
  paths: ["/api/entries/translations", "/api/translations"],
  serve: async () => (await import("./service.ts")).serveTranslation,
  settingFaults: translationFaults,
});
