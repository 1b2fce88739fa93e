import { envOf, flagOf } from "../core/lib/setting.ts";
import { explainSettings, type Settings } from "../settings.ts";
import type { CommandCall } from "./command.ts";
import { settingSources } from "./setting-sources.ts";

/** How people and other commands find the store of this invocation. Prints no secret. */

/** The folder of the store, or its database. */
export function storeName({ data, postgresUrl }: Settings): string {
  if (!postgresUrl) return data;
  const { pathname, host } = new URL(postgresUrl);
  return `the PostgreSQL database ${decodeURIComponent(pathname.slice(1))} on ${host || "this machine"}`;
}

/** The settings that decide which store is opened. */
const isPlace = (name: string): boolean =>
  /^(data|postgres_url|s3_(endpoint|bucket|region|access_key|secret_key|prefix|path_style))$/.test(name);

type SameStore = {
  /** An octavo command line that opens the same store from another shell in the same folder. */
  line(words: string): string;
  /** Variables that such a shell needs in addition; their values are secrets. */
  secrets: string[];
};

/** Repeats what was set by flags and by variables. A settings file in the working folder is found without a flag. */
export function sameStore(call: CommandCall): SameStore {
  const { config } = call.settingFlags;
  const file = config ? [`--config ${quoted(config)}`] : [];
  const variables = config ? [] : fromEnv(call, "OCTAVO_CONFIG");
  const flags: string[] = [];
  const secrets: string[] = [];
  for (const { name, row, value, from } of explainSettings(settingSources(call)).filter(({ name }) => isPlace(name))) {
    if (from === flagOf(name)) flags.push(`${from} ${quoted(row.format(value))}`);
    if (from === envOf(name))
      row.isSecret ? secrets.push(from) : variables.push(`${from}=${quoted(row.format(value))}`);
  }
  return { line: (words) => [...variables, "npx octavo", words, ...file, ...flags].join(" "), secrets };
}

const fromEnv = ({ io }: CommandCall, name: string): string[] => {
  const value = io.env[name];
  return value ? [`${name}=${quoted(value)}`] : [];
};

/** Quotes a word for a shell. */
const quoted = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
