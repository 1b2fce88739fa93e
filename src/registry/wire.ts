import { Type } from "../core/lib/json-schema.ts";

export const registryItem = Type.Object(
  {
    key: Type.String({ description: "A dotted key.", examples: ["site.title"] }),
    value: Type.Unknown({
      description: "The value as stored; for a key that only has keys below it, an object of their values.",
    }),
  },
  { $id: "RegistryItem", description: "A registry item." },
);

export const registryRow = Type.Object(
  {
    key: Type.String({ description: "A dotted key." }),
    value: Type.Unknown({ description: "The value as stored." }),
    read_only: Type.Boolean({ description: "True for items that describe the service." }),
  },
  { $id: "RegistryRow", description: "A registry item in a list." },
);
