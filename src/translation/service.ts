import { writingOf } from "../entry/service.ts";
import type { Served, Service } from "../service.ts";
import { progressRoutes } from "./progress-routes.ts";
import { translationRoutes } from "./routes.ts";
import { xliffRoutes } from "./xliff-routes.ts";

/** Translations in a service. */
export const serveTranslation = (service: Service): Served => {
  const { locales, maxKeys, renderer } = service.part(writingOf);
  const { translations, progress, staged } = service.stores;
  return {
    api: [
      ...translationRoutes(translations, { locales, maxKeys, renderer }),
      ...progressRoutes(progress, locales),
      ...xliffRoutes({ progress, staged }, { locales, renderer }),
    ],
  };
};
