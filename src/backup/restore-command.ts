import { statSync } from "node:fs";
import { type Command, type CommandCall, CommandError, jsonOption } from "../cli/command.ts";
import { print, printJson } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { nowSeconds, withoutChores, withStores } from "../cli/store.ts";
import type { Settings } from "../settings.ts";
import { type BackupEnd, BackupError } from "./backup.ts";
import { endFields, formatEnd } from "./command.ts";
import { readBackup } from "./restore.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "Fill an empty store from a file of octavo backup",
  details:
    "The store may be of another kind than the one that was backed up: this is also the way from SQLite and the disk to\n" +
    "PostgreSQL and a bucket, and back. A file that is cut, damaged or unfinished is refused, and then, as after an\n" +
    "interruption, the store is as empty as before. At the end all of it is verified. Ids, revisions, tokens and the\n" +
    "event log are those of the backup. Start the service when it is done: one that runs meanwhile knows nothing of it.",
  takes: ["FILE"],
  options: { json: jsonOption },
  examples: [
    "octavo restore octavo.tar --data /srv/new",
    "OCTAVO_POSTGRES_URL=postgres://octavo@db/octavo octavo restore octavo.tar --json",
  ],
  run: restore,
};

async function restore(call: CommandCall): Promise<void> {
  const [file = ""] = call.positionals;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new CommandError(`there is no file ${file}`);
  // The operator asks for a new store; existing bytes are kept, and used where they are the same.
  const settings: Settings = { ...callSettings(call), newStore: "on" };
  const progress = new Progress(call.io.stderr);
  const restored = async () => {
    const end = await fill(settings, file, progress);
    // Opened again: the field index now has the keys of the backup.
    return { end, faults: await withStores(settings, progress.verify) };
  };
  const { end, faults } = await restored().finally(() => progress.clear());
  report(call, file, end, faults);
}

async function fill(settings: Settings, file: string, progress: Progress): Promise<BackupEnd> {
  const { backupFiles } = await import("../stores.ts");
  const { TarReader } = await backupFiles();
  const reader = new TarReader(file);
  try {
    return await withStores(settings, (stores) =>
      withoutChores(stores, () => readBackup(stores, reader, nowSeconds(), progress.show)),
    );
  } catch (error) {
    throw error instanceof BackupError ? new CommandError(`${file} was not restored: ${error.message}`) : error;
  }
}

function report(call: CommandCall, file: string, end: BackupEnd, faults: string[]): void {
  if (call.switches.has("json")) printJson(call, { ok: faults.length === 0, file, ...endFields(end), faults });
  else print(call, [`The store holds ${formatEnd(end)}.`, ...faults].join("\n"));
  if (faults.length > 0) throw new CommandError(`${faults.length} faults in the store that was restored`);
}
