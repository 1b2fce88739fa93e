import { type Descriptions, type Refused, samplePreviewId, sampleTokenId, type Tag } from "../../api-docs/example.ts";

/** Tokens in the reference; the examples are on the sample site of `octavo serve --demo`. */

const badPaths: Refused = {
  path_invalid: { arguments: { kind: "images", resources: [], paths: ["movies/../secret"] } },
};
const unknownToken: Refused = { token_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } };

const unknownRelease = { release_not_found: { arguments: { release: "00000000-0000-4000-8000-000000000000" } } };

/** A locale that the sample site does not have. */
const unknownLocale: Refused = { locale_unknown: { arguments: { locales: ["xx"] } } };

export const tags: readonly Tag[] = [
  {
    name: "Tokens",
    group: "Operation",
    holds: /^\/api\/tokens/,
    description:
      "The credentials of clients. A management token with `admin` and an access token create and change tokens.",
  },
];

export const operations: Descriptions = {
  "GET /api/tokens": {
    description: "Answers all tokens without their secrets: only hashes of these are stored.",
    examples: [{ summary: "The tokens of the sample site" }],
  },
  "POST /api/tokens": {
    description:
      "Delivery, management and preview tokens need `resources`; images and access tokens have none. A token with `paths` is " +
      "valid at and below these paths of entries and uploads, which must be all its resources have: to it nothing else exists. " +
      "On a write the paths of both tokens hold. A management token with `writes` set to `staged` creates drafts, changes working " +
      "copies, drops what it alone has staged, and uploads new files. One with `locales` changes what these say, and nothing that all have. A preview token reads what is public where its maker may " +
      "read, below its paths drafts and working copies, too, and expires after 7 days, at most 30. Only this reply contains the secret, in `token`.",
    examples: [
      {
        summary: "A token for a website",
        arguments: { kind: "delivery", resources: ["entries", "files"], label: "website", limit_calls: 100_000 },
      },
      {
        summary: "A token for an editor of one part, whose changes others publish",
        arguments: { kind: "management", resources: ["entries", "files"], paths: ["blog"], writes: "staged" },
      },
      { summary: "An images token with an expiry", arguments: { kind: "images", expires_at: "2040-01-01" } },
    ],
    refused: {
      ...badPaths,
      ...unknownLocale,
      release_not_found: {
        arguments: { kind: "preview", release: unknownRelease.release_not_found.arguments.release },
      },
    },
  },
  "GET /api/tokens/preview": {
    description:
      "Answers preview tokens whose paths are within those of the caller, without their secrets. `maker` is the token that made " +
      "it; a preview that has ended with its maker is `disabled`.",
    examples: [{ summary: "The preview tokens" }],
  },
  "POST /api/tokens/preview": {
    description:
      "Whoever manages entries makes links to previews without the resource `admin`. The token reads what is public wherever the caller may " +
      "read, and drafts, the future and working copies below `paths`; without these below those of the caller, without `resources` entries and files as far as the caller has them. It expires after 7 days, at most 30, " +
      "and holds as long as the token that made it, its `maker`, could make it: a revocation, the expiry or a narrowing of that " +
      "one ends it. With `release` it shows what will be public once that release is published, and no other draft or copy. Only this reply contains the secret, in `token`.",
    examples: [
      { summary: "A preview of one article", arguments: { paths: ["articles/hello"], label: "for the editors" } },
    ],
    refused: {
      path_invalid: { arguments: { paths: ["movies/../secret"] } },
      argument_invalid: { arguments: { limit_calls: "many" } },
      entry_not_found: { accessToken: "limited" },
      ...unknownRelease,
    },
  },
  "DELETE /api/tokens/preview": {
    description: "Deletes a preview token whose paths are within those of the caller.",
    examples: [
      {
        summary: "Revoke a preview token",
        arguments: { id: samplePreviewId },
        given: [{ method: "POST", url: "/api/tokens/preview", arguments: { label: "to be revoked" } }],
      },
    ],
    refused: unknownToken,
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
    refused: { ...unknownToken, ...unknownLocale, path_invalid: { arguments: { paths: ["movies/../secret"] } } },
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
