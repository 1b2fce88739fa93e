import { renderingOf } from "../entry/service.ts";
import { watchOf } from "../feed/service.ts";
import { readingOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { changeRoutes } from "./change-routes.ts";

/** The feed of changes of a service. */

export const serveChange = (service: Service): Served => ({
  api: changeRoutes(service.stores, {
    ...service.part(renderingOf),
    locales: service.part(readingOf).locales,
    watch: service.part(watchOf),
    publicUrl: service.settings.publicUrl,
  }),
});
