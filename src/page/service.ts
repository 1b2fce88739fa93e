import { issuerOf } from "../people/service.ts";
import type { Served, Service } from "../service.ts";
import { adminRoutes } from "./admin-routes.ts";
import { Docs, docsRoutes } from "./docs-routes.ts";
import { openApiRoute } from "./openapi-routes.ts";
import { rootRoutes } from "./root-routes.ts";

/** The pages of a service. */

export function servePage(service: Service): Served {
  const { stores, settings } = service;
  const docs = new Docs(settings.publicUrl, settings.uploadsPrivate === "on");
  const hasAdminPage = settings.adminPage === "on";
  const admin = { issuer: service.part(issuerOf)?.name, previewUrl: settings.previewUrl };
  return {
    api: [openApiRoute(docs, stores)],
    others: [
      ...rootRoutes(hasAdminPage),
      ...docsRoutes(docs),
      ...(hasAdminPage ? adminRoutes(stores.people, admin) : []),
    ],
  };
}
