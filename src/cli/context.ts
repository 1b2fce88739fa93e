import { existsSync, readFileSync } from "node:fs";
import type { Stores } from "../app.ts";
import { formatJson, isJsonObject, type Json, JsonError, NumberText, parseJson } from "../lib/json.ts";
import type { SettingSources } from "../lib/setting.ts";
import { readSettings, type Settings } from "../settings.ts";
import { type CommandCall, CommandError, UsageError } from "./command.ts";

/** What every command stands on: its settings, and the store they name. */

const usualFile = "octavo.json";

/** Flags, environment and file of this call. Throws UsageError when a file that was named cannot be read. */
export function settingSources(call: CommandCall): SettingSources {
  const { config, ...flags } = call.settingFlags;
  const named = config ?? (process.env.OCTAVO_CONFIG || undefined);
  const name = named ?? (existsSync(usualFile) ? usualFile : undefined);
  return { flags, env: process.env, file: name === undefined ? undefined : { name, values: readFile(name) } };
}

/** The settings of this call. Throws SettingsError, UsageError. */
export const callSettings = (call: CommandCall): Settings => readSettings(settingSources(call));

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

/** Opens the store for one piece of work, beside a running server if there is one. It is made when missing. */
export async function withStores<T>(settings: Settings, work: (stores: Stores) => Promise<T>): Promise<T> {
  const { openStores } = await import("../app.ts");
  const stores = await openStores(settings);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** As withStores, for work on what is there: a mistyped folder must not become an empty store. Throws CommandError. */
export async function withExistingStores<T>(settings: Settings, work: (stores: Stores) => Promise<T>): Promise<T> {
  if (!existsSync(settings.data)) {
    throw new CommandError(`there is no store in ${settings.data}; name its folder with --data`);
  }
  return withStores(settings, work);
}

/** Who writes in the event log when the command line does. */
export const actor = "octavo";

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
