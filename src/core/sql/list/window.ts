import type { Arrival, CollectionQuery } from "../../list/list.ts";

/** Which part of the matches, in order, an answer is made of. */

/** How the candidates must arrive for the answer. */
export function arrivalOf({ returns, isLimited }: CollectionQuery): Arrival {
  if (returns === "last" && !isLimited) return "reversed";
  return (returns === "random" || returns === "shuffle") && !isLimited ? "any" : "ordered";
}

/** How many matches the answer leaves out at its beginning. */
export const skipsOf = ({ offset, returns }: CollectionQuery): number =>
  returns === "exists" || returns === "count" ? 0 : offset;

/** How many matches the answer is made of, from the first one, with one more that shows that there are more. */
export function needed(query: CollectionQuery): number {
  const { offset, limit, returns } = query;
  if (returns === "exists") return 1;
  if (returns === "first" || (returns === "last" && !query.isLimited)) return offset + 2;
  return returns === "next" ? offset + 3 : offset + limit + 1;
}
