import { formatTokenPaths, readTokenPaths } from "../core/access/token.ts";
import type { WriteContext } from "../core/event.ts";
import { appendAbout } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, namesOf, rowTable } from "../core/sql/rows.ts";
import { columnsOf, numberOf, type Row, type Sql, type Value } from "../core/sql/sql.ts";
import { problem } from "./problems.ts";
import { webhookRule } from "./row-rules.ts";
import {
  type Attempt,
  formatKinds,
  keptAttempts,
  maxWebhooks,
  type Noted,
  oldSecretSeconds,
  readKinds,
  type Webhook,
  type WebhookChange,
  type WebhookState,
  type WebhookStore,
} from "./webhook.ts";

const names = namesOf(webhookRule);
const columns = columnsOf("webhook", names);

/** Attempts are in no backup: they are about this machine and its network. */
export const webhookNoun = noun({
  writes: { createWebhook, updateWebhook, rotateWebhook, deleteWebhook, noteAttempt },
  rows: [rowTable(webhookRule, "id")],
  relations: [
    {
      query: `SELECT webhook.id, webhook.sequence FROM webhook
        WHERE webhook.sequence > (SELECT coalesce(max(sequence), 0) FROM event)`,
      says: (id, sequence) => `The webhook ${id} acknowledged the event ${sequence}, which is above the newest one`,
    },
  ],
  port: ({ sql, writes }): WebhookStore => ({
    list: async () => (await sql.rows(`SELECT ${columns} FROM webhook ORDER BY created_at, id`)).map(toWebhook),
    get: (id) => getWebhook(sql, id),
    create: writes.createWebhook,
    update: writes.updateWebhook,
    rotate: writes.rotateWebhook,
    delete: writes.deleteWebhook,
    attempts: (id) => listAttempts(sql, id),
    note: writes.noteAttempt,
  }),
});

type WebhookRow = readonly [
  id: string,
  url: string,
  label: string,
  kinds: string,
  paths: string,
  state: WebhookState,
  secret: string,
  oldSecret: string | null,
  oldSecretUntil: number | null,
  sequence: number,
  hasGap: number,
  attempts: number,
  failingSince: number | null,
  nextAt: number | null,
  createdAt: number,
];

function toWebhook(row: Row): Webhook {
  const [id, url, label, kinds, paths, state, secret, oldSecret, oldSecretUntil, ...more] =
    row as unknown as WebhookRow;
  const [sequence, hasGap, attempts, failingSince, nextAt, createdAt] = more;
  const filters = { kinds: readKinds(kinds), paths: readTokenPaths(paths) };
  const place = { sequence, hasGap: hasGap !== 0, attempts, failingSince, nextAt };
  return { id, url, label, ...filters, state, secret, oldSecret, oldSecretUntil, ...place, createdAt };
}

const valuesOf = (webhook: Webhook): Value[] => [
  webhook.id,
  webhook.url,
  webhook.label,
  formatKinds(webhook.kinds),
  formatTokenPaths(webhook.paths),
  webhook.state,
  webhook.secret,
  webhook.oldSecret,
  webhook.oldSecretUntil,
  webhook.sequence,
  Number(webhook.hasGap),
  webhook.attempts,
  webhook.failingSince,
  webhook.nextAt,
  webhook.createdAt,
];

async function findWebhook(sql: Pick<Sql, "row">, id: string): Promise<Webhook | undefined> {
  const row = await sql.row(`SELECT ${columns} FROM webhook WHERE id = ?1`, id);
  return row && toWebhook(row);
}

async function getWebhook(sql: Pick<Sql, "row">, id: string): Promise<Webhook> {
  const webhook = await findWebhook(sql, id);
  if (!webhook) throw problem("webhook_not_found", { id });
  return webhook;
}

async function createWebhook(on: Writing, webhook: Webhook, context: WriteContext): Promise<Webhook> {
  const { sql } = on;
  if ((await numberOf(sql, "SELECT count(*) FROM webhook")) >= maxWebhooks)
    throw problem("too_many_webhooks", { limit: maxWebhooks });
  const sequence = await appendAbout(on, "webhook.create", webhook.id, context);
  const created = { ...webhook, sequence };
  await sql.run(insertOf(webhookRule).text, ...valuesOf(created));
  return created;
}

const set = names.map((name, i) => `${name} = ?${i + 1}`).join(", ");

const save = ({ sql }: Writing, webhook: Webhook) =>
  sql.run(`UPDATE webhook SET ${set} WHERE id = ?1`, ...valuesOf(webhook));

/** The delivery that is next is tried at once, as if it were the first time. */
const anew: Noted["progress"] = { attempts: 0, failingSince: null, nextAt: null };

async function updateWebhook(on: Writing, id: string, change: WebhookChange, context: WriteContext): Promise<Webhook> {
  const webhook = await getWebhook(on.sql, id);
  const isAnew = (change.state ?? webhook.state) !== webhook.state || (change.url ?? webhook.url) !== webhook.url;
  const changed = { ...webhook, ...change, ...(isAnew && anew) } as Webhook;
  await save(on, changed);
  await appendAbout(on, "webhook.update", id, context);
  return changed;
}

async function rotateWebhook(
  on: Writing,
  id: string,
  { secret }: { secret: string },
  context: WriteContext,
): Promise<Webhook> {
  const webhook = await getWebhook(on.sql, id);
  const old = { oldSecret: webhook.secret, oldSecretUntil: context.nowSeconds + oldSecretSeconds };
  const rotated = { ...webhook, secret, ...old };
  await save(on, rotated);
  await appendAbout(on, "webhook.rotate", id, context);
  return rotated;
}

async function deleteWebhook(on: Writing, id: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  await getWebhook(sql, id);
  await sql.run("DELETE FROM webhook_attempt WHERE webhook = ?1", id);
  await sql.run("DELETE FROM webhook WHERE id = ?1", id);
  await appendAbout(on, "webhook.delete", id, context);
}

type AttemptRow = readonly [
  sequence: number | null,
  attempt: number,
  at: number,
  status: number | null,
  durationMs: number,
  error: string | null,
  nextAt: number | null,
];
const attemptColumns = "sequence, attempt, at, status, duration_ms, error, next_at";

async function listAttempts(sql: Sql, id: string): Promise<Attempt[]> {
  await getWebhook(sql, id);
  const rows = await sql.rows(
    `SELECT ${attemptColumns} FROM webhook_attempt WHERE webhook = ?1 ORDER BY id DESC LIMIT ${keptAttempts}`,
    id,
  );
  return (rows as unknown as AttemptRow[]).map(([sequence, attempt, at, status, durationMs, error, nextAt]) => ({
    sequence,
    attempt,
    at,
    status,
    durationMs,
    error,
    nextAt,
  }));
}

async function noteAttempt(
  on: Writing,
  id: string,
  { attempt, after, found, progress }: Noted,
  { nowSeconds }: Pick<WriteContext, "nowSeconds">,
): Promise<Attempt | null | undefined> {
  const webhook = await findWebhook(on.sql, id);
  if (!webhook) return null;
  if (attempt) await keepAttempt(on, id, attempt);
  const isFirst = after === undefined || webhook.sequence === after;
  // Changed meanwhile: what was acknowledged stays so, the rest is of before.
  const isSame = found === undefined || (found.url === webhook.url && found.attempts === webhook.attempts);
  const holds = (webhook.state === "on" && isSame) || progress.sequence !== undefined;
  if (Object.keys(progress).length > 0 && isFirst && holds) {
    await save(on, { ...webhook, ...progress });
    if (progress.state) await appendAbout(on, "webhook.failed", id, { actor: "octavo", nowSeconds });
  }
  return attempt;
}

async function keepAttempt({ sql }: Writing, id: string, attempt: Attempt): Promise<void> {
  const { sequence, at, status, durationMs, error, nextAt } = attempt;
  await sql.run(
    `INSERT INTO webhook_attempt (webhook, ${attemptColumns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
    id,
    sequence,
    attempt.attempt,
    at,
    status,
    durationMs,
    error,
    nextAt,
  );
  const firstKept = `SELECT id FROM webhook_attempt WHERE webhook = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${keptAttempts - 1}`;
  await sql.run(`DELETE FROM webhook_attempt WHERE webhook = ?1 AND id < (${firstKept})`, id);
}
