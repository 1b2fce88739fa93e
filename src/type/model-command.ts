import { exactAnswerOf, withAsk } from "../cli/ask.ts";
import { asUsage, type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { plain, plural, print, printJson, warn } from "../cli/print.ts";
import { Refusal } from "../cli/refusal.ts";
import { urlOption } from "../cli/remote.ts";
import { formatJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import type { Ask } from "../operator.ts";
import type { TypeFolder } from "./folder-command.ts";
import { planOf } from "./model.ts";
import { typesOf } from "./read-command.ts";
import { type ContentType, formatType, parseTypeId } from "./type.ts";

/** Types as files in a repository. Contract, part four, §30, Model as code. */

const folderDetails =
  "DIR has one file for each type: NAME.json, NAME.yaml or NAME.yml, with the object that types get prints.";

export const modelCommands: Command[] = [
  {
    name: "types apply",
    summary: "Make the types those of a folder, all of them or none",
    details:
      `${folderDetails} Entries that a changed type would refuse are named, and nothing is applied: exit code 1. ` +
      "With --dry-run the exit code is 3 when something would change. May run beside a running service.",
    takes: ["DIR"],
    options: {
      "dry-run": { help: "Show what would change; exit with 3 when something would." },
      prune: { help: "Remove types that have no file in DIR." },
      "allow-empty": { help: "With --prune, remove all types when DIR has no file of a type." },
      url: urlOption,
      json: jsonOption,
    },
    examples: ["octavo types apply types --dry-run", "octavo types apply types --prune"],
    run: apply,
  },
  {
    name: "types pull",
    summary: "Write the types into a folder, a file each",
    details:
      `${folderDetails} A file that says the same stays as it is; a type without a file gets ID.json. ` +
      "A file of a type that the store does not have is named and kept.",
    takes: ["DIR"],
    options: {
      prune: { help: "Remove the files of types that the store does not have." },
      url: urlOption,
      json: jsonOption,
    },
    examples: ["octavo types pull types"],
    run: pull,
  },
  {
    name: "types rename",
    summary: "Give a content type another id",
    details: "Types that refer to it, and entries and working copies whose fieldset names it, follow.",
    takes: ["OLD", "NEW"],
    options: { url: urlOption, json: jsonOption },
    examples: ["octavo types rename movie film"],
    run: rename,
  },
];

/** The exit code of a dry run that would change something. */
const wouldChange = 3;

async function apply(call: CommandCall): Promise<void> {
  const folder = await read(call);
  const isDryRun = call.switches.has("dry-run");
  const prune = call.switches.has("prune");
  const types = folder.files.map(({ type }) => type);
  if (types.length === 0 && prune && !call.switches.has("allow-empty"))
    throw new UsageError(
      `${folder.name} has no file of a type, so --prune would remove all types; expected a file, or --allow-empty where that is meant`,
    );
  const body = `{"types":[${types.map(formatType).join(",")}],"prune":${prune},"dry_run":${isDryRun}}`;
  const change = await withAsk(call, (ask) =>
    exactAnswerOf(ask, "POST /api/types/apply", body).catch((error) => showRefused(call, ask, { types, prune }, error)),
  );
  const changes = objectsIn(change, "changes");
  if (call.switches.has("json")) print(call, formatJson(change));
  else printChange(call, change, isDryRun);
  if (isDryRun && changes.length > 0) throw new CommandError(`${counted(changes.length)} would change`, wouldChange);
}

const counted = (count: number): string => plural(count, "type");

/** What would change is shown also where entries refuse it. */
async function showRefused(
  call: CommandCall,
  ask: Ask,
  model: { types: readonly ContentType[]; prune: boolean },
  error: unknown,
): Promise<never> {
  if (!(error instanceof Refusal) || error.code !== "types_refused" || call.switches.has("json")) throw error;
  // A token that applies need not read.
  const present = await typesOf(ask).catch(() => undefined);
  if (!present) throw error;
  const plan = planOf(new Map(present.map((type) => [type.id, type])), model);
  for (const { id, change, differences } of plan.changes) {
    print(call, headOf(id, change));
    for (const { pointer, ...rest } of differences) print(call, lineOf(pointer, rest));
  }
  throw error;
}

// ---------------------------------------------------------------------------------------------- what changes

const objectsIn = (value: Json, key: string): JsonObject[] =>
  isJsonObject(value) ? (value.get(key) as JsonObject[]) : [];

const sign: Record<string, string> = { added: "+", removed: "-", changed: "~" };
const headOf = (id: string, change: string): string => `${sign[change]} ${id} ${change}`;

function printChange(call: CommandCall, change: Json, isDryRun: boolean): void {
  const changes = objectsIn(change, "changes");
  for (const each of changes) {
    print(call, headOf(String(each.get("id")), String(each.get("change"))));
    for (const one of objectsIn(each, "differences")) {
      const text = (key: string) => (one.has(key) ? formatJson(one.get(key) as Json) : undefined);
      print(
        call,
        lineOf(String(one.get("pointer")), {
          change: String(one.get("change")),
          before: text("before"),
          after: text("after"),
        }),
      );
    }
  }
  const unchanged = isJsonObject(change) ? Number(change.get("unchanged")) : 0;
  if (changes.length === 0) print(call, `Nothing changes: ${counted(unchanged)} as in the folder.`);
  else if (isDryRun) print(call, `Nothing was applied: ${counted(changes.length)} would change.`);
  else print(call, `${counted(changes.length)} applied.`);
}

/** A difference as one line: the field, the keyword, and its values. */
function lineOf(
  pointer: string,
  { change, before, after }: { change: string; before?: string | undefined; after?: string | undefined },
): string {
  const place = placeOf(pointer);
  if (change === "reordered") return `    ${place}: in another order`;
  if (change === "changed") return `    ${place}: ${short(before)} → ${short(after)}`;
  return `    ${place}: ${change} ${short(change === "added" ? after : before)}`;
}

/** A value on a line. */
const maxShown = 200;
const short = (text = ""): string =>
  plain(text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text);

/** Fields by their names, as `address.city`, before the keyword: `/schema/properties/year/maximum` is `year maximum`. */
function placeOf(pointer: string): string {
  const [, ...segments] = pointer.split("/").map(keyOfSegment);
  if (segments[0] === "schema") segments.shift();
  const fields: string[] = [];
  while (segments[0] === "properties" && segments.length > 1) fields.push(segments.splice(0, 2)[1] as string);
  const words = [fields.join("."), segments.join("/")].filter((word) => word !== "");
  return plain(words.join(" ") || "schema");
}

// ---------------------------------------------------------------------------------------------- pull

async function pull(call: CommandCall): Promise<void> {
  const folder = await read(call, { mayBeMissing: true });
  const { writePulled } = await folderFiles();
  const stored = await withAsk(call, typesOf);
  const byId = new Map(folder.files.map((file) => [file.type.id, file]));
  const ids = new Set(stored.map(({ id }) => id));
  const gone = folder.files.filter(({ type }) => !ids.has(type.id));
  const written = stored.map((type) => writePulled(folder, byId.get(type.id), type));
  const removed = call.switches.has("prune") ? gone : [];
  for (const file of removed) file.remove();
  const report = {
    written: written.filter(({ isWritten }) => isWritten).map(({ name }) => name),
    unchanged: written.filter(({ isWritten }) => !isWritten).map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    kept: gone.filter((file) => !removed.includes(file)).map(({ name }) => name),
  };
  if (call.switches.has("json")) return print(call, JSON.stringify(report));
  for (const name of report.written) print(call, `${name} is written.`);
  for (const name of report.removed) print(call, `${name} is removed.`);
  for (const name of report.kept) print(call, `${name} is kept: the store has no such type; --prune removes it.`);
  print(call, `${counted(stored.length)}: ${report.written.length} written, ${report.unchanged.length} as before.`);
}

/** Loaded here, with the parser of YAML, to keep the start of every other command fast. */
const folderFiles = () => import("./folder-command.ts");

async function read(call: CommandCall, options?: { mayBeMissing?: boolean }): Promise<TypeFolder> {
  const { readTypeFolder } = await folderFiles();
  const folder = readTypeFolder(call.positionals[0] as string, options);
  for (const name of folder.folders)
    warn(call, `${name} is a folder, and is not read: each type is a file in ${folder.name}`);
  return folder;
}

// ---------------------------------------------------------------------------------------------- rename

async function rename(call: CommandCall): Promise<void> {
  const [id = "", new_id = ""] = call.positionals;
  for (const [word, sent] of Object.entries({ OLD: id, NEW: new_id }))
    asUsage(
      () => parseTypeId(sent),
      () => word,
    );
  await withAsk(call, (ask) => exactAnswerOf(ask, "PATCH /api/types", { id, new_id }));
  if (call.switches.has("json")) printJson(call, { id, new_id });
  else print(call, `${id} is ${new_id} now.`);
}
