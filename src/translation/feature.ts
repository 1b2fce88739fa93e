import type { SettingsOf } from "../core/lib/setting.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import type {
  copyFileTexts,
  copyFolderTexts,
  filesInLocale,
  fileTranslationNoun,
  translateFile,
} from "./file-store.ts";
import type {
  copyTranslations,
  refuseMovedNames,
  returnTranslation,
  returnTranslations,
  trashTranslations,
} from "./kept-store.ts";
import { translationProblems } from "./problems.ts";
import type { progressNoun } from "./progress-store.ts";
import type { stateIn } from "./rows.ts";
import type { forgetUntranslated, refuseTranslationFaults, saveTranslation } from "./save-store.ts";
import type { inLocale } from "./seen-store.ts";
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
  interface Links {
    saveTranslation: typeof saveTranslation;
    refuseTranslationFaults: typeof refuseTranslationFaults;
    forgetUntranslated: typeof forgetUntranslated;
    inLocale: typeof inLocale;
    stateIn: typeof stateIn;
    trashTranslations: typeof trashTranslations;
    returnTranslations: typeof returnTranslations;
    returnTranslation: typeof returnTranslation;
    refuseMovedNames: typeof refuseMovedNames;
    copyTranslations: typeof copyTranslations;
    filesInLocale: typeof filesInLocale;
    translateFile: typeof translateFile;
    copyFileTexts: typeof copyFileTexts;
    copyFolderTexts: typeof copyFolderTexts;
    anyFileTexts(): string;
  }
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
