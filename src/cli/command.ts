import { parseArgs } from "node:util";
import { nearest } from "../core/lib/nearest.ts";
import { flagOf } from "../core/lib/setting.ts";
import { Problem } from "../core/problem.ts";
import { quote } from "../core/problem-row.ts";
import { retiredSettings, settingRows } from "../settings.ts";
import type { Command, CommandCall, Io, Option } from "./command-type.ts";

export type { Command, CommandCall, Io, Option } from "./command-type.ts";

/** An invalid command line: names the flag, what was received and what is accepted. */
export class UsageError extends Error {}

/**
 * Runs the domain's own check, before a store is opened: its refusal is a usage error. The domain's message names the
 * argument; this replaces that name with `nameOf`.
 */
export function asUsage<T>(check: () => T, nameOf: (argument: string) => string): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new UsageError(usageOf(error, nameOf));
  }
}

function usageOf(failure: Problem, nameOf: (argument: string) => string): string {
  const { argument, message } = failure;
  const { received, accepted, rule } = failure.params as { received?: string; accepted?: string; rule?: string };
  if (argument === undefined || received === undefined) return message;
  return `${nameOf(argument)} ${received === "" ? "is missing" : `was ${quote(received)}`}; ${rule ?? `expected ${accepted}`}`;
}

/** The command was valid and failed, for a reason that fits in one line. */
export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const jsonOption: Option = { help: "Print one JSON object instead of text." };
export const configOption: Option = { value: "FILE", help: "Settings file; ./octavo.json when it is there." };

/** The settings that the command line accepts; secrets are not among them. */
const settingFlagNames: readonly string[] = Object.entries(settingRows)
  .filter(([, row]) => !row.isSecret)
  .map(([name]) => flagOf(name).slice(2));

const retiredFlagNames: readonly string[] = Object.keys(retiredSettings).map((name) => flagOf(name).slice(2));

type Token = ReturnType<typeof tokenize>[number];

/** Parses the arguments of a command. Answers "help" when help was requested. Throws UsageError. */
export function readCommandLine(command: Command, words: readonly string[], io: Io): CommandCall | "help" {
  const known = new Map<string, Option>([
    ...settingFlagNames.map((name): [string, Option] => [name, { value: "VALUE", help: "" }]),
    ...retiredFlagNames.map((name): [string, Option] => [name, { value: "VALUE", help: "" }]),
    ["config", configOption],
    ...Object.entries(command.options),
  ]);
  const tokens = tokenize(words, known);
  if (tokens.some((token) => token.kind === "option" && ["help", "h"].includes(token.name))) return "help";
  const call = { io, positionals: [] as string[], options: {}, switches: new Set<string>(), settingFlags: {} };
  for (const token of tokens) {
    if (token.kind === "positional") call.positionals.push(token.value);
    if (token.kind === "option") takeOption(command, token, known, call);
  }
  checkPositionals(command, call.positionals);
  return call;
}

function tokenize(words: readonly string[], known: Map<string, Option>) {
  const options = Object.fromEntries(
    [...known].map(([name, { value }]) => [name, { type: value ? ("string" as const) : ("boolean" as const) }]),
  );
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: false, tokens: true }).tokens;
}

type OpenCall = {
  options: Record<string, string | undefined>;
  switches: Set<string>;
  settingFlags: Record<string, string>;
};

function takeOption(
  command: Command,
  token: Extract<Token, { kind: "option" }>,
  known: Map<string, Option>,
  call: OpenCall,
): void {
  const { name, rawName, value } = token;
  const option = known.get(name);
  if (!option || !rawName.startsWith("--")) {
    const current = [...known.keys()].filter((name) => !retiredFlagNames.includes(name));
    throw unknownFlag(command, rawName, current);
  }
  const isOwn = Object.hasOwn(command.options, name);
  const target = isOwn ? call.options : call.settingFlags;
  if (Object.hasOwn(target, name) || call.switches.has(name)) {
    throw new UsageError(`${rawName} was given twice; expected it once`);
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} was "${value}"; expected it without a value`);
    call.switches.add(name);
    return;
  }
  // A flag in place of the value means that the value was forgotten; `--label=--x` is explicit.
  const isForgotten = value === undefined || (!token.inlineValue && value.startsWith("--"));
  if (isForgotten) throw new UsageError(`${rawName} was given without a value; expected ${rawName} ${option.value}`);
  target[name] = value;
}

function unknownFlag(command: Command, received: string, names: string[]): UsageError {
  const near = received.startsWith("--") ? nearest(received.slice(2), names) : undefined;
  const hint = near ? `did you mean --${near}?` : `octavo ${command.name} --help lists what is accepted`;
  return new UsageError(`${received} is not a flag of octavo ${command.name}; ${hint}`);
}

function checkPositionals({ name, takes }: Command, received: readonly string[]): void {
  const missing = takes[received.length];
  if (missing !== undefined && !missing.startsWith("[")) {
    throw new UsageError(`${missing} is missing; expected octavo ${name} ${takes.join(" ")}`);
  }
  const extra = received[takes.length];
  if (extra === undefined || takes.at(-1)?.includes("...")) return;
  const expected = ["octavo", name, ...takes].join(" ");
  throw new UsageError(
    `"${extra}" is one word too many; expected ${expected}, once for each of several files, and with quotes around a text with spaces`,
  );
}
