import type { Served, Service } from "../service.ts";
import { localesOf } from "../translation/locale.ts";
import { previewTokenRoutes, tokenRoutes } from "./token-routes.ts";

/** Tokens in a service. */

export const serveAccess = ({ stores, settings }: Service): Served => ({
  api: [...tokenRoutes(stores.tokens, localesOf(settings)), ...previewTokenRoutes(stores.tokens)],
});
