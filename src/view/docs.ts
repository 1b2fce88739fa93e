import { type Descriptions, type Given, type Refused, sampleViewId, type Tag } from "../../api-docs/example.ts";

/** Views in the reference; the examples are of a person who signed in. */

const late = { title: "Newest articles", path: "articles", columns: ["title", "author"], sort: "-published_at" };
const made = { ...late, filter: { match: "all", conditions: [{ key: "author", operator: "exists", value: "" }] } };
const given: Given[] = [{ method: "POST", url: "/api/views", arguments: made }];
const unknown = { id: "00000000-0000-4000-8000-000000000000" };
const refused: Refused = { path_invalid: { arguments: { path: "articles/../secret" } } };
const long = { filter: "x".repeat(8192) };

export const tags: readonly Tag[] = [
  {
    name: "Views",
    group: "Operation",
    holds: /^\/api\/views/,
    description: "Tables of entries that people saved on the admin page, for themselves or for all.",
  },
];

export const operations: Descriptions = {
  "GET /api/views": {
    description:
      "Shared views are for people who may read entries at their path. The page keeps its own form in `filter`; programs may keep " +
      "another one.",
    examples: [{ summary: "My views", given }],
  },
  "POST /api/views": {
    description: "At most 100 views a person, 500 shared ones, each of 8 KiB.",
    examples: [
      { summary: "Save a view", arguments: made },
      { summary: "For everybody", arguments: { ...late, shared: true } },
    ],
    refused: { ...refused, data_too_large: { arguments: long } },
  },
  "PUT /api/views": {
    description: "What is not sent gets its default. Its maker, or an owner where it is shared; who made it stays.",
    examples: [{ summary: "Share a view", arguments: { ...made, id: sampleViewId, shared: true }, given }],
    refused: {
      ...refused,
      view_not_found: { arguments: unknown },
      data_too_large: { arguments: long },
    },
  },
  "DELETE /api/views": {
    description: "Its maker, or an owner where it is shared. Those of a person who is deleted are deleted, too.",
    examples: [{ summary: "Delete a view", arguments: { id: sampleViewId }, given }],
    refused: { view_not_found: { arguments: unknown } },
  },
};
