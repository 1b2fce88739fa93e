import { type Descriptions, type Refused, sampleTokenId } from "../example.ts";

/** Tokens in the reference; the examples are on the sample site of `octavo serve --demo`. */

const unknownToken: Refused = { token_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } };

export const tokenOperations: Descriptions = {
  "GET /api/tokens": {
    description: "Answers all tokens without their secrets: only hashes of these are stored.",
    examples: [{ summary: "The tokens of the sample site" }],
  },
  "POST /api/tokens": {
    description:
      "Delivery and management tokens need `resources`; images and access tokens have none. Only this reply contains the " +
      "secret, in `token`.",
    examples: [
      {
        summary: "A token for a website",
        arguments: { kind: "delivery", resources: ["entries", "files"], label: "website", limit_calls: 100_000 },
      },
      { summary: "An images token with an expiry", arguments: { kind: "images", expires_at: "2040-01-01" } },
    ],
  },
  "PATCH /api/tokens": {
    description:
      "Changes only the sent properties. A disabled token is refused from the next request on, on other nodes within two seconds. " +
      "The kind and the resources cannot be changed.",
    examples: [
      { summary: "Disable a token", arguments: { id: sampleTokenId, state: "disabled" } },
      {
        summary: "Change the label and the limit",
        arguments: { id: sampleTokenId, label: "old website", limit_calls: 1000 },
      },
    ],
    refused: unknownToken,
  },
  "PUT /api/tokens/rotate": {
    description: "Everything else about the token stays. Only this reply contains the new secret, in `token`.",
    examples: [{ summary: "Rotate a token", arguments: { id: sampleTokenId } }],
    refused: unknownToken,
  },
  "DELETE /api/tokens": {
    description: "Deletes the token for good. Disable it to refuse it for a while.",
    examples: [{ summary: "Revoke a token", arguments: { id: sampleTokenId } }],
    refused: unknownToken,
  },
};
