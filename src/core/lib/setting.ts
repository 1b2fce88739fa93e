import { isIP } from "node:net";
import { nearest, typoOf } from "./nearest.ts";
import { GiB, KiB, MiB } from "./size.ts";

/** The types of settings, and how a table of settings is read. The rows are in the settings.ts of each feature. */

/** One setting: its format, accepted values and default. */
export type SettingRow<T> = Readonly<{
  type: "text" | "integer" | "bytes" | "choice" | "list" | "address";
  unit: string | undefined;
  default: T;
  /** The accepted values in words: `an integer from 0 to 65535`. */
  accepted: string;
  /** Never printed, and never accepted on the command line, which every user of the machine can read. */
  isSecret: boolean;
  help: string;
  /** The name of a setting that limits this one; the default of this one is lowered to it. */
  atMost: string | undefined;
  /** Parses the text; undefined when it is not accepted. */
  parse(text: string): T | undefined;
  /** Formats the value as text that parses to it. */
  format(value: T): string;
}>;

// biome-ignore lint/suspicious/noExplicitAny: the rows of one table differ in what they hold.
export type SettingRows = Record<string, SettingRow<any>>;

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type ValueOf<Row> = Row extends SettingRow<infer T> ? T : never;
/** The values of a table, by the rows' names in camel case. */
export type SettingsOf<Rows extends SettingRows> = {
  readonly [Name in keyof Rows & string as Camel<Name>]: ValueOf<Rows[Name]>;
};

// ---------------------------------------------------------------------------------------------- the sorts of rows

type Common = { help: string; secret?: boolean };

const common = ({ help, secret = false }: Common) => ({ help, isSecret: secret, unit: undefined, atMost: undefined });

/**
 * Any text except the empty one, unless that is the default; it must match the pattern, and `isText` must be true for
 * it.
 */
export function text(
  options: Common & { default: string; accepted?: string; pattern?: RegExp; isText?: (text: string) => boolean },
): SettingRow<string> {
  const { accepted = "a text", pattern = /./s, isText = () => true } = options;
  return {
    ...common(options),
    type: "text",
    default: options.default,
    accepted,
    parse: (received) =>
      received === options.default || (pattern.test(received) && isText(received)) ? received : undefined,
    format: (value) => value,
  };
}

/** A whole number from `min` to `max`, both included. */
export function integer(
  options: Common & { default: number; min: number; max: number; unit?: string; atMost?: string },
): SettingRow<number> {
  const { min, max, unit, atMost } = options;
  return {
    ...common(options),
    type: "integer",
    unit,
    atMost,
    default: options.default,
    accepted: `an integer from ${min} to ${max}${unit ? ` (${unit})` : ""}`,
    parse: (received) => within(/^-?\d{1,16}$/.test(received) ? Number(received) : Number.NaN, min, max),
    format: String,
  };
}

const byteUnits = { B: 1, KiB, MiB, GiB };

/** A number of bytes: `500000`, `64KiB`, `1.25MiB`, `2GiB`. A fraction of a byte is truncated. */
export function bytes(
  options: Common & { default: number; min: number; max: number; atMost?: string },
): SettingRow<number> {
  const { min, max, atMost } = options;
  return {
    ...common(options),
    type: "bytes",
    unit: "bytes",
    atMost,
    default: options.default,
    accepted: `bytes from ${formatBytes(min)} to ${formatBytes(max)}, as 500000, 64KiB, 1.25MiB or 2GiB`,
    parse: (received) => within(parseBytes(received), min, max),
    format: formatBytes,
  };
}

function parseBytes(received: string): number {
  const [, number, unit = "b"] = /^(\d{1,16}(?:\.\d{1,6})?)\s*(b|kib|mib|gib)?$/i.exec(received) ?? [];
  const size = Object.entries(byteUnits).find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1];
  return number === undefined || size === undefined ? Number.NaN : Math.floor(Number(number) * size);
}

/** Formats bytes with the largest unit that divides them, as `bytes` parses them: 16MiB, 1500. */
export function formatBytes(value: number): string {
  for (const [name, size] of Object.entries(byteUnits).reverse()) {
    if (value >= size && value % size === 0) return name === "B" ? String(value) : `${value / size}${name}`;
  }
  return String(value);
}

/** One of the named values. */
export function choice<T extends string>(names: readonly T[], options: Common & { default: T }): SettingRow<T> {
  return {
    ...common(options),
    type: "choice",
    default: options.default,
    accepted: names.join(" or "),
    parse: (received) => names.find((name) => name === received),
    format: String,
  };
}

/** A list: comma-separated in a text, an array in the file. Empty items are dropped. */
export function list(
  options: Common & { default: readonly string[]; accepted: string; isItem: (item: string) => boolean },
): SettingRow<readonly string[]> {
  return {
    ...common(options),
    type: "list",
    default: Object.freeze([...options.default]),
    accepted: options.accepted,
    parse: (received) => {
      const items = received.split(",").map((item) => item.trim());
      const kept = items.filter((item) => item !== "");
      return kept.every(options.isItem) ? Object.freeze(kept) : undefined;
    },
    format: (value) => value.join(","),
  };
}

/** `off`, the default, for none, or some of these words, each once. */
export function words<T extends string>(names: readonly T[], options: Common): SettingRow<readonly T[]> {
  const off = "off";
  return {
    ...common(options),
    type: "list",
    default: Object.freeze([]),
    accepted: `${off}, or one or more of ${names.join(", ")}, separated by commas`,
    parse: (received) => {
      if (received === off) return Object.freeze([]);
      const found = received.split(",").map((item) => names.find((name) => name === item.trim()));
      return found.includes(undefined) ? undefined : Object.freeze([...new Set(found as T[])]);
    },
    format: (value) => (value.length === 0 ? off : value.join(",")),
  };
}

/** An http or https address without query; absent by default. Trailing slashes are removed. */
export function webAddress(options: Common & { hasPath?: boolean }): SettingRow<string | undefined> {
  const { hasPath = true } = options;
  return {
    ...common(options),
    type: "address",
    default: undefined,
    accepted: `an http or https address without ${hasPath ? "" : "path, "}user, query and fragment, as https://content.example.org`,
    parse: (received) => {
      const address = parseWebAddress(received);
      return address === undefined || hasPath || new URL(address).pathname === "/" ? address : undefined;
    },
    format: (value) => value ?? "",
  };
}

function parseWebAddress(received: string): string | undefined {
  const url = URL.canParse(received) ? new URL(received) : undefined;
  if (!url || !/^https?:\/\//i.test(received) || /[?#@\s]/.test(received)) return undefined;
  return url.href.replace(/\/+$/, "");
}

/** True for an IP address or a CIDR block: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. */
export function isAddressBlock(item: string): boolean {
  const [address = "", bits, ...rest] = item.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const within = (value: number, min: number, max: number): number | undefined =>
  value >= min && value <= max ? value : undefined;

// ---------------------------------------------------------------------------------------------- reading a table

/** Where values come from. A flag overrides the environment, the environment the file, the file the default. */
export type SettingSources = {
  /** By name, with `_` or `-`: `{ port: "0", "max-x": "1" }`. */
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  /** The content of the file, and its name in messages. */
  file: { name: string; values: Readonly<Record<string, unknown>> } | undefined;
};

/** Every fault of the settings, a sentence each: the setting, its source, what was received, what is accepted. */
export class SettingsError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** One setting with its value and origin, for display. */
export type SettingState = { name: string; row: SettingRow<unknown>; value: unknown; from: string };

const envPrefix = "OCTAVO_";
/** Names with the prefix that are not settings: the name of the file itself, and what programs that call a service read. */
const otherEnv = ["CONFIG", "URL", "TOKEN", "ACCESS_TOKEN", "IMAGES_TOKEN", "AGENT", "WEBHOOK_SECRET"];
/** These, and variables of the tests. */
const isOtherEnv = (name: string): boolean =>
  otherEnv.includes(name.slice(envPrefix.length)) || name.startsWith("OCTAVO_TEST_");

/** How the names of secrets and addresses end that other programs beside the service read. */
const foreignEnv = /_(TOKEN|SECRET|KEY|URL)$/;

/** The variables that are no settings and are passed over: those of other programs. One that may be a typo is not. */
export function passedOver(rows: SettingRows, { env }: Pick<SettingSources, "env">): string[] {
  const names = Object.keys(rows);
  const known = new Set(names.map(envOf));
  return Object.keys(env).filter(
    (name) =>
      name.startsWith(envPrefix) &&
      foreignEnv.test(name) &&
      !isOtherEnv(name) &&
      !known.has(name) &&
      typoOf(name.slice(envPrefix.length), names, 2) === undefined,
  );
}

export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;
export const envOf = (name: string): string => envPrefix + name.toUpperCase();
const camelOf = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads a table. `faultsBetween` finds faults between rows. Throws SettingsError with every fault. */
export function readRows(
  rows: SettingRows,
  sources: SettingSources,
  faultsBetween: (states: ReadonlyMap<string, SettingState>) => string[] = () => [],
): SettingState[] {
  const faults = unknownNames(rows, sources);
  const states = new Map<string, SettingState>();
  for (const [name, row] of Object.entries(rows)) states.set(name, readRow(name, row, sources, faults));
  for (const state of states.values()) keepBelow(state, states, faults);
  faults.push(...faultsBetween(states));
  if (faults.length > 0) throw new SettingsError(faults);
  return [...states.values()];
}

/** The values of a table, frozen. */
export function toSettings<Rows extends SettingRows>(states: readonly SettingState[]): SettingsOf<Rows> {
  const values = Object.fromEntries(states.map(({ name, value }) => [camelOf(name), value]));
  return Object.freeze(values) as SettingsOf<Rows>;
}

type SourceValue = { from: string; received: unknown };

function readRow(name: string, row: SettingRow<unknown>, sources: SettingSources, faults: string[]): SettingState {
  const found = findValue(name, row, sources);
  if (!found) return { name, row, value: row.default, from: "default" };
  const received = toText(found.received, row);
  const value = received === undefined ? undefined : row.parse(received.trim());
  if (value === undefined) {
    faults.push(`${name}: ${found.from} was ${shown(found.received, row)}; expected ${row.accepted}`);
  }
  return { name, row, value, from: found.from };
}

/** Where the sources set a name, in the order of precedence. */
export function placesOf(name: string, { flags, env, file }: SettingSources): string[] {
  return [
    ...(flagNames(name).some((flag) => flags[flag] !== undefined) ? [flagOf(name)] : []),
    ...(env[envOf(name)] ? [envOf(name)] : []),
    ...(file && Object.hasOwn(file.values, name) ? [file.name] : []),
  ];
}

/** The sources without these names. */
export function withoutNames(names: readonly string[], { flags, env, file }: SettingSources): SettingSources {
  return {
    flags: omit(flags, names.flatMap(flagNames)),
    env: omit(env, names.map(envOf)),
    file: file && { ...file, values: omit(file.values, names) },
  };
}

/** Both ways to write the flag of a setting as a key of `flags`. */
const flagNames = (name: string): string[] => [name, name.replaceAll("_", "-")];

const omit = <T>(values: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

function findValue(
  name: string,
  row: SettingRow<unknown>,
  { flags, env, file }: SettingSources,
): SourceValue | undefined {
  const flag = flags[name] ?? flags[name.replaceAll("_", "-")];
  if (flag !== undefined && !row.isSecret) return { from: flagOf(name), received: flag };
  // An empty variable counts as not set: compose files and unit files pass on variables that were not set for them.
  const variable = env[envOf(name)];
  if (variable !== undefined && variable !== "") return { from: envOf(name), received: variable };
  if (file && Object.hasOwn(file.values, name)) return { from: file.name, received: file.values[name] };
  return undefined;
}

function toText(received: unknown, row: SettingRow<unknown>): string | undefined {
  if (typeof received === "string") return received;
  if (typeof received === "number") return row.type === "text" ? undefined : String(received);
  const isTextList =
    Array.isArray(received) && received.every((item) => typeof item === "string" && !item.includes(","));
  return isTextList && row.type === "list" ? received.join(",") : undefined;
}

const shown = (received: unknown, row: SettingRow<unknown>): string => {
  if (row.isSecret) return "[hidden]";
  const written = JSON.stringify(received) ?? String(received);
  return written.length > 80 ? `${written.slice(0, 80).toWellFormed()}…` : written;
};

/**
 * Checks a value against the setting that limits it. A default is lowered, so that lowering the limit alone is enough.
 */
function keepBelow(state: SettingState, states: Map<string, SettingState>, faults: string[]): void {
  const { name, row, value, from } = state;
  const bound = row.atMost === undefined ? undefined : states.get(row.atMost);
  if (typeof bound?.value !== "number" || typeof value !== "number" || value <= bound.value) return;
  if (from === "default") state.value = bound.value;
  else faults.push(`${name}: ${from} was "${value}"; expected at most ${bound.name}, which is ${bound.value}`);
}

function unknownNames(rows: SettingRows, { flags, env, file }: SettingSources): string[] {
  const names = Object.keys(rows);
  const foreign = new Set(passedOver(rows, { env }));
  const secret = names.filter((name) => rows[name]?.isSecret);
  const given = Object.keys(flags).filter((flag) => flags[flag] !== undefined);
  const flagNames = given.map((flag) => flag.replaceAll("-", "_"));
  const envNames = Object.keys(env).filter((name) => name.startsWith(envPrefix) && !isOtherEnv(name));
  const unknownEnv = envNames.filter((name) => !foreign.has(name) && !names.some((known) => envOf(known) === name));
  const unknownKeys = Object.keys(file?.values ?? {}).filter((name) => !Object.hasOwn(rows, name));
  return [
    ...flagNames
      .filter((name) => secret.includes(name))
      .map((name) => `${name}: a secret is not taken from ${flagOf(name)}; expected it in ${envOf(name)} or the file`),
    ...flagNames
      .filter((name) => !Object.hasOwn(rows, name))
      .map((name) => unknown(flagOf(name), "", name, names, flagOf)),
    ...unknownEnv.map((name) => unknown(name, "", name.slice(envPrefix.length).toLowerCase(), names, envOf)),
    ...unknownKeys.map((name) => unknown(name, ` in ${file?.name}`, name, names, String)),
  ];
}

function unknown(
  received: string,
  where: string,
  name: string,
  names: string[],
  format: (name: string) => string,
): string {
  const near = nearest(name, names);
  const hint = near ? `did you mean ${format(near)}?` : "`octavo settings` lists all there are";
  return `${received}${where}: there is no such setting; ${hint}`;
}

// ------------------------------------------------------------------------------------------ rules between settings

/** What was set, by name. */
export type SettingStates = ReadonlyMap<string, SettingState>;

/** True where it is not its default. */
export const isSet = (states: SettingStates, name: string): boolean => states.get(name)?.from !== "default";

/** All of these names are set, or none. */
export function togetherFaults(states: SettingStates, names: readonly string[]): string[] {
  const first = names.find((name) => isSet(states, name));
  const missing = first === undefined ? [] : names.filter((name) => !isSet(states, name));
  return missing.map((name) => `${name}: it is not set; expected it beside ${first}`);
}
