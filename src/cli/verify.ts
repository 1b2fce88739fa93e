import { type Command, type CommandCall, CommandError, jsonOption } from "./command.ts";
import { print, printJson } from "./print.ts";
import { Progress } from "./progress.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "Read the whole store and say what is wrong with it",
  details: "Changes nothing. The exit code is 1 when something is wrong.",
  takes: [],
  options: { json: jsonOption },
  examples: ["octavo verify", "octavo verify --data /srv/octavo --json"],
  run: verify,
};

async function verify(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const progress = new Progress();
  const faults = await withExistingStores(settings, progress.verify).finally(() => progress.clear());
  if (call.switches.has("json")) printJson({ ok: faults.length === 0, faults });
  else print(faults.length === 0 ? "The store is in order." : faults.join("\n"));
  if (faults.length > 0) throw new CommandError(`${faults.length} faults in the store in ${settings.data}`);
}
