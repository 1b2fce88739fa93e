import { renderingOf } from "../entry/service.ts";
import { addressOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { versionRoutes } from "./history-routes.ts";

/** History in a service. */

export const serveVersion = (service: Service): Served => ({
  api: versionRoutes(service.stores, { ...service.part(addressOf), ...service.part(renderingOf) }),
});
