import { actorName, time } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";

export const eventObject = Type.Object(
  {
    sequence: Type.Integer({ description: "Rises with each event." }),
    at: time("When it happened."),
    kind: Type.String({ description: "The kind of write: noun and verb.", examples: ["entry.create"] }),
    subject: Type.String({
      description: "What changed: a slug, a registry key, the id of a token, session, role or person.",
    }),
    target: Type.Union([Type.String(), Type.Null()], { description: "The destination of a move or copy." }),
    count: Type.Integer({ description: "Number of changed things: the size of the subtree." }),
    actor: Type.String({
      description: "The id of the token that wrote, `person:` and the id of a person, or `octavo`.",
    }),
    actor_name: actorName,
    request_id: Type.Optional(
      Type.String({
        description: "The id of the request, as in its header `X-Request-Id` and its log line; absent for commands.",
      }),
    ),
    address: Type.Optional(
      Type.String({ description: "The client's address, where the setting `audit_addresses` is on." }),
    ),
    locale: Type.Optional(
      Type.String({ description: "Of a write of a translation: its locale. Absent for the source." }),
    ),
    outdated: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Of a publication: the keys that it put back, though they had been changed live since they were staged.",
      }),
    ),
  },
  { $id: "Event", description: "One write." },
);
