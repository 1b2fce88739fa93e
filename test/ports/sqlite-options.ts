import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqliteStoreOptions } from "../../src/core/sql/engine/sqlite/store.ts";

/** A store in a new folder. */
export function sqliteOptions(): SqliteStoreOptions {
  const folder = mkdtempSync(join(tmpdir(), "octavo-test-"));
  return { ...limits, folder, blobFolder: join(folder, "blobs") };
}

const limits = {
  busyTimeoutMs: 5000,
  pageBytes: 16 * 1024 * 1024,
  scanBudgetMs: { delivery: 60_000, management: 60_000 },
  regexpBudgetMs: 250,
  indexKeys: ["*"],
  cacheBytes: 8 * 1024 * 1024,
  maxPendingWrites: 100_000,
};
