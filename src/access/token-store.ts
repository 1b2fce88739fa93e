import { personActor, personIdOf } from "../core/access/actor.ts";
import {
  type CountedToken,
  checkChangedToken,
  formatTokenPaths,
  heldBy,
  isInForce,
  type Maker,
  readTokenPaths,
  type Token,
  type TokenChange,
  type TokenKind,
  type TokenResource,
  type TokenState,
  type TokenStore,
  type TokenWrites,
} from "../core/access/token.ts";
import { clockSlackSeconds } from "../core/clock.ts";
import type { WriteContext } from "../core/event.ts";
import { CallCounter } from "../core/sql/call-counter.ts";
import { appendAbout } from "../core/sql/event.ts";
import { KeyCache } from "../core/sql/key-cache.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../core/sql/rows.ts";
import { columnsOf, type Row, type Sql, type Value } from "../core/sql/sql.ts";
import { holderOf } from "../people/person.ts";
import { findMemberSql, memberColumns, toMember } from "../people/person-rows.ts";
import { boundSessionsOf, endSessionsOf } from "../people/session-store.ts";
import { formatLocales, readLocales } from "../translation/locale.ts";
import { releaseNow } from "../working-copy/release-rows.ts";
import { problem } from "./problems.ts";
import { tokenRule } from "./token-row-rules.ts";

const names = namesOf(tokenRule).filter((column) => column !== "hash");
const makerColumns = ["state", "expires_at", "resources", "paths", "writes"];
/** A token, with what its maker lets it be: another token, or a person with a role. */
const selectToken = `SELECT ${columnsOf("token", names)}, ${columnsOf("maker", makerColumns)}, ${memberColumns}
  FROM token LEFT JOIN token AS maker ON maker.id = token.maker
    LEFT JOIN person ON person.id = substr(token.maker, ${personActor("").length + 1})
    LEFT JOIN role ON role.id = person.role`;

export const tokenNoun = noun({
  writes: { createToken, updateToken, rotateToken, revokeToken, countCall, addCalls },
  /** By the hash of the secret. */
  point: {
    text: `${selectToken} WHERE token.hash = ?1`,
    toValue: toToken,
    // An event of a maker changes what its previews are.
    cache: () => new KeyCache<Token>({ clearedBy: ["token", "person", "role"], max: Number.POSITIVE_INFINITY }),
  },
  rows: [
    rowTable(tokenRule, "id", {
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
      countCall: (counted, nowSeconds, count) => calls.count(counted, nowSeconds, count),
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

type TokenRow = readonly [
  id: string,
  kind: TokenKind,
  resources: string,
  label: string,
  environment: string,
  state: TokenState,
  limitCalls: number,
  calls: number,
  expiresAt: number | null,
  createdAt: number,
  lastUsedAt: number | null,
  paths: string,
  writes: TokenWrites,
  maker: string | null,
  release: string | null,
  locales: string,
  ...MakerRow,
  ...unknown[],
];
type MakerRow =
  | readonly [TokenState, expiresAt: number | null, resources: string, paths: string, TokenWrites]
  | readonly [null, null, null, null, null];

function toToken(row: Row): Token {
  const [id, kind, resources, label, environment, state, limitCalls, calls, expiresAt, createdAt, ...more] =
    row as TokenRow;
  const [lastUsedAt, paths, writes, maker, release, locales, ...ofMaker] = more;
  const token: Token = {
    id,
    kind,
    resources: readResources(resources),
    paths: readTokenPaths(paths),
    writes,
    locales: readLocales(locales),
    label,
    environment,
    state,
    limitCalls,
    calls,
    expiresAt,
    createdAt,
    lastUsedAt,
    maker,
    ...(release !== null && { release }),
  };
  const ofPerson = ofMaker.slice(makerColumns.length) as unknown as Row;
  return heldBy(token, maker === null ? undefined : (toMaker(ofMaker as unknown as MakerRow) ?? toHolder(ofPerson)));
}

/** A person as the maker of a token. */
function toHolder(row: Row): Maker | undefined {
  const member = toMember(row);
  return member && holderOf(member);
}

const toMaker = ([state, expiresAt, resources, paths, writes]: MakerRow): Maker | undefined =>
  state === null
    ? undefined
    : { state, expiresAt, resources: readResources(resources), paths: readTokenPaths(paths), writes };

const readResources = (text: string) => text.split(",").filter(Boolean) as TokenResource[];

async function listTokens(sql: Sql): Promise<Token[]> {
  return (await sql.rows(`${selectToken} ORDER BY token.created_at, token.id`)).map(toToken);
}

async function getToken(sql: Sql, id: string): Promise<Token> {
  const row = await sql.row(`${selectToken} WHERE token.id = ?1`, id);
  if (!row) throw problem("token_not_found", { id });
  return toToken(row);
}

async function createToken(
  on: Writing,
  token: Token,
  { hash }: { hash: string },
  { actor, origin }: Pick<WriteContext, "actor" | "origin">,
): Promise<void> {
  const { sql } = on;
  if (await sql.row("SELECT 1 FROM token WHERE hash = ?1", hash)) throw problem("token_exists");
  await refuseLostMaker(sql, token);
  if (token.release !== undefined) await releaseNow(sql, token.release, "release");
  await sql.run(
    insertOf(tokenRule).text,
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
    token.maker,
    token.release ?? null,
    formatLocales(token.locales),
  );
  await appendAbout(on, "token.create", token.id, { actor, origin, nowSeconds: token.createdAt });
}

/** The maker may have changed since the call was authenticated. */
async function refuseLostMaker(sql: Sql, token: Token): Promise<void> {
  if (token.maker === null) return;
  const held = heldBy({ ...token, state: "enabled" }, await findMaker(sql, token.maker));
  if (!isInForce(held, token.createdAt)) throw problem("token_invalid");
}

async function findMaker(sql: Sql, actor: string): Promise<Maker | undefined> {
  const person = personIdOf(actor);
  const row = person
    ? await sql.row(findMemberSql, person)
    : await sql.row(`SELECT ${makerColumns.join(", ")} FROM token WHERE id = ?1`, actor);
  return row && (person ? toHolder(row) : toMaker(row as MakerRow));
}

const changeColumns: Record<keyof TokenChange, string> = {
  paths: "paths",
  writes: "writes",
  locales: "locales",
  label: "label",
  environment: "environment",
  state: "state",
  limitCalls: "limit_calls",
  expiresAt: "expires_at",
};

async function updateToken(on: Writing, id: string, change: TokenChange, context: WriteContext): Promise<Token> {
  const { sql } = on;
  checkChangedToken(await getToken(sql, id), change, context.nowSeconds);
  const { paths, locales } = change;
  const values = {
    ...change,
    paths: paths === undefined ? undefined : formatTokenPaths(paths),
    locales: locales === undefined ? undefined : formatLocales(locales),
  };
  for (const [name, column] of Object.entries(changeColumns)) {
    const value: Value | undefined = values[name as keyof TokenChange];
    if (value !== undefined) await sql.run(`UPDATE token SET ${column} = ?1 WHERE id = ?2`, value, id);
  }
  if (change.state === "disabled") await endSessionsOf(sql, id);
  else if (change.expiresAt) await boundSessionsOf(sql, id, change.expiresAt);
  await appendAbout(on, "token.update", id, context);
  return getToken(sql, id);
}

async function rotateToken(on: Writing, id: string, { hash }: { hash: string }, context: WriteContext): Promise<Token> {
  const { sql } = on;
  await getToken(sql, id);
  await sql.run("UPDATE token SET hash = ?1 WHERE id = ?2", hash, id);
  await endSessionsOf(sql, id);
  await appendAbout(on, "token.rotate", id, context);
  return getToken(sql, id);
}

async function revokeToken(on: Writing, id: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  await getToken(sql, id);
  const count = await sql.run("DELETE FROM token WHERE id = ?1 OR maker = ?1", id);
  await endSessionsOf(sql, id);
  await appendAbout(on, "token.revoke", id, context, count);
}

/** Counts calls on each token, or none; the condition in the UPDATE makes a limit exact under concurrent calls. */
async function countCall(
  { sql }: Writing,
  counted: readonly CountedToken[],
  nowSeconds: number,
  calls: number,
): Promise<void> {
  for (const { argument, token } of counted) {
    const changed = await sql.run(
      `UPDATE token SET calls = calls + ?1, last_used_at = ?2
         WHERE id = ?3 AND (limit_calls = 0 OR calls + ?1 <= limit_calls)`,
      calls,
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
