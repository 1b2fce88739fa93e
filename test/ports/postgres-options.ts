import type { PostgresStoreOptions } from "../../src/core/sql/engine/postgres/store.ts";
import { createDatabase } from "../postgres.ts";

/** A store in a new database, or in the given one. */
export async function postgresOptions(url?: string): Promise<PostgresStoreOptions> {
  return { ...limits, url: url ?? (await createDatabase()) };
}

const limits = {
  readUrl: "",
  statementMs: 10_000,
  maxConnections: 4,
  pageBytes: 16 * 1024 * 1024,
  scanBudgetMs: { delivery: 60_000, management: 60_000 },
  regexpBudgetMs: 250,
  indexKeys: ["*"],
  cacheBytes: 8 * 1024 * 1024,
  blobFolder: "",
  maxPendingWrites: 100_000,
};
