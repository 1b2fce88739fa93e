import { statSync } from "node:fs";
import { answerOf, foreignAnswer, withAsk } from "../cli/ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { plain, print, printJson } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { urlOption } from "../cli/remote.ts";
import { storeName } from "../cli/same-store.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { nowSeconds, withExistingStores } from "../cli/store.ts";
import { formatUnknown, type Unknown, unknownFields, unknownOf } from "../cli/unknown.ts";
import { isProblem } from "../core/problem.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";
import { BackupError } from "./backup.ts";
import { endFields, formatEnd } from "./command.ts";
import type { CandidateSource, OnRepair, Repaired } from "./repair.ts";
import { checkBackup } from "./restore.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "Check the whole store, or a backup, and report its faults",
  details:
    "With FILE, a file of octavo backup, it reads that in place of the store, and restores nothing: every row by its rules,\n" +
    "every byte by its hash, and that nothing is missing. A restore checks, beyond that, what rows say of each other.\n\n" +
    "Reads every page of the database file (SQLite), every row and every byte. The exit code is 1 when faults remain.\n" +
    "It works beside a running service, which then learns of a damaged database and refuses writes, or accepts\n" +
    "them again once the complete file is intact.\n\n" +
    "Without --repair it changes nothing. With it, missing and changed bytes are replaced by good copies from uploads/ and\n" +
    "uploads.unknown/ of the data folder, with a bucket also from originals/ and blobs/ there, then from the backup of\n" +
    "--from. A copy is good when its SHA-256 matches.\n\n" +
    "With --url the service checks itself, as /api/stats?check=true asks it to: all pages of its database file (SQLite),\n" +
    "but neither its rows nor its bytes.",
  takes: ["[FILE]"],
  options: {
    repair: { help: "Replace missing and changed bytes by good copies." },
    from: { value: "FILE", help: "A file of octavo backup to take copies from, with --repair." },
    url: urlOption,
    json: jsonOption,
  },
  examples: [
    "octavo verify",
    "octavo verify --data /srv/octavo --json",
    "octavo verify /var/backups/octavo.tar",
    "octavo verify --repair --from /var/backups/octavo.tar",
    "octavo verify --url https://cms.example.org",
  ],
  run: verify,
};

async function verify(call: CommandCall): Promise<void> {
  const [file] = call.positionals;
  if (call.options.url !== undefined) return verifyService(call, call.options.url);
  if (file !== undefined) return verifyBackup(call, file);
  const settings = callSettings(call);
  const backup = readFrom(call);
  const progress = new Progress(call.io.stderr);
  const found = await findFaults(call, settings, backup, progress).finally(() => progress.clear());
  report(call, found);
  if (found.faults.length > 0) throw new CommandError(`there are faults in the store in ${storeName(settings)}`);
}

/** What a service says of itself. */
type Check = { store_state: string; store_faults: string; unknown_uploads: number };

/** The service's own check, in the lines of this machine's. */
async function verifyService(call: CommandCall, url: string): Promise<void> {
  const local = call.positionals.length > 0 ? "FILE" : call.switches.has("repair") ? "--repair" : "--from";
  if (local !== "--from" || call.options.from !== undefined)
    throw new UsageError(`${local} and --url cannot be combined: it is for this machine`);
  const answered = await withAsk(call, (ask) => answerOf(ask, "GET /api/stats", { check: true }));
  const { store_state: state, store_faults: text, unknown_uploads: count } = answered as Partial<Check>;
  if (text === undefined || count === undefined) throw foreignAnswer();
  const faults = state === "ok" ? [] : text.split("\n");
  report(call, { faults, unknown: { count, folder: "uploads.unknown/ of its data folder" } });
  if (faults.length > 0) throw new CommandError(`there are faults in the store of ${url}`);
}

async function verifyBackup(call: CommandCall, file: string): Promise<void> {
  if (call.switches.has("repair")) throw new UsageError("--repair is for a store; expected it without FILE");
  if (call.options.from !== undefined) throw new UsageError("--from is for --repair; expected it without FILE");
  refuseMissing(file);
  const progress = new Progress(call.io.stderr);
  const { backupFiles } = await import("../stores.ts");
  const { formats } = await import("./service.ts");
  const { TarReader } = await backupFiles();
  try {
    const end = await checkBackup(new TarReader(file), formats, progress.show).finally(() => progress.clear());
    if (call.switches.has("json")) printJson(call, { ok: true, file, ...endFields(end) });
    else print(call, `The backup is in order: ${formatEnd(end)}.`);
  } catch (error) {
    throw error instanceof BackupError ? new CommandError(`${file} cannot be restored: ${error.message}`) : error;
  }
}

function refuseMissing(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new CommandError(`there is no file ${file}`);
}

/** For a database that is too damaged to be opened or repaired: the result of its own check. */
async function findFaults(
  { switches }: CommandCall,
  settings: Settings,
  backup: string | undefined,
  progress: Progress,
): Promise<VerifyReport> {
  try {
    return await withExistingStores(settings, async (stores) => {
      const isRepair = switches.has("repair");
      const repaired = isRepair ? await repair(stores, backup, progress) : { faults: await progress.verify(stores) };
      return { ...repaired, unknown: await unknownOf(stores) };
    });
  } catch (error) {
    if (!isProblem(error, "store_damaged")) throw error;
    const { damageFaults } = await import("../stores.ts");
    return { faults: damageFaults(settings, error) };
  }
}

/** Throws UsageError, CommandError. */
function readFrom({ options: { from }, switches }: CommandCall): string | undefined {
  if (from === undefined) return undefined;
  if (!switches.has("repair")) throw new UsageError("--from is for --repair; expected both or neither");
  refuseMissing(from);
  return from;
}

async function repair(stores: Stores, backup: string | undefined, progress: Progress) {
  const [repaired, unusable]: [Repaired[], string[]] = [[], []];
  const on: OnRepair = {
    onRepaired: (blob) => void repaired.push(blob),
    onUnusable: (from, error) => void unusable.push(`${from} cannot be used: ${messageOf(error)}`),
  };
  const more = backup === undefined ? undefined : await inBackup(backup, on);
  progress.say("Reading the rows");
  const faults = await stores.repair(nowSeconds(), on, (done, total) => progress.show("bytes", done, total), more);
  return { faults, repaired, unusable };
}

/** Blobs before the damaged part of the backup are still used. */
async function inBackup(file: string, { onUnusable }: OnRepair): Promise<CandidateSource> {
  const { backupFiles } = await import("../stores.ts");
  const { copiesInBackup } = await backupFiles();
  return async function* (wanted) {
    try {
      yield* copiesInBackup(file)(wanted);
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      onUnusable(file, error);
    }
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type VerifyReport = { faults: string[]; repaired?: Repaired[]; unusable?: string[]; unknown?: Unknown };

function report(call: CommandCall, { faults, repaired = [], unusable = [], unknown }: VerifyReport): void {
  if (call.switches.has("json")) {
    const fields = call.switches.has("repair") ? { repaired, unusable } : {};
    printJson(call, { ok: faults.length === 0, faults, ...fields, ...(unknown && unknownFields(unknown)) });
    return;
  }
  print(
    call,
    [
      ...repaired.map(({ hash, path, state, from }) =>
        plain(`The blob ${hash} of the file ${path} was ${state}: repaired from ${from}`),
      ),
      ...unusable.map(plain),
      ...(faults.length === 0 ? ["The store is in order."] : faults),
      ...(unknown ? formatUnknown(unknown) : []),
    ].join("\n"),
  );
}
