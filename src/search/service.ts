import { renderingOf } from "../entry/service.ts";
import { addressOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { searchRoutes } from "./routes.ts";
import { wayOf } from "./way.ts";

/** Searches of a service. */

export const serveSearch = (service: Service): Served => {
  const { settings, stores } = service;
  const options = {
    ...service.part(renderingOf),
    address: service.part(addressOf),
    isOn: settings.search === "on",
    language: settings.searchLanguage,
  };
  return { api: searchRoutes(stores, options) };
};
