import type { SettingsOf } from "../core/lib/setting.ts";
import { feature } from "../feature.ts";
import { uploadSettings } from "./settings.ts";

/** Uploads, and the tree that shows them on the disk. */

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof uploadSettings> {}
}

export const uploadFeature = feature({
  name: "upload",
  settings: uploadSettings,
  commands: async () => (await import("./uploads-command.ts")).uploadsCommands,
  serve: async () => (await import("./service.ts")).serveUpload,
});
