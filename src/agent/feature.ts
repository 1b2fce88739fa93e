import type { SettingsOf } from "../core/lib/setting.ts";
import { feature } from "../feature.ts";
import { agentProblems } from "./problems.ts";
import { agentSettings } from "./settings.ts";

/** Agents, by the Model Context Protocol. */

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof agentSettings> {}
}

export const agentFeature = feature({
  name: "agent",
  problems: agentProblems,
  settings: agentSettings,
  commands: async () => [(await import("./mcp-command.ts")).mcpCommand],
  serve: async () => (await import("./service.ts")).serveAgent,
});
