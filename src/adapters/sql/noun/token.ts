import { clockSlackSeconds } from "../../../domain/clock.ts";
import type { EventKind } from "../../../domain/event.ts";
import { problem } from "../../../domain/problem.ts";
import {
  type CountedToken,
  checkChangedToken,
  formatTokenPaths,
  readTokenPaths,
  type Token,
  type TokenChange,
  type TokenKind,
  type TokenResource,
  type TokenState,
  type TokenStore,
  type TokenWrites,
} from "../../../domain/token.ts";
import { KeyCache } from "../key-cache.ts";
import { noun, type Writing } from "../noun.ts";
import { isTwice, rowTable } from "../rows.ts";
import { insertInto, type Row, type Sql, type Value } from "../sql.ts";
import { CallCounter } from "./call-counter.ts";
import { boundSessionsOf, endSessionsOf } from "./session.ts";

const tokenColumns =
  "id, kind, resources, label, environment, state, limit_calls, calls, expires_at, created_at, last_used_at, paths, writes";
const storedColumns = `hash, ${tokenColumns}`;

export const tokenNoun = noun({
  writes: { createToken, updateToken, rotateToken, revokeToken, countCall, addCalls },
  /** By the hash of the secret. */
  point: {
    text: `SELECT ${tokenColumns} FROM token WHERE hash = ?1`,
    toValue: toToken,
    cache: () => new KeyCache<Token>({ clearedBy: "token", max: Number.POSITIVE_INFINITY }),
  },
  rows: [
    rowTable("token", "token", storedColumns, "id", {
      refusals: [
        [isTwice, "SELECT 1 FROM token WHERE id = ?1", "id"],
        ["another token has its secret", "SELECT 1 FROM token WHERE hash = ?1", "hash"],
      ],
    }),
  ],
  port: ({ sql, point, writes, beforeClose }): TokenStore => {
    const calls = new CallCounter(writes);
    beforeClose(() => calls.close());
    return {
      findByHash: (hash) => point.cached(hash),
      countCall: (counted, nowSeconds) => calls.count(counted, nowSeconds),
      list: async () => {
        await calls.flush();
        return listTokens(sql);
      },
      get: (id) => getToken(sql, id),
      create: writes.createToken,
      update: async (...rest) => {
        await calls.flush();
        return writes.updateToken(...rest);
      },
      rotate: writes.rotateToken,
      revoke: writes.revokeToken,
    };
  },
});

function toToken(row: Row): Token {
  const [id, kind, resources, label, environment, state, limitCalls, calls, expiresAt, createdAt, lastUsedAt] = row;
  const [paths, writes] = row.slice(11);
  return {
    id: id as string,
    kind: kind as TokenKind,
    resources: (resources as string).split(",").filter(Boolean) as TokenResource[],
    paths: readTokenPaths(paths as string),
    writes: writes as TokenWrites,
    label: label as string,
    environment: environment as string,
    state: state as TokenState,
    limitCalls: limitCalls as number,
    calls: calls as number,
    expiresAt: expiresAt as number | null,
    createdAt: createdAt as number,
    lastUsedAt: lastUsedAt as number | null,
  };
}

async function listTokens(sql: Sql): Promise<Token[]> {
  return (await sql.rows(`SELECT ${tokenColumns} FROM token ORDER BY created_at, id`)).map(toToken);
}

async function getToken(sql: Sql, id: string): Promise<Token> {
  const row = await sql.row(`SELECT ${tokenColumns} FROM token WHERE id = ?1`, id);
  if (!row) throw problem("token_not_found", { id });
  return toToken(row);
}

async function createToken(on: Writing, token: Token, hash: string, actor: string): Promise<void> {
  const { sql } = on;
  if (await sql.row("SELECT 1 FROM token WHERE hash = ?1", hash)) throw problem("token_exists");
  await sql.run(
    insertInto("token", storedColumns.split(", ")),
    hash,
    token.id,
    token.kind,
    token.resources.join(","),
    token.label,
    token.environment,
    token.state,
    token.limitCalls,
    token.calls,
    token.expiresAt,
    token.createdAt,
    token.lastUsedAt,
    formatTokenPaths(token.paths),
    token.writes,
  );
  await log(on, "token.create", token.id, actor, token.createdAt);
}

const changeColumns: Record<keyof TokenChange, string> = {
  paths: "paths",
  writes: "writes",
  label: "label",
  environment: "environment",
  state: "state",
  limitCalls: "limit_calls",
  expiresAt: "expires_at",
};

async function updateToken(
  on: Writing,
  id: string,
  change: TokenChange,
  actor: string,
  nowSeconds: number,
): Promise<Token> {
  const { sql } = on;
  checkChangedToken(await getToken(sql, id), change, nowSeconds);
  const values = { ...change, paths: change.paths === undefined ? undefined : formatTokenPaths(change.paths) };
  for (const [name, column] of Object.entries(changeColumns)) {
    const value: Value | undefined = values[name as keyof TokenChange];
    if (value !== undefined) await sql.run(`UPDATE token SET ${column} = ?1 WHERE id = ?2`, value, id);
  }
  if (change.state === "disabled") await endSessionsOf(sql, id);
  else if (change.expiresAt) await boundSessionsOf(sql, id, change.expiresAt);
  await log(on, "token.update", id, actor, nowSeconds);
  return getToken(sql, id);
}

async function rotateToken(on: Writing, id: string, hash: string, actor: string, nowSeconds: number): Promise<Token> {
  const { sql } = on;
  await getToken(sql, id);
  await sql.run("UPDATE token SET hash = ?1 WHERE id = ?2", hash, id);
  await endSessionsOf(sql, id);
  await log(on, "token.rotate", id, actor, nowSeconds);
  return getToken(sql, id);
}

async function revokeToken(on: Writing, id: string, actor: string, nowSeconds: number): Promise<void> {
  const { sql } = on;
  await getToken(sql, id);
  await sql.run("DELETE FROM token WHERE id = ?1", id);
  await endSessionsOf(sql, id);
  await log(on, "token.revoke", id, actor, nowSeconds);
}

/** Counts one call on each token or on none; the condition in the UPDATE makes a limit exact under concurrent calls. */
async function countCall({ sql }: Writing, counted: readonly CountedToken[], nowSeconds: number): Promise<void> {
  for (const { argument, token } of counted) {
    const changed = await sql.run(
      "UPDATE token SET calls = calls + 1, last_used_at = ?1 WHERE id = ?2 AND (limit_calls = 0 OR calls < limit_calls)",
      nowSeconds,
      token.id,
    );
    if (changed === 0) throw problem("call_limit_reached", { argument });
  }
}

/**
 * Adds calls of tokens without a limit, counted in memory since the last write. A stored last use slightly ahead of
 * this one is that of another process; one further ahead is that of a wrong clock, and is overwritten.
 */
async function addCalls({ sql }: Writing, counts: readonly { id: string; calls: number; at: number }[]): Promise<void> {
  for (const { id, calls, at } of counts) {
    await sql.run(
      `UPDATE token SET calls = calls + ?1,
         last_used_at = CASE WHEN last_used_at > ?2 AND last_used_at <= ?3 THEN last_used_at ELSE ?2 END WHERE id = ?4`,
      calls,
      at,
      at + clockSlackSeconds,
      id,
    );
  }
}

function log({ append }: Writing, kind: EventKind, subject: string, actor: string, atSeconds: number): Promise<number> {
  return append({ atSeconds, kind, subject, target: null, count: 1, actor });
}
