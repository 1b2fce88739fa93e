import { inTransaction, type SharedSql, type Sql, type WriteSql } from "../sql.ts";
import { buildIndex, type OnBuilt } from "./build.ts";
import { indexedKeys } from "./field.ts";
import type { FieldIndex } from "./field-row.ts";
import { chainsIn, isChain } from "./layer.ts";
import type { FieldTable } from "./table.ts";
import { settleTexts } from "./text.ts";

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
  onBuilt?: OnBuilt,
): Promise<string[]> =>
  inTransaction(sql, async () => {
    await settleTexts(sql, tables, textIndex);
    return settleKeys(sql, tables, indexKeys, onBuilt);
  });

/**
 * Which keys the field indexes of this store hold: the setting with which it was last served. A different setting
 * rebuilds the indexes of these tables.
 */
async function settleKeys(
  sql: SharedSql,
  tables: readonly FieldTable[],
  wanted: readonly string[] | undefined,
  onBuilt?: OnBuilt,
): Promise<string[]> {
  const held = await findState(sql);
  if (held && !held.isStale && (wanted === undefined || wanted.join() === held.keys.join())) return held.keys;
  const keys = [...(wanted ?? held?.keys ?? ["*"])];
  const index = indexWith(sql, keys);
  const changed = held && (held.isStale || isOther(keys, held.keys) ? tables : await layeredTables(sql, tables));
  for (const table of changed ?? []) await buildIndex(index, table, held?.isStale ?? false, onBuilt);
  await sql.run(
    "INSERT INTO store_state (name, value) VALUES ('index_keys', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
    keys.join(),
  );
  return keys;
}

const withoutChains = (keys: readonly string[]): string => keys.filter((key) => !isChain(key)).join();
const isOther = (one: readonly string[], other: readonly string[]): boolean =>
  withoutChains(one) !== withoutChains(other);

/** Those with items that have layers: others are the same with other locales. */
async function layeredTables(sql: Sql, tables: readonly FieldTable[]): Promise<FieldTable[]> {
  const found: FieldTable[] = [];
  for (const table of tables)
    if (table.layered && (await sql.row(`SELECT 1 FROM ${table.name} WHERE ${table.layered} LIMIT 1`)))
      found.push(table);
  return found;
}

/** The field index as the keys in force make it. */
export const presentIndex = async (sql: SharedSql): Promise<FieldIndex> =>
  indexWith(sql, (await findState(sql))?.keys ?? ["*"]);

/** The same as these make it. */
export const indexWith = (sql: SharedSql, keys: readonly string[]): FieldIndex => ({
  sql,
  isIndexed: indexedKeys(keys),
  chains: chainsIn(keys),
  keyIds: new Map(),
});

/** A stale index is that of an older schema. */
async function findState(sql: Sql): Promise<{ keys: string[]; isStale: boolean } | undefined> {
  const row = await sql.row("SELECT value FROM store_state WHERE name = 'index_keys'");
  if (!row) return undefined;
  const [, mark, keys = ""] = /^(!?)(.*)$/s.exec(row[0] as string) ?? [];
  return { keys: keys.split(","), isStale: mark === "!" };
}
