import { condition } from "../../../../client/src/client.ts";
import type { EntryQuery } from "../../api/entry.ts";
import type { Types } from "../types.ts";

/** A part of the tree, as a query of a collection. */
export type EntryPlace = { path: string; depth: string; filter?: NonNullable<EntryQuery["filter"]> };

/**
 * Where the entries of these types are. Entries of another type can be there too, where a pattern of that one is more
 * specific.
 */
export function placesOf(ids: readonly string[], { all }: Types): EntryPlace[] {
  const chosen = ids.flatMap((id) => all.find((type) => type.id === id) ?? []);
  return chosen.flatMap(({ id, paths }) =>
    paths.length > 0 ? paths.map(placeOf) : [{ path: "", depth: "*", filter: condition("fieldset", "eq", id) }],
  );
}

/** The entries that a pattern matches, and maybe others. */
function placeOf(pattern: string): EntryPlace {
  const segments = pattern.split("/");
  const firstWild = segments.findIndex(isWild);
  const start = firstWild < 0 ? segments.length : firstWild;
  const rest = segments.slice(start);
  const least = rest.filter((segment) => segment !== "**").length;
  const [first, ...others] = rest.filter((segment) => !isWild(segment)).map(inSlug);
  return {
    path: segments.slice(0, start).join("/"),
    depth: `${rest.includes("**") ? ">=" : "=="}${least}`,
    ...(first && { filter: first.and(...others) }),
  };
}

const isWild = (segment: string): boolean => segment === "*" || segment === "**";
const inSlug = (segment: string) => condition("slug", "contains", segment);
