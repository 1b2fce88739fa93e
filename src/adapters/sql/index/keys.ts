import { inTransaction, type Sql, type TransactionSql, type WriteSql } from "../sql.ts";
import { indexedKeys } from "./field.ts";
import { type FieldIndex, indexItems, rowsOf } from "./field-row.ts";
import { type FieldTable, hasTexts } from "./table.ts";
import { loadTexts, settleTexts } from "./text.ts";

/** The settings of the indexes; an absent one (the command line beside a running server) keeps what there is. */
export type IndexSettings = {
  /** Keys the field indexes hold. */
  indexKeys: readonly string[] | undefined;
  /** Whether there are text indexes. A new store has them. */
  textIndex?: boolean | undefined;
};

/**
 * Brings the indexes of these tables to the settings, in one transaction. Answers which keys the field indexes hold.
 */
export const settleIndexes = (
  sql: WriteSql,
  tables: readonly FieldTable[],
  { indexKeys, textIndex }: IndexSettings,
): Promise<string[]> =>
  inTransaction(sql, async () => {
    await settleTexts(sql, tables, textIndex);
    return settleKeys(sql, tables, indexKeys);
  });

/**
 * Which keys the field indexes of this store hold: the setting with which it was last served. A different setting
 * rebuilds the indexes of these tables.
 */
async function settleKeys(
  sql: TransactionSql,
  tables: readonly FieldTable[],
  wanted: readonly string[] | undefined,
): Promise<string[]> {
  const held = await findState(sql);
  if (held && !held.isStale && (wanted === undefined || wanted.join() === held.keys.join())) return held.keys;
  const keys = [...(wanted ?? held?.keys ?? ["*"])];
  const index = { isIndexed: indexedKeys(keys), keyIds: new Map() };
  if (held) for (const table of tables) await rebuild(sql, index, table);
  if (held?.isStale) for (const table of tables.filter(hasTexts)) await loadTexts(sql, table);
  await sql.run(
    "INSERT INTO store_state (name, value) VALUES ('index_keys', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
    keys.join(),
  );
  return keys;
}

/** The keys in force; undefined in a store that was never opened. */
export async function findIndexKeys(sql: Sql): Promise<string[] | undefined> {
  return (await findState(sql))?.keys;
}

/** A stale index is that of an older schema. */
async function findState(sql: Sql): Promise<{ keys: string[]; isStale: boolean } | undefined> {
  const row = await sql.row("SELECT value FROM store_state WHERE name = 'index_keys'");
  if (!row) return undefined;
  const [, mark, keys = ""] = /^(!?)(.*)$/s.exec(row[0] as string) ?? [];
  return { keys: keys.split(","), isStale: mark === "!" };
}

async function rebuild(sql: TransactionSql, index: FieldIndex, table: FieldTable): Promise<void> {
  const { name, part, select, fields, toItem, listingOf } = table;
  const nowSeconds = Math.floor(Date.now() / 1000);
  await sql.run(`DELETE FROM ${fields.table}`);
  for (let last = 0; ; ) {
    const rows = await sql.rows(`${select} WHERE ${name}.id > ?1 ORDER BY ${name}.id LIMIT 500`, last);
    if (rows.length === 0) return;
    const items = rows.map((row) => {
      const item = toItem(row);
      const parent = row.at(-part.length) as number;
      const owner = { item: item.id, parent, listing: listingOf?.(item, nowSeconds) };
      return { owner, ...rowsOf(fields.dataOf(item), table, index) };
    });
    await indexItems(sql, index, table, items);
    const states = items.map(({ owner, lacking }) => [lacking, owner.item]);
    await sql.runAll(`UPDATE ${name} SET index_partial = ?1 WHERE id = ?2`, states);
    const listings = items.map(({ owner }) => [owner.listing ?? 0, owner.item]);
    if (listingOf) await sql.runAll(`UPDATE ${name} SET listing = ?1 WHERE id = ?2`, listings);
    last = items.at(-1)?.owner.item as number;
  }
}
