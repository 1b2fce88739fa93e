import { writingOf } from "../entry/service.ts";
import { nowSeconds, type Served, type Service } from "../service.ts";
import { releaseRoutes } from "./release-routes.ts";
import { duesOf, Schedule, scheduleLookMs } from "./schedule-service.ts";
import { stagedRoutes } from "./staged-routes.ts";

/** Working copies and releases in a service, and what goes live at its time. */

export const serveWorkingCopy = (service: Service): Served => ({
  api: [
    ...releaseRoutes(service.stores, service.part(writingOf).locales),
    ...stagedRoutes(service.stores, service.part(writingOf)),
  ],
  start: () => {
    if (service.companions.leads) startSchedules(service);
  },
});

function startSchedules(service: Service): void {
  for (const [name, due] of Object.entries(duesOf(service.stores))) {
    const schedule = new Schedule(service.stores, due);
    service.every(scheduleLookMs, name, () => schedule.look(nowSeconds()));
  }
}
