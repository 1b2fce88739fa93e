import { feature } from "../feature.ts";
import { batchProblems } from "./problems.ts";

/** Batches: many writes, all or none. */

export const batchFeature = feature({
  name: "batch",
  problems: batchProblems,
  commands: async () => (await import("./command.ts")).batchCommands,
  serve: async () => (await import("./service.ts")).serveBatch,
});
