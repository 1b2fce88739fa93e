import { FaultList } from "../../../domain/fault-list.ts";
import type { SnapshotSql } from "../sql.ts";
import { anyGram } from "./gram.ts";
import { readPostings } from "./posting.ts";
import type { Indexed, TextTable } from "./table.ts";
import { gramsOfItem } from "./text.ts";

/** Sentences about items that the text index lacks. What it has of items that are gone is no fault. Reads every row. */
export async function textFaults(sql: SnapshotSql, table: TextTable): Promise<string[]> {
  const faults = new FaultList();
  const state = await sql.row(`SELECT indexed_to FROM ${table.texts.state}`);
  if (!state) return [];
  const select = `${table.select} WHERE ${table.name}.id <= ?1 ORDER BY ${table.name}.id`;
  for await (const batch of sql.batches(select, [state[0] as number], 500)) {
    for (const item of await lacking(sql, table, batch.map(table.toItem))) {
      faults.add(`The text index lacks words of the ${table.name} ${table.pathOf(item)}`);
    }
  }
  return faults.all();
}

async function lacking<Item extends Indexed>(sql: SnapshotSql, table: TextTable<Item>, items: Item[]): Promise<Item[]> {
  const wanted = items.map((item) => [...gramsOfItem(table, item)]);
  const grams = [...new Set([anyGram, ...wanted.flat()])];
  const lists = await readPostings(sql, table.texts.grams, grams, items[0]?.id ?? 0, items.at(-1)?.id ?? 0);
  const held = new Map(grams.map((gram, i) => [gram, lists[i]]));
  const isHeld = (gram: number, { id }: Item) => held.get(gram)?.has(id) ?? false;
  return items.filter((item, i) => !isHeld(anyGram, item) && !wanted[i]?.every((gram) => isHeld(gram, item)));
}
