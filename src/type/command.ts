import { existsSync, readFileSync } from "node:fs";
import { answerOf, withAsk } from "../cli/ask.ts";
import { asUsage, type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { jsonIn, readText, replaceFile } from "../cli/data-file.ts";
import { plural, print, printJson, printTable } from "../cli/print.ts";
import { urlOption } from "../cli/remote.ts";
import { commandsOnOne } from "../cli/row.ts";
import { isJsonObject, type JsonObject } from "../core/lib/json.ts";
import { parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { Ask } from "../operator.ts";
import { declarationsOf } from "./declaration.ts";
import { refuseUnknownKeys, typeOf, typesOf } from "./read-command.ts";
import {
  type ContentType,
  formatType,
  parsePaths,
  parseSchema,
  parseType,
  parseTypeId,
  type SentType,
  type StoredType,
  type TypeCheck,
} from "./type.ts";

const fileDetails =
  'FILE is a JSON object, such as types get prints: {"id", "title", "description", "paths", "schema", "mode"}.';

const onId = commandsOnOne({ noun: "types", word: "ID", example: "movie", readId });

export const typeCommands: Command[] = [
  {
    name: "types list",
    summary: "List the content types",
    takes: [],
    options: { url: urlOption, json: jsonOption },
    examples: ["octavo types list", "octavo types list --json"],
    run: list,
  },
  {
    name: "types get",
    summary: "Print a content type as JSON",
    takes: ["ID"],
    options: { url: urlOption, json: jsonOption },
    examples: ["octavo types get movie > movie.json"],
    run: get,
  },
  {
    name: "types put",
    summary: "Create or replace a content type",
    details: `${fileDetails} May run beside a running service.`,
    takes: ["FILE"],
    options: { url: urlOption, json: jsonOption },
    examples: ["octavo types put movie.json"],
    run: put,
  },
  onId("delete", {
    summary: "Delete a content type; its entries stay as they are",
    route: "DELETE /api/types",
    show: (_, { id }) => ({ json: { id, deleted: true }, text: `${id} is deleted.` }),
  }),
  {
    name: "types check",
    summary: "List the entries whose data a content type would refuse",
    details:
      `${fileDetails} Without FILE all types of the store are\n` +
      "checked, and those whose schema is not accepted any more are named. Nothing is stored. Exits with 1 when there are any.",
    takes: ["[FILE]"],
    options: {
      after: { value: "ID", help: "Check only entries behind this one: where a check ended whose time was over." },
      url: urlOption,
      json: jsonOption,
    },
    examples: ["octavo types check movie.json", "octavo types check"],
    run: check,
  },
  {
    name: "types generate",
    summary: "Print the content types as TypeScript, for the client's type argument",
    details:
      "The same types give the same text, which can be kept under version control. May run beside a running service.",
    takes: [],
    options: {
      out: { value: "FILE", help: "Write the text to this file." },
      check: { help: "Write nothing; exit with 1 when the file has another text." },
      url: urlOption,
    },
    examples: [
      "octavo types generate --out octavo.d.ts",
      "octavo types generate --out octavo.d.ts --check --url https://staging.example.org",
    ],
    run: generate,
  },
];

async function list(call: CommandCall): Promise<void> {
  const types = await withAsk(call, typesOf);
  if (call.switches.has("json")) print(call, `{"types":[${types.map(formatType).join(",")}]}`);
  else if (types.length > 0) printTable(call, ["TYPE", "TITLE", "MODE", "PATHS"], types.map(cells));
  else print(call, "There are no types.");
}

const cells = ({ id, title, mode, paths }: ContentType): string[] => [id, title, mode, paths.join(" ")];

async function get(call: CommandCall): Promise<void> {
  const id = readId(call.positionals[0] as string);
  const type = await withAsk(call, (ask) => typeOf(ask, id));
  // As put takes it.
  print(call, formatType({ ...type, fault: undefined }));
}

async function put(call: CommandCall): Promise<void> {
  const type = parseFile(call);
  const text = formatType(type);
  await withAsk(call, (ask) => ask({ method: "PUT", url: "/api/types", body: { type: "application/json", text } }));
  print(call, call.switches.has("json") ? text : `${type.id} is in force.`);
}

async function check(call: CommandCall): Promise<void> {
  if (call.positionals.length === 0) return checkAll(call);
  const type = parseFile(call);
  const after = readAfter(call);
  const found = await withAsk(call, (ask) => checkOf(ask, type, after));
  if (call.switches.has("json")) printJson(call, found);
  else printFound(call, found);
  const { checked, failing, last } = found;
  const ended = last === undefined ? [] : [endedAt(last)];
  const faults = failing > 0 ? [`${failing} of ${checked} entries do not fit the type ${type.id}`] : [];
  if (faults.length + ended.length > 0) throw new CommandError([...faults, ...ended].join("; "));
}

/** What the type would refuse. */
async function checkOf(ask: Ask, { id, paths, schema }: ContentType, after: string | undefined): Promise<TypeCheck> {
  const text = `${JSON.stringify({ id, paths, after }).slice(0, -1)},"schema":${schema}}`;
  const found = await answerOf(ask, "POST /api/types/check", text);
  const { has_more: _, ...check } = found as TypeCheck & { has_more?: boolean };
  return check;
}

const endedAt = (last: string): string =>
  `the time of the check was over at ${last}: go on with --after ${last}, or raise scan_management_ms`;

function readAfter({ options: { after } }: CommandCall): string | undefined {
  if (after === undefined) return undefined;
  return asUsage(
    () => parsePathBelowRoot("after", after),
    () => "--after",
  );
}

/** A type of the store: the fault of its schema, or what it would refuse. */
type Checked = Pick<StoredType, "id" | "fault"> & Partial<TypeCheck>;

async function checkAll(call: CommandCall): Promise<void> {
  const after = readAfter(call);
  const all = await withAsk(call, async (ask) => {
    const checked: Checked[] = [];
    for (const type of await typesOf(ask)) {
      const { id, fault, mode } = type;
      if (fault) checked.push({ id, fault });
      else if (mode === "enforce") checked.push({ id, ...(await checkOf(ask, type, after)) });
    }
    return checked;
  });
  const partial = all.flatMap(({ id, last }) => (last === undefined ? [] : [`${id} (up to ${last})`]));
  if (call.switches.has("json")) printJson(call, { types: all });
  else printChecked(call, all);
  const faulty = all.filter(({ fault }) => fault).length;
  const failing = sum(all, "failing");
  const faults = [
    ...(faulty > 0 ? [`the schema of ${types(faulty)} is not accepted`] : []),
    ...(faulty + failing > 0 ? [`${failing} of ${sum(all, "checked")} entries do not fit`] : []),
    ...(partial.length > 0
      ? [`the time of the check was over within ${partial.join(", ")}; raise scan_management_ms`]
      : []),
  ];
  if (faults.length > 0) throw new CommandError(faults.join("; "));
}

const sum = (all: readonly Checked[], key: "checked" | "failing"): number =>
  all.reduce((total, each) => total + (each[key] ?? 0), 0);

const types = (count: number): string => plural(count, "type");

function printChecked(call: CommandCall, all: readonly Checked[]): void {
  const rows = all.flatMap(({ id, fault, first = [] }) => [
    ...(fault ? [[id, "-", fault.message]] : []),
    ...first.flatMap((entry) => entry.errors.map(({ message }) => [id, entry.id, message])),
  ]);
  if (rows.length > 0) printTable(call, ["TYPE", "ENTRY", "FAULT"], rows);
  else if (all.length === 0) print(call, "There are no types.");
  else if (all.every(({ last }) => last === undefined))
    print(call, `All ${sum(all, "checked")} entries of ${types(all.length)} fit.`);
}

function printFound(call: CommandCall, { checked, failing, first, last }: TypeCheck): void {
  const rows = first.flatMap(({ id, errors }) => errors.map(({ message }) => [id, message]));
  if (failing === 0 && last !== undefined) print(call, `${checked} entries of the type fit.`);
  else if (failing === 0) print(call, `All ${checked} entries of the type fit.`);
  else printTable(call, ["ENTRY", "FAULT"], rows);
}

async function generate(call: CommandCall): Promise<void> {
  const { out } = call.options;
  const isCheck = call.switches.has("check");
  if (isCheck && out === undefined) throw new UsageError("--check was given without --out; expected --out FILE");
  const stored = await withAsk(call, typesOf);
  const text = declarationsOf(stored);
  if (out === undefined) return print(call, text.trimEnd());
  const isSame = (existsSync(out) ? readFileSync(out, "utf8") : undefined) === text;
  if (isSame) return print(call, `${out} is up to date: ${types(stored.length)}.`);
  if (isCheck)
    throw new CommandError(`${out} does not have the types of the store; octavo types generate --out ${out}`);
  replaceFile(out, text);
  print(call, `${out} is written: ${types(stored.length)}.`);
}

// ---------------------------------------------------------------------------------------------- arguments

function readId(id: string): string {
  return asUsage(
    () => parseTypeId(id),
    () => "ID",
  );
}

/** Throws UsageError. */
function parseFile({ positionals: [name = ""] }: CommandCall): ReturnType<typeof parseType> {
  const sent = readFile(name);
  refuseUnknownKeys(sent, name);
  try {
    const texts = Object.fromEntries(["id", "title", "description", "mode"].map((key) => [key, textOf(sent, key)]));
    const parts = { paths: parsePaths(sent.get("paths")), schema: parseSchema(sent.get("schema")) };
    return parseType({ ...texts, id: texts.id ?? "", ...parts } as SentType);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new UsageError(`${name}: ${error.message}`);
  }
}

function textOf(sent: JsonObject, key: string): string | undefined {
  const value = sent.get(key);
  if (value === undefined || typeof value === "string") return value;
  throw new UsageError(`"${key}" of the type is not a text`);
}

function readFile(name: string): JsonObject {
  const read = jsonIn(readText(name, "FILE"), name);
  if (!isJsonObject(read)) throw new UsageError(`${name} does not have a JSON object`);
  return read;
}
