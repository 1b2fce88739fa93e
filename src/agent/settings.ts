import { choice } from "../core/lib/setting.ts";

/** The settings of agents. */

/** Agents. */
export const agentSettings = {
  mcp: choice(["on", "off"], {
    default: "on",
    help: "Whether agents are answered at /mcp (Model Context Protocol), with what their tokens may do; without a token it answers 401.",
  }),
};
