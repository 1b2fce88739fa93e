import type { Condition } from "../../../domain/filter.ts";
import { fieldKind } from "./field.ts";
import { compareSpots, type Spot } from "./order.ts";
import { lastText, type Range, rangesOf } from "./range.ts";

/** Parts of an order: a walk along the field of a condition reads the values that can match, and no others. */

/** The values of one kind from `low` to `high`, both included. */
export type Span = { kind: number; low: Spot; high: Spot };

/**
 * The spans that hold each scalar that satisfies all of the conditions, which are on one field, ascending. Undefined when
 * scalars anywhere may.
 */
export function spansOf(conditions: readonly Condition[]): Span[] | undefined {
  const ranges = conditions.map(rangesOf).filter((found) => found !== undefined);
  if (ranges.length === 0) return undefined;
  return ranges.map(hullsOf).reduce(intersection);
}

/** One span for each kind of the ranges: values without an order are in none. */
function hullsOf(ranges: readonly Range[]): Span[] {
  const hulls = new Map<number, Span>();
  for (const { kind, from, to, textFrom = "", textTo = lastText } of ranges) {
    if (kind === fieldKind.null) continue;
    const low = { kind, number: from, text: textFrom, item: 0 };
    const high = { kind, number: to, text: textTo, item: Number.MAX_SAFE_INTEGER };
    const known = hulls.get(kind);
    hulls.set(
      kind,
      known ? { kind, low: least(known.low, low), high: greatest(known.high, high) } : { kind, low, high },
    );
  }
  return [...hulls.values()].sort((a, b) => a.kind - b.kind);
}

function intersection(one: readonly Span[], other: readonly Span[]): Span[] {
  return one.flatMap(({ kind, low, high }) => {
    const twin = other.find((span) => span.kind === kind);
    if (!twin) return [];
    const span = { kind, low: greatest(low, twin.low), high: least(high, twin.high) };
    return compareSpots(span.low, span.high) <= 0 ? [span] : [];
  });
}

const least = (a: Spot, b: Spot): Spot => (compareSpots(a, b) <= 0 ? a : b);
const greatest = (a: Spot, b: Spot): Spot => (compareSpots(a, b) >= 0 ? a : b);
