import { formatJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import type { Fault } from "../core/problem.ts";

/** Faults with the data that has them. */
type Faulty = { readonly faults: readonly Fault[]; readonly data: JsonObject };

/**
 * The faults that the data did not have before. One is known at the same place by the same rule, and in an item of a list that
 * is the same and stands at another position there: each known one makes one known.
 */
export function newFaults(found: Faulty, known: Faulty): readonly Fault[] {
  if (known.faults.length === 0 || found.faults.length === 0) return found.faults;
  const left = new Set(known.faults);
  const moved = without(found.faults, left, identityOf(found.data), identityOf(known.data));
  const atPlace = ({ pointer, rule }: Fault) => `${rule} ${pointer}`;
  return without(moved, left, atPlace, atPlace);
}

/** The faults that are as none of `left`, which loses those that are. */
function without(
  faults: readonly Fault[],
  left: Set<Fault>,
  keyOf: (fault: Fault) => string,
  knownKeyOf: (fault: Fault) => string,
): readonly Fault[] {
  const byKey = Map.groupBy(left, knownKeyOf);
  return faults.filter((fault) => {
    const known = byKey.get(keyOf(fault))?.pop();
    if (known) left.delete(known);
    return known === undefined;
  });
}

/** What a fault is wherever its item stands: its rule, its place with positions left out, and the text of the innermost item. */
function identityOf(data: JsonObject): (fault: Fault) => string {
  // An item may have many faults.
  const texts = new Map<Json, string>();
  const textOf = (item: Json): string => {
    const text = texts.get(item) ?? formatJson(item);
    texts.set(item, text);
    return text;
  };
  return ({ pointer, rule }) => {
    let at: Json | undefined = data;
    let item: Json | undefined;
    const place = pointer.split("/").map((segment, i) => {
      if (i === 0) return segment;
      if (Array.isArray(at)) {
        item = at = at[Number(segment)];
        return "";
      }
      at = isJsonObject(at) ? at.get(keyOfSegment(segment)) : undefined;
      return segment;
    });
    return `${rule} ${place.join("/")} ${item === undefined ? "" : textOf(item)}`;
  };
}
