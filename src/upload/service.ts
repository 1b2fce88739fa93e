import { forgetFollower } from "../feed/event-follower.ts";
import { unlessDamaged } from "../health/stats-service.ts";
import { groupsOf } from "../reading.ts";
import type { Served, Service } from "../service.ts";
import { uploadRoutes } from "./routes.ts";
import { uploadsFollower } from "./tree-store.ts";

/** The bytes of files, and the uploads tree, of a service. */

const tidyEveryMs = 3600 * 1000;

export function serveUpload(service: Service): Served {
  const { stores, settings, companions, log } = service;
  const tree = companions.leads ? stores.tree : undefined;
  const tidy = () => stores.staging.tidy(Date.now());
  return {
    api: uploadRoutes(stores.files, stores.blobs, {
      isPrivate: settings.uploadsPrivate === "on",
      signingKey: stores.signingKey,
      groups: service.part(groupsOf),
    }),
    start: async () => {
      await unlessDamaged(tree?.start());
      if (!companions.leads) return;
      service.chore("tidy", tidy());
      service.every(tidyEveryMs, "tidy", tidy);
      if (!tree) service.chore("uploads tree", forgetFollower(stores.events, uploadsFollower));
    },
    // Work that cannot be saved now is repeated at the next start.
    stop: () => tree?.stop().catch((error: unknown) => log.error("uploads tree", error)),
  };
}
