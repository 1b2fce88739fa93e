import { type Access, laysOver, seesPublic } from "../core/access/access.ts";
import { Bound } from "../core/sql/list/bound.ts";
import type { Scanning } from "../core/sql/noun.ts";
import { firstColumn } from "../core/sql/sql.ts";
import { isDueSql, listing } from "../entry/listing-rows.ts";
import type { Noted } from "./state-store.ts";

/** Entries that the index does not have as a reader sees them. */
export type Extras = {
  /** Whose text is looked at. */
  readonly look: readonly number[];
  /** Whose documents are passed over. */
  readonly passOver: ReadonlySet<number>;
};

/**
 * What was written since, what became public by its time alone, and what has working copies that the reader sees. The
 * second is told to the index soon, by its event.
 */
export async function extrasOf(
  { sql }: Pick<Scanning, "sql">,
  access: Access,
  noted: readonly Noted[],
): Promise<Extras> {
  const ids = new Map(noted.map(({ uuid, id }) => [uuid, id]));
  const written = await sql.rowsAll(
    "SELECT id FROM entry WHERE slug = ?1 AND uuid = ?2",
    [...ids].map(([uuid, id]) => [id ?? "", uuid]),
    ["text", "text"],
  );
  const before = await sql.rowsAll(
    "SELECT entry FROM search_document WHERE uuid = ?1 AND ended IS NULL",
    [...ids.keys()].map((uuid) => [uuid]),
    ["text"],
  );
  const look = new Set(firstColumn<number>([...written.flat(), ...(await otherwise(sql, access))]));
  return { look: [...look], passOver: new Set([...look, ...firstColumn<number>(before.flat())]) };
}

async function otherwise(sql: Scanning["sql"], access: Access) {
  const b = new Bound();
  const now = () => b.whole(access.nowSeconds);
  const chain = access.locale?.chain ?? [];
  const inChain = () => `locale IN (${chain.map((locale) => b.text(locale)).join(", ")})`;
  const selects: string[] = [];
  if (seesPublic(access) || access.unpublished) {
    selects.push(`SELECT id FROM entry WHERE ${isDueSql(now())}`);
    if (chain.length > 0)
      selects.push(`SELECT id FROM entry WHERE translated = 1 AND uuid IN
        (SELECT uuid FROM translation WHERE listing = ${listing.scheduled} AND published_at <= ${now()} AND ${inChain()})`);
  }
  if (laysOver(access)) {
    selects.push("SELECT id FROM entry WHERE staged_revision IS NOT NULL");
    if (chain.length > 0)
      selects.push(`SELECT id FROM entry WHERE translated = 1 AND uuid IN
        (SELECT uuid FROM working_copy WHERE published_revision = 0 AND ${inChain()})`);
  }
  return selects.length === 0 ? [] : sql.rows(selects.join(" UNION "), ...b.values);
}
