import type { Descriptions, Tag } from "../../api-docs/example.ts";

/** Health and statistics in the reference; the examples are on the sample site of `octavo serve --demo`. */

export const tags: readonly Tag[] = [
  {
    name: "Health",
    group: "Operation",
    holds: /^\/(health|metrics|api\/stats)/,
    description: "For supervisors, load balancers and operators.",
  },
];

export const operations: Descriptions = {
  "GET /health/live": {
    description: "For a supervisor that restarts the process when it does not answer. Does not read the store.",
    examples: [{ summary: "It lives" }],
  },
  "GET /health/ready": {
    description:
      "For a load balancer. 503 with the reason when the database or the bucket does not answer, accepts no writes or is " +
      "damaged, when the disk of the data folder is full or read-only, and once the service shuts down.",
    examples: [{ summary: "Ready" }],
  },
  "GET /api/stats": {
    description:
      "Counts, bytes, version and uptime of the process that answers; whether the database is damaged and the clock is " +
      "correct. Figures that a damaged database cannot provide are omitted.",
    examples: [{ summary: "A small service" }],
    refused: { argument_invalid: { arguments: { check: "perhaps" } } },
  },
  "GET /metrics": {
    description:
      "For Prometheus: requests, writes, caches, pictures, sizes of the store, processor and memory. At `metrics_port` the " +
      "same without a token. The guide to operations says what each figure means and when to alarm.",
    examples: [{ summary: "The figures" }],
  },
  "GET /api/openapi.json": {
    description: "The whole reference as OpenAPI 3.1, for generators of clients and for the page at `/docs`.",
    examples: [{ summary: "The description" }],
  },
};
