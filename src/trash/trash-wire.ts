import { actorName, oneOf, time, writer } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { trashNouns } from "./trash.ts";

export const trashItem = Type.Object(
  {
    id: Type.Integer({ description: "The sequence of the event that deleted it." }),
    noun: oneOf(trashNouns, "What it is."),
    path: Type.String({ description: "Where it was; after a restore where it is.", examples: ["movies/alien"] }),
    count: Type.Integer({ description: "The number of entries, or of folders and files." }),
    bytes: Type.Integer({ description: "The size of the data of entries, or of the bytes of files." }),
    deleted_at: time("When it was deleted."),
    deleted_by: writer("deleted it"),
    deleted_by_name: actorName,
    locale: Type.Optional(Type.String({ description: "Of a translation that was deleted alone." })),
    expires_at: time("When it is deleted for good."),
  },
  { $id: "TrashItem", description: "What one DELETE took away." },
);
