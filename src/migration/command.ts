import { answerOf, withAsk } from "../cli/ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { isYaml, jsonIn, readText } from "../cli/data-file.ts";
import { plural, print, printJson, printTable } from "../cli/print.ts";
import { urlOption } from "../cli/remote.ts";
import { isJsonObject, type Json } from "../core/lib/json.ts";
import { Problem } from "../core/problem.ts";
import { formatSteps, parseSteps } from "./step.ts";

/** The command of migrations. */

export const migrationCommands: Command[] = [
  {
    name: "types migrate",
    summary: "Rename, move, convert, fill and drop fields of types with their entries",
    details:
      "PLAN is a file, JSON or YAML by its name: a list of steps, such as\n" +
      '[{"type": "movie", "rename": "/author", "to": "/writer"}]. The schema, the entries and the working copies of the types\n' +
      "change together, or nothing does: entries that a step cannot be done with are named, and the exit code is 1. May run\n" +
      "beside a running service.",
    takes: ["[PLAN]"],
    options: {
      "dry-run": { help: "Print what would change and which entries would fail, and change nothing." },
      undo: { value: "GROUP", help: "Undo the migration of this number, as this command printed it, within 30 days." },
      url: urlOption,
      json: jsonOption,
    },
    examples: [
      "octavo types migrate plan.yaml --dry-run",
      "octavo types migrate plan.yaml",
      "octavo types migrate --undo 4711",
    ],
    run: (call) => (call.options.undo === undefined ? migrate(call) : undo(call)),
  },
];

type Changed = { entries: number; copies: number; types: string[]; views: number };
type Failing = { id: string; staged: boolean; step: number | null; message: string };
type Done = Changed & {
  group: number | null;
  steps: { entries: number; copies: number; failing: number }[];
  failing: number;
  first: Failing[];
};

async function migrate(call: CommandCall): Promise<void> {
  const [name] = call.positionals;
  if (name === undefined) throw new UsageError("PLAN is missing; expected a file of steps, or --undo GROUP");
  const isDryRun = call.switches.has("dry-run");
  const steps = await readPlan(name);
  const sent = `{"steps":${steps},"dry_run":${isDryRun}}`;
  const done = (await withAsk(call, (ask) => answerOf(ask, "POST /api/types/migrate", sent))) as Done;
  if (call.switches.has("json")) printJson(call, done);
  else printDone(call, done, JSON.parse(steps) as object[], isDryRun);
  if (done.failing > 0) throw new CommandError(`the plan cannot be done with ${entries(done.failing)}`);
}

async function undo(call: CommandCall): Promise<void> {
  if (call.positionals.length > 0) throw new UsageError("PLAN was given with --undo; expected one of them");
  if (call.switches.has("dry-run")) throw new UsageError("--dry-run was given with --undo; expected it with PLAN");
  const text = call.options.undo as string;
  const group = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  if (group === undefined) throw new UsageError(`--undo was "${text}"; expected the number of a migration`);
  const route = "POST /api/types/migrate/undo";
  const undone = (await withAsk(call, (ask) => answerOf(ask, route, { group }))) as Changed;
  if (call.switches.has("json")) printJson(call, undone);
  else print(call, `Undone: ${changedWords(undone)} are as they were before ${group}.`);
}

// ---------------------------------------------------------------------------------------------- words

const entries = (count: number): string => plural(count, "entry", "entries");
const copies = (count: number): string => plural(count, "working copy", "working copies");

const changedWords = ({ entries: live, copies: staged, types, views }: Changed): string =>
  [
    entries(live),
    copies(staged),
    `the schema of ${types.length === 0 ? "no type" : types.join(", ")}`,
    plural(views, "saved table"),
  ].join(", ");

function printDone(call: CommandCall, done: Done, steps: readonly object[], isDryRun: boolean): void {
  const rows = done.steps.map((step, i) => [
    sentenceOf(steps[i]),
    String(step.entries),
    String(step.copies),
    String(step.failing),
  ]);
  printTable(call, ["STEP", "ENTRIES", "COPIES", "FAIL"], rows);
  if (done.first.length > 0) {
    print(call, "");
    printTable(call, ["ENTRY", "FAULT"], done.first.map(failingRow));
  }
  print(call, resultOf(done, isDryRun));
}

const failingRow = ({ id, staged, message }: Failing): string[] => [id, staged ? `working copy: ${message}` : message];

function resultOf(done: Done, isDryRun: boolean): string {
  const isNothing = done.entries + done.copies + done.types.length + done.views === 0;
  if (done.failing > 0) return "Nothing is changed.";
  if (isNothing) return "There is nothing to change.";
  if (isDryRun) return `Would change ${changedWords(done)}.`;
  return `Changed ${changedWords(done)}.\nMigration ${done.group}. To undo it: octavo types migrate --undo ${done.group}`;
}

/** A step as a line: `movie: rename /author to /writer`. */
function sentenceOf(step: object | undefined): string {
  const { type, ...rest } = step as Record<string, unknown>;
  const words = Object.entries(rest).map(([key, value]) => `${key} ${key === "value" ? JSON.stringify(value) : value}`);
  return `${type}: ${words.join(" ")}`;
}

// ---------------------------------------------------------------------------------------------- the file

/** The steps of the file as JSON text. Throws UsageError. */
async function readPlan(name: string): Promise<string> {
  const plan = await parseFile(name);
  try {
    // A file may say `steps:` as a call does.
    const steps = isJsonObject(plan) && plan.size === 1 ? plan.get("steps") : plan;
    return formatSteps(parseSteps(steps ?? plan));
  } catch (error) {
    if (error instanceof Problem) throw new UsageError(`${name}: ${error.message}`);
    throw error;
  }
}

async function parseFile(name: string): Promise<Json> {
  const text = readText(name, "PLAN");
  if (!isYaml(name) && !/\.json$/i.test(name))
    throw new UsageError(`PLAN was "${name}"; expected a file .json, .yaml or .yml`);
  if (!isYaml(name)) return jsonIn(text, name);
  const { yamlIn } = await import("../cli/yaml-file.ts");
  return yamlIn(text, name).value;
}
