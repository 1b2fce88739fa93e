import { createWriteStream, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import {
  asUsage,
  type Command,
  type CommandCall,
  CommandError,
  jsonOption,
  type Option,
  UsageError,
} from "../cli/command.ts";
import { allRows } from "../cli/pages.ts";
import { formatTime, print, printJson, printTable, readableBytes } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { parseTime } from "../core/lib/time.ts";
import { parsePath, parsePathBelowRoot } from "../core/path.ts";
import { formatEntry, type RestoredParts } from "../entry/entry.ts";
import type { File } from "../file/file.ts";
import { formatRegistryItem, parseRegistryKey } from "../registry/registry.ts";
import type { Stores } from "../stores.ts";
import { type HistoryRow, historyFields, type VersionedThing } from "./version.ts";
import { entryAt, existingEntry, existingFile, fileAt, registryItemAt } from "./version-at.ts";

const things: Record<string, Option> = {
  entry: { value: "ID", help: "The history of this entry." },
  file: { value: "PATH", help: "The history of this file." },
  registry: { value: "KEY", help: "The history of this registry item." },
};
const revision: Option = { value: "N", help: "A revision: the content that was in force then." };

export const historyCommands: Command[] = [
  {
    name: "history list",
    summary: "List the contents that were replaced, newest first",
    details: "Without the content in force now. REVISION names a content for show and restore.",
    takes: [],
    options: { ...things, json: jsonOption },
    examples: ["octavo history list --entry movies/alien", "octavo history list --registry site.title --json"],
    run: list,
  },
  {
    name: "history show",
    summary: "Print the content that was in force at a revision, as JSON",
    details: "Of a file its fields; --out writes its bytes.",
    takes: [],
    options: {
      ...things,
      revision,
      out: { value: "FILE", help: "With --file: write the bytes to this new file." },
      json: jsonOption,
    },
    examples: [
      "octavo history show --entry movies/alien --revision 120",
      "octavo history show --file movies/alien.jpg --revision 120 --out alien.jpg",
    ],
    run: show,
  },
  {
    name: "history restore",
    summary: "Bring back the content that was in force at a revision, or a subtree's at a time",
    details:
      "What a restore replaces is in the history, too. An entry keeps its visibility, its dates and the other fields of the\n" +
      "service; --state brings these back, too. With --subtree and --at every entry at and below ID gets the content that it\n" +
      "had then, in one transaction, at most 10,000 entries; places, deletions and newer entries stay. An empty ID is the\n" +
      "root. May run beside a running service.",
    takes: [],
    options: {
      ...things,
      revision,
      at: { value: "TIME", help: "With --subtree: Unix seconds or an ISO 8601 date." },
      subtree: { help: "With --entry and --at: all entries at and below ID." },
      state: { help: "With --entry: the fields of the service, such as the visibility, as they were, too." },
      json: jsonOption,
    },
    examples: [
      "octavo history restore --entry movies/alien --revision 120",
      "octavo history restore --entry movies --subtree --at 2026-05-01T08:00:00Z",
    ],
    run: restore,
  },
];

/** Works on the thing that a flag names, in the store. */
type Work = (stores: Stores) => Promise<void>;
type Works = Record<"entry" | "file" | "registry", (name: string) => Work>;

/** Runs the work of the one flag that is given. Throws UsageError for none or several. */
async function onThing(call: CommandCall, works: Works): Promise<void> {
  const [flag, ...more] = (["entry", "file", "registry"] as const).filter((name) => call.options[name] !== undefined);
  if (!flag || more.length > 0) {
    throw new UsageError(
      `${flag ? "several things are named" : "nothing is named"}; expected one of --entry, --file, --registry`,
    );
  }
  const work = asUsage(
    () => works[flag](call.options[flag] as string),
    () => `--${flag}`,
  );
  await withExistingStores(callSettings(call), work);
}

// ---------------------------------------------------------------------------------------------- list

function list(call: CommandCall): Promise<void> {
  const rowsOf = async ({ history }: Stores, thing: VersionedThing) =>
    printRows(call, await Array.fromAsync(allRows((before, limit) => history.list(thing, before, limit), placeOf)));
  return onThing(call, {
    entry: (name) => {
      const id = parsePathBelowRoot("id", name);
      return async (stores) => rowsOf(stores, { noun: "entry", thing: (await existingEntry(stores.entries, id)).uuid });
    },
    file: (name) => {
      const path = parsePathBelowRoot("path", name);
      return async (stores) => rowsOf(stores, { noun: "file", thing: (await existingFile(stores.files, path)).uuid });
    },
    registry: (name) => {
      const key = parseRegistryKey(name);
      return (stores) => rowsOf(stores, { noun: "registry_item", thing: key });
    },
  });
}

const placeOf = ({ nextRevision }: HistoryRow): number => nextRevision;

function printRows(call: CommandCall, rows: readonly HistoryRow[]): void {
  if (call.switches.has("json")) printJson(call, { history: rows.map(historyFields) });
  else if (rows.length > 0) printTable(call, head, rows.map(rowCells));
  else print(call, "There is no history.");
}

const head = ["REVISION", "MADE", "BY", "REPLACED", "BY", "SIZE"];

const rowCells = (row: HistoryRow): string[] => [
  String(row.revision),
  row.atSeconds === null ? "-" : formatTime(row.atSeconds),
  row.actor ?? "-",
  formatTime(row.replacedAtSeconds),
  row.replacedBy,
  readableBytes(row.bytes),
];

// ---------------------------------------------------------------------------------------------- show

function show(call: CommandCall): Promise<void> {
  const at = readRevision(call);
  const { out, file } = call.options;
  if (out !== undefined && file === undefined) throw new UsageError("--out needs --file");
  return onThing(call, {
    entry: (name) => {
      const id = parsePathBelowRoot("id", name);
      return async (stores) => print(call, formatEntry(await entryAt(stores, id, at)));
    },
    file: (name) => {
      const path = parsePathBelowRoot("path", name);
      return async (stores) => {
        const state = await fileAt(stores, path, at);
        if (out === undefined) print(call, formatFields(state));
        else await writeBytes(call, stores, state, out);
      };
    },
    registry: (name) => {
      const key = parseRegistryKey(name);
      return async (stores) => print(call, formatRegistryItem(await registryItemAt(stores, key, at)));
    },
  });
}

/** The fields of a file, with the client's own in `meta`: the file object has addresses, which a store does not know. */
const formatFields = ({ path, title, description, type, size, uploadedAt, meta }: File): string =>
  `${JSON.stringify({ path, title, description, type, filesize: size, uploaded_on: uploadedAt }).slice(0, -1)},"meta":${meta}}`;

/** Throws CommandError when the file exists or cannot be written. */
async function writeBytes(
  call: CommandCall,
  { blobs }: Stores,
  { hash, size }: { hash: string; size: number },
  out: string,
): Promise<void> {
  const bytes = await blobs.open(hash, size);
  const target = createWriteStream(out, { flags: "wx" });
  try {
    await pipeline(bytes instanceof Uint8Array ? [bytes] : bytes, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new CommandError(`${out} is there already; choose another name`);
    rmSync(out, { force: true });
    throw error;
  }
  if (call.switches.has("json")) printJson(call, { file: out, bytes: size });
  else print(call, `${out} holds ${readableBytes(size)}.`);
}

// ---------------------------------------------------------------------------------------------- restore

function restore(call: CommandCall): Promise<void> {
  const context = { actor, nowSeconds: nowSeconds() };
  const { at, entry } = call.options;
  if (call.switches.has("state") && entry === undefined) throw new UsageError("--state is for --entry");
  if (call.switches.has("subtree") || at !== undefined) return restoreSubtree(call);
  const revision = readRevision(call);
  const done = (name: string, value: string) =>
    call.switches.has("json")
      ? print(call, value)
      : print(call, `${name} has the content of revision ${revision} again.`);
  return onThing(call, {
    entry: (name) => {
      const id = parsePathBelowRoot("id", name);
      return async ({ entries }) =>
        done(id, formatEntry(await entries.restore(id, { revision, parts: partsOf(call) }, context)));
    },
    file: (name) => {
      const path = parsePathBelowRoot("path", name);
      return async ({ files }) => {
        const { size } = await files.restore(path, { revision }, context);
        done(path, JSON.stringify({ path, revision, bytes: size }));
      };
    },
    registry: (name) => {
      const key = parseRegistryKey(name);
      return async (stores) => {
        await stores.registry.restore(key, { revision }, context);
        done(key, JSON.stringify({ key, revision }));
      };
    },
  });
}

const partsOf = ({ switches }: CommandCall): RestoredParts => (switches.has("state") ? "data and state" : "data");

async function restoreSubtree(call: CommandCall): Promise<void> {
  const { entry, file, registry, revision, at } = call.options;
  if ((entry === undefined || at === undefined || !call.switches.has("subtree") || file) ?? registry ?? revision) {
    throw new UsageError("a subtree is restored with --entry ID --subtree --at TIME, and no other of these flags");
  }
  const id = asUsage(
    () => parsePath("id", entry),
    () => "--entry",
  );
  const atSeconds = parseTime(at);
  if (atSeconds === undefined) throw new UsageError(`--at was "${at}"; expected Unix seconds or an ISO 8601 date`);
  const context = { actor, nowSeconds: nowSeconds() };
  const restored = await withExistingStores(callSettings(call), ({ entries }) =>
    entries.restoreSubtree(id, { atSeconds, parts: partsOf(call) }, context),
  );
  if (call.switches.has("json")) printJson(call, { restored });
  else
    print(
      call,
      `${restored} ${restored === 1 ? "entry has" : "entries have"} the content of ${formatTime(atSeconds)} again.`,
    );
}

function readRevision({ options }: CommandCall): number {
  const { revision = "" } = options;
  if (/^[1-9]\d{0,14}$/.test(revision)) return Number(revision);
  throw new UsageError(
    revision === ""
      ? "--revision is missing; octavo history list shows the revisions"
      : `--revision was "${revision}"; expected an integer from 1`,
  );
}
