import type { Served, Service } from "../service.ts";
import { mcpRoutes } from "./routes.ts";

/** Agents in a service. */

export const serveAgent = ({ servedRoutes, stores, settings, version }: Service): Served => ({
  others: settings.mcp === "on" ? mcpRoutes(servedRoutes, stores, { ...settings, version }) : [],
});
