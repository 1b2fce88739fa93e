import type { Json, JsonObject } from "../core/lib/json.ts";
import { textOf, valueAt } from "../core/list/value.ts";
import { compareText } from "../core/path.ts";

/** How many of a field's values are told. Contract §25, Answer. */
const maxValues = 100;

/** Counts the values of fields: texts, numbers and booleans as texts, each of an object once. */
export class Facets {
  private readonly counts: ReadonlyMap<string, Map<string, number>>;

  constructor(fields: readonly string[]) {
    this.counts = new Map(fields.map((field) => [field, new Map()]));
  }

  add(object: JsonObject): void {
    for (const [field, counts] of this.counts)
      for (const value of valuesOf(valueAt(object, field))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }

  /** By field the values, the most frequent first, ties by value. */
  toJson(): string {
    const members = [...this.counts].map(([field, counts]) => {
      const most = [...counts].sort(([a, one], [b, other]) => other - one || compareText(a, b)).slice(0, maxValues);
      const values = most.map(([value, count]) => `${JSON.stringify(value)}:${count}`);
      return `${JSON.stringify(field)}:{${values.join(",")}}`;
    });
    return `{${members.join(",")}}`;
  }
}

function valuesOf(value: Json | undefined): Set<string> {
  const items = Array.isArray(value) ? value : [value];
  const texts = items
    .map((item) => (typeof item === "boolean" ? String(item) : textOf(item)))
    .filter((text) => text !== undefined);
  return new Set(texts);
}
