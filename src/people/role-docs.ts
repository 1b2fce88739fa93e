import type { Descriptions, Given, Tag } from "../../api-docs/example.ts";

/** Roles in the reference; the examples are on the sample site of `octavo serve --demo`. */

const reviewers = { id: "reviewers", title: "Reviewers", resources: ["entries", "files"], paths: ["articles"] };
const made: Given[] = [{ method: "PUT", url: "/api/roles", arguments: { ...reviewers, writes: "staged" } }];

export const tags: readonly Tag[] = [
  {
    name: "Roles",
    group: "Operation",
    holds: /^\/api\/roles/,
    description: "What people may do: each has one role.",
  },
];

export const operations: Descriptions = {
  "GET /api/roles": {
    description:
      "A role gives people the rights of a management token. Every store has `owner` (everything, and people), `editor` " +
      "(entries, files, folders), `author` (entries and files, whose writes are staged) and `viewer` (reads what an editor reads).",
    examples: [{ summary: "All roles", given: made }],
  },
  "PUT /api/roles": {
    description:
      "A change holds for everybody who has the role, from the next request on, on other nodes within two seconds. No role beside " +
      "`owner` holds `admin`. With `paths` it holds at and below these paths of entries and uploads, with `locales` its people change what these say, and " +
      "nothing that all have: a translator's has one, and `writes` are `staged`.",
    examples: [{ summary: "People who review one part", arguments: { ...reviewers, writes: "staged" } }],
    refused: {
      role_built_in: { arguments: { id: "owner" } },
      path_invalid: { arguments: { paths: ["articles/../secret"] } },
      locale_unknown: { arguments: { locales: ["xx"] } },
    },
  },
  "DELETE /api/roles": {
    description: "People who have the role are given another one first.",
    examples: [{ summary: "Delete a role", arguments: { id: "reviewers" }, given: made }],
    refused: {
      role_not_found: { arguments: { id: "unknown" } },
      role_built_in: { arguments: { id: "viewer" } },
      role_in_use: {
        given: [
          ...made,
          { method: "POST", url: "/api/people", arguments: { email: "eve@example.org", role: "reviewers" } },
        ],
      },
    },
  },
};
