#!/usr/bin/env node
import { type Command, CommandError, readCommandLine, UsageError } from "./cli/command.ts";
import { explainFailure } from "./cli/failure.ts";
import { formatHelp, formatOverview } from "./cli/help.ts";
import { print } from "./cli/print.ts";
import { registryCommands } from "./cli/registry.ts";
import { serveCommand } from "./cli/serve.ts";
import { settingsCommand } from "./cli/settings.ts";
import { tokenCommands } from "./cli/token.ts";
import { verifyCommand } from "./cli/verify.ts";
import { version } from "./cli/version.ts";
import { nearest } from "./lib/nearest.ts";
import { SettingsError } from "./settings.ts";

/** The command line: finds the command, runs it, turns what it throws into a line and an exit code. */

const commands: readonly Command[] = [
  serveCommand,
  settingsCommand,
  ...tokenCommands,
  ...registryCommands,
  verifyCommand,
];

// `octavo token list | head -1` closes the pipe early; that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = report(error);
}

async function run(words: readonly string[]): Promise<void> {
  const [first] = words;
  if (first === "version" || first === "--version" || first === "-v") return print(version);
  if (first === "help" || first === "--help" || first === "-h") return printHelp(words.slice(1));
  if (first === undefined) throw new UsageError(`a command is missing\n\n${formatOverview(commands)}`);
  const { command, rest } = findCommand(words);
  const call = readCommandLine(command, rest);
  if (call === "help") print(formatHelp(command));
  else await command.run(call);
}

function printHelp(words: readonly string[]): void {
  if (words.length === 0) return print(formatOverview(commands));
  const group = commands.filter((command) => command.name.startsWith(`${words.join(" ")} `));
  if (group.length > 0) return print(formatOverview(group));
  print(formatHelp(findCommand(words).command));
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const command = commands.find(({ name }) => name === words.slice(0, length).join(" "));
    if (command && command.name.split(" ").length === length) return { command, rest: words.slice(length) };
  }
  throw unknownCommand(words);
}

function unknownCommand([first = "", second]: readonly string[]): UsageError {
  const isFlag = (word: string | undefined) => word === undefined || word.startsWith("-");
  if (isFlag(first)) return new UsageError(`${first} came before the command; expected octavo COMMAND ${first}`);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  const known = group.length > 0 ? group : commands.map(({ name }) => name);
  if (group.length > 0 && isFlag(second)) {
    return new UsageError(`octavo ${first} needs a second word; expected one of ${group.join(", ")}`);
  }
  const came = group.length > 0 ? `${first} ${second}` : first;
  const near = nearest(came, known) ?? nearest(first, new Set(known.map((name) => name.split(" ")[0] ?? "")));
  const hint = near ? `did you mean octavo ${near}?` : "octavo help lists the commands";
  return new UsageError(`octavo ${came} is not a command; ${hint}`);
}

/** Says on standard error what went wrong; answers the exit code. */
function report(error: unknown): number {
  const say = (text: string) => process.stderr.write(`octavo: ${text}\n`);
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
