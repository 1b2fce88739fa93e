import { bucketFaults, bucketSettings } from "./core/bytes/settings.ts";
import { networkSettings, refusalSettings, replySettings } from "./core/http/settings.ts";
import {
  passedOver,
  placesOf,
  readRows,
  type SettingRows,
  type SettingSources,
  type SettingState,
  type SettingStates,
  toSettings,
  withoutNames,
} from "./core/lib/setting.ts";
import { storageSettings } from "./core/sql/settings.ts";
import { features } from "./features.ts";
import type { Settings } from "./settings-type.ts";

export { SettingsError } from "./core/lib/setting.ts";
export type { Settings } from "./settings-type.ts";

/**
 * Every setting: the rows of the core and of each feature, in the order of docs/settings.md. A row defines the flag
 * (`--collection-limit`), the variable (`OCTAVO_COLLECTION_LIMIT`), the key in the file, the validation, the line in
 * `octavo settings`, the line in docs/settings.md (`npm run docs`) and the field of Settings (`collectionLimit`). Units are
 * in the names.
 */
export const settingRows: SettingRows = Object.assign(
  {},
  networkSettings,
  storageSettings,
  bucketSettings,
  replySettings,
  ...features.map(({ settings }) => settings),
  refusalSettings,
);

/** Sentences about settings that do not go together. */
const faultsBetween = (states: SettingStates): string[] => [
  ...bucketFaults(states),
  ...features.flatMap(({ settingFaults }) => settingFaults?.(states) ?? []),
];

/**
 * Settings that were, each with the reason why it has no effect any more. A flag, a variable or a file that names one is
 * accepted, whatever its value is, so that an upgrade starts; the command line says so.
 */
export const retiredSettings: Readonly<Record<string, string>> = {
  list_cache_bytes: "replies of lists are no longer kept",
};

/** The settings from flags, environment and file, in this order of precedence. Throws SettingsError: every fault. */
export function readSettings(sources: SettingSources): Settings {
  return toSettings(explainSettings(sources)) as unknown as Settings;
}

/** The same, with the source of each value. Throws SettingsError. */
export function explainSettings(sources: SettingSources): SettingState[] {
  return readRows(settingRows, withoutNames(Object.keys(retiredSettings), sources), faultsBetween);
}

/** One sentence that names the variables of other programs, which are passed over; none where there are none. */
export function passedOverSentences(sources: SettingSources): string[] {
  const names = passedOver(settingRows, withoutNames(Object.keys(retiredSettings), sources));
  return names.length === 0 ? [] : [`${names.join(", ")}: no setting of Octavo, passed over`];
}

/** A sentence for each retired setting that the sources name: where, and why it can be removed there. */
export function retiredSentences(sources: SettingSources): string[] {
  return Object.entries(retiredSettings).flatMap(([name, reason]) => {
    const places = placesOf(name, sources);
    return places.length === 0 ? [] : [`${name} (${places.join(", ")}) has no effect any more: ${reason}`];
  });
}
