import type { Descriptions } from "../example.ts";

/** The event log in the reference; the examples are on the sample site of `octavo serve --demo`. */

export const eventOperations: Descriptions = {
  "GET /api/events": {
    description:
      "Every write appends one event in its own transaction; a write of a subtree is one event with its `count`. To follow " +
      "the log, send the greatest `sequence` seen as `since`. Events are kept as long as the setting `events_keep_days` says.",
    examples: [{ summary: "Two events", arguments: { since: 18, limit: 2 } }],
    refused: { argument_invalid: { arguments: { limit: 0 } } },
  },
};
