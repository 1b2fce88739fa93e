import type { CollectionQuery } from "../../list/list.ts";
import type { SortKey, SortValue } from "../../list/order.ts";
import { orderKey } from "../../list/order-key.ts";
import { depthOf } from "../index/field.ts";
import type { TableReading } from "../noun.ts";
import type { Row } from "../sql.ts";
import type { OrderTerm } from "./statement.ts";
import { isIndexedKey, keyIdsOf } from "./test.ts";

/** Orders of lists, and keys of queries, as the indexes have them. */

/** The sort keys as the index has them; undefined when it does not. A key that nothing has orders nothing. */
export async function orderTerms(on: TableReading, order: readonly SortKey[]): Promise<OrderTerm[] | undefined> {
  const terms: OrderTerm[] = [];
  for (const key of order) {
    const term = await orderTerm(on, key);
    if (!term) return undefined;
    terms.push(term);
  }
  return terms;
}

/** Undefined for a key whose order no index has. */
async function orderTerm(on: TableReading, { source, key, isDescending }: SortKey): Promise<OrderTerm | undefined> {
  const { table } = on;
  const column = source === "field" ? table.columns.get(key)?.column : `${source}_at`;
  if (column !== undefined) return table.times.has(column) ? { column, isDescending } : undefined;
  if (!isIndexedKey(on, key)) return undefined;
  const keyIds = await keyIdsOf(on, key);
  // No key has the number 0.
  return { keyIds: keyIds.length > 0 ? keyIds : [0], isDescending };
}

/** The value of a row in the order, as the domain has it. */
export const sortValueOf = (term: OrderTerm, value: Row[number]): SortValue =>
  "column" in term ? orderKey(value as number) : ((value as string | null) ?? undefined);

/** The most names that a key of the query has which the index is asked for: items may lack those of many names. */
export function depthOfKeys(on: TableReading, { filter, order }: CollectionQuery): number {
  const keys = [...filter.all, ...filter.any].map(({ key }) => key);
  const sorted = order.filter(({ source }) => source === "field").map(({ key }) => key);
  const asked = [...keys, ...sorted].filter((key) => !on.table.columns.has(key) && isIndexedKey(on, key));
  return asked.reduce((most, key) => Math.max(most, depthOf(key)), 0);
}
