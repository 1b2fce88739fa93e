import { parseFlag } from "../lib/flag.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { type TProperties, type TSchema, Type } from "../lib/json-schema.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { maxFacets, maxValues } from "../list/facet.ts";
import { operators } from "../list/filter.ts";
import { Problem, problem } from "../problem.ts";
import { type ArgumentReader, type ArgumentsOf, argument } from "./route.ts";

/** The arguments that all collection reads share. Contract §4. */

const text = (description: string) => Type.Optional(Type.String({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const group = ($id: string, description: string, properties: TProperties) =>
  Type.Unsafe<JsonObject>({ $id, ...Type.Object(properties), description });
/** A schema for one value or a list of them; `description` covers both. */
const someOf = (one: TSchema, description: string) =>
  Type.Optional(Type.Union([one, Type.Array(one)], { description }));

// Each has a type: strict clients of tools refuse a property without one.
const scalars = [Type.String(), Type.Unsafe({ type: "number" }), Type.Boolean(), Type.Null()];

const condition = group("Condition", "A condition on a field.", {
  key: text("A field; dots separate the keys of nested objects."),
  expr: text(`One of ${operators.join(", ")}, or another spelling of these, such as = or >=.`),
  operator: text("Another name of `expr`."),
  value: Type.Optional(
    Type.Union([...scalars, Type.Array(Type.Union(scalars))], {
      description: "The value to compare with, of which the text counts; a list for operators that take one.",
    }),
  ),
});
const sortKey = group("SortKey", "A sort key.", {
  field: text("A field; dots separate the keys of nested objects."),
  direction: text("asc or desc."),
});

export const facetsSaid = `Fields, at most ${maxFacets}, as commas or a list: beside the data stands how often each has which values, over all matches.`;

/** Beside the data of a read with `facets`. */
export const facetCounts = Type.Unsafe<Record<string, Record<string, number>>>({
  type: "object",
  additionalProperties: { type: "object", additionalProperties: { type: "integer" } },
  description: `By field how many matches have each of its values, the most frequent first, at most ${maxValues}.`,
});

/** The most used arguments, for documentation; `src/core/list/list.ts` and `find.ts` define all of them. */
const filterProperties = {
  where: someOf(condition, "The first condition, or a list of conditions."),
  and_where: someOf(condition, "More conditions that must hold, by index: `filter[and_where][0][key]` and so on."),
  or_where: someOf(condition, "Alternatives to all the other conditions together, by index."),
  order_by: someOf(sortKey, "A sort key, or a list of them."),
  limit: count("Maximum number of results."),
  offset: count("Number of results to skip."),
  return: text(
    "all, first, last, next, random, shuffle, exists or count: what to answer in place of the list. `random_value` is the number of random results, drawn from all matches, or from those within `limit` if it is sent.",
  ),
  only: someOf(Type.String(), "A list of the fields to answer; dots separate the keys of nested objects."),
  except: someOf(Type.String(), "A list of the fields to leave out."),
  group_by: text("A field: answers an object of lists by its values. The matches must fit on one page."),
  search: text(
    "Words. Each must occur in a text field of the client's data, at any depth and in any case. For a file these are the title, the description and the meta fields; a folder has none.",
  ),
  contains: someOf(
    Type.String(),
    "A text that must occur in any text field of the whole object, or a list of texts of which one must. `/pattern/flags` is a regular expression (RE2) with the flags i, m, s and u, here and in `not_contains` and `path`.",
  ),
  not_contains: someOf(Type.String(), "A text or pattern that must not occur in any text field, or a list of them."),
  path: someOf(
    Type.String(),
    "A text or pattern that must occur in the id, or in the part of it below the collection; or a list of which one must.",
  ),
  depth: someOf(Type.Union([Type.String(), Type.Integer()]), "Depth below the id: 1, >1, <=3, a list of these, or *."),
  facets: someOf(Type.String(), facetsSaid),
  total: flag("`true` sends the total number of matches in X-Total-Count."),
};

const filter = group(
  "Filter",
  "Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a " +
    "single entry, too.",
  filterProperties,
);

/** A flag in the words that clients of Flextype send; any other text is false. */
const looseFlag = (description: string) =>
  argument(Type.Optional(Type.Boolean({ description })), (sent, name) =>
    sent.has(name) ? isTruthy(sent.get(name)) : undefined,
  );

/** On every read: see core/http/ignored.ts. */
export const strict = looseFlag(
  "`1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has.",
);

const readFilter: ArgumentReader<JsonObject> = (sent, name) =>
  sent.has(name) ? groupOf(name, sent.get(name)) : undefined;

const optionsArgument = ($id: string, more: TProperties = {}) =>
  argument(
    Type.Optional(
      group($id, "Options of a read.", {
        collection: flag("`true` reads a collection."),
        filter: Type.Optional(filter),
        find: Type.Optional(filter),
        ...more,
      }),
    ),
    (sent, name) => {
      const value = sent.get(name);
      return isJsonObject(value) ? value : undefined;
    },
  );

export const collectionArguments = {
  filter: argument(Type.Optional(filter), readFilter),
  options: optionsArgument("Options"),
  cursor: argument(
    Type.Optional(
      Type.Unsafe<Json>({
        type: "string",
        description: "Where the page begins, from the Link header of the previous page.",
      }),
    ),
    (sent, name) => sent.get(name),
  ),
  strict,
};
/** Those of reads of files. */
export const fileCollectionArguments = {
  ...collectionArguments,
  options: optionsArgument("FileOptions", {
    preview: flag("`true` sends the `preview` of each picture, which stands in for it until it is loaded."),
    sent_name: flag(
      "`true` sends `sent_name`, the name under which each file was uploaded; null where it is not kept.",
    ),
  }),
};
/** Those of reads of entries, where Flextype 0.9.7 has another name for `filter`. */
export const entryCollectionArguments = {
  ...collectionArguments,
  options: optionsArgument("EntryOptions", {
    preview: flag("`true` sends the `preview` of each picture that `include` sends along."),
    sent_name: flag("`true` sends `sent_name` of each file that `include` sends along."),
  }),
  args: argument(
    Type.Optional(
      Type.Unsafe<JsonObject>({ type: "object", description: "Another name of `filter`, of which one may be sent." }),
    ),
    readFilter,
  ),
};
/** The flag on routes that read a folder. */
export const collectionFlag = looseFlag("True reads the contents of the folder.");
export type CollectionArguments = ArgumentsOf<typeof collectionArguments>;
export type EntryCollectionArguments = ArgumentsOf<typeof entryCollectionArguments>;

/**
 * Runs a read with its filter under either name; a refusal names it as it was sent. Throws argument_conflict for both, and
 * what `run` throws.
 */
export function withEitherFilter<A extends EntryCollectionArguments, T>(
  args: A,
  run: (args: A) => MaybePromise<T>,
): MaybePromise<T> {
  if (args.args === undefined) return run(args);
  if (args.filter !== undefined) throw problem("argument_conflict", { first: "args", second: "filter" });
  const fail = (error: unknown): never => {
    throw error instanceof Problem ? error.renamed((name) => name.replace(/^filter(?=\[|$)/, "args")) : error;
  };
  try {
    const answer = run({ ...args, filter: args.args });
    return answer instanceof Promise ? answer.catch(fail) : answer;
  } catch (error) {
    return fail(error);
  }
}

export const collectionProblems = [
  "argument_conflict",
  "argument_unknown",
  "filter_invalid",
  "filter_too_complex",
  "filter_too_costly",
  "limit_too_large",
  "cursor_invalid",
  "busy",
] as const;

/** True when the request reads a collection: `filter` in any form, or `options[collection]`. Contract §4. */
export const isCollection = ({ filter, options }: CollectionArguments): boolean =>
  filter !== undefined || isTruthy(options?.get("collection"));

/**
 * As isCollection, on routes that read a folder: there `collection=true` requests one too. Throws argument_conflict
 * when the two flags differ. Contract §5, Folders and §5, File collections.
 */
export function asksCollection(args: CollectionArguments & { collection?: boolean }): boolean {
  const option = args.options?.get("collection");
  if (args.collection !== undefined && option !== undefined && args.collection !== isTruthy(option)) {
    throw problem("argument_conflict", { first: "collection", second: "options[collection]" });
  }
  return args.collection === true || isCollection(args);
}

const isTruthy = (value: Json | undefined): boolean => parseFlag(value) === true;

/** `filter`, `options[filter]` and `options[find]` as one set of arguments, with the page's cursor. */
export function filterArguments({ filter, options, cursor }: CollectionArguments): JsonObject {
  const merged: JsonObject = new Map(filter);
  if (options) {
    for (const name of ["filter", "find"]) {
      for (const [key, value] of groupOf(`options[${name}]`, options.get(name))) merged.set(key, value);
    }
  }
  if (cursor !== undefined) merged.set("cursor", cursor);
  return merged;
}

/**
 * What was sent of `include`, and as what: the argument itself counts before `filter[include]`, and that before
 * `options[include]`. `merged`: the filterArguments of the same.
 */
export function includeSent(
  { include, filter, options }: CollectionArguments & { include?: Json },
  merged: () => JsonObject,
): [sent: Json | undefined, argument: string] {
  if (include !== undefined) return [include, "include"];
  const inFilter = filter || options ? merged().get("include") : undefined;
  if (inFilter !== undefined) return [inFilter, "filter[include]"];
  return [options?.get("include"), "options[include]"];
}

/**
 * As filterArguments, plus the keys of `options` itself: Flextype's form for files and folders. Compatibility,
 * Arguments.
 */
export function filterOrOptions(args: CollectionArguments): JsonObject {
  const own: JsonObject = new Map(args.options);
  for (const name of ["collection", "filter", "find"]) own.delete(name);
  return new Map([...own, ...filterArguments(args)]);
}

/** A group of arguments; empty when it was sent as `filter=` or `filter[]=`. Throws filter_invalid for another text. */
function groupOf(argument: string, value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  const texts = Array.isArray(value) ? value : [value ?? ""];
  if (texts.every((text) => text === "")) return new Map();
  throw problem("filter_invalid", {
    argument,
    received: describeJson(texts[0]),
    accepted: `arguments such as ${argument}[where]`,
  });
}
