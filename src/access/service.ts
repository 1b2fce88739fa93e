import type { Served, Service } from "../service.ts";
import { previewTokenRoutes, tokenRoutes } from "./token-routes.ts";

/** Tokens in a service. */

export const serveAccess = ({ stores }: Service): Served => ({
  api: [...tokenRoutes(stores.tokens), ...previewTokenRoutes(stores.tokens)],
});
