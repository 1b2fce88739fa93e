import { Problem } from "../core/problem.ts";
import { StoreError } from "../core/store-error.ts";
import { writingOf } from "../entry/service.ts";
import type { Served, Service } from "../service.ts";
import { progressRoutes } from "./progress-routes.ts";
import { translationRoutes } from "./routes.ts";
import type { TranslationStore } from "./translation.ts";
import { xliffRoutes } from "./xliff-routes.ts";

/** Keeps which locale the source is. Throws StoreError where translations were made against another. */
async function refuseOtherSource(store: TranslationStore, source: string): Promise<void> {
  const { locale, hasTranslations } = await store.source();
  if (locale === source) return;
  if (locale !== undefined && hasTranslations)
    throw new StoreError(
      `locales begins with ${source}, and the translations of this store were made against ${locale}: put ${locale} first, ` +
        `or, if what the entries say is ${source}, run octavo translations source ${source}`,
    );
  // A damaged store is served for reading.
  await store.setSource(source).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}

/** Translations in a service. */
export const serveTranslation = (service: Service): Served => {
  const { locales, maxKeys, renderer } = service.part(writingOf);
  const { translations, progress, staged } = service.stores;
  return {
    check: async () => locales && refuseOtherSource(translations, locales.source),
    api: [
      ...translationRoutes(translations, { locales, maxKeys, renderer }),
      ...progressRoutes(progress, locales),
      ...xliffRoutes({ progress, staged }, { locales, renderer }),
    ],
  };
};
