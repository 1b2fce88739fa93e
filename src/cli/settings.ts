import type { SettingState } from "../lib/setting.ts";
import { explainSettings } from "../settings.ts";
import { type Command, type CommandCall, jsonOption } from "./command.ts";
import { formatTable, print, printJson } from "./print.ts";
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
  if (call.switches.has("json")) printJson({ settings: states.map(settingFields) });
  else print(formatSettings(states));
}

/** A setting as `--json` shows it; the value of a secret is `[hidden]`. */
export function settingFields({ name, row, value, from }: SettingState) {
  const shown = row.isSecret ? (row.format(value) === "" ? null : "[hidden]") : (value ?? null);
  return { name, value: shown, unit: row.unit ?? null, from };
}

/** Name, value and origin in columns; secrets are hidden. */
export function formatSettings(states: readonly SettingState[]): string {
  const rows = states.map(({ name, row, value, from }) => {
    const text = row.format(value);
    return [name, text === "" ? "-" : row.isSecret ? "[hidden]" : text, from];
  });
  return formatTable(["NAME", "VALUE", "FROM"], rows);
}
