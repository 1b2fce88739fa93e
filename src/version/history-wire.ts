import { actorName, time, writer } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";

export const historyRow = Type.Object(
  {
    revision: Type.Integer({ description: "The event that made this content." }),
    at: Type.Union([Type.Integer(), Type.Null()], { description: "When, in Unix seconds; null when it is not known." }),
    actor: Type.Union([Type.String(), Type.Null()], {
      description: "The id of the token that made it; null when it is not known any more.",
    }),
    replaced_at: time("When it was replaced."),
    actor_name: actorName,
    replaced_by: writer("replaced it"),
    replaced_by_name: actorName,
    bytes: Type.Integer({ description: "The size of the content, with the bytes of a file." }),
  },
  { $id: "HistoryRow", description: "An earlier content of an entry, a file or a registry item." },
);
