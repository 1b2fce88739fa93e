import { envOf, flagOf } from "../core/lib/setting.ts";

import { settingRows } from "../settings.ts";
import { type Command, configOption } from "./command.ts";
import { bold, formatTable, type Printer } from "./print.ts";

/** The help of octavo itself: one line for each command. */
export function formatOverview(printer: Printer, commands: readonly Command[]): string {
  const usage = (command: Command) => ["octavo", command.name, ...command.takes].join(" ");
  return [
    "Octavo is a content service: entries, folders, files, images and a registry over a REST API.",
    "",
    bold(printer, "Commands"),
    indent(formatTable([...commands.map((c) => [usage(c), c.summary]), ...others])),
    "",
    "octavo COMMAND --help shows the arguments of a command. Exit codes: 0 success, 1 failure, 2 usage error.",
  ].join("\n");
}

const others = [
  ["octavo help [COMMAND]", "Show this help, or that of a command"],
  ["octavo version [--json]", "Print the version"],
];

/** The help of one command. */
export function formatHelp(printer: Printer, command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => [flagText(name, option.value), option.help]);
  const usage = ["octavo", command.name, ...command.takes, ...(options.length > 0 ? ["[flags]"] : [])].join(" ");
  const settings = command.name === "serve" ? allSettings() : fewSettings();
  return [
    `${command.summary}.`,
    ...(command.details ? ["", command.details] : []),
    "",
    `${bold(printer, "Use")}  ${usage}`,
    ...(options.length > 0 ? ["", bold(printer, "Flags"), indent(formatTable(options))] : []),
    "",
    bold(printer, "Settings"),
    indent(settings),
    "",
    bold(printer, "Examples"),
    indent(command.examples.join("\n")),
  ].join("\n");
}

const flagText = (name: string, value: string | undefined): string => `--${name}${value ? ` ${value}` : ""}`;

const configRow = [flagText("config", configOption.value), configOption.help];

function allSettings(): string {
  const rows = Object.entries(settingRows)
    .filter(([, row]) => !row.isSecret)
    .map(([name, row]) => [flagOf(name), row.help]);
  return `${formatTable([...rows, configRow])}\nEach is also a variable, ${envOf("port")} for --port, and a key in the file.`;
}

function fewSettings(): string {
  const rows = [[flagText("data", "FOLDER"), settingRows.data?.help ?? ""], configRow];
  return `${formatTable(rows)}\nAnd all the others of octavo serve --help.`;
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");
