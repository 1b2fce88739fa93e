import type { Served, Service } from "../service.ts";
import { referenceRoutes } from "./routes.ts";

/** References in a service. */

export const serveReference = ({ stores }: Service): Served => ({ api: referenceRoutes(stores) });
