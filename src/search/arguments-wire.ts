import { facetsSaid } from "../core/http/collection.ts";
import { type ArgumentsOf, argument } from "../core/http/route.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { parseFacets } from "../core/list/facet.ts";
import { problem } from "./problems.ts";
import { maxBytes, maxWords } from "./query.ts";

/** The arguments that all searches have. Contract §25. */

const [usualLimit, maxLimit, maxOffset] = [20, 100, 1000];

/** Names, as commas or a list. Throws argument_invalid. */
function readNames(argumentName: string, sent: Json | undefined): string[] | undefined {
  if (sent === undefined) return undefined;
  const accepted = "names with commas, or a list of names";
  const names = typeof sent === "string" ? sent.split(",") : sent;
  if (!Array.isArray(names) || names.some((name) => typeof name !== "string"))
    throw problem("argument_invalid", { argument: argumentName, received: describeJson(sent), accepted });
  return (names as string[]).map((name) => name.trim()).filter((name) => name !== "");
}

const namesArgument = (description: string) =>
  argument(
    Type.Optional(Type.Unsafe<string[]>({ anyOf: [Type.String(), Type.Array(Type.String())], description })),
    (sent, name) => readNames(name, sent.get(name)),
  );

/** The conditions of lists. What else a filter of a list has is an argument of its own. Throws argument_invalid. */
const conditionNames = ["where", "and_where", "or_where"];
const filterArgument = argument(
  Type.Optional(
    Type.Unsafe<JsonObject>({
      type: "object",
      description: `Conditions as those of lists: ${conditionNames.join(", ")}.`,
    }),
  ),
  (sent, name) => {
    const value = sent.get(name);
    if (value === undefined) return undefined;
    const accepted = `an object with ${conditionNames.join(", ")}`;
    if (!isJsonObject(value))
      throw problem("argument_invalid", { argument: name, received: describeJson(value), accepted });
    const unknown = [...value.keys()].find((key) => !conditionNames.includes(key));
    if (unknown !== undefined)
      throw problem("argument_unknown", { argument: `${name}[${unknown}]`, near: undefined, names: conditionNames });
    return value;
  },
);

const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, description: `An integer from ${minimum} to ${maximum}: ${description}` }));

export const commonArguments = {
  q: argument(
    Type.String({
      description: `Words: all of them, the last one also as a beginning; "a phrase", -without. At most ${maxBytes} bytes and ${maxWords} words; nothing finds all.`,
    }),
    (sent, name) => {
      const value = sent.get(name);
      if (value === undefined) throw problem("argument_missing", { argument: name, accepted: "words" });
      if (typeof value === "string" && Buffer.byteLength(value) <= maxBytes) return value;
      throw problem("argument_invalid", {
        argument: name,
        received: typeof value === "string" ? `${Buffer.byteLength(value)} bytes` : describeJson(value),
        accepted: `a text of at most ${maxBytes} bytes`,
      });
    },
  ),
  prefix: Type.Optional(
    Type.Unsafe<"on" | "off">({ type: "string", enum: ["on", "off"], description: "`off`: the last word is whole." }),
  ),
  filter: filterArgument,
  facets: argument(
    Type.Optional(
      Type.Unsafe<string[]>({ anyOf: [Type.String(), Type.Array(Type.String())], description: facetsSaid }),
    ),
    (sent, name) =>
      parseFacets(sent.get(name), (value, accepted) =>
        problem("argument_invalid", { argument: name, received: describeJson(value), accepted }),
      ),
  ),
  limit: count(1, maxLimit, `how many matches; defaults to ${usualLimit}.`),
  offset: count(0, maxOffset, "how many of the best are left out."),
  only: namesArgument("Fields to answer."),
};
type CommonArguments = ArgumentsOf<typeof commonArguments>;

/** What is asked, where the way of words and the locale are known. Throws argument_invalid, limit_too_large. */
export function askOf({ q, prefix, facets = [], limit, offset }: CommonArguments) {
  refusePast("limit", limit, maxLimit);
  refusePast("offset", offset, maxOffset);
  return { q, prefix: prefix !== "off", facets };
}

/** What a search asks of a list. */
export function filterOf(args: CommonArguments & { depth?: Json }): JsonObject {
  const { filter, depth = "*", limit = usualLimit, offset = 0, only } = args;
  const list: JsonObject = new Map(filter);
  for (const [name, value] of Object.entries({ depth, limit: String(limit), offset: String(offset) }))
    list.set(name, value);
  if (only) list.set("only", only);
  return list;
}

function refusePast(name: string, sent: number | undefined, max: number): void {
  if (sent !== undefined && sent > max)
    throw problem("limit_too_large", { argument: name, received: String(sent), max });
}
