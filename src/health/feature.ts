import { feature } from "../feature.ts";
import { healthMetrics } from "./metrics.ts";

/** Health, figures, metrics. */

export const healthFeature = feature({
  name: "health",
  commands: async () => [
    (await import("./doctor-command.ts")).doctorCommand,
    (await import("./command.ts")).healthCommand,
  ],
  metrics: healthMetrics,
  serve: async () => (await import("./service.ts")).serveHealth,
});
