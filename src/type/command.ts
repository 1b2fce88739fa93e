import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { asUsage, type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { allRows } from "../cli/pages.ts";
import { print, printJson, printTable } from "../cli/print.ts";
import { commandsOnOne } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { isJsonObject, type Json, JsonError, type JsonObject, parseJson } from "../core/lib/json.ts";
import { nearest } from "../core/lib/nearest.ts";
import { parsePathBelowRoot } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import type { Stores } from "../stores.ts";
import { declarationsOf } from "./declaration.ts";
import {
  existingType,
  formatType,
  parsePaths,
  parseSchema,
  parseType,
  parseTypeId,
  type SentType,
  type StoredType,
  type TypeCheck,
  type TypeCheckScope,
} from "./type.ts";

const fileDetails =
  'FILE is a JSON object, such as types get prints: {"id", "title", "description", "paths", "schema", "mode"}.';

const onId = commandsOnOne({ noun: "types", word: "ID", example: "movie", readId });

export const typeCommands: Command[] = [
  {
    name: "types list",
    summary: "List the content types",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo types list", "octavo types list --json"],
    run: list,
  },
  {
    name: "types get",
    summary: "Print a content type as JSON",
    takes: ["ID"],
    options: { json: jsonOption },
    examples: ["octavo types get movie > movie.json"],
    run: get,
  },
  {
    name: "types put",
    summary: "Create or replace a content type",
    details: `${fileDetails} May run beside a running service.`,
    takes: ["FILE"],
    options: { json: jsonOption },
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
    },
    examples: ["octavo types generate --out octavo.d.ts", "octavo types generate --out octavo.d.ts --check"],
    run: generate,
  },
];

async function list(call: CommandCall): Promise<void> {
  const types = await withExistingStores(callSettings(call), (stores) => Array.fromAsync(typesOf(stores)));
  if (call.switches.has("json")) print(call, `{"types":[${types.map(formatType).join(",")}]}`);
  else if (types.length > 0) printTable(call, ["TYPE", "TITLE", "MODE", "PATHS"], types.map(cells));
  else print(call, "There are no types.");
}

const cells = ({ id, title, mode, paths }: StoredType): string[] => [id, title, mode, paths.join(" ")];

const typesOf = ({ types }: Stores): AsyncGenerator<StoredType, void> =>
  allRows(
    (after: string | undefined, limit) => types.list(after, limit),
    ({ id }) => id,
  );

async function get(call: CommandCall): Promise<void> {
  const id = readId(call.positionals[0] as string);
  const type = await withExistingStores(callSettings(call), async ({ types }) =>
    existingType(await types.find(id), id),
  );
  // As put takes it.
  print(call, formatType({ ...type, fault: undefined }));
}

async function put(call: CommandCall): Promise<void> {
  const type = parseFile(call);
  const context = { actor, nowSeconds: nowSeconds() };
  const stored = await withExistingStores(callSettings(call), ({ types }) => types.put(type.id, type, context));
  if (call.switches.has("json")) print(call, formatType(stored));
  else print(call, `${stored.id} is in force.`);
}

async function check(call: CommandCall): Promise<void> {
  if (call.positionals.length === 0) return checkAll(call);
  const type = parseFile(call);
  const scope = scopeOf(call);
  const found = await withExistingStores(callSettings(call), ({ types }) => types.check(type, scope));
  if (call.switches.has("json")) printJson(call, found);
  else printFound(call, found);
  const { checked, failing, last } = found;
  const ended = last === undefined ? [] : [endedAt(last)];
  const faults = failing > 0 ? [`${failing} of ${checked} entries do not fit the type ${type.id}`] : [];
  if (faults.length + ended.length > 0) throw new CommandError([...faults, ...ended].join("; "));
}

const endedAt = (last: string): string =>
  `the time of the check was over at ${last}: go on with --after ${last}, or raise scan_management_ms`;

function scopeOf(call: CommandCall): TypeCheckScope {
  const { after } = call.options;
  const parse = (text: string) =>
    asUsage(
      () => parsePathBelowRoot("after", text),
      () => "--after",
    );
  return { paths: null, after: after === undefined ? undefined : parse(after) };
}

/** A type of the store: the fault of its schema, or what it would refuse. */
type Checked = Pick<StoredType, "id" | "fault"> & Partial<TypeCheck>;

/** All types share the time of one check. */
async function checkAll(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const scope = scopeOf(call);
  const late: string[] = [];
  const all = await withExistingStores(settings, async (stores) => {
    const checked: Checked[] = [];
    const endMs = performance.now() + settings.scanManagementMs;
    for await (const type of typesOf(stores)) {
      const { id, fault, mode } = type;
      if (fault) checked.push({ id, fault });
      else if (mode !== "enforce") continue;
      else if (performance.now() > endMs) late.push(id);
      else checked.push({ id, ...(await stores.types.check(type, scope)) });
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
    ...(late.length > 0 ? [`not checked for want of time: ${late.join(", ")}`] : []),
  ];
  if (faults.length > 0) throw new CommandError(faults.join("; "));
}

const sum = (all: readonly Checked[], key: "checked" | "failing"): number =>
  all.reduce((total, each) => total + (each[key] ?? 0), 0);

const types = (count: number): string => (count === 1 ? "1 type" : `${count} types`);

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
  const stored = await withExistingStores(callSettings(call), (stores) => Array.fromAsync(typesOf(stores)));
  const text = declarationsOf(stored);
  if (out === undefined) return print(call, text.trimEnd());
  const isSame = (existsSync(out) ? readFileSync(out, "utf8") : undefined) === text;
  if (isSame) return print(call, `${out} is up to date: ${types(stored.length)}.`);
  if (isCheck)
    throw new CommandError(`${out} does not have the types of the store; octavo types generate --out ${out}`);
  replaceFile(out, text);
  print(call, `${out} is written: ${types(stored.length)}.`);
}

/** A compiler that reads the file meanwhile gets the old text or the new one. */
function replaceFile(name: string, text: string): void {
  const part = `${name}.${process.pid}.part`;
  try {
    writeFileSync(part, text);
    renameSync(part, name);
  } catch (error) {
    rmSync(part, { force: true });
    throw new CommandError(`${name} cannot be written: ${(error as Error).message}`);
  }
}

// ---------------------------------------------------------------------------------------------- arguments

function readId(id: string): string {
  return asUsage(
    () => parseTypeId(id),
    () => "ID",
  );
}

const known = ["id", "title", "description", "paths", "schema", "mode"];

/** Throws UsageError. */
function parseFile({ positionals: [name = ""] }: CommandCall): ReturnType<typeof parseType> {
  const sent = readFile(name);
  const unknown = [...sent.keys()].find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    throw new UsageError(`${name} has the key "${unknown}"; expected ${near ? `"${near}"` : known.join(", ")}`);
  }
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
  let read: Json;
  try {
    read = parseJson(readFileSync(name, "utf8"));
  } catch (error) {
    if (error instanceof JsonError) throw new UsageError(`${name} is not JSON: ${error.message}`);
    throw new UsageError(`FILE was "${name}", which cannot be read: ${(error as Error).message}`);
  }
  if (!isJsonObject(read)) throw new UsageError(`${name} does not have a JSON object`);
  return read;
}
