import type { Reading } from "../core/sql/noun.ts";
import type { Sql } from "../core/sql/sql.ts";
import type { Types } from "../type/check.ts";
import { allTypes, readTypes, typeRows, typeState } from "../type/rows.ts";
import { usualWeight, type WeightOf } from "../type/weight.ts";

/** The types of a store as its searches know them, compiled once for each state of them. */
export class SearchTypes {
  private readonly types: Types | undefined;
  private readonly weights: ReadonlyMap<string, WeightOf>;
  /** Another text where other entries may have other types. */
  readonly name: string;

  constructor(types: Types | undefined, weights: ReadonlyMap<string, WeightOf>, name: string) {
    this.types = types;
    this.weights = weights;
    this.name = name;
  }

  /** The type of an entry; "" for none. */
  typeOf: Types["typeOf"] extends (...args: infer A) => unknown ? (...args: A) => string : never = (slug, fieldset) =>
    this.types?.typeOf(slug, fieldset) ?? "";

  weightsOf(type: string): WeightOf {
    return this.weights.get(type) ?? usualWeight;
  }

  /** The greatest weight that a key has in any type. */
  topWeightOf(key: string): number {
    let top = usualWeight(key);
    for (const weightOf of this.weights.values()) top = Math.max(top, weightOf(key));
    return top;
  }
}

type Patterns = { id: string; paths: readonly string[] };
const nameOf = (types: readonly Patterns[]): string => JSON.stringify(types.map(({ id, paths }) => [id, paths]));

/** The name of the present types, which are not compiled for it. */
export const typesName = async (sql: Pick<Sql, "rows">): Promise<string> => nameOf(await typeRows(sql));

/** By what lives as long as the thread reads the store: the options of each scan are others. */
const known = new WeakMap<object, { state: string; types: SearchTypes }>();

export async function searchTypes({ sql, keys }: Pick<Reading, "sql" | "keys">): Promise<SearchTypes> {
  const state = String(await sql.row(typeState));
  const kept = known.get(keys);
  if (kept?.state === state) return kept.types;
  const types = await readTypes(sql, state);
  const weights = new Map<string, WeightOf>();
  const all = types ? await allTypes(sql) : new Map<string, Patterns>();
  for (const id of all.keys()) {
    // One that cannot be compiled weighs nothing; who wrote it was told.
    const weightOf = await types?.weightsOf(id).catch(() => undefined);
    if (weightOf) weights.set(id, weightOf);
  }
  const made = new SearchTypes(types, weights, nameOf([...all.values()]));
  known.set(keys, { state, types: made });
  return made;
}
