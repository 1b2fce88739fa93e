import type { Served, Service } from "../service.ts";
import { viewRoutes } from "./routes.ts";

/** Views in a service. */

export const serveView = ({ stores }: Service): Served => ({ api: viewRoutes(stores) });
