import type { Descriptions } from "../example.ts";

/** The event log in the reference; the examples are on the sample site of `octavo serve --demo`. */

export const eventOperations: Descriptions = {
  "GET /api/events": {
    description:
      "Every write appends one event in its own transaction. A write to a subtree is one event with a `count`. To follow the " +
      "log, send the last `sequence` you have seen as `since`. The setting `events_keep_days` is the retention period.",
    examples: [{ summary: "Two events", arguments: { since: 18, limit: 2 } }],
    refused: { argument_invalid: { arguments: { limit: 0 } } },
  },
};
