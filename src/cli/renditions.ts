import { type Command, type CommandCall, jsonOption } from "./command.ts";
import { print, printJson } from "./print.ts";
import { callSettings } from "./setting-sources.ts";
import { withExistingStores } from "./store.ts";

export const renditionsCommands: readonly Command[] = [
  {
    name: "renditions clear",
    summary: "Drop all images that are kept because they were asked for",
    details: "No original is touched; what is asked for again is made again. May run beside a running service.",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo renditions clear", "octavo renditions clear --data /srv/octavo --json"],
    run: clear,
  },
];

async function clear(call: CommandCall): Promise<void> {
  const cleared = await withExistingStores(callSettings(call), (stores) => stores.renditions.clear());
  if (call.switches.has("json")) printJson({ ok: true, cleared });
  else print(`${cleared} images were dropped.`);
}
