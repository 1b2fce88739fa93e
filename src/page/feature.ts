import type { SettingsOf } from "../core/lib/setting.ts";
import { feature } from "../feature.ts";
import { pageProblems } from "./problems.ts";
import { pageSettings } from "./settings.ts";

/** The admin page, the documentation, the OpenAPI description. */

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof pageSettings> {}
}

export const pageFeature = feature({
  name: "page",
  problems: pageProblems,
  settings: pageSettings,
  serve: async () => (await import("./service.ts")).servePage,
});
