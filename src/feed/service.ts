import { renderingOf } from "../entry/service.ts";
import type { Served, Service } from "../service.ts";
import { changeRoutes } from "./change-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { LogWatch } from "./log-watch-wire.ts";

/** The feeds of a service. */

/** What waits for events. */
const watchOf = ({ stores }: Service): LogWatch => new LogWatch(stores.events);

export function serveFeed(service: Service): Served {
  const watch = service.part(watchOf);
  return {
    api: [
      ...changeRoutes(service.stores, { ...service.part(renderingOf), watch }),
      ...eventRoutes(service.stores.events, service.stores.people, watch),
    ],
  };
}
