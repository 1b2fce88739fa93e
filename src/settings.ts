import { agentSettings } from "./agent/settings.ts";
import { bucketFaults, bucketSettings } from "./core/bytes/settings.ts";
import { networkSettings, refusalSettings, replySettings } from "./core/http/settings.ts";
import {
  placesOf,
  readRows,
  type SettingSources,
  type SettingState,
  type SettingStates,
  type SettingsOf,
  toSettings,
  withoutNames,
} from "./core/lib/setting.ts";
import { storageSettings } from "./core/sql/settings.ts";
import { imageSettings, presetFaults } from "./image/settings.ts";
import { pageSettings } from "./page/settings.ts";
import { signInFaults, signInSettings } from "./people/settings.ts";
import { uploadSettings } from "./upload/settings.ts";
import { webhookSettings } from "./webhook/settings.ts";

export { SettingsError } from "./core/lib/setting.ts";

/**
 * Every setting: the rows of each feature, in the order of docs/settings.md. A row defines the flag (`--collection-limit`), the variable (`OCTAVO_COLLECTION_LIMIT`),
 * the key in the file, the validation, the line in `octavo settings`, the line in docs/settings.md (`npm run docs`) and
 * the field of Settings (`collectionLimit`). Units are in the names.
 */
export const settingRows = {
  ...networkSettings,
  ...storageSettings,
  ...bucketSettings,
  ...replySettings,
  ...uploadSettings,
  ...imageSettings,
  ...agentSettings,
  ...pageSettings,
  ...webhookSettings,
  ...signInSettings,
  ...refusalSettings,
};

/** Sentences about settings that do not go together. */
const faultsBetween = (states: SettingStates): string[] =>
  [bucketFaults, signInFaults, presetFaults].flatMap((faults) => faults(states));

/**
 * Settings that were, each with the reason why it has no effect any more. A flag, a variable or a file that names one is
 * accepted, whatever its value is, so that an upgrade starts; the command line says so.
 */
export const retiredSettings: Readonly<Record<string, string>> = {
  list_cache_bytes: "replies of lists are no longer kept",
};

/** All settings, by their names in camel case; frozen. */
export type Settings = SettingsOf<typeof settingRows>;

/** The settings from flags, environment and file, in this order of precedence. Throws SettingsError: every fault. */
export function readSettings(sources: SettingSources): Settings {
  return toSettings<typeof settingRows>(explainSettings(sources));
}

/** The same, with the source of each value. Throws SettingsError. */
export function explainSettings(sources: SettingSources): SettingState[] {
  return readRows(settingRows, withoutNames(Object.keys(retiredSettings), sources), faultsBetween);
}

/** A sentence for each retired setting that the sources name: where, and why it can be removed there. */
export function retiredSentences(sources: SettingSources): string[] {
  return Object.entries(retiredSettings).flatMap(([name, reason]) => {
    const places = placesOf(name, sources);
    return places.length === 0 ? [] : [`${name} (${places.join(", ")}) has no effect any more: ${reason}`];
  });
}
