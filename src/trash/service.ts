import type { Served, Service } from "../service.ts";
import { localesOf } from "../translation/locale.ts";
import { trashRoutes } from "./trash-routes.ts";

/** The trash in a service. */

export const serveTrash = ({ stores, settings }: Service): Served => ({
  api: trashRoutes(stores.trash, {
    locales: localesOf(settings),
    keepDays: settings.trashKeepDays,
    extensions: settings.uploadTypes,
    people: stores.people,
  }),
});
