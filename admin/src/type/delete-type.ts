import { type ContentType, etagOf } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { refresh } from "../ui/query.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { deleteWithUndo } from "../ui/undo.tsx";

/** Deletes the type; its entries stay as they are. Undo puts it back. */
export const deleteType = ({ id, title }: ContentType): Promise<void> =>
  deleteWithUndo(
    [
      {
        key: `type:${id}`,
        name: title || id,
        send: async () => {
          const type = await octavo.types.fetch(id);
          await octavo.types.delete(id, { ifMatch: etagOf(type) });
          return { run: () => octavo.types.put({ ...type, schema: type.schema as object }) };
        },
      },
    ],
    { done: (name) => sayParts("Deleted the type {name}", { name }), reread: () => refresh("types") },
  );
