import type { SettingState } from "../core/lib/setting.ts";
import { explainSettings } from "../settings.ts";
import { type Command, type CommandCall, jsonOption } from "./command.ts";
import { printJson, printTable } from "./print.ts";
import { settingSources, warnOfRetired } from "./setting-sources.ts";

export const settingsCommand: Command = {
  name: "settings",
  summary: "Print every setting, its value and its source",
  details: "Secrets are hidden. If settings are invalid, all of them are listed and the exit code is 2.",
  takes: [],
  options: { json: jsonOption },
  examples: ["octavo settings", "OCTAVO_PORT=9000 octavo settings --json"],
  run: async (call) => printSettings(call),
};

function printSettings(call: CommandCall): void {
  const sources = settingSources(call);
  warnOfRetired(call, sources);
  const states = explainSettings(sources);
  if (call.switches.has("json")) printJson(call, { settings: states.map(settingFields) });
  else printTable(call, ["NAME", "VALUE", "FROM"], settingCells(states));
}

/** A setting as `--json` shows it; the value of a secret is `[hidden]`. */
export function settingFields({ name, row, value, from }: SettingState) {
  const shown = row.isSecret ? (row.format(value) === "" ? null : "[hidden]") : (value ?? null);
  return { name, value: shown, unit: row.unit ?? null, from };
}

/** Name, value and origin; secrets are hidden. */
export const settingCells = (states: readonly SettingState[]): string[][] =>
  states.map(({ name, row, value, from }) => {
    const text = row.format(value);
    return [name, text === "" ? "-" : row.isSecret ? "[hidden]" : text, from];
  });
