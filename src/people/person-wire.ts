import { tokenResources } from "../core/access/token.ts";
import { actorName, oneOf, time } from "../core/http/schema.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { personStates } from "./person.ts";
import { roleWrites } from "./role.ts";

/** The objects on the wire of people, roles and sessions: see schema.ts. */

const sessionTimes = {
  created_at: time("When it was started."),
  last_seen_at: time("When it was last used, at most a minute behind."),
  expires_at: time("When it ends."),
};

export const ownSession = Type.Object(
  {
    id: Type.String({ description: "Identifies the session in requests; not a secret." }),
    ...sessionTimes,
    current: Type.Boolean({ description: "True for the session of the call itself." }),
  },
  { $id: "OwnSession", description: "A live session of the person who asks." },
);

const personRow = {
  id: Type.String({ description: "Identifies the person in requests; in the log behind `person:`." }),
  name: Type.String({ description: "The name; empty until the invitation is accepted, unless it was given." }),
  email: Type.String({ description: "The email address, unique without case.", examples: ["ada@example.org"] }),
  role: Type.String({ description: "The id of the role.", examples: ["editor"] }),
  state: oneOf(personStates, "`invited` until the link is used; `disabled` may not sign in."),
  issuer: Type.Union([Type.String(), Type.Null()], {
    description: "The issuer of OpenID Connect at which the person signs in; null for who is bound to none.",
  }),
  subject: Type.Union([Type.String(), Type.Null()], { description: "Who the person is there: its `sub`." }),
  created_at: time("When the person was invited."),
  last_seen_at: Type.Union([Type.Integer(), Type.Null()], {
    description: "When the person last used a session, in Unix seconds, at most a minute behind; null for never.",
  }),
};
export const personObject = Type.Object(personRow, { $id: "Person", description: "Somebody who signs in." });
export const ownPerson = Type.Object(
  {
    ...personRow,
    preferences: Type.Unsafe<object>({
      type: "object",
      additionalProperties: true,
      description: "What the admin page keeps for the person, by name.",
    }),
  },
  { $id: "OwnPerson", description: "The person who asks." },
);
export const personWithLink = Type.Object(
  {
    ...personRow,
    mailed: Type.Boolean({ description: "True when the setting's mail server took the link." }),
    link: Type.Optional(
      Type.String({
        description: "The address of the page that takes the password, only in this reply; absent when it was mailed.",
      }),
    ),
    link_expires_at: time("When the link ends."),
  },
  { $id: "PersonWithLink", description: "A person with a one-use link." },
);

export const roleObject = Type.Object(
  {
    id: Type.String({ description: "1 to 64 small letters, digits, `_` and `-`.", examples: ["editor"] }),
    title: Type.String({ description: "For people." }),
    resources: Type.Array(oneOf(tokenResources, "A resource."), { description: "What its people have access to." }),
    paths: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "The paths of entries and uploads at and below which it holds; null for everywhere.",
    }),
    writes: oneOf(roleWrites, "`none` reads only; `staged` changes nothing that is live."),
    locales: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "The locales that its people may change; null for all.",
    }),
    built_in: Type.Boolean({ description: "True for the roles of every store, which cannot be changed." }),
  },
  { $id: "Role", description: "What people may do: the rights of a management token." },
);

export const sessionObject = Type.Object(
  {
    id: Type.String({ description: "Identifies the session in requests; not a secret." }),
    actor: Type.String({
      description: "Who signed in: the id of a management token, or `person:` and the id of a person.",
    }),
    actor_name: actorName,
    ...sessionTimes,
  },
  { $id: "Session", description: "A live session of the admin page." },
);

export const viewObject = Type.Object(
  {
    id: Type.String({ description: "Identifies the view in requests." }),
    title: Type.String({ description: "For people.", examples: ["Waiting for review"] }),
    path: Type.String({ description: "The entries below this path; empty for all.", examples: ["articles"] }),
    columns: Type.Array(Type.String(), { description: "The names of fields, in the order of the columns." }),
    sort: Type.String({ description: "As the argument `sort` of lists; empty for the order of ids." }),
    shared: Type.Boolean({ description: "True for all who may read entries." }),
    owner: Type.String({ description: "The id of the person who made it." }),
    owner_name: Type.String({ description: "The name of this person." }),
    filter: Type.Unsafe<Json>({ description: "What the table shows: the JSON value that was saved." }),
  },
  { $id: "View", description: "A table of entries that a person saved." },
);
