import { type BracketCaps, nestJson } from "../lib/brackets.ts";
import { type Json, JsonError, type JsonObject, parseJson } from "../lib/json.ts";
import type { TProperties } from "../lib/json-schema.ts";
import { type Problem, problem } from "../problem.ts";

/**
 * JSON where browsers send names with brackets: in a form as one field or one part, in a query as one text. Generated
 * clients send objects this way. Contract §1.
 */

/**
 * An entry's data may be 64 levels deep; one more is accepted here, so that the entry's own rule refuses deeper data.
 */
export const maxArgumentDepth = 65;

/** The value of an argument's JSON text. Throws argument_invalid, key_forbidden, text_invalid. */
export function parseArgument(argument: string, text: string, accepted = "JSON"): Json {
  return parse(argument, text, maxArgumentDepth, ({ message }) =>
    problem("argument_invalid", {
      argument,
      received: text,
      accepted: `${accepted}; as JSON it fails with: ${message}`,
    }),
  );
}

const groups = ["filter", "args", "options"] as const;

/**
 * The query, with each group that the route accepts and that was sent as JSON text read like the same group in
 * brackets: every scalar is a text, and the limits are the same. Throws filter_invalid, query_too_complex,
 * key_forbidden, text_invalid.
 */
export function readGroups(query: JsonObject, taken: TProperties, caps: BracketCaps): JsonObject {
  for (const group of groups) {
    const text = query.get(group);
    // Any other text is left to the group's own reader.
    if (typeof text !== "string" || !(group in taken) || !/^\s*[[{]/.test(text)) continue;
    const value = parse(group, text, caps.maxDepth, ({ rule, message }) =>
      rule === "too_deep"
        ? problem("query_too_complex", { rule: message })
        : problem("filter_invalid", {
            argument: group,
            received: text,
            accepted: `a JSON object; it fails with: ${message}`,
          }),
    );
    query.set(group, nestJson(group, value, caps));
  }
  return query;
}

function parse(argument: string, text: string, maxDepth: number, refusal: (error: JsonError) => Problem): Json {
  try {
    return parseJson(text, maxDepth);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.rule === "text") throw problem("text_invalid", { argument, rule: error.message });
    throw error.rule === "forbidden_key" ? problem("key_forbidden", { argument: error.message }) : refusal(error);
  }
}
