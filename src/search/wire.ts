import { facetCounts } from "../core/http/collection.ts";
import { Type } from "../core/lib/json-schema.ts";

/** The objects of searches on the wire. */

const range = Type.Array(Type.Integer(), {
  description: "Where it begins and ends, in UTF-16 units of the stored text.",
});

const why = Type.Object(
  {
    words: Type.Integer(),
    typos: Type.Integer(),
    weight: Type.Integer(),
    nearness: Type.Integer(),
    whole: Type.Integer(),
    published_at: Type.Integer(),
  },
  { description: "What it is worth in each rule of the order, for management alone." },
);

const searchMatch = Type.Object(
  {
    id: Type.String({ description: "What was found." }),
    words: Type.Integer({ description: "How many words of the query it has." }),
    typos: Type.Integer({ description: "How many typos these have." }),
    fields: Type.Array(Type.String(), { description: "The fields in which they stand." }),
    highlights: Type.Unsafe<Record<string, number[][]>>({
      type: "object",
      additionalProperties: { type: "array", items: range },
      description: "By field where they stand.",
    }),
    snippet: Type.String({ description: "The best 160 characters around them." }),
    why: Type.Optional(why),
  },
  { $id: "SearchMatch", description: "How one of `data` was found, in the same order." },
);

export const searchBeside = {
  matches: Type.Array(searchMatch, { description: "How each was found, in the order of `data`." }),
  facets: facetCounts,
  total: Type.Integer({ description: "How many were found." }),
  dropped: Type.Array(Type.String(), { description: "Words that were left out, since nothing has all words." }),
  partial: Type.Optional(
    Type.Boolean({
      description: "True where more have these words than are ranked; `total` and `facets` count those.",
    }),
  ),
};
