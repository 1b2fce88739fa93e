import type { Described, Descriptions, Tag } from "../../api-docs/example.ts";

/** Registry items in the reference; the examples are on the sample site of `octavo serve --demo`. */

const fetchItem: Described = {
  description:
    "Answers the value of a dotted key. A key that only has keys below it answers an object of their values. " +
    "`octavo.manifest` describes this service; `flextype.manifest.version` is the API generation.",
  examples: [
    { summary: "One item", arguments: { id: "site.title" } },
    { summary: "All items below a key", arguments: { id: "site" } },
  ],
  refused: { registry_item_not_found: { arguments: { id: "site.motto" } } },
};

export const tags: readonly Tag[] = [
  {
    name: "Registry",
    group: "Content",
    holds: /^\/api\/(delivery\/)?registry/,
    description: "Small values under dotted keys, such as `site.title`: configuration and shared texts of a site.",
  },
];

export const operations: Descriptions = {
  "GET /api/registry": fetchItem,
  "GET /api/delivery/registry": fetchItem,
  "GET /api/registry/items": {
    description: "Answers full keys and marks the built-in items.",
    examples: [{ summary: "All items below site", arguments: { id: "site" } }],
    refused: { registry_item_not_found: { arguments: { id: "nowhere" } } },
  },
  "PUT /api/registry": {
    description: "Creates the item or replaces its value: a text, or in a JSON body any JSON value of at most 64 KiB.",
    examples: [
      { summary: "A text", arguments: { id: "site.title", value: "The late reading room" } },
      { summary: "A list", arguments: { id: "site.languages", value: ["en", "pl"] } },
    ],
    refused: { registry_item_read_only: { arguments: { id: "octavo.manifest.name" } } },
  },
  "DELETE /api/registry": {
    description:
      "Deletes the item and the items below its key atomically. Their values stay in the history of each key.",
    examples: [{ summary: "One item", arguments: { id: "site.per_page" } }],
    refused: {
      registry_item_not_found: { arguments: { id: "site.motto" } },
      registry_item_read_only: { arguments: { id: "octavo.manifest.name" } },
    },
  },
};
