import { readFile } from "node:fs/promises";
import { text as textOf } from "node:stream/consumers";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { print, printJson } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { nowSeconds, withExistingStores } from "../cli/store.ts";
import { Problem } from "../core/problem.ts";
import type { BatchAnswer } from "./operator-service.ts";

export const batchCommands: Command[] = [
  {
    name: "batch",
    summary: "Make the writes of a file, all of them or none",
    details:
      'FILE has one operation a line, as POST /api/batch takes them, without tokens: {"method": "POST", "path": "/api/entries", "body": {"id": "news", "data": {}}}. ' +
      "- is standard input. At most 1,000 operations, in one transaction; the first that is refused undoes all. May run beside a running service.",
    takes: ["FILE"],
    options: { "dry-run": { help: "Say what would be refused, and write nothing." }, json: jsonOption },
    examples: ["octavo batch changes.jsonl --dry-run", "octavo batch - < changes.jsonl"],
    run: batch,
  },
];

async function batch(call: CommandCall): Promise<void> {
  const [file = ""] = call.positionals;
  const lines = operationLines(await textIn(call, file), file);
  const isDryRun = call.switches.has("dry-run");
  const settings = callSettings(call);
  const { answers, ignored } = await withExistingStores(settings, async (stores) => {
    const { operate } = await import("./operator-service.ts");
    const operations = `[${lines.map(({ text }) => text).join(",")}]`;
    return operate(stores, settings, operations, { isDryRun, nowSeconds: nowSeconds() }).catch((error: unknown) =>
      refuse(error, lines, file),
    );
  });
  if (call.switches.has("json")) printJson(call, { dry_run: isDryRun, operations: answers, ignored });
  else print(call, summaryOf({ answers, ignored }, isDryRun));
}

const textIn = async ({ io }: CommandCall, file: string): Promise<string> =>
  file === "-"
    ? textOf(io.stdin)
    : readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(`FILE was ${file}, which cannot be read: ${error.message}`);
      });

type Line = { text: string; number: number };

/** The lines that are not empty. Throws UsageError for a line that is no JSON object. */
function operationLines(text: string, file: string): Line[] {
  const lines = text.split(/\r?\n/).map((text, i) => ({ text, number: i + 1 }));
  const sent = lines.filter(({ text }) => text.trim() !== "");
  for (const { text, number } of sent) {
    if (!isObject(text))
      throw new UsageError(`line ${number} of ${file} is no JSON object; expected one operation a line`);
  }
  if (sent.length === 0) throw new UsageError(`${file} has no operations; expected one JSON object a line`);
  return sent;
}

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Says which line was refused. */
function refuse(error: unknown, lines: readonly Line[], file: string): never {
  const line = error instanceof Problem && error.operation !== undefined ? lines[error.operation] : undefined;
  if (!line) throw error;
  throw new CommandError(`line ${line.number} of ${file}: ${(error as Problem).detail}; nothing was written`);
}

const summaryOf = ({ answers: { length }, ignored }: BatchAnswer, isDryRun: boolean): string => {
  const count = length === 1 ? "1 write" : `${length} writes`;
  const made = isDryRun ? `${count} would be made.` : `${count} made.`;
  return ignored.length === 0 ? made : `${made}\nIgnored, since no argument has the name: ${ignored.join(", ")}`;
};
