import { type Descriptions, type Refused, sampleTokenId } from "../example.ts";

/** Tokens in the reference; the examples are on the sample site of `octavo serve --demo`. */

const unknownToken: Refused = { token_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } };

export const tokenOperations: Descriptions = {
  "GET /api/tokens": {
    description: "All tokens, without their secrets: of these only hashes are stored.",
    examples: [{ summary: "The tokens of the sample site" }],
  },
  "POST /api/tokens": {
    description:
      "Delivery and management tokens need `resources`; images and access tokens have none. The secret is in `token`, in " +
      "this answer alone.",
    examples: [
      {
        summary: "A token for a website",
        arguments: { kind: "delivery", resources: ["entries", "files"], label: "website", limit_calls: 100_000 },
      },
      { summary: "A token for pictures that ends", arguments: { kind: "images", expires_at: "2040-01-01" } },
    ],
  },
  "PATCH /api/tokens": {
    description:
      "What is not sent stays. A token that is disabled is refused from the next request on, on other nodes within two " +
      "seconds. Kind and resources cannot be changed.",
    examples: [
      { summary: "Disable a token", arguments: { id: sampleTokenId, state: "disabled" } },
      {
        summary: "Another label and a limit",
        arguments: { id: sampleTokenId, label: "old website", limit_calls: 1000 },
      },
    ],
    refused: unknownToken,
  },
  "PUT /api/tokens/rotate": {
    description: "Everything else about the token stays. The new secret is in `token`, in this answer alone.",
    examples: [{ summary: "Rotate a token", arguments: { id: sampleTokenId } }],
    refused: unknownToken,
  },
  "DELETE /api/tokens": {
    description: "The token is gone for good. To shut it out for a while, disable it.",
    examples: [{ summary: "Revoke a token", arguments: { id: sampleTokenId } }],
    refused: unknownToken,
  },
};
