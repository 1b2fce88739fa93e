import { formatJson, isNumber, isObject, isSame, type Json, type JsonObject } from "../../api/json.ts";
import { ownOf } from "./pointer.ts";
import type { Field, Shape, ShapeOf } from "./schema.ts";

/** Values and the shapes that show them. */

/** Every tag is an element of the page: a longer list is edited as JSON. */
const mostTags = 200;

/** True when the control of the shape shows the value without losing anything of it. */
export function isShown(shape: Shape, value: Json | undefined): boolean {
  if (value === undefined || (value === null && shape.isNullable)) return true;
  switch (shape.kind) {
    case "text":
    case "prose":
      return typeof value === "string";
    case "number":
      return isNumber(value);
    case "switch":
      return typeof value === "boolean";
    case "object":
      return isObject(value);
    case "list":
    case "checks":
      return Array.isArray(value);
    case "tags":
      return Array.isArray(value) && value.length <= mostTags && value.every((each) => typeof each === "string");
    case "choice":
    case "json":
      return true;
    case "variants":
      return shape.variants.some((variant) => isShown(variant.shape(), value));
  }
}

/** How well a variant is that of a value: its constants count most, then its own fields. */
function likeness(shape: Shape, value: Json | undefined): number {
  if (!isShown(shape, value)) return -1;
  if (shape.kind === "choice") return shape.options.some((option) => isSame(option.value, value)) ? 4 : -1;
  if (shape.kind !== "object" || !isObject(value)) return 1;
  let sum = 1;
  for (const { name, isRequired, shape: field } of shape.fields) {
    const own = ownOf(value, name);
    const kind = field();
    if (kind.kind === "choice" && own !== undefined) sum += likeness(kind, own) > 0 ? 20 : -50;
    else if (own !== undefined) sum += isShown(kind, own) ? 2 : -2;
    else if (isRequired) sum -= 1;
  }
  return sum;
}

/** The position of the variant that a value is most likely of. */
export function variantOf(variants: readonly { shape(): Shape }[], value: Json | undefined): number {
  if (value === undefined || value === null) return 0;
  const marks = variants.map((variant) => likeness(variant.shape(), value));
  return marks.indexOf(Math.max(...marks));
}

/** Fields that are looked at: a schema that refers to itself has no end. */
const mostFields = 1000;
const deepest = 8;

/** What a new value begins with: the defaults of the schema, also of nested fields; undefined when it has none. */
export function defaultOf(shape: Shape): Json | undefined {
  let left = mostFields;
  const collect = (each: Shape, depth: number): Json | undefined => {
    if (each.default !== undefined) return each.default;
    if (each.kind !== "object" || depth > deepest) return undefined;
    const members = each.fields.flatMap(({ name, shape: field }) => {
      const value = left-- > 0 ? collect(field(), depth + 1) : undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    return members.length > 0 ? Object.fromEntries(members) : undefined;
  };
  return collect(shape, 0);
}

/** A new item of a list, or what an absent group begins with. */
export function initialOf(shape: Shape): Json {
  const value = defaultOf(shape);
  if (shape.kind === "object" && (value === undefined || isObject(value)))
    return { ...fixedOf(shape, (field) => field.isRequired), ...value };
  if (value !== undefined) return value;
  if (shape.kind === "variants") return shape.variants[0] ? initialOfVariant(shape.variants[0]) : null;
  if (shape.kind === "choice") return shape.options[0]?.value ?? null;
  if (shape.kind === "number") return Math.max(shape.bounds.min ?? 0, Math.min(0, shape.bounds.max ?? 0));
  if (shape.kind === "json") return shape.initial;
  return { text: "", prose: "", switch: false, object: {}, list: [], checks: [], tags: [] }[shape.kind];
}

/** A new value of a variant: with its constants, also those that it does not require, as they tell it apart. */
export function initialOfVariant(variant: { shape(): Shape }): Json {
  const shape = variant.shape();
  const value = initialOf(shape);
  return shape.kind === "object" && isObject(value) ? { ...fixedOf(shape, () => true), ...value } : value;
}

/** The one value that a field can have; undefined for every other field. */
const onlyValueOf = (shape: Shape): Json | undefined =>
  shape.kind === "choice" && shape.options.length === 1 ? shape.options[0]?.value : undefined;

/** Such of these fields as can have one value only, such as the name of a variant. */
function fixedOf({ fields }: ShapeOf<"object">, isMeant: (field: Field) => boolean): JsonObject {
  const fixed = fields.filter(isMeant).flatMap((field) => {
    const value = onlyValueOf(field.shape());
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return Object.fromEntries(fixed);
}

/** True for a field that has the one value that it can have, and must keep it: there is nothing to edit. */
export function isSettled(field: Field, value: Json | undefined): boolean {
  if (value === undefined || !(field.isRequired || field.isOfVariant)) return false;
  const only = onlyValueOf(field.shape());
  return only !== undefined && isSame(only, value);
}

/** True for variants of objects that differ in constants. */
export function areToldApart(variants: readonly { shape(): Shape }[]): boolean {
  const constants = variants.map((variant) => {
    const shape = variant.shape();
    return formatJson(shape.kind === "object" ? fixedOf(shape, () => true) : {});
  });
  return !constants.includes("{}") && new Set(constants).size === constants.length;
}

/** The object with a key set, at its place, or removed when the value is undefined. */
export function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** The list with an item at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const [item] = list.slice(from, from + 1);
  return item === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}
