import { placeholdersOf } from "../image/service.ts";
import { addressOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { uploadRulesOf } from "../stores.ts";
import { localesOf } from "../translation/locale.ts";
import { folderRoutes } from "./folder-routes.ts";
import { fileRoutes } from "./routes.ts";

/** Files and folders in a service. */

export function serveFile(service: Service): Served {
  const { stores, settings } = service;
  const address = service.part(addressOf);
  const writing = { rules: uploadRulesOf(settings), onConflict: settings.uploadOnConflict };
  return {
    api: [
      ...folderRoutes(stores.folders, address),
      ...fileRoutes(stores, {
        ...address,
        ...writing,
        placeholders: service.part(placeholdersOf),
        locales: localesOf(settings),
      }),
    ],
  };
}
