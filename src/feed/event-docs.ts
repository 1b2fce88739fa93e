import type { Descriptions, Tag } from "../../api-docs/example.ts";

/** The event log in the reference; the examples are on the sample site of `octavo serve --demo`. */

export const tags: readonly Tag[] = [
  {
    name: "Events",
    group: "Operation",
    holds: /^\/api\/events/,
    description: "The log of all writes, for audits, caches and other followers.",
  },
];

export const operations: Descriptions = {
  "GET /api/events": {
    description:
      "Every write appends one event in its own transaction. A write to a subtree is one event with a `count`. To follow the " +
      "log, send the last `sequence` you have seen as `since`, or ask for `text/event-stream` in `Accept`: then the events come as " +
      "server-sent events (`id` is the sequence, `event` the kind, `data` the event), those after `since` or `Last-Event-ID` and " +
      "each new one within a second. Without either the stream begins at the newest event. It ends with its token; a token " +
      "has at most 100 streams of a process. The setting `events_keep_days` is the retention period.",
    examples: [{ summary: "Two events", arguments: { since: 18, limit: 2 } }],
    refused: { argument_invalid: { arguments: { limit: 0 } } },
  },
};
