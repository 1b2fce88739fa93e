import type { EventKind } from "../core/event.ts";
import { eventBounds } from "../core/sql/event.ts";
import { type Sql, withinAny } from "../core/sql/sql.ts";
import { titleOf } from "./next.ts";
import { type RecentEntry, type RecentQuery, recentEvents } from "./recent.ts";
import { findEntrySql, toEntry } from "./rows.ts";

/**
 * The entries that were changed last, the newest change first. A write of a subtree is a change of
 * none: what was moved is there again when it is changed.
 */
export async function listRecent(sql: Sql, { paths, by, visibility, limit }: RecentQuery): Promise<RecentEntry[]> {
  const { newest } = await eventBounds(sql);
  const within = withinAny("entry.slug", paths, 5);
  const rows = await sql.rows(
    `SELECT entry.slug, event.at, event.kind, event.actor
     FROM (SELECT max(sequence) AS sequence FROM event
           WHERE sequence > ?1 AND uuid IS NOT NULL AND (?2 = '' OR actor = ?2) GROUP BY uuid) AS latest
     JOIN event ON event.sequence = latest.sequence
     JOIN entry ON entry.slug = event.subject AND entry.uuid = event.uuid
     WHERE (?3 = '' OR entry.visibility = ?3) AND ${within.sql}
     ORDER BY latest.sequence DESC LIMIT ?4`,
    newest - recentEvents,
    by ?? "",
    visibility ?? "",
    limit,
    ...within.values,
  );
  const found: RecentEntry[] = [];
  // One at a time: their data may be large.
  for (const [slug, at, kind, actor] of rows as [string, number, EventKind, string][]) {
    const row = await sql.row(findEntrySql, slug);
    if (!row) continue;
    const entry = toEntry(row);
    found.push({
      slug: entry.slug,
      title: await titleOf(entry),
      visibility: entry.visibility,
      publishedAt: entry.publishedAt,
      hasCopy: entry.stagedRevision !== null,
      kind,
      atSeconds: at,
      actor,
    });
  }
  return found;
}
