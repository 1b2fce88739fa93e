import { feature } from "../feature.ts";

/** Prose as HTML. */

export const renderFeature = feature({
  name: "render",
  serve: async () => (await import("./service.ts")).serveRender,
});
