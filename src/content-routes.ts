import { batchAsOperator } from "./batch/routes.ts";
import { GroupHeaders } from "./core/http/cache-group.ts";
import { CollectionPages } from "./core/http/collection-page.ts";
import type { Route } from "./core/http/route.ts";
import { problem } from "./core/problem.ts";
import { entryRecentRoutes } from "./entry/recent-routes.ts";
import { entryRoutes } from "./entry/routes.ts";
import { entryTreeRoutes } from "./entry/tree-routes.ts";
import { changeRoutes } from "./feed/change-routes.ts";
import { LogWatch } from "./feed/log-watch-wire.ts";
import { folderRoutes } from "./file/folder-routes.ts";
import { fileRoutes } from "./file/routes.ts";
import { type PlaceholderDrawer, Placeholders } from "./image/placeholder.ts";
import { registryRoutes } from "./registry/routes.ts";
import { ThreadRenderer } from "./render/prose/renderer.ts";
import { EntryRenderer } from "./render/render.ts";
import type { Settings } from "./settings.ts";
import { type Stores, uploadRulesOf, uploadsRootOf } from "./stores.ts";
import type { TransferOptions } from "./transfer/routes.ts";
import { historyRoutes } from "./version/history-routes.ts";
import { releaseRoutes } from "./version/release-routes.ts";
import { stagedRoutes } from "./version/staged-routes.ts";

/** The routes of content, which a service answers and a batch of a command calls. */

/** A renderer of Markdown, whose threads start with the first text. */
export const openProse = (): ThreadRenderer => new ThreadRenderer({ timeoutMs: 5000, maxWaitMs: 2000, idleMs: 60_000 });

export type ContentOptions = {
  uploadsRoot: string;
  version: string;
  prose: ThreadRenderer;
  watch: LogWatch;
  drawer: PlaceholderDrawer;
};

/** The headers of cache groups; undefined where replies have none. */
export const groupsOf = ({ cacheGroups }: Settings): GroupHeaders | undefined =>
  cacheGroups.length > 0 ? new GroupHeaders(cacheGroups) : undefined;

/** What uploads that go on are bound by. */
export const transferOptionsOf = (settings: Settings, root: string): TransferOptions => ({
  root,
  publicUrl: settings.publicUrl,
  rules: uploadRulesOf(settings),
  onConflict: settings.uploadOnConflict,
  maxBytes: settings.uploadMaxBytes,
  keepSeconds: settings.uploadKeepHours * 3600,
});

/** Reads and writes of entries, folders, files and the registry. */
export function contentRoutes(stores: Stores, settings: Settings, options: ContentOptions): Route[] {
  const { uploadsRoot, version, prose, watch, drawer } = options;
  const reading = {
    bounds: { maxLimit: settings.collectionLimitMax, defaultLimit: settings.collectionLimit },
    pages: new CollectionPages(settings.collectionPageBytes),
    deliverySharedMaxAgeSeconds: settings.deliverySMaxageSeconds,
    hasTrash: settings.trashKeepDays > 0,
    groups: groupsOf(settings),
  };
  const address = { ...reading, root: uploadsRoot, publicUrl: settings.publicUrl };
  const placeholders = new Placeholders(stores.placeholders, drawer);
  const rendering = {
    ...reading,
    placeholders,
    renderer: new EntryRenderer(stores.types, prose),
    defaultRender: settings.contentRender === "markdown" ? ("html" as const) : ("raw" as const),
  };
  return [
    ...entryRoutes(stores, { ...rendering, address, maxKeys: settings.entryMaxKeys }),
    ...entryTreeRoutes(stores.entries),
    ...changeRoutes(stores, { ...rendering, watch }),
    ...entryRecentRoutes(stores),
    ...folderRoutes(stores.folders, address),
    ...fileRoutes(stores, {
      ...address,
      rules: uploadRulesOf(settings),
      onConflict: settings.uploadOnConflict,
      placeholders,
    }),
    ...registryRoutes(stores.registry, version, reading),
    ...historyRoutes(stores, address),
    ...releaseRoutes(stores),
    ...stagedRoutes(stores, { ...rendering, address, maxKeys: settings.entryMaxKeys }),
  ];
}

/** What an operation of a batch answered. */
export type OperationAnswer = { status: number; data: unknown; etag: string | null };
/** What the operations answered, and the arguments that none of them takes. */
export type BatchAnswer = { answers: OperationAnswer[]; ignored: string[] };

/**
 * Makes the writes of a batch, all of them or none, with the rights of whoever runs the command. `operations` is the JSON
 * of the list. Throws what a batch over HTTP is refused with.
 */
export async function operate(
  stores: Stores,
  settings: Settings,
  operations: string,
  { isDryRun, nowSeconds }: { isDryRun: boolean; nowSeconds: number },
): Promise<BatchAnswer> {
  const options = {
    uploadsRoot: uploadsRootOf(settings),
    version: "",
    prose: openProse(),
    watch: new LogWatch(stores.events),
    // A batch reads nothing.
    drawer: { placeholder: () => Promise.reject(problem("busy", { reason: "a command draws nothing" })) },
  };
  const routes = contentRoutes(stores, settings, options);
  const origin = settings.publicUrl ?? `http://localhost:${settings.port}`;
  const { answers, ignored } = await batchAsOperator(routes, stores, { origin, nowSeconds }, operations, isDryRun);
  return { answers: JSON.parse(answers), ignored };
}
