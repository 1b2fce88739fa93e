import { realpathSync, statSync } from "node:fs";
import { relative } from "node:path";
import { type Command, type CommandCall, CommandError, jsonOption, UsageError } from "../cli/command.ts";
import { plain, print, printJson } from "../cli/print.ts";
import { Progress } from "../cli/progress.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { actor, nowSeconds, withExistingStores } from "../cli/store.ts";
import { formatUnknown, unknownFields, unknownOf } from "../cli/unknown.ts";
import { type ConflictPolicy, conflictPolicies } from "../file/file.ts";
import { type Adopted, adopt } from "../moving/adopt.ts";
import type { Settings } from "../settings.ts";
import type { Stores } from "../stores.ts";

export const uploadsCommands: readonly Command[] = [
  {
    name: "uploads rebuild",
    summary: "Rebuild the folder uploads/ from the store",
    details:
      "The folder is derived from the store and follows it automatically; this checks all of it. Files in it that Octavo did\n" +
      "not create are moved to uploads.unknown/ beside it, into a folder of the day, at the same path. No file of the\n" +
      "store is touched. May run beside a running service.",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo uploads rebuild", "octavo uploads rebuild --data /srv/octavo"],
    run: rebuild,
  },
  {
    name: "uploads adopt",
    summary: "Take files of a folder in as uploads",
    details:
      "DIR defaults to uploads.unknown/ of the data folder: files that were found in uploads/. Each file becomes an upload\n" +
      "in the folder of its path relative to DIR, by the rules of uploads: types, sizes, safe names. Symbolic links and\n" +
      "special files are reported, never followed. Files are removed from uploads.unknown/ once the store has them; any\n" +
      "other DIR stays as it is. The exit code is 1 when a file was not taken. May run beside a running service.",
    takes: ["[DIR]"],
    options: {
      "on-conflict": {
        value: "WHAT",
        help: "When the name is taken: fail (default: skip the file), replace, or suffix.",
      },
      json: jsonOption,
    },
    examples: [
      "octavo uploads adopt",
      "octavo uploads adopt --on-conflict suffix --json",
      "octavo uploads adopt /srv/old-site/project/uploads --data /srv/octavo",
    ],
    run: adoptCommand,
  },
];

async function rebuild(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const progress = new Progress(call.io.stderr);
  const faults: string[] = [];
  const onError = (_: string, error: unknown) => void (error instanceof Error && faults.push(error.message));
  let folders = 0;
  const work = async (stores: Stores) => {
    const { rebuildUploads } = stores;
    if (!rebuildUploads) throw new CommandError("the bytes are in a bucket (s3_endpoint): there is no uploads tree");
    await rebuildUploads(() => progress.count("folders", ++folders));
    return unknownOf(stores);
  };
  const unknown = await withExistingStores(settings, work, onError).finally(() => progress.clear());
  const ok = faults.length === 0;
  if (call.switches.has("json")) printJson(call, { ok, folders, ...(ok ? {} : { faults }), ...unknownFields(unknown) });
  else
    print(
      call,
      [...faults, ...(ok ? [`The uploads tree is in order: ${folders} folders.`] : []), ...formatUnknown(unknown)].join(
        "\n",
      ),
    );
  if (!ok) throw new CommandError(`${faults.length} faults in the uploads tree of ${settings.data}`);
}

// ------------------------------------------------------------------------------------------------------------- adopt

async function adoptCommand(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const onConflict = readConflict(call.options["on-conflict"]);
  const [dir] = call.positionals;
  if (dir !== undefined && !statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`there is no folder ${dir}`);
  }
  const progress = new Progress(call.io.stderr);
  const done: Adopted[] = [];
  const work = async (stores: Stores) => {
    const options = await adoptOptions(settings, onConflict);
    for await (const one of adopt(stores, await findIn(stores, dir), options)) {
      done.push(one);
      progress.count("files", done.length);
    }
  };
  try {
    await withExistingStores(settings, work);
  } catch (error) {
    progress.clear();
    // Adopted files were removed from the folder: print their names.
    if (done.length > 0) report(call, done);
    throw error;
  }
  progress.clear();
  report(call, done);
  const left = done.filter(({ outcome }) => outcome !== "taken").length;
  if (left > 0) throw new CommandError(`${left} of ${done.length} were not taken`);
}

function readConflict(given = "fail"): ConflictPolicy {
  const policy = conflictPolicies.find((known) => known === given);
  if (!policy) throw new UsageError(`--on-conflict was "${given}"; expected one of ${conflictPolicies.join(", ")}`);
  return policy;
}

async function adoptOptions(settings: Settings, onConflict: ConflictPolicy) {
  const { uploadRulesOf } = await import("../stores.ts");
  const context = { actor, nowSeconds: nowSeconds() };
  return { rules: uploadRulesOf(settings), maxBytes: settings.uploadMaxBytes, onConflict, context };
}

/** Adopted files are removed from the unknown uploads only; any other folder stays as it is. */
async function findIn({ unknownUploads: { folder: unknown } }: Stores, dir: string | undefined) {
  const { foundFiles } = await import("../stores.ts");
  const { findFiles, findUnknown } = await foundFiles();
  if (dir === undefined) return findUnknown(unknown);
  const folder = realpathSync(dir);
  const place = statSync(unknown, { throwIfNoEntry: false }) && relative(realpathSync(unknown), folder);
  if (place === "") return findUnknown(unknown);
  return findFiles({ folder, removes: place !== undefined && !place.startsWith("..") });
}

function report(call: CommandCall, done: readonly Adopted[]): void {
  const [taken, skipped, refused] = (["taken", "skipped", "refused"] as const).map((outcome) =>
    done.filter((one) => one.outcome === outcome).map(({ outcome: _, ...fields }) => fields),
  ) as [object[], object[], object[]];
  if (call.switches.has("json")) {
    printJson(call, { ok: skipped.length + refused.length === 0, taken, skipped, refused });
    return;
  }
  for (const one of done) {
    print(call, plain(`${one.outcome}  ${one.from}  ${one.outcome === "taken" ? `-> ${one.to}` : one.why}`));
  }
  print(call, `${taken.length} taken, ${skipped.length} skipped, ${refused.length} refused.`);
}
