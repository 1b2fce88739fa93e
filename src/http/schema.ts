import { Type } from "typebox";
import { visibilities } from "../domain/entry.ts";
import { tokenKinds, tokenResources, tokenStates } from "../domain/token.ts";

/** The shapes on the wire, in the words of the specification. */

export const slug = (description: string) =>
  Type.String({ description: description || "A path.", examples: ["movies/alien"] });
const time = (description: string) => Type.Integer({ description: `${description} Unix seconds.` });
export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...values], description });

export const entryObject = Type.Object(
  {
    title: Type.Optional(
      Type.Unknown({ description: "Supplied by the client, like every key that is not listed here." }),
    ),
    content: Type.Unknown({ description: 'Supplied by the client; "" when it was not.' }),
    published_at: time("When it is or becomes public."),
    created_at: time("When it was made."),
    modified_at: time("When it last changed."),
    published_by: Type.String(),
    created_by: Type.String(),
    routable: Type.Boolean(),
    visibility: oneOf(visibilities, "`hidden` is fetched by id but never listed; `draft` is not public."),
    uuid: Type.String({ format: "uuid" }),
    slug: Type.String({ description: "The entry's id." }),
  },
  { additionalProperties: true, description: "An entry: the client's own keys and the service's." },
);
export const entryList = Type.Unsafe({
  description: "What `filter[return]` asks for; a list of entries unless it says otherwise.",
  anyOf: [
    Type.Array(entryObject),
    Type.Object({}, { additionalProperties: Type.Array(entryObject) }),
    Type.Boolean(),
    Type.Integer(),
    Type.Null(),
  ],
});

export const registryItem = Type.Object(
  {
    key: Type.String({ description: "A dotted key.", examples: ["site.title"] }),
    value: Type.Unknown({
      description: "The value as stored; for a key that is the parent of others, the object of them.",
    }),
  },
  { description: "A registry item." },
);

const tokenRow = {
  id: Type.String(),
  kind: oneOf(tokenKinds, "What the token is for."),
  resources: Type.Array(oneOf(tokenResources, "A resource.")),
  label: Type.String(),
  environment: Type.String(),
  state: oneOf(tokenStates, "Whether it is accepted."),
  limit_calls: Type.Integer({ description: "How many calls it may make in all; 0 is without limit." }),
  calls: Type.Integer({ description: "How many it has made." }),
  expires_at: Type.Union([Type.Integer(), Type.Null()], { description: "Unix seconds, or null." }),
  created_at: time("When it was made."),
  last_used_at: Type.Union([Type.Integer(), Type.Null()], { description: "Unix seconds, or null." }),
};
export const tokenObject = Type.Object(tokenRow, { description: "A token without its secret." });
export const tokenWithSecret = Type.Object(
  { ...tokenRow, token: Type.String({ description: "The secret, answered this once." }) },
  { description: "A token with its secret." },
);

export const eventObject = Type.Object(
  {
    sequence: Type.Integer({ description: "Rises with each event." }),
    at: time("When it happened."),
    kind: Type.String({ examples: ["entry.create"] }),
    subject: Type.String({ description: "What changed: a slug, a registry key, a token's id." }),
    target: Type.Union([Type.String(), Type.Null()], { description: "Where a move or copy went." }),
    count: Type.Integer({ description: "How many things changed: for a subtree its size." }),
    actor: Type.String({ description: "The id of the token that wrote, or `octavo`." }),
  },
  { description: "One write." },
);

export const statsObject = Type.Object(
  {
    version: Type.String(),
    uptime_seconds: Type.Integer(),
    entries: Type.Integer(),
    registry_items: Type.Integer(),
    tokens: Type.Integer(),
    store_bytes: Type.Integer({ description: "Size of the database on disk." }),
    memory_bytes: Type.Integer({ description: "Resident memory of the process." }),
  },
  { description: "Figures of the running service." },
);
