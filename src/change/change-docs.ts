import type { Descriptions, Tag } from "../../api-docs/example.ts";

/** The feed of changes in the reference; the examples are on the sample site of `octavo serve --demo`. */

export const tags: readonly Tag[] = [
  {
    name: "Changes",
    group: "Content",
    holds: /^\/api\/delivery\/changes/,
    description: "What changes in public, for whoever keeps a copy: all entries first, then each change.",
  },
];

export const operations: Descriptions = {
  "GET /api/delivery/changes": {
    description:
      "Keeps a copy of all that is public in step. Without `cursor` it begins with all entries that a list may show the token; " +
      "each page names the `cursor` of the next, which goes on with what has changed since. Applied in order to an empty map of " +
      "uuids, the pages make the list of all public entries. A `put` has the entry as a delivery read gives it now; an entry that " +
      "moved is a `put` with its new id, also each one below a section that moved. `gone` comes for what was public to the token " +
      "and is not any more: deleted, hidden, a draft, moved elsewhere. What becomes public by its time is told 1 to 3 seconds " +
      "after it. With `locale` it mirrors the lists of that locale, with what " +
      "its translations say laid over. A cursor is good for tokens of the same paths and its locale, as long as the log has what follows it (`events_keep_days`): " +
      "after that 410 `feed_too_old`, and the copy begins again. With `Accept: text/event-stream` the changes come as server-sent " +
      "events, one in a message, as they happen; the `id` is the cursor after it, which clients send as `Last-Event-ID`.",
    examples: [
      { summary: "All entries, two at a time", arguments: { limit: 2 } },
      { summary: "Without the entries", arguments: { limit: 3, only: "id" } },
    ],
    refused: {
      argument_invalid: { arguments: { limit: 0 } },
      argument_unknown: { arguments: { limits: 2 } },
      cursor_invalid: { arguments: { cursor: "unknown" } },
      locale_unknown: { arguments: { locale: "xx" } },
      // Only HTML has addresses: it needs another default_render than that of the site.
      host_invalid: null,
    },
  },
};
