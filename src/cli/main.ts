import { existsSync } from "node:fs";
import { nearest } from "../core/lib/nearest.ts";
import { features } from "../features.ts";
import { SettingsError } from "../settings.ts";
import { callCommand } from "./call.ts";
import { type Command, CommandError, type Io, readCommandLine, UsageError } from "./command.ts";
import { codeOf, explainFailure } from "./failure.ts";
import { formatHelp, formatOverview } from "./help.ts";
import { print, printJson } from "./print.ts";
import { serveCommand } from "./serve.ts";
import { sampleFolder } from "./setting-sources.ts";
import { settingsCommand } from "./settings.ts";
import { version } from "./version.ts";

/** The command line: finds the command, runs it, turns its errors into a message and an exit code. */

/** The order of the overview, by first words; others follow. */
const firstWords = [
  ...["serve", "settings", "doctor", "health", "token", "people", "webhook", "mcp", "registry", "events", "history"],
  ...[
    "staged",
    "release",
    "type",
    "types",
    "batch",
    "call",
    "trash",
    "uploads",
    "renditions",
    "sign",
    "explain",
    "verify",
  ],
  ...["backup", "restore", "import", "export"],
];

const placeOf = ({ name }: Command): number => {
  const place = firstWords.indexOf(name.split(" ")[0] ?? "");
  return place < 0 ? firstWords.length : place;
};

/** The general commands, and those of each feature. */
async function loadCommands(): Promise<Command[]> {
  const ofFeatures = await Promise.all(features.map(({ commands }) => commands?.() ?? []));
  const all = [serveCommand, settingsCommand, callCommand, ...ofFeatures.flat()];
  return all.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const commands = await loadCommands();

/**
 * Runs the command line `octavo ...words`. Returns the exit code, once all is closed that the command opened; `serve` has
 * then begun. Errors are reported on standard error.
 */
export async function main(words: readonly string[], io: Io): Promise<number> {
  try {
    await run(words, io);
    return 0;
  } catch (error) {
    return report(error, words, io);
  }
}

async function run(words: readonly string[], io: Io): Promise<void> {
  const [first, second] = words;
  if (first === undefined) await runCommand(alone(words, io), io);
  else if (["version", "--version", "-v"].includes(first)) printVersion(words, io);
  else if (isHelp(first)) print({ io }, helpFor(words.slice(1), io));
  else if (first.startsWith("--") && !words.some(isCommand)) await runCommand(alone(words, io), io);
  else if (groupOf(first).length > 0 && isHelp(second)) print({ io }, helpFor([first], io));
  else await runCommand(words, io);
}

function printVersion(words: readonly string[], io: Io): void {
  isJson(words) ? printJson({ io }, { version }) : print({ io }, version);
}

/** Needed also where the command line cannot be parsed. */
const isJson = (words: readonly string[]): boolean => words.includes("--json");

/**
 * `npx octavo` by itself or with settings, in an empty folder, starts the sample site in a store of its own, unless they
 * name one.
 */
function alone(flags: readonly string[], { env }: Io): string[] {
  const { OCTAVO_DATA, OCTAVO_CONFIG } = env;
  const isFlag = flags.some((word) => /^--(data|config)\b/.test(word));
  const isNamed = isFlag || Boolean(OCTAVO_DATA || OCTAVO_CONFIG) || existsSync("octavo.json");
  return ["serve", "--demo", ...(isNamed ? [] : ["--data", sampleFolder]), ...flags];
}

const isCommand = (word: string): boolean => commands.some(({ name }) => name.split(" ")[0] === word);

async function runCommand(words: readonly string[], io: Io): Promise<void> {
  const { command, rest } = findCommand(words);
  const call = readCommandLine(command, rest, io);
  if (call === "help") print({ io }, formatHelp({ io }, command));
  else await command.run(call);
}

const isHelp = (word: string | undefined): boolean => word === "help" || word === "--help" || word === "-h";

function helpFor(words: readonly string[], io: Io): string {
  const [first = ""] = words;
  const group = words.length === 1 ? groupOf(first) : [];
  if (words.length === 0 || group.length > 0) return formatOverview({ io }, words.length === 0 ? commands : group);
  return formatHelp({ io }, findCommand(words).command);
}

/** The commands of a group: `token` has seven. */
const groupOf = (first: string): Command[] => commands.filter(({ name }) => name.startsWith(`${first} `));

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, length).join(" "));
    if (command && command.name.split(" ").length === length) return { command, rest: words.slice(length) };
  }
  throw unknownCommand(words);
}

function unknownCommand([first = "", second]: readonly string[]): UsageError {
  const isFlag = (word: string | undefined) => word === undefined || word.startsWith("-");
  if (isFlag(first)) return new UsageError(`${first} was given before the command; expected octavo COMMAND ${first}`);
  const group = groupOf(first).map(({ name }) => name);
  const known = group.length > 0 ? group : commands.map(({ name }) => name);
  if (group.length > 0 && isFlag(second)) {
    return new UsageError(`octavo ${first} needs a second word; expected one of ${group.join(", ")}`);
  }
  const received = group.length > 0 ? `${first} ${second}` : first;
  const near = nearest(received, known) ?? nearest(first, new Set(known.map((name) => name.split(" ")[0] ?? "")));
  const hint = near ? `did you mean octavo ${near}?` : "octavo help lists the commands";
  return new UsageError(`octavo ${received} is not a command; ${hint}`);
}

/** Reports the error on standard error, with `--json` as one object; returns the exit code. */
function report(error: unknown, words: readonly string[], { stderr }: Io): number {
  const say = (text: string) =>
    stderr.write(isJson(words) ? `${JSON.stringify({ error: text, code: codeOf(error) })}\n` : `octavo: ${text}\n`);
  if (error instanceof SettingsError) {
    say(`the settings are wrong:\n${error.faults.map((fault) => `  ${fault}`).join("\n")}`);
    return 2;
  }
  if (error instanceof UsageError) {
    say(error.message);
    return 2;
  }
  say(error instanceof CommandError ? error.message : explainFailure(error));
  return error instanceof CommandError ? error.exitCode : 1;
}
