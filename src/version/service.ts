import { writingOf } from "../entry/service.ts";
import { addressOf } from "../reading.ts";
import { nowSeconds, type Served, type Service } from "../service.ts";
import { historyRoutes } from "./history-routes.ts";
import { releaseRoutes } from "./release-routes.ts";
import { duesOf, Schedule, scheduleLookMs } from "./schedule-service.ts";
import { stagedRoutes } from "./staged-routes.ts";
import { trashRoutes } from "./trash-routes.ts";

/** History, the trash, working copies and releases in a service. */

export function serveVersion(service: Service): Served {
  const { stores, settings } = service;
  return {
    api: [
      ...historyRoutes(stores, service.part(addressOf)),
      ...releaseRoutes(stores),
      ...stagedRoutes(stores, service.part(writingOf)),
      ...trashRoutes(stores.trash, {
        keepDays: settings.trashKeepDays,
        extensions: settings.uploadTypes,
        people: stores.people,
      }),
    ],
    start: () => {
      if (service.companions.leads) startSchedules(service);
    },
  };
}

function startSchedules(service: Service): void {
  for (const [name, due] of Object.entries(duesOf(service.stores))) {
    const schedule = new Schedule(service.stores, due);
    service.every(scheduleLookMs, name, () => schedule.look(nowSeconds()));
  }
}
