import type { Entry } from "../../../domain/entry.ts";
import { type Path, parentOf } from "../../../domain/path.ts";
import { parseCanonical } from "../../../lib/canonical-json.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { indexedKeys } from "../index/field.ts";
import { type FieldIndex, indexItems, rowsOf } from "../index/field-row.ts";
import { findIndexKeys } from "../index/keys.ts";
import { listingOf } from "../index/listing.ts";
import { parentNumbers } from "../index/parent.ts";
import { indexTexts, pendingItems } from "../index/text.ts";
import type { Sql } from "../sql.ts";
import { entryTable, insertEntryRow } from "./entry-row.ts";

/** This many entries are sent to the database together with their index rows. */
const groupSize = 200;

/** Adds entries unchanged, with their index rows, to a store that has none of them. */
export class EntryLoader {
  private readonly sql: Sql;
  private readonly parentNumber: (path: Path) => Promise<number>;
  private index: FieldIndex | undefined;
  private pending = 0;

  constructor(sql: Sql) {
    this.sql = sql;
    this.parentNumber = parentNumbers(sql);
  }

  /** All in the transaction of the caller, which has read the state of the store already. */
  async add(entries: readonly Entry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += groupSize) await this.addGroup(entries.slice(at, at + groupSize));
    this.pending += entries.length;
    if (this.pending < pendingItems) return;
    while (await indexTexts(this.sql, entryTable));
    this.pending = 0;
  }

  private async addGroup(entries: readonly Entry[]): Promise<void> {
    const { sql } = this;
    this.index ??= { isIndexed: indexedKeys((await findIndexKeys(sql)) ?? ["*"]), keyIds: new Map() };
    const nowSeconds = Math.floor(Date.now() / 1000);
    const group = [];
    for (const entry of entries) {
      const parent = await this.parentNumber(parentOf(entry.slug));
      const fields = rowsOf(parseCanonical(entry.data) as JsonObject, entryTable, this.index);
      group.push({ entry, parent, listing: listingOf(entry, nowSeconds), ...fields });
    }
    // Not one by one: on a server each would be a round trip.
    const ids = await Promise.all(group.map(({ entry, ...state }) => insertEntryRow(sql, entry, state)));
    await indexItems(
      sql,
      this.index,
      entryTable,
      group.map(({ parent, listing, rows }, i) => ({ owner: { item: ids[i] as number, parent, listing }, rows })),
    );
  }
}
