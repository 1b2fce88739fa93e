import { type Descriptions, type Given, sampleSessionId, type Tag } from "../../api-docs/example.ts";

/** Sessions of the admin page in the reference; the examples are on the sample site of `octavo serve --demo`. */

/** The sample site has no session until a sign-in. */
const signedIn: Given[] = [{ method: "POST", url: "/admin/session" }];

export const tags: readonly Tag[] = [
  {
    name: "Sessions",
    group: "Operation",
    holds: /^\/api\/sessions/,
    description: "Sign-ins to the admin page. A management token with `admin` can end them.",
  },
];

export const operations: Descriptions = {
  "GET /api/sessions": {
    description:
      "`actor` is who signed in; as an argument it lists the sessions of one. Nothing is stored about the device or its address. " +
      "`GET /admin/session` answers the id of the session whose cookie is sent.",
    examples: [{ summary: "The sessions of the sample site", given: signedIn }],
    refused: { argument_invalid: { arguments: { limit: 0 } }, cursor_invalid: { arguments: { cursor: "unknown" } } },
  },
  "DELETE /api/sessions": {
    description:
      "Every copy of its cookie is invalid at once, on other nodes within two seconds. Its tokens stay valid: disable or " +
      "revoke them to end all their sessions.",
    examples: [{ summary: "End a session", arguments: { id: sampleSessionId }, given: signedIn }],
    refused: { session_not_found: { arguments: { id: "00000000-0000-4000-8000-000000000000" } } },
  },
};
