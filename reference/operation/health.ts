import type { Descriptions } from "../example.ts";

/** Health and statistics in the reference; the examples are on the sample site of `octavo serve --demo`. */

export const healthOperations: Descriptions = {
  "GET /health/live": {
    description:
      "For a supervisor that starts the process again when there is no answer. Nothing is asked of the store.",
    examples: [{ summary: "It lives" }],
  },
  "GET /health/ready": {
    description:
      "For a balancer. 503, with the reason, when the database or the bucket does not answer, takes no writes or is " +
      "damaged, when the disk of the data folder is full or read-only, and from the moment the service begins to stop.",
    examples: [{ summary: "It is ready" }],
  },
  "GET /api/stats": {
    description:
      "Counts, bytes, version and uptime, of the process that answers where there are several; whether the database was " +
      "found damaged, and whether the clock is right. A figure that a damaged database does not give is left out.",
    examples: [{ summary: "A small service" }],
    refused: { argument_invalid: { arguments: { check: "perhaps" } } },
  },
  "GET /api/openapi.json": {
    description: "The whole reference as OpenAPI 3.1, for generators of clients and for the page at `/docs`.",
    examples: [{ summary: "The description" }],
  },
};
