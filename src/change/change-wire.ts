import { Type } from "../core/lib/json-schema.ts";
import { entryObject } from "../entry/wire.ts";

/** The objects of the feed of changes on the wire. */

const uuid = Type.String({ description: "The entry; it keeps its uuid when it moves." });

const change = Type.Union(
  [
    Type.Object({
      op: Type.Unsafe<"put">({ type: "string", enum: ["put"], description: "It is public, as `entry` says" }),
      uuid,
      id: Type.String({ description: "Its id now." }),
      entry: Type.Optional(entryObject),
    }),
    Type.Object({
      op: Type.Unsafe<"gone">({ type: "string", enum: ["gone"], description: "It is not public any more" }),
      uuid,
      id: Type.String({ description: "The id that it last had in public." }),
    }),
  ],
  { $id: "Change", description: "An entry as a delivery read gives it now, or one that is no longer public." },
);

export const changeObject = Type.Object({
  data: Type.Array(change, { description: "In the order in which a mirror applies them; each entry once." }),
  cursor: Type.String({
    description: "What to send for the next page; opaque, and good for tokens of the same paths, and its `locale`.",
  }),
  has_more: Type.Boolean({ description: "Whether the next page has something already." }),
});
