import type { Json, JsonObject } from "../../api/json.ts";
import { objectOf } from "./fields.ts";

/** The values of a choice and their labels: `oneOf` of constants with titles, or an `enum`, whose values have none. */

export type Choice = { value: string; label: string };

const isConstant = (schema: Json): schema is JsonObject => typeof objectOf(schema)?.const === "string";

/** True for alternatives that are constant texts. */
export const isOfChoices = (oneOf: Json | undefined): oneOf is JsonObject[] =>
  Array.isArray(oneOf) && oneOf.length > 0 && oneOf.every(isConstant);

const titleOf = ({ title }: JsonObject): string => (typeof title === "string" ? title : "");

/** The choices of a schema, in their order. */
export function choicesOf({ oneOf, enum: words }: JsonObject): Choice[] {
  if (isOfChoices(oneOf)) return oneOf.map((each) => ({ value: each.const as string, label: titleOf(each) }));
  return Array.isArray(words) ? words.map((value) => ({ value: String(value), label: "" })) : [];
}

/** The schema with other choices. An `enum` stays one until a choice has a label; keywords beside a constant stay. */
export function withChoices(schema: JsonObject, choices: readonly Choice[]): JsonObject {
  const { enum: words, oneOf, ...rest } = schema;
  if (words !== undefined && choices.every(({ label }) => label === ""))
    return { ...schema, enum: choices.map(({ value }) => value) };
  const before = isOfChoices(oneOf) ? oneOf : [];
  const made = choices.map(({ value, label }) => {
    const { title: _title, ...kept } = before.find((each) => each.const === value) ?? {};
    return { ...kept, const: value, ...(label !== "" && { title: label }) };
  });
  const keyword = words === undefined ? "oneOf" : "enum";
  // In the place of the keyword that it replaces.
  return keyword in schema
    ? Object.fromEntries(
        Object.entries(schema).map(([name, value]) => (name === keyword ? ["oneOf", made] : [name, value])),
      )
    : { ...rest, oneOf: made };
}
