import { Type } from "../core/lib/json-schema.ts";

export const referenceRow = Type.Object(
  {
    id: Type.String({ description: "The entry that refers." }),
    pointers: Type.Array(Type.String(), { description: "Where in its data, as JSON pointers: the first 100." }),
    has_more: Type.Optional(Type.Boolean({ description: "True when it refers in more places than these." })),
    staged: Type.Optional(Type.Boolean({ description: "True where only its working copy refers; in refusals." })),
  },
  { $id: "Reference", description: "An entry that refers to another thing." },
);
