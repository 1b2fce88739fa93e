#!/usr/bin/env node
import { existsSync } from "node:fs";
import { backupCommand } from "./cli/backup.ts";
import { batchCommands } from "./cli/batch.ts";
import { type Command, CommandError, readCommandLine, UsageError } from "./cli/command.ts";
import { doctorCommand } from "./cli/doctor.ts";
import { eventsCommands } from "./cli/events.ts";
import { explainCommand } from "./cli/explain.ts";
import { exportCommand } from "./cli/export.ts";
import { codeOf, explainFailure } from "./cli/failure.ts";
import { healthCommand } from "./cli/health.ts";
import { formatHelp, formatOverview } from "./cli/help.ts";
import { historyCommands } from "./cli/history.ts";
import { importCommand } from "./cli/import.ts";
import { mcpCommand } from "./cli/mcp.ts";
import { peopleCommands } from "./cli/people.ts";
import { print, printJson } from "./cli/print.ts";
import { registryCommands } from "./cli/registry.ts";
import { releaseCommands } from "./cli/release.ts";
import { renditionsCommands } from "./cli/renditions.ts";
import { restoreCommand } from "./cli/restore.ts";
import { serveCommand } from "./cli/serve.ts";
import { sampleFolder } from "./cli/setting-sources.ts";
import { settingsCommand } from "./cli/settings.ts";
import { signCommand } from "./cli/sign.ts";
import { stagedCommands } from "./cli/staged.ts";
import { tokenCommands } from "./cli/token.ts";
import { trashCommands } from "./cli/trash.ts";
import { typeCommands } from "./cli/type.ts";
import { uploadsCommands } from "./cli/uploads.ts";
import { verifyCommand } from "./cli/verify.ts";
import { version } from "./cli/version.ts";
import { webhookCommands } from "./cli/webhook.ts";
import { nearest } from "./lib/nearest.ts";
import { SettingsError } from "./settings.ts";

/** The command line: finds the command, runs it, turns its errors into a message and an exit code. */

const commands: readonly Command[] = [
  serveCommand,
  settingsCommand,
  doctorCommand,
  healthCommand,
  ...tokenCommands,
  ...peopleCommands,
  ...webhookCommands,
  mcpCommand,
  ...registryCommands,
  ...eventsCommands,
  ...historyCommands,
  ...stagedCommands,
  ...releaseCommands,
  ...typeCommands,
  ...batchCommands,
  ...trashCommands,
  ...uploadsCommands,
  ...renditionsCommands,
  signCommand,
  explainCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  importCommand,
  exportCommand,
];

/** Needed also where the command line cannot be parsed. */
const isJson = process.argv.includes("--json");

async function run(words: readonly string[]): Promise<void> {
  const [first, second] = words;
  if (first === undefined) await runCommand(alone(words));
  else if (["version", "--version", "-v"].includes(first)) isJson ? printJson({ version }) : print(version);
  else if (isHelp(first)) print(helpFor(words.slice(1)));
  else if (first.startsWith("--") && !words.some(isCommand)) await runCommand(alone(words));
  else if (groupOf(first).length > 0 && isHelp(second)) print(helpFor([first]));
  else await runCommand(words);
}

/**
 * `npx octavo` by itself or with settings, in an empty folder, starts the sample site in a store of its own, unless they
 * name one.
 */
function alone(flags: readonly string[]): string[] {
  const { OCTAVO_DATA, OCTAVO_CONFIG } = process.env;
  const isFlag = flags.some((word) => /^--(data|config)\b/.test(word));
  const isNamed = isFlag || Boolean(OCTAVO_DATA || OCTAVO_CONFIG) || existsSync("octavo.json");
  return ["serve", "--demo", ...(isNamed ? [] : ["--data", sampleFolder]), ...flags];
}

const isCommand = (word: string): boolean => commands.some(({ name }) => name.split(" ")[0] === word);

async function runCommand(words: readonly string[]): Promise<void> {
  const { command, rest } = findCommand(words);
  const call = readCommandLine(command, rest);
  if (call === "help") print(formatHelp(command));
  else await command.run(call);
}

const isHelp = (word: string | undefined): boolean => word === "help" || word === "--help" || word === "-h";

function helpFor(words: readonly string[]): string {
  const [first = ""] = words;
  const group = words.length === 1 ? groupOf(first) : [];
  if (words.length === 0 || group.length > 0) return formatOverview(words.length === 0 ? commands : group);
  return formatHelp(findCommand(words).command);
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
function report(error: unknown): number {
  const say = (text: string) =>
    process.stderr.write(isJson ? `${JSON.stringify({ error: text, code: codeOf(error) })}\n` : `octavo: ${text}\n`);
  if (error instanceof SettingsError) {
    say(`the settings are wrong:\n${error.faults.map((fault) => `  ${fault}`).join("\n")}`);
    return 2;
  }
  if (error instanceof UsageError) {
    say(error.message);
    return 2;
  }
  say(error instanceof CommandError ? error.message : explainFailure(error));
  return 1;
}

// `octavo token list | head -1` closes the pipe early; that is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = report(error);
}
