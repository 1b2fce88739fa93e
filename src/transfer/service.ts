import type { Served, Service } from "../service.ts";
import { uploadRulesOf, uploadsRootOf } from "../stores.ts";
import { transferRoutes } from "./routes.ts";

/** Uploads that go on, in a service. */

export const serveTransfer = ({ stores, settings }: Service): Served => ({
  others: transferRoutes(stores, {
    root: uploadsRootOf(settings),
    publicUrl: settings.publicUrl,
    rules: uploadRulesOf(settings),
    onConflict: settings.uploadOnConflict,
    maxBytes: settings.uploadMaxBytes,
    keepSeconds: settings.uploadKeepHours * 3600,
  }),
});
