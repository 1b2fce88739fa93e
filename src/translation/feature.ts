import type { SettingsOf } from "../core/lib/setting.ts";
import type { LinksOf, PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import type { fileTranslationNoun } from "./file-store.ts";
import { translationProblems } from "./problems.ts";
import type { progressNoun } from "./progress-store.ts";
import { translationFaults, translationSettings } from "./settings.ts";
import type { translationNoun } from "./store.ts";
import { xliffProblems } from "./xliff/problems.ts";

/** Translations of entries and files, and the locales that they are in. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    translations: PortOf<typeof translationNoun>;
    progress: PortOf<typeof progressNoun>;
    fileTranslations: PortOf<typeof fileTranslationNoun>;
  }
  interface Links extends LinksOf<typeof translationNoun>, LinksOf<typeof fileTranslationNoun> {}
}

type TranslationSettings = SettingsOf<typeof translationSettings>;
declare module "../settings-type.ts" {
  interface Settings extends TranslationSettings {}
}
export const translationFeature = feature({
  name: "translation",
  nouns: async () => ({
    translations: (await import("./store.ts")).translationNoun,
    progress: (await import("./progress-store.ts")).progressNoun,
    fileTranslations: (await import("./file-store.ts")).fileTranslationNoun,
  }),
  problems: { ...translationProblems, ...xliffProblems },
  settings: translationSettings,
  commands: async () => (await import("./command.ts")).translationCommands,
  paths: ["/api/entries/translations", "/api/translations"],
  serve: async () => (await import("./service.ts")).serveTranslation,
  settingFaults: translationFaults,
});
