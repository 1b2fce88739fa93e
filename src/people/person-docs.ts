import {
  type Descriptions,
  type Given,
  type Refused,
  samplePersonId,
  sampleSessionId,
  type Tag,
} from "../../api-docs/example.ts";

/** People in the reference; the examples are on the sample site of `octavo serve --demo`, which has none. */

const invited: Given[] = [
  { method: "POST", url: "/api/people", arguments: { email: "ada@example.org", role: "editor" } },
];
const patch = (change: object): Given => ({
  method: "PATCH",
  url: "/api/people",
  arguments: { id: samplePersonId, ...change },
});
const unknown = { id: "00000000-0000-4000-8000-000000000000" };
const unknownPerson: Refused = { person_not_found: { arguments: unknown } };
const taken = { arguments: { email: "Ada@Example.org" }, given: invited };

export const tags: readonly Tag[] = [
  {
    name: "People",
    group: "Operation",
    holds: /^\/api\/people/,
    description:
      "Who signs in to the admin page, by name. An owner, or a management token with `admin`, invites and changes people; " +
      "everybody has an own account under `/api/people/me`.",
  },
];

export const operations: Descriptions = {
  "GET /api/people": {
    description: "Everybody who was invited and not deleted. Nothing tells a password.",
    examples: [{ summary: "The people of a site", given: invited }],
    refused: { argument_invalid: { arguments: { limit: 0 } }, cursor_invalid: { arguments: { cursor: "unknown" } } },
  },
  "POST /api/people": {
    description:
      "Where the setting `smtp_url` names a mail server the link is mailed, and `mailed` is true. Otherwise it " +
      "answers a `link` once, for seven days: whoever opens it gives the name and a password and is signed in. Send it to the " +
      "person. It begins with the setting `public_url`. A link that was lost is replaced by `POST /api/people/reset`.",
    examples: [{ summary: "Invite an editor", arguments: { email: "ada@example.org", name: "Ada", role: "editor" } }],
    refused: { person_exists: taken, role_not_found: { arguments: { email: "bob@example.org", role: "unknown" } } },
  },
  "PATCH /api/people": {
    description:
      "Changes only the sent properties; they hold from the next request on, on other nodes within two seconds. `disabled` ends " +
      "the sessions and the link. `subject` binds the person to that `sub` of the issuer of `oidc_issuer`, where its addresses are " +
      "not marked as verified: who was only invited is active with it, the link ends, and where another subject was bound, the " +
      "sessions, too. A password and passkeys stay. `null` binds to none and ends the sessions: who has no other credential is " +
      "only invited then. One's own address and subject are changed within ten minutes of signing in.",
    examples: [
      { summary: "Give another role", arguments: { id: samplePersonId, role: "viewer" }, given: invited },
      { summary: "Disable a person", arguments: { id: samplePersonId, state: "disabled" }, given: invited },
      {
        summary: "Bind a person to the issuer",
        arguments: { id: samplePersonId, subject: "248289761001" },
        given: invited,
      },
    ],
    refused: {
      ...unknownPerson,
      argument_invalid: { arguments: { subject: "" } },
      person_exists: {
        arguments: { email: "bob@example.org" },
        given: [
          { method: "POST", url: "/api/people", arguments: { email: "bob@example.org", role: "editor" } },
          ...invited,
        ],
      },
      subject_taken: {
        arguments: { subject: "248289761001" },
        given: [
          ...invited,
          patch({ subject: "248289761001" }),
          // From here on the sample id is of another person with the address.
          patch({ email: "carl@example.org" }),
          ...invited,
        ],
      },
      role_not_found: { arguments: { role: "unknown" } },
    },
  },
  "DELETE /api/people": {
    description: "Ends the sessions and the link. The name stays in the log, the address is free again.",
    examples: [{ summary: "Delete a person", arguments: { id: samplePersonId }, given: invited }],
    refused: unknownPerson,
  },
  "POST /api/people/reset": {
    description:
      "Mails a link, or answers a `link` once, for 24 hours, for a new password; for a person who was only invited, an invitation for seven days. " +
      "An older link is void. The password and the sessions hold until the link is used.",
    examples: [{ summary: "A new link", arguments: { id: samplePersonId }, given: invited }],
    refused: {
      ...unknownPerson,
      person_disabled: {
        given: [...invited, patch({ state: "disabled" })],
      },
    },
  },
  "GET /api/people/me": {
    description:
      "The person whose session sends the request: its cookie is that of `POST /admin/session`. `preferences` is what the admin " +
      "page keeps for the person.",
    examples: [{ summary: "Who am I" }],
  },
  "PATCH /api/people/me": {
    description:
      "A new password needs `current_password`, and ends all other sessions. A new address needs it, too, or a sign-in within ten " +
      "minutes. The role is changed by an owner. `preferences` are merged by key: one that is not sent stays, null removes one.",
    examples: [
      { summary: "Change the name", arguments: { name: "Grace Hopper" } },
      { summary: "Keep something", arguments: { preferences: { "columns:articles": ["title", "author"] } } },
      {
        summary: "Change the password",
        arguments: { password: "a louder harbour at noon", current_password: "a quiet harbour at noon" },
      },
    ],
    refused: {
      argument_missing: { arguments: { password: "a louder harbour at noon" } },
      person_exists: { arguments: { email: "ada@example.org" }, given: invited },
      password_weak: { arguments: { password: "password1", current_password: "a quiet harbour at noon" } },
      data_too_large: { arguments: { preferences: { note: "x".repeat(16_384) } } },
      sign_in_failed: { arguments: { password: "a louder harbour at noon", current_password: "a wrong one" } },
    },
  },
  "GET /api/people/me/sessions": {
    description: "`current` is the one of the request.",
    examples: [{ summary: "My sessions" }],
  },
  "DELETE /api/people/me/sessions": {
    description: "Every copy of its cookie is invalid at once, on other nodes within two seconds.",
    examples: [{ summary: "End a session", arguments: { id: sampleSessionId } }],
    refused: { session_not_found: { arguments: unknown } },
  },
};
