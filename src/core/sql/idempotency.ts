import { type IdempotencyStore, keptSeconds, maxResultLength } from "../idempotency.ts";
import { problem } from "../problem.ts";
import type { Keep } from "../unit.ts";
import { noun, type Writing } from "./noun.ts";
import { deleteRows, findNumber, insertRows, type Sql, type TransactionSql } from "./sql.ts";

/** Results that are kept for repetitions are in no backup: what they are about may be older than they are. */
export const idempotencyNoun = noun({
  writes: { expireKept, forgetKept },
  port: ({ sql, writes, together, kept, claim }): IdempotencyStore => ({
    write: kept,
    writeAll: together,
    find: (token, key, nowSeconds) => findKept(sql, token, key, nowSeconds),
    claim: (token, key) => claim(`${token} ${key}`),
    forget: writes.forgetKept,
    expire: async (nowSeconds) => {
      const beforeSeconds = nowSeconds - keptSeconds;
      // A store without such rows is not written to.
      while (await sql.row("SELECT 1 FROM idempotency_key WHERE at <= ?1 LIMIT 1", beforeSeconds))
        await writes.expireKept(beforeSeconds);
    },
  }),
});

const insert = insertRows(
  "idempotency_key",
  ["token", "key", "request", "origin", "results", "at"],
  ["text", "text", "text", "text", "text", "integer"],
);
const remove = deleteRows("idempotency_key", "token = ?1 AND key = ?2", ["text", "text"]);

async function findKept(sql: Sql, token: string, key: string, nowSeconds: number) {
  const row = await sql.row(
    "SELECT request, origin, results FROM idempotency_key WHERE token = ?1 AND key = ?2 AND at > ?3",
    token,
    key,
    nowSeconds - keptSeconds,
  );
  if (!row) return undefined;
  const [request, origin, results] = row as [string, string, string | null];
  return { request, origin, results: results === null ? undefined : (JSON.parse(results) as unknown[]) };
}

/**
 * Refuses a request whose results are kept: whoever sent it found none before. Throws idempotency_in_flight, before
 * anything is changed.
 */
export async function refuseKept(sql: TransactionSql, { token, key, nowSeconds }: Keep): Promise<void> {
  const at = await findNumber(sql, "SELECT at FROM idempotency_key WHERE token = ?1 AND key = ?2", token, key);
  if (at === undefined) return;
  if (at > nowSeconds - keptSeconds) throw problem("idempotency_in_flight");
  sql.later(remove, [[token, key]]);
}

/** Keeps the results of the transaction's writes. */
export function keepResults(sql: TransactionSql, keep: Keep, results: readonly unknown[]): void {
  const text = JSON.stringify(results);
  const kept = text.length > maxResultLength ? null : text;
  sql.later(insert, [[keep.token, keep.key, keep.request, keep.origin, kept, keep.nowSeconds]]);
}

async function forgetKept({ sql }: Writing, token: string, key: string): Promise<void> {
  sql.later(remove, [[token, key]]);
}

/** So many at a time: other writes come between. */
const expiredAtOnce = 500;

async function expireKept({ sql }: Writing, beforeSeconds: number): Promise<void> {
  await sql.run(
    `DELETE FROM idempotency_key WHERE (token, key) IN
       (SELECT token, key FROM idempotency_key WHERE at <= ?1 ORDER BY at LIMIT ${expiredAtOnce})`,
    beforeSeconds,
  );
}
