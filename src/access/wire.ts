import { tokenKinds, tokenResources, tokenStates, tokenWrites } from "../core/access/token.ts";
import { oneOf, time } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";

const tokenRow = {
  paths: Type.Optional(
    Type.Array(Type.String(), {
      description: "The paths of entries and uploads at and below which it holds; absent for all.",
    }),
  ),
  writes: Type.Optional(oneOf(tokenWrites, "`staged`: its writes never change what is live; absent for `all`.")),
  locales: Type.Optional(
    Type.Array(Type.String(), { description: "The locales that its writes may change; absent for all." }),
  ),
  maker: Type.Optional(Type.String({ description: "Of a preview: who made it, the id of a token or `person:<id>`." })),
  release: Type.Optional(Type.String({ description: "Of a preview: the release that it shows; absent for none." })),
  id: Type.String({ description: "Identifies the token in requests; not a secret." }),
  kind: oneOf(tokenKinds, "What the token is for."),
  resources: Type.Array(oneOf(tokenResources, "A resource."), { description: "The resources it gives access to." }),
  label: Type.String({ description: "A label for people." }),
  environment: Type.String({ description: "Where it is used, such as `production`." }),
  state: oneOf(tokenStates, "Whether it is accepted."),
  limit_calls: Type.Integer({ description: "Maximum number of calls; 0 for no limit." }),
  calls: Type.Integer({ description: "Number of calls so far." }),
  expires_at: Type.Union([Type.Integer(), Type.Null()], { description: "Unix seconds, or null." }),
  created_at: time("When it was created."),
  last_used_at: Type.Union([Type.Integer(), Type.Null()], { description: "Unix seconds, or null." }),
};

export const tokenObject = Type.Object(tokenRow, { $id: "Token", description: "A token without its secret." });

export const tokenWithSecret = Type.Object(
  { ...tokenRow, token: Type.String({ description: "The secret, shown only in this reply." }) },
  { $id: "TokenWithSecret", description: "A token with its secret." },
);
