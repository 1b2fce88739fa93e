import { setImmediate } from "node:timers/promises";
import { allSettled } from "../core/lib/all-settled.ts";
import { parseCanonical } from "../core/lib/canonical-json.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { type Path, parentOf } from "../core/path.ts";
import { collectRows } from "../core/sql/index/build.ts";
import type { FieldRow } from "../core/sql/index/field.ts";
import { type FieldIndex, rowsOf } from "../core/sql/index/field-row.ts";
import { presentIndex } from "../core/sql/index/keys.ts";
import { parentNumbers } from "../core/sql/index/parent.ts";
import { loadItems, loadTexts } from "../core/sql/index/text.ts";
import type { SharedSql } from "../core/sql/sql.ts";
import type { Entry } from "./entry.ts";
import { listingOf } from "./listing-rows.ts";
import { entryTable, insertEntryRows } from "./rows.ts";

/** This many entries are sent to the database together with their index rows. */
const groupSize = 500;
/** This many are prepared at a time, so that replies of a server to the group before are not kept waiting. */
const turnSize = 100;

/** An entry with its place in lists and its index rows. */
type Prepared = { entry: Entry; listing: number; lacking: number; rows: ReadonlyMap<string, FieldRow> };

/** Of an entry whose translations are loaded later: it is indexed with them. */
const untilTranslated = { rows: new Map<string, FieldRow>(), lacking: 0 };

/**
 * Adds entries unchanged, with their index rows, to a store that has none of them. Those with translations, and the texts of
 * all that follow, are left to the end of the load.
 */
export class EntryLoader {
  private readonly sql: SharedSql;
  private readonly parentNumber: (path: Path) => Promise<number>;
  private index: FieldIndex | undefined;
  private pending = 0;
  private hasTranslated = false;

  constructor(sql: SharedSql) {
    this.sql = sql;
    this.parentNumber = parentNumbers(sql);
  }

  /** Answers what adds them, all in the transaction of the caller. The state of the store is in it already. */
  async prepare(entries: readonly Entry[]): Promise<() => Promise<void>> {
    this.index ??= await presentIndex(this.sql);
    const { index } = this;
    const nowSeconds = Math.floor(Date.now() / 1000);
    const prepared: Prepared[] = [];
    for (const [i, entry] of entries.entries()) {
      if (i % turnSize === turnSize - 1) await setImmediate();
      const fields = entry.translated
        ? untilTranslated
        : rowsOf(parseCanonical(entry.data) as JsonObject, entryTable, index);
      prepared.push({ entry, listing: listingOf(entry, nowSeconds), ...fields });
    }
    return () => this.add(prepared, index);
  }

  private async add(entries: readonly Prepared[], index: FieldIndex): Promise<void> {
    for (let at = 0; at < entries.length; at += groupSize)
      await this.addGroup(entries.slice(at, at + groupSize), index);
    this.pending += entries.length;
    this.hasTranslated ||= entries.some(({ entry }) => entry.translated);
    if (this.hasTranslated || this.pending < loadItems) return;
    await loadTexts(this.sql, entryTable);
    this.pending = 0;
  }

  private async addGroup(group: readonly Prepared[], index: FieldIndex): Promise<void> {
    const { sql } = this;
    // Not one by one: on a server each would be a round trip.
    const parents = await allSettled(group.map(({ entry }) => this.parentNumber(parentOf(entry.slug))));
    const ids = await sql.numbers("entry", group.length);
    const placed = group.map((each, i) => ({ ...each, id: ids[i] as number, parent: parents[i] as number }));
    insertEntryRows(sql, placed);
    const items = placed.map(({ id, parent, listing, rows }) => ({ owner: { item: id, parent, listing }, rows }));
    await collectRows(index, entryTable, items);
  }
}
