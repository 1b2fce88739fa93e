import { type Command, type CommandCall, jsonOption } from "../cli/command.ts";
import { print, printJson } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { withExistingStores } from "../cli/store.ts";

export const renditionsCommands: readonly Command[] = [
  {
    name: "renditions clear",
    summary: "Delete all cached images",
    details: "Uploaded files stay; an image is drawn again on its next request. Safe while a service is running.",
    takes: [],
    options: { json: jsonOption },
    examples: ["octavo renditions clear", "octavo renditions clear --data /srv/octavo --json"],
    run: clear,
  },
];

async function clear(call: CommandCall): Promise<void> {
  const cleared = await withExistingStores(callSettings(call), (stores) => stores.renditions.clear());
  if (call.switches.has("json")) printJson(call, { ok: true, cleared });
  else print(call, `${cleared} images deleted.`);
}
