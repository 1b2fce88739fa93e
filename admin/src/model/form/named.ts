import { labelOfField } from "./item-name.ts";
import type { Shape } from "./schema.ts";

/** The shape of a field of an object, or of what one of several variants has under this name. */
export function shapeIn(shape: Shape | undefined, name: string): Shape | undefined {
  if (shape?.kind === "object") return shape.fields.find((field) => field.name === name)?.shape();
  if (shape?.kind !== "variants") return undefined;
  return shape.variants.map((variant) => shapeIn(variant.shape(), name)).find((found) => found !== undefined);
}

/** The shape of the items of a list. */
export const itemIn = (shape: Shape | undefined): Shape | undefined =>
  shape?.kind === "list" ? shape.item() : undefined;

/** What the form calls a field; undefined for one that it does not name. */
export function nameIn(shape: Shape | undefined, name: string): string | undefined {
  const found = shapeIn(shape, name);
  return found && labelOfField(name, found);
}
