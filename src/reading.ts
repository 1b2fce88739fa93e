import { GroupHeaders } from "./core/http/cache-group.ts";
import { CollectionPages } from "./core/http/collection-page.ts";
import type { Service } from "./service.ts";
import { uploadsRootOf } from "./stores.ts";
import { localesOf } from "./translation/locale.ts";

/** What the reads of several features have in common, made once for a service. */

/** The headers of cache groups; undefined where replies have none. */
export const groupsOf = ({ settings }: Service): GroupHeaders | undefined =>
  settings.cacheGroups.length > 0 ? new GroupHeaders(settings.cacheGroups) : undefined;

/** What reads of entries, files and the registry have in common. */
export const readingOf = (service: Service) => ({
  bounds: { maxLimit: service.settings.collectionLimitMax, defaultLimit: service.settings.collectionLimit },
  pages: new CollectionPages(service.settings.collectionPageBytes),
  deliverySharedMaxAgeSeconds: service.settings.deliverySMaxageSeconds,
  hasTrash: service.settings.trashKeepDays > 0,
  groups: service.part(groupsOf),
  locales: localesOf(service.settings),
});

/** What the addresses of files begin with. */
export const addressOf = (service: Service) => ({
  ...service.part(readingOf),
  root: uploadsRootOf(service.settings),
  publicUrl: service.settings.publicUrl,
});
