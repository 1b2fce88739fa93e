import { isObject, type Json } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { ownOf } from "./pointer.ts";
import type { Shape } from "./schema.ts";
import { areToldApart, isSettled, variantOf } from "./value.ts";

/** What an item of a list is called. */
export type ItemName = {
  /** What its kind is called, of an item that is of one of several; otherwise the same as `text`. */
  title: string;
  /** Its first text, if it has one beside its kind. */
  summary: string | undefined;
};

const longest = 60;

export function itemNameOf(value: Json, shape: Shape, index: number): ItemName {
  const variant = shape.kind === "variants" ? shape.variants[variantOf(shape.variants, value)] : undefined;
  const text = firstText(value, variant?.shape() ?? shape);
  if (shape.kind === "variants" && variant && areToldApart(shape.variants))
    return { title: variant.label, summary: text };
  return { title: text ?? say("Item {index}", { index: index + 1 }), summary: undefined };
}

/** The same in one text, for the names of buttons and in notices. */
export function nameOf(value: Json, shape: Shape, index: number): string {
  const { title, summary } = itemNameOf(value, shape, index);
  if (summary !== undefined) return `${title}: ${summary}`;
  return shape.kind === "variants" && areToldApart(shape.variants) ? `${title} ${index + 1}` : title;
}

function firstText(value: Json, shape: Shape): string | undefined {
  const texts = isObject(value) ? namesFirst(value, shape) : [value];
  const text = texts.find((each) => typeof each === "string" && each.trim() !== "");
  return typeof text === "string" ? text.trim().slice(0, longest).toWellFormed() : undefined;
}

/** The constant that tells a shape is no name of one value. */
function namesFirst(value: { [key: string]: Json }, shape: Shape): (Json | undefined)[] {
  const fields =
    shape.kind === "object"
      ? shape.fields.filter((field) => !isSettled(field, ownOf(value, field.name))).map(({ name }) => name)
      : Object.keys(value);
  return ["title", "name", ...fields].map((name) => ownOf(value, name));
}

/** What a field is called. */
export const labelOfField = (name: string, shape: Shape): string => shape.title || name;
