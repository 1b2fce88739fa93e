import { readFile } from "node:fs/promises";
import { text as textOf } from "node:stream/consumers";
import { readAnswer, withAsk } from "../cli/ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { plural, print, printJson } from "../cli/print.ts";
import { headerOf, Refusal } from "../cli/refusal.ts";
import { urlOption } from "../cli/remote.ts";
import type { Ask } from "../operator.ts";

export const batchCommands: Command[] = [
  {
    name: "batch",
    summary: "Make the writes of a file, all of them or none",
    details:
      'FILE has one operation a line, as POST /api/batch takes them, without tokens: {"method": "POST", "path": "/api/entries", "body": {"id": "news", "data": {}}}. ' +
      "- is standard input. At most 1,000 operations, in one transaction; the first that is refused undoes all. May run beside a running service.",
    takes: ["FILE"],
    options: {
      "dry-run": { help: "Say what would be refused, and write nothing." },
      url: urlOption,
      json: jsonOption,
    },
    examples: [
      "octavo batch changes.jsonl --dry-run",
      "octavo batch - < changes.jsonl",
      "octavo batch changes.jsonl --url https://cms.example.org",
    ],
    run: batch,
  },
];

async function batch(call: CommandCall): Promise<void> {
  const [file = ""] = call.positionals;
  const lines = operationLines(await textIn(call, file), file);
  const isDryRun = call.switches.has("dry-run");
  const answer = await withAsk(call, (ask) =>
    answerOf(ask, lines, isDryRun).catch((error: unknown) => refuse(error, lines, file)),
  );
  const { answers, ignored } = answer;
  if (call.switches.has("json")) printJson(call, { dry_run: isDryRun, operations: answers, ignored });
  else print(call, summaryOf(answer, isDryRun));
}

/** What the operations answered, and the arguments that none of them takes. */
type BatchAnswer = { answers: unknown[]; ignored: string[] };

async function answerOf(ask: Ask, lines: readonly Line[], isDryRun: boolean): Promise<BatchAnswer> {
  const text = `{"operations":[${lines.map(({ text }) => text).join(",")}],"dry_run":${isDryRun}}`;
  const reply = await ask({ method: "POST", url: "/api/batch", body: { type: "application/json", text } });
  const ignored = headerOf(reply, "octavo-ignored")?.split(", ").map(decodeURIComponent) ?? [];
  return { answers: (await readAnswer(reply)) as unknown[], ignored };
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
  const line = error instanceof Refusal && error.operation !== undefined ? lines[error.operation] : undefined;
  if (!line) throw error;
  const [sentence, ...faults] = (error as Refusal).message.split("\n");
  throw new CommandError([`line ${line.number} of ${file}: ${sentence}; nothing was written`, ...faults].join("\n"));
}

const summaryOf = ({ answers: { length }, ignored }: BatchAnswer, isDryRun: boolean): string => {
  const count = plural(length, "write");
  const made = isDryRun ? `${count} would be made.` : `${count} made.`;
  return ignored.length === 0 ? made : `${made}\nIgnored, since no argument has the name: ${ignored.join(", ")}`;
};
