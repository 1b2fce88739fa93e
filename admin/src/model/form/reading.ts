import { isObject, type Json } from "../../api/json.ts";
import { labelOfField } from "./item-name.ts";
import { ownOf } from "./pointer.ts";
import type { TypeForm } from "./root.ts";
import type { Shape } from "./schema.ts";
import { variantOf } from "./value.ts";

/** A piece of an entry that is read, in the order of its form. */
export type Piece = { kind: "markdown" | "html" | "text" | "picture"; text: string };

/** The pieces of one field. */
export type FieldReading = { name: string; label: string; pieces: readonly Piece[] };

/** The most that is shown of an entry: more are on no screen. */
const mostPieces = 300;

const picture = /\.(?:avif|gif|jpe?g|png|svg|webp)$/i;

/**
 * What is read of an entry of a type: every prose field and long text, and all texts and pictures of its groups, lists and
 * blocks. Its title is elsewhere.
 */
export function readingOf({ fields }: TypeForm, data: { readonly [name: string]: Json }): FieldReading[] {
  let left = mostPieces;
  return fields.flatMap(({ name, shape: shapeOf }) => {
    if (name === "title") return [];
    const shape = shapeOf();
    const pieces = piecesOf(shape, ownOf(data, name), false).slice(0, left);
    left -= pieces.length;
    return pieces.length === 0 ? [] : [{ name, label: labelOfField(name, shape), pieces }];
  });
}

function piecesOf(shape: Shape, value: Json | undefined, isInside: boolean): Piece[] {
  switch (shape.kind) {
    case "prose":
      return pieceOf(shape.language, value);
    case "text": {
      if (shape.input === "file") return picture.test(String(value)) ? pieceOf("picture", value) : [];
      const isRead = shape.input === "text" && (isInside || shape.isLong);
      return isRead ? pieceOf("text", value) : [];
    }
    case "object":
      return isObject(value)
        ? shape.fields.flatMap(({ name, shape: field }) => piecesOf(field(), ownOf(value, name), true))
        : [];
    case "list":
      return Array.isArray(value)
        ? value.slice(0, mostPieces).flatMap((item) => piecesOf(shape.item(), item, true))
        : [];
    case "variants": {
      const variant = value == null ? undefined : shape.variants[variantOf(shape.variants, value)];
      return variant ? piecesOf(variant.shape(), value, true) : [];
    }
    default:
      return [];
  }
}

const pieceOf = (kind: Piece["kind"], value: Json | undefined): Piece[] =>
  typeof value === "string" && value.trim() !== "" ? [{ kind, text: value }] : [];
