import type { Served, Service } from "../service.ts";
import { migrationRoutes } from "./routes.ts";

/** Migrations in a service. */

export const serveMigration = ({ stores }: Service): Served => ({ api: migrationRoutes(stores.migrations) });
