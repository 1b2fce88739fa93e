import { renderingOf } from "../entry/service.ts";
import { addressOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { fileSearchRoute, searchRoutes } from "./routes.ts";

/** Searches of a service. */

export const serveSearch = (service: Service): Served => {
  const { settings, stores } = service;
  const asking = { isOn: settings.search === "on", language: settings.searchLanguage };
  const address = service.part(addressOf);
  return {
    api: [
      ...searchRoutes(stores, { ...service.part(renderingOf), address, ...asking }),
      fileSearchRoute(stores.searches, { ...address, ...asking }),
    ],
  };
};
