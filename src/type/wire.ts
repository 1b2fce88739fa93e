import { oneOf } from "../core/http/schema.ts";
import { type Json, JsonError, parseJson } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { problem } from "../core/problem.ts";
import { typeModes } from "./type.ts";

export const contentType = Type.Object(
  {
    id: Type.String({ description: "1 to 64 small letters, digits, `_` and `-`.", examples: ["movie"] }),
    title: Type.String({ description: "For people." }),
    description: Type.String({ description: "For people." }),
    paths: Type.Array(Type.String(), { description: "Patterns of the ids of its entries." }),
    schema: Type.Unsafe({ type: ["object", "boolean"], description: "A JSON Schema 2020-12." }),
    mode: oneOf(typeModes, "`enforce` refuses data that does not fit; `off` checks nothing."),
    fault: Type.Optional(
      Type.Object(
        {
          pointer: Type.String({ description: "Where in the schema: a JSON pointer." }),
          message: Type.String({ description: "Why, in words, with the name to use instead." }),
        },
        { description: "Only where an earlier version took the schema: why a PUT of it would be refused." },
      ),
    ),
  },
  { $id: "ContentType", description: "A content type: which data the entries of some paths have." },
);

export const typeOrList = Type.Unsafe({
  $id: "ContentTypes",
  description: "With `id` that type, otherwise a list in the order of their ids.",
  anyOf: [contentType, Type.Array(contentType)],
});

export const dataFault = Type.Object({
  pointer: Type.String({ description: "Where in the data: a JSON pointer.", examples: ["/year"] }),
  rule: Type.String({ description: "The keyword of the schema." }),
  message: Type.String({ description: "The fault in words." }),
  accepted: Type.String({ description: "What is accepted there." }),
});

/** JSON as the body has it; in a form its text. */
export function sentJson(name: string, sent: ReadonlyMap<string, Json>): Json | undefined {
  const value = sent.get(name);
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw problem("argument_invalid", { argument: name, received: value, accepted: `JSON (${error.message})` });
  }
}
