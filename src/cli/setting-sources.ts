import cluster from "node:cluster";
import { existsSync, readFileSync } from "node:fs";
import { formatJson, isJsonObject, type Json, JsonError, NumberText, parseJson } from "../core/lib/json.ts";
import type { SettingSources } from "../core/lib/setting.ts";
import { passedOverSentences, readSettings, retiredSentences, type Settings } from "../settings.ts";
import { type CommandCall, UsageError } from "./command.ts";
import { warn } from "./print.ts";

const usualFile = "octavo.json";

/** The folder of the store that `npx octavo` by itself makes. */
export const sampleFolder = "./octavo-data";

/** Flags, environment and file of this invocation. Throws UsageError when a file named explicitly cannot be read. */
export function settingSources(call: CommandCall): SettingSources {
  const { env } = call.io;
  const { config, ...flags } = call.settingFlags;
  const named = config ?? (env.OCTAVO_CONFIG || undefined);
  const name = named ?? (existsSync(usualFile) ? usualFile : undefined);
  return { flags, env, file: name === undefined ? sampleStore() : { name, values: readFile(name) } };
}

/** Where `npx octavo` made the only store of the working folder, every command means that one, as if a file said so. */
function sampleStore(): SettingSources["file"] {
  if (existsSync("data") || !existsSync(sampleFolder)) return undefined;
  return { name: sampleFolder, values: { data: sampleFolder } };
}

/** The settings of this invocation; warns of retired ones that it names. Throws SettingsError, UsageError. */
export function callSettings(call: CommandCall): Settings {
  const sources = settingSources(call);
  warnOfRetired(call, sources);
  return readSettings(sources);
}

/** Says which settings of the sources have no effect any more; of the processes of `--workers` only the primary does. */
export function warnOfRetired(call: CommandCall, sources: SettingSources): void {
  if (cluster.isPrimary) for (const sentence of retiredSentences(sources)) warn(call, sentence);
}

/** Names the variables that a start passes over; of the processes of `--workers` only the primary does. */
export function warnOfPassedOver(call: CommandCall): void {
  if (cluster.isPrimary) for (const sentence of passedOverSentences(settingSources(call))) warn(call, sentence);
}

function readFile(name: string): Record<string, unknown> {
  let parsed: Json;
  try {
    parsed = parseJson(readFileSync(name, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof JsonError ? error.message : ((error as NodeJS.ErrnoException).code ?? "");
    throw new UsageError(`the settings file ${name} cannot be read (${reason}); expected a JSON object`);
  }
  if (!isJsonObject(parsed)) throw new UsageError(`the settings file ${name} holds no JSON object`);
  return Object.fromEntries([...parsed].map(([key, value]) => [key, toPlain(value)]));
}

const toPlain = (value: Json): unknown => {
  if (value instanceof NumberText) return value.text;
  return isJsonObject(value) ? JSON.parse(formatJson(value)) : value;
};
