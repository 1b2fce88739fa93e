import type { Visibility } from "../../../domain/entry.ts";
import { inTransaction, type Sql, type WriteSql } from "../sql.ts";
import { type FieldIndex, indexEntries, rowsOf } from "./entry-field.ts";
import { indexedKeys } from "./field.ts";
import { listingOf } from "./listing.ts";

/**
 * Which keys the field index of this store holds: the setting with which it was last served. A different setting
 * rebuilds the index; an absent one (the command line beside a running server) keeps it. Answers the setting in force.
 */
export const settleIndexKeys = (sql: WriteSql, wished: readonly string[] | undefined): Promise<string[]> =>
  inTransaction(sql, () => settle(sql, wished));

async function settle(sql: Sql, wished: readonly string[] | undefined): Promise<string[]> {
  const held = await findIndexKeys(sql);
  const isStale = (await sql.row("SELECT value FROM store_state WHERE name = 'index_stale'")) !== undefined;
  const isKept = held !== undefined && (wished === undefined || wished.join() === held.join());
  if (isKept && !isStale) return held;
  const keys = isKept ? held : [...(wished ?? ["*"])];
  if (held) await rebuild(sql, { isIndexed: indexedKeys(keys), keyIds: new Map() });
  await sql.run("DELETE FROM store_state WHERE name = 'index_stale'");
  await sql.run(
    "INSERT INTO store_state (name, value) VALUES ('index_keys', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
    keys.join(),
  );
  return keys;
}

/** The keys in force; undefined in a store that was never opened. */
export async function findIndexKeys(sql: Sql): Promise<string[] | undefined> {
  const row = await sql.row("SELECT value FROM store_state WHERE name = 'index_keys'");
  return (row?.[0] as string | undefined)?.split(",");
}

async function rebuild(sql: Sql, index: FieldIndex): Promise<void> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  await sql.run("DELETE FROM entry_field");
  for (let last = 0; ; ) {
    const page = "SELECT id, parent, data, visibility, published_at FROM entry WHERE id > ?1 ORDER BY id LIMIT 500";
    const rows = (await sql.rows(page, last)) as unknown as [number, number, string, Visibility, number][];
    if (rows.length === 0) return;
    const entries = rows.map(([entry, parent, data, visibility, publishedAt]) => {
      const owner = { entry, parent, listing: listingOf({ visibility, publishedAt }, nowSeconds) };
      return { owner, ...rowsOf(data, index) };
    });
    await indexEntries(sql, index, entries);
    const states = entries.map(({ owner, isPartial }) => [Number(isPartial), owner.listing, owner.entry]);
    await sql.runAll("UPDATE entry SET index_partial = ?1, listing = ?2 WHERE id = ?3", states);
    last = rows.at(-1)?.[0] as number;
  }
}
