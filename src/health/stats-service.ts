import type { ClockFacts } from "../core/clock.ts";
import { isProblem } from "../core/problem.ts";
import type { Stores } from "../stores.ts";
import type { Stats } from "./routes.ts";

/** The figures of /api/stats, without the version. `runningMs` is the time since the process started. Contract §8. */
export async function statsOf(stores: Stores, clock: ClockFacts | undefined, runningMs: number): Promise<Stats> {
  const renditions = await stores.renditions.usage();
  const history = await unlessDamaged(stores.history.totals());
  const trash = await unlessDamaged(stores.trash.totals());
  const damage = stores.damage();
  return {
    uptime_seconds: Math.floor(runningMs / 1000),
    entries: await unlessDamaged(stores.entries.count()),
    folders: await unlessDamaged(stores.folders.count()),
    files: await unlessDamaged(stores.files.count()),
    renditions: renditions.count,
    rendition_bytes: renditions.bytes,
    blob_bytes: await unlessDamaged(stores.ledger.size()),
    history_rows: history?.rows,
    history_bytes: history?.bytes,
    trash_items: trash?.items,
    trash_bytes: trash?.bytes,
    registry_items: (await unlessDamaged(stores.registry.list()))?.length,
    tokens: (await unlessDamaged(stores.tokens.list()))?.length,
    webhooks_failed: (await unlessDamaged(stores.webhooks.list()))?.filter(({ state }) => state === "failed").length,
    unknown_uploads: await stores.unknownUploads.count(),
    store_bytes: await stores.size(),
    memory_bytes: process.memoryUsage.rss(),
    store_state: damage.length > 0 ? "damaged" : "ok",
    store_faults: damage.join("\n"),
    store_checked_at: stores.checkedAt(),
    clock_behind_seconds: clock?.behindSeconds,
    future_entries: clock?.futureEntries,
  };
}

/** The result of the step; undefined where the database is too damaged for it. */
export async function unlessDamaged<T>(step: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (isProblem(error, "store_damaged")) return undefined;
    throw error;
  }
}
