import { BackupError, bytesOf } from "../backup/backup.ts";
import { serviceOf } from "../cli/ask.ts";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { print, printJson, readableBytes } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { urlOption } from "../cli/remote.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { withExistingStores, withoutChores } from "../cli/store.ts";
import type { ExportCounts, ExportSource } from "./export.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write entries and files as a folder of Markdown files, for git or for Flextype",
  details:
    "DIR gets a folder project: entries as entry.md with front matter, translations as entry.de.md, uploads with their metadata, as they were at one\n" +
    "moment. The same content is the same bytes, and octavo import reads all of it back. Names that a disk or git could\n" +
    "change are escaped. An interrupted export is not imported, and is completed by the same command. Tokens, the\n" +
    "registry, content types, history, trash and working copies are not exported: octavo backup has them. May run beside\n" +
    "a running service.\n\n" +
    "With --url it is the content of a service that its token reads, page by page, and so not of one moment: a management\n" +
    "token with the resources entries, files and folders.",
  takes: ["DIR"],
  options: {
    replace: { help: "Replace the folder project of an earlier export; DIR may hold other things beside it." },
    url: urlOption,
    json: jsonOption,
  },
  examples: [
    "octavo export site",
    "octavo export site --replace --json",
    "octavo export site --replace --url https://cms.example.org",
  ],
  run: exportCall,
};

async function exportCall(call: CommandCall): Promise<void> {
  const [dir = ""] = call.positionals;
  if (dir === "") throw new UsageError('DIR was ""; expected a folder');
  const progress = new Progress(call.io.stderr);
  const replaces = call.switches.has("replace");
  const counts = await exportTo(call, dir, replaces, progress).finally(() => progress.clear());
  if (call.switches.has("json")) printJson(call, { ok: true, folder: dir, ...counts });
  else {
    const { entries, translations, folders, files, bytes } = counts;
    const more = translations === undefined ? "" : `, ${translations} translations`;
    print(
      call,
      `${dir} holds ${entries} entries${more}, ${folders} folders and ${files} files (${readableBytes(bytes)}).`,
    );
  }
}

async function exportTo(call: CommandCall, dir: string, replaces: boolean, progress: Progress): Promise<ExportCounts> {
  const { aloneInFolder, exportFolders } = await import("../stores.ts");
  // Loaded here, with the parser of YAML, to keep the start of every other command fast.
  const { exportAll } = await import("./export.ts");
  const { inExportFolder, ExportFolderError } = await exportFolders();
  const write = (source: ExportSource, undisturbed: Undisturbed) =>
    inExportFolder(dir, replaces, aloneInFolder, (folder) =>
      undisturbed(async () => {
        const counts = await exportAll(source, folder, (what, done) => progress.count(what, done));
        folder.finish();
        return counts;
      }),
    );
  try {
    return await withSource(call, write);
  } catch (error) {
    const isKnown = error instanceof ExportFolderError || error instanceof BackupError;
    throw isKnown ? new CommandError(error.message) : error;
  }
}

/** Does the work while no sweep removes what it reads. */
type Undisturbed = <T>(work: () => Promise<T>) => Promise<T>;

/** Does the work with a service, or with a store. */
async function withSource<T>(
  call: CommandCall,
  work: (source: ExportSource, undisturbed: Undisturbed) => Promise<T>,
): Promise<T> {
  const { url } = call.options;
  if (url !== undefined) {
    const { serviceSource } = await import("./service-source-command.ts");
    return work(serviceSource(serviceOf(call, url).ask), (write) => write());
  }
  const settings = callSettings(call);
  return withExistingStores(settings, (stores) => {
    const source: ExportSource = {
      sourceLocale: settings.locales[0],
      read: (write) => stores.rows.snapshot(write),
      bytes: (_, blob) => bytesOf(stores.blobs, blob),
    };
    return work(source, (write) => withoutChores(stores, write));
  });
}
