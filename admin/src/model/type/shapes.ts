import type { Json, JsonObject } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { hasFields, isTexts, objectOf } from "./fields.ts";

/**
 * The shapes of a value: `oneOf` of objects, of which each has a member with a constant of its own, such as `kind`, that
 * tells them apart. Contract, part two, §9; decision 62.
 */

const tagName = "kind";

/** A shape with the fields that are given. */
export const newShape = (tag: string, value: string, title: string, fields: JsonObject = {}): JsonObject => ({
  type: "object",
  title,
  properties: { [tag]: { const: value }, ...fields },
  required: [tag],
});

/** What a new field of shapes begins with. */
export const firstShapes = [
  newShape(tagName, "text", say("Text"), {
    text: { type: "string", title: say("Text"), contentMediaType: "text/markdown" },
  }),
];

const combining = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "patternProperties"];

function isShape(each: Json): each is JsonObject {
  const schema = objectOf(each);
  if (!schema?.properties || !hasFields(schema) || combining.some((keyword) => keyword in schema)) return false;
  return schema.type === "object" || schema.type === undefined;
}

const membersOf = ({ properties }: JsonObject): JsonObject => objectOf(properties) ?? {};

/** The value of the member of a shape, when it is a constant text. */
export function constantOf(shape: JsonObject, tag: string): string | undefined {
  const members = membersOf(shape);
  const value = Object.hasOwn(members, tag) ? objectOf(members[tag])?.const : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The member that tells the shapes apart; undefined when they have none. */
export function tagOf(shapes: readonly JsonObject[]): string | undefined {
  const [first] = shapes;
  const names = first ? Object.keys(membersOf(first)) : [];
  return names.find((name) => {
    const values = shapes.map((shape) => constantOf(shape, name));
    return !values.includes(undefined) && new Set(values).size === values.length;
  });
}

/** True for alternatives that the editor of a type shows as shapes. */
export const isOfShapes = (oneOf: Json | undefined): oneOf is JsonObject[] =>
  Array.isArray(oneOf) && oneOf.length > 0 && oneOf.every(isShape) && tagOf(oneOf as JsonObject[]) !== undefined;

/** The shape with another constant. It is required, so that no value fits two shapes. */
export function withConstant(shape: JsonObject, tag: string, value: string): JsonObject {
  const members = membersOf(shape);
  const required = isTexts(shape.required) ? shape.required : [];
  return {
    ...shape,
    properties: { ...members, [tag]: { ...objectOf(members[tag]), const: value } },
    required: required.includes(tag) ? required : [tag, ...required],
  };
}
