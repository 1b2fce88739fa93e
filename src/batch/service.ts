import type { Served, Service } from "../service.ts";
import { batchRoutes } from "./routes.ts";

/** Batches in a service. */

export const serveBatch = ({ routes, stores }: Service): Served => ({ api: batchRoutes(routes, stores) });
