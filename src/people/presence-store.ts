import { noun, type Writing } from "../core/sql/noun.ts";
import { firstColumn } from "../core/sql/sql.ts";
import { type Presence, type PresenceStore, presentSeconds } from "./presence.ts";

/** Who has which entry open is in no backup: it holds for seconds. */
export const presenceNoun = noun({
  writes: { notePresence },
  port: ({ writes }): PresenceStore => ({ note: writes.notePresence }),
});

async function notePresence({ sql }: Writing, { slug, session, nowSeconds }: Presence): Promise<string[]> {
  const since = nowSeconds - presentSeconds;
  await sql.run("DELETE FROM presence WHERE at < ?1", since);
  await sql.run(
    `INSERT INTO presence (slug, session, at) VALUES (?1, ?2, ?3)
     ON CONFLICT (slug, session) DO UPDATE SET at = excluded.at`,
    slug,
    session,
    nowSeconds,
  );
  // A session that has ended, or was put out, is gone at once.
  const rows = await sql.rows(
    `SELECT DISTINCT actor FROM presence JOIN session ON session.id = presence.session
     WHERE slug = ?1 AND session.id <> ?2 AND at >= ?3 AND expires_at > ?4 ORDER BY actor`,
    slug,
    session,
    since,
    nowSeconds,
  );
  return firstColumn<string>(rows);
}
