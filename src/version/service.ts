import { addressOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { historyRoutes } from "./history-routes.ts";

/** History in a service. */

export const serveVersion = (service: Service): Served => ({
  api: historyRoutes(service.stores, service.part(addressOf)),
});
