import type { Served, Service } from "../service.ts";
import { eventRoutes } from "./event-routes.ts";
import { LogWatch } from "./log-watch-wire.ts";

/** The event log of a service. */

/** What waits for events. */
export const watchOf = ({ stores }: Service): LogWatch => new LogWatch(stores.events);

export const serveFeed = (service: Service): Served => ({
  api: eventRoutes(service.stores.events, service.stores.people, service.part(watchOf)),
});
