import { placeholdersOf, publicPicturesOf } from "../image/service.ts";
import { addressOf, readingOf } from "../reading.ts";
import { EntryRenderer } from "../render/render.ts";
import { proseOf } from "../render/service.ts";
import type { Served, Service } from "../service.ts";
import { entryRecentRoutes } from "./recent-routes.ts";
import { entryRoutes } from "./routes.ts";
import { entryTreeRoutes } from "./tree-routes.ts";

/** The reads and writes of entries in a service. */

/** What reads of entries have: that of reading.ts, with what makes HTML of prose. */
export const renderingOf = (service: Service) => ({
  ...service.part(readingOf),
  placeholders: service.part(placeholdersOf),
  pictures: service.part(publicPicturesOf),
  renderer: new EntryRenderer(service.stores.types, service.part(proseOf)),
  defaultRender: service.settings.contentRender === "markdown" ? ("html" as const) : ("raw" as const),
});

/** The same, with what writes of entries have. */
export const writingOf = (service: Service) => ({
  ...service.part(renderingOf),
  address: service.part(addressOf),
  maxKeys: service.settings.entryMaxKeys,
});

export const serveEntry = (service: Service): Served => ({
  api: [
    ...entryRoutes(service.stores, service.part(writingOf)),
    ...entryTreeRoutes(service.stores.entries),
    ...entryRecentRoutes(service.stores),
  ],
});
