import { type Finding, findingsOf } from "../core/finding.ts";
import type { ReadSql } from "../core/sql/sql.ts";

/** What `octavo doctor` says about translations: how many nobody reads. */

const { warning } = findingsOf("database");

/** Warns of translations into locales that the setting does not have, of which the source is none. */
export async function unreadFindings(sql: Pick<ReadSql, "rows">, locales: readonly string[]): Promise<Finding[]> {
  const rows = await sql.rows("SELECT locale, count(*) FROM translation GROUP BY locale ORDER BY locale");
  const known = new Set(locales.slice(1));
  const unread = rows.filter(([locale]) => !known.has(locale as string));
  if (unread.length === 0) return [];
  const counts = unread.map(([locale, count]) => `${count} into ${locale}`).join(", ");
  return [warning(`translations that nobody reads, since locales does not name them: ${counts}`)];
}
