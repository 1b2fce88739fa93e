import { readingOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { registryRoutes } from "./routes.ts";

/** The registry in a service. */

export const serveRegistry = (service: Service): Served => ({
  api: registryRoutes(service.stores.registry, service.version, service.part(readingOf)),
});
