import { Problem } from "../domain/problem.ts";
import type { Settings } from "../settings.ts";
import { type Command, type CommandCall, CommandError, jsonOption } from "./command.ts";
import { print, printJson } from "./print.ts";
import { Progress } from "./progress.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "Read the whole store and say what is wrong with it",
  details:
    "Reads every page of the database file (SQLite), every row and every byte, and changes none of them. The exit code is\n" +
    "1 when something is wrong. It works beside a running service, which hears of a damaged database from it and refuses\n" +
    "writes from then on, or takes them again when all of the file proves whole.",
  takes: [],
  options: { json: jsonOption },
  examples: ["octavo verify", "octavo verify --data /srv/octavo --json"],
  run: verify,
};

async function verify(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const progress = new Progress();
  const faults = await faultsOf(settings, progress).finally(() => progress.clear());
  if (call.switches.has("json")) printJson({ ok: faults.length === 0, faults });
  else print(faults.length === 0 ? "The store is in order." : faults.join("\n"));
  if (faults.length > 0) throw new CommandError(`there are faults in the store in ${settings.data}`);
}

/** Of a database that is too damaged to be opened, what its own check says. */
async function faultsOf(settings: Settings, progress: Progress): Promise<string[]> {
  try {
    return await withExistingStores(settings, progress.verify);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "store_damaged") throw error;
    const { damageFaults } = await import("../stores.ts");
    return damageFaults(settings, error);
  }
}
