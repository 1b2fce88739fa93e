import type { Served, Service } from "../service.ts";
import { modelRoutes } from "./model-routes.ts";
import { typeRoutes } from "./routes.ts";

/** Content types in a service. */

export const serveType = ({ stores }: Service): Served => ({
  api: [...typeRoutes(stores.types), ...modelRoutes(stores.types)],
});
