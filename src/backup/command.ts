import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type Command, type CommandCall, CommandError, jsonOption } from "../cli/command.ts";
import { print, printJson, readableBytes } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { nowSeconds, withExistingStores, withoutChores } from "../cli/store.ts";
import { version } from "../cli/version.ts";
import type { Stores } from "../stores.ts";
import { type BackupEnd, BackupError, writeBackup } from "./backup.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "Write the whole store to a file, also while it is served",
  details:
    "FILE is a tar with all rows and all bytes of files as they were at one moment; octavo restore reads it, into a\n" +
    "store of either kind, and tar -tf lists it. It contains the hashes of tokens and the key that signs URLs, so only\n" +
    "your user can read it. Until it is complete its name is FILE.partial; an interrupted backup leaves that file.",
  takes: ["FILE"],
  options: { force: { help: "Replace an existing FILE." }, json: jsonOption },
  examples: [
    "octavo backup octavo.tar",
    "octavo backup --data /srv/octavo --force /mnt/backup/monday.tar",
    "octavo backup octavo.tar && tar -xOf octavo.tar end.json",
  ],
  run: backup,
};

async function backup(call: CommandCall): Promise<void> {
  const [file = ""] = call.positionals;
  refuseTaken(file, call.switches.has("force"));
  const began = performance.now();
  const end = await writeTo(file, call);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const bytes = statSync(file).size;
  if (call.switches.has("json")) printJson(call, { ok: true, file, bytes, seconds, ...endFields(end) });
  else print(call, `${file} holds ${formatEnd(end)} (${readableBytes(bytes)}, ${seconds} s).`);
}

function refuseTaken(file: string, mayReplace: boolean): void {
  if (!find(dirname(file))?.isDirectory()) throw new CommandError(`${dirname(file)} is no folder`);
  const taken = find(file);
  if (taken && !taken.isFile()) throw new CommandError(`${file} is no file; choose another name`);
  if (taken && !mayReplace) {
    throw new CommandError(`${file} is there already; choose another name, or replace it with --force`);
  }
}

const find = (path: string) => statSync(path, { throwIfNoEntry: false });

async function writeTo(file: string, call: CommandCall): Promise<BackupEnd> {
  const progress = new Progress(call.io.stderr);
  try {
    return await withExistingStores(callSettings(call), (stores) => {
      progress.say("Waiting for the chores of a running service");
      return withoutChores(stores, () => write(stores, file, progress));
    });
  } catch (error) {
    throw error instanceof BackupError ? new CommandError(`${file} was not made: ${error.message}`) : error;
  } finally {
    progress.clear();
  }
}

async function write(stores: Stores, file: string, progress: Progress): Promise<BackupEnd> {
  const { backupFiles } = await import("../stores.ts");
  const { TarWriter } = await backupFiles();
  const about = { version, nowSeconds: nowSeconds() };
  return writeBackup(stores, await TarWriter.create(file, about.nowSeconds), about, progress.show);
}

/** The content of a backup, as `--json` shows it. */
export const endFields = ({ counts, blobs }: BackupEnd) => ({ rows: counts, blobs });

/** The content of a backup, in one line. The root does not count as a folder: every store has it. */
export function formatEnd({ counts, blobs }: BackupEnd): string {
  const folders = Number(counts.folder) - 1;
  return `${counts.entry} entries, ${folders} folders, ${counts.file} files with ${blobs.count} blobs, ${counts.token} tokens`;
}
