import { writingOf } from "../entry/service.ts";
import type { Served, Service } from "../service.ts";
import { translationRoutes } from "./routes.ts";

/** Translations in a service. */
export const serveTranslation = (service: Service): Served => {
  const { locales, maxKeys, renderer } = service.part(writingOf);
  return {
    api: translationRoutes(service.stores.translations, { locales, maxKeys, renderer }),
  };
};
