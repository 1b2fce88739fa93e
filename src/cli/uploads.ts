import { type Command, type CommandCall, CommandError, jsonOption } from "./command.ts";
import { print, printJson } from "./print.ts";
import { Progress } from "./progress.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";

export const uploadsCommands: readonly Command[] = [
  {
    name: "uploads rebuild",
    summary: "Make the folder uploads/ of the store what the store says",
    details:
      "The folder is made from the store and follows it by itself; this looks at all of it. Whatever lies in it and is\n" +
      "not in the store is removed. No file of the store is touched. May run beside a running service.",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo uploads rebuild", "octavo uploads rebuild --data /srv/octavo"],
    run: rebuild,
  },
];

async function rebuild(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const progress = new Progress();
  let folders = 0;
  await withExistingStores(settings, async ({ rebuildUploads }) => {
    if (!rebuildUploads) throw new CommandError("the bytes are in a bucket (s3_endpoint): there is no uploads tree");
    await rebuildUploads(() => progress.count("folders", ++folders));
  }).finally(() => progress.clear());
  if (call.switches.has("json")) printJson({ ok: true, folders });
  else print(`The uploads tree is in order: ${folders} folders.`);
}
