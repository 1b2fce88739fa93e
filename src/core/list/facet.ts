import type { Json, JsonObject } from "../lib/json.ts";
import { compareText } from "../path.ts";
import { type Problem, problem } from "../problem.ts";
import { textOf, valueAt } from "./value.ts";

/** Facets: how often fields have their values, over all that a read finds. Contract §14 and §25, Answer. */

/** Fields whose values are counted, and values of each that are told. */
export const [maxFacets, maxValues] = [5, 100];

const accepted = `at most ${maxFacets} names of fields, separated by commas or in a list`;

/** The fields, each once; none when absent or empty. Throws what `refused` makes. */
export function parseFacets(sent: Json | undefined, refused: (value: Json, accepted: string) => Problem): string[] {
  if (sent === undefined) return [];
  const fields = (Array.isArray(sent) ? sent : [sent]).flatMap((text) => {
    if (typeof text !== "string") throw refused(text, accepted);
    return text.split(",").map((field) => field.trim());
  });
  const found = [...new Set(fields)].filter((field) => field !== "");
  if (found.length > maxFacets) throw refused(found.join(","), accepted);
  return found;
}

/** What the different values of all fields may have in memory, in UTF-16 units, each with this many besides. */
const [mostHeld, ofEach] = [4_000_000, 50];

/** Counts the values of fields: texts, numbers and booleans as texts, each of an object once. */
export class Facets {
  private readonly counts: ReadonlyMap<string, Map<string, number>>;
  private held = 0;

  constructor(fields: readonly string[]) {
    this.counts = new Map(fields.map((field) => [field, new Map()]));
  }

  /** Throws filter_too_complex where different values are more than memory should hold: a part of them would be wrong. */
  add(object: JsonObject): void {
    for (const [field, counts] of this.counts)
      for (const value of valuesOf(valueAt(object, field))) {
        const count = counts.get(value);
        counts.set(value, (count ?? 0) + 1);
        if (count === undefined) this.hold(field, value);
      }
  }

  private hold(field: string, { length }: string): void {
    this.held += length + ofEach;
    if (this.held > mostHeld)
      throw problem("filter_too_complex", {
        rule: `the values of \`${field}\` are too many and too long to be counted`,
      });
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
