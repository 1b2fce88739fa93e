import { personActor, personIdOf } from "../core/access/actor.ts";
import { isInForce, type TokenState } from "../core/access/token.ts";
import type { WriteContext } from "../core/event.ts";
import { appendAbout } from "../core/sql/event.ts";
import { KeyCache } from "../core/sql/key-cache.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { firstColumn, insertInto, numberOf, type Row, type Sql } from "../core/sql/sql.ts";
import { LastSeen, type Sighting, sightingSeconds } from "./last-seen-store.ts";
import { problem } from "./problems.ts";
import type { Session, SessionCursor, SessionRequest, SessionStore } from "./session.ts";

const sessionColumns = "id, actor, access_token_id, created_at, last_seen_at, expires_at";

const findSessionSql = `SELECT ${sessionColumns} FROM session WHERE id = ?1`;

/** Bounds the cache: no event removes an expired session from it. */
const maxSessions = 10_000;

/** Sessions are in no backup: decision 23. */
export const sessionNoun = noun({
  writes: { startSession, prolongSession, endSession, seeSessions, pruneSessions },
  point: {
    text: findSessionSql,
    toValue: toSession,
    isLive,
    // Deleting a token or a person deletes its sessions.
    cache: () => new KeyCache<Session>({ changedBy: "session", clearedBy: ["token", "person"], max: maxSessions }),
  },
  port: ({ sql, point, writes, beforeClose }): SessionStore => {
    const lastSeen = new LastSeen(writes);
    beforeClose(() => lastSeen.close());
    return {
      find: (id, nowSeconds) => point.cached(id, nowSeconds),
      see: (session, nowSeconds) => lastSeen.see(session, nowSeconds),
      list: async (...rest) => {
        await lastSeen.flush();
        return listSessions(sql, ...rest);
      },
      listOf: async (...rest) => {
        await lastSeen.flush();
        return listSessionsOf(sql, ...rest);
      },
      count: (nowSeconds) => numberOf(sql, "SELECT count(*) FROM session WHERE expires_at > ?1", nowSeconds),
      start: writes.startSession,
      prolong: writes.prolongSession,
      end: writes.endSession,
      prune: async (nowSeconds) => {
        // A store without such rows is not written to.
        const old = await sql.row("SELECT 1 FROM session WHERE expires_at <= ?1 LIMIT 1", nowSeconds);
        return old ? writes.pruneSessions(nowSeconds) : 0;
      },
    };
  },
});

type SessionRow = readonly [
  id: string,
  actor: string,
  accessTokenId: string,
  createdAt: number,
  lastSeenAt: number,
  expiresAt: number,
];

function toSession(row: Row): Session {
  const [id, actor, accessTokenId, createdAt, lastSeenAt, expiresAt] = row as SessionRow;
  return { id, actor, accessTokenId, createdAt, lastSeenAt, expiresAt };
}

function isLive({ expiresAt }: Session, nowSeconds: number): boolean {
  return expiresAt > nowSeconds;
}

/** Live sessions, newest first. */
async function listSessions(
  sql: Sql,
  nowSeconds: number,
  limit: number,
  after?: SessionCursor,
  actor = "",
): Promise<Session[]> {
  const rows = await sql.rows(
    `SELECT ${sessionColumns} FROM session
     WHERE expires_at > ?1 AND (created_at < ?2 OR (created_at = ?2 AND id < ?3)) AND (?5 = '' OR actor = ?5)
     ORDER BY created_at DESC, id DESC LIMIT ?4`,
    nowSeconds,
    after?.createdAt ?? Number.MAX_SAFE_INTEGER,
    after?.id ?? "",
    limit,
    actor,
  );
  return rows.map(toSession);
}

async function listSessionsOf(sql: Sql, actor: string, nowSeconds: number): Promise<Session[]> {
  const rows = await sql.rows(
    `SELECT ${sessionColumns} FROM session WHERE actor = ?1 AND expires_at > ?2 ORDER BY created_at DESC, id DESC`,
    actor,
    nowSeconds,
  );
  return rows.map(toSession);
}

async function startSession(
  on: Writing,
  asked: Session,
  maxPerToken: number,
  password: string | null = null,
  { origin }: SessionRequest = {},
): Promise<Session> {
  const { sql } = on;
  const { id, actor, accessTokenId, createdAt } = asked;
  const context = { actor, nowSeconds: createdAt, origin };
  const session = { ...asked, expiresAt: await boundExpiry(sql, asked, asked.expiresAt, createdAt, password) };
  const live = await sql.rows(
    "SELECT id FROM session WHERE actor = ?1 AND expires_at > ?2 ORDER BY created_at DESC, id DESC",
    actor,
    createdAt,
  );
  for (const oldest of firstColumn<string>(live).slice(Math.max(0, maxPerToken - 1)))
    await removeSession(on, oldest, context);
  await sql.run(
    insertInto("session", sessionColumns.split(", ")),
    id,
    actor,
    accessTokenId,
    createdAt,
    session.lastSeenAt,
    session.expiresAt,
  );
  const person = personIdOf(actor);
  if (person !== undefined) await sql.run("UPDATE person SET last_seen_at = ?1 WHERE id = ?2", createdAt, person);
  await appendAbout(on, "session.start", id, context);
  return session;
}

async function prolongSession({ sql }: Writing, id: string, expiresAt: number, nowSeconds: number): Promise<Session> {
  const row = await sql.row(findSessionSql, id);
  const session = row && toSession(row);
  if (!session || !isLive(session, nowSeconds)) throw problem("session_invalid");
  const prolonged = { ...session, expiresAt: await boundExpiry(sql, session, expiresAt, nowSeconds) };
  await sql.run("UPDATE session SET expires_at = ?1 WHERE id = ?2", prolonged.expiresAt, id);
  return prolonged;
}

async function endSession(
  on: Writing,
  id: string,
  { of, ...context }: WriteContext & { of?: string | undefined },
): Promise<void> {
  const { sql } = on;
  const row = await sql.row(findSessionSql, id);
  const session = row && toSession(row);
  const isThere = session && isLive(session, context.nowSeconds) && (of === undefined || session.actor === of);
  if (!isThere) throw problem("session_not_found", { id });
  await removeSession(on, id, context);
}

/** Ends all sessions of a token, of either kind, or of a person. Their own event invalidates the caches. */
export async function endSessionsOf(sql: Sql, actor: string, except = ""): Promise<void> {
  await sql.run("DELETE FROM session WHERE (actor = ?1 OR access_token_id = ?1) AND id <> ?2", actor, except);
}

/** Limits the sessions of a token to its expiry. The token's own event invalidates the caches. */
export async function boundSessionsOf(sql: Sql, tokenId: string, expiresAt: number): Promise<void> {
  await sql.run(
    "UPDATE session SET expires_at = ?1 WHERE (actor = ?2 OR access_token_id = ?2) AND expires_at > ?1",
    expiresAt,
    tokenId,
  );
}

/** Stores when sessions and their people were seen; skips a row that is recent enough, also when another process wrote it. */
async function seeSessions({ sql }: Writing, sightings: readonly Sighting[]): Promise<void> {
  for (const { id, at } of sightings) {
    await sql.run(
      "UPDATE session SET last_seen_at = ?1 WHERE id = ?2 AND last_seen_at <= ?3",
      at,
      id,
      at - sightingSeconds,
    );
    await sql.run(
      `UPDATE person SET last_seen_at = ?1
       WHERE id = (SELECT substr(actor, ${personActor("").length + 1}) FROM session WHERE id = ?2) AND last_seen_at <= ?3`,
      at,
      id,
      at - sightingSeconds,
    );
  }
}

function pruneSessions({ sql }: Writing, nowSeconds: number): number | Promise<number> {
  return sql.run("DELETE FROM session WHERE expires_at <= ?1", nowSeconds);
}

/**
 * The requested expiry, or that of the token that expires first. Throws token_invalid, access_token_invalid; of a person
 * who may not sign in, or has another password than the one given, sign_in_failed.
 */
async function boundExpiry(
  sql: Sql,
  { actor, accessTokenId }: Session,
  expiresAt: number,
  nowSeconds: number,
  password: string | null = null,
): Promise<number> {
  const person = personIdOf(actor);
  if (person !== undefined) {
    const row = await sql.row("SELECT password FROM person WHERE id = ?1 AND state = 'active'", person);
    if (!row || (password !== null && row[0] !== password)) throw problem("sign_in_failed");
    return expiresAt;
  }
  const first = await tokenExpiry(sql, actor, "token_invalid", nowSeconds);
  const second = await tokenExpiry(sql, accessTokenId, "access_token_invalid", nowSeconds);
  return Math.min(expiresAt, first, second);
}

async function tokenExpiry(
  sql: Sql,
  id: string,
  refusal: "token_invalid" | "access_token_invalid",
  nowSeconds: number,
): Promise<number> {
  const row = await sql.row("SELECT state, expires_at FROM token WHERE id = ?1", id);
  const [state, expiresAt] = (row ?? ["disabled", 0]) as readonly [TokenState, number | null];
  if (!isInForce({ state, expiresAt }, nowSeconds)) throw problem(refusal);
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

async function removeSession(on: Writing, id: string, context: WriteContext): Promise<void> {
  await on.sql.run("DELETE FROM session WHERE id = ?1", id);
  await appendAbout(on, "session.end", id, context);
}
