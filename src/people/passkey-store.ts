import type { WriteContext } from "../core/event.ts";
import { appendAbout } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../core/sql/rows.ts";
import { columnsOf, numberOf, type Row, type Sql } from "../core/sql/sql.ts";
import {
  afterUse,
  challengeUsed,
  maxPasskeys,
  type NewPasskey,
  type Passkey,
  type PasskeyStore,
  passkeyTaken,
  refuseLastCredential,
  type UsedChallenge,
} from "./passkey.ts";
import { passkeyRule } from "./passkey-row-rules.ts";
import { problem } from "./problems.ts";

const columns = columnsOf("passkey", namesOf(passkeyRule));

export const passkeyNoun = noun({
  writes: { createPasskey, usePasskey, deletePasskey },
  rows: [
    rowTable(passkeyRule, "id", {
      refusals: [
        [isTwice, "SELECT 1 FROM passkey WHERE id = ?1", "id"],
        ["another row has the credential", "SELECT 1 FROM passkey WHERE credential = ?1", "credential"],
        ["there is no such person", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM person WHERE id = ?1)", "person"],
      ],
    }),
  ],
  relations: [
    {
      query: `SELECT passkey.person, passkey.id FROM passkey JOIN person ON person.id = passkey.person
        WHERE person.state = 'deleted'`,
      says: (person, id) => `The passkey ${id} is of the person ${person}, who is deleted`,
    },
  ],
  port: ({ sql, writes }): PasskeyStore => ({
    listOf: (person) => listOf(sql, person),
    findByCredential: async (credential) => {
      const row = await sql.row(`SELECT ${columns} FROM passkey WHERE credential = ?1`, credential);
      return row && toPasskey(row);
    },
    create: writes.createPasskey,
    use: writes.usePasskey,
    delete: writes.deletePasskey,
  }),
});

type PasskeyRow = readonly [
  id: string,
  person: string,
  name: string,
  credential: string,
  key: string,
  transports: string,
  counter: number,
  createdAt: number,
  lastUsedAt: number | null,
  counterBackAt: number | null,
];

function toPasskey(row: Row): Passkey {
  const [id, person, name, credential, key, transports, counter, createdAt, lastUsedAt, counterBackAt] =
    row as unknown as PasskeyRow;
  const names = transports.split(",").filter(Boolean);
  return { id, person, name, credential, key, transports: names, counter, createdAt, lastUsedAt, counterBackAt };
}

async function listOf(sql: Sql, person: string): Promise<Passkey[]> {
  const rows = await sql.rows(
    `SELECT ${columns} FROM passkey WHERE person = ?1 ORDER BY created_at, id LIMIT ?2`,
    person,
    maxPasskeys,
  );
  return rows.map(toPasskey);
}

export const countPasskeysOf = (sql: Sql, person: string): Promise<number> =>
  numberOf(sql, "SELECT count(*) FROM passkey WHERE person = ?1", person);

/** Without an event of its own: that of the person who is deleted. */
export const removePasskeysOf = (sql: Writing["sql"], person: string) =>
  sql.run("DELETE FROM passkey WHERE person = ?1", person);

/** False for a challenge that was used before. Those that ended are forgotten: they are refused without this table. */
async function useUp(sql: Writing["sql"], { challenge, expiresAt }: UsedChallenge, nowSeconds: number) {
  await sql.run("DELETE FROM passkey_challenge WHERE expires_at <= ?1", nowSeconds);
  const insert = "INSERT INTO passkey_challenge (challenge, expires_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
  return (await sql.run(insert, challenge, expiresAt)) > 0;
}

/** Stores a passkey of a person who is in the store. Throws passkey_invalid, too_many_passkeys. */
export async function insertPasskey(on: Writing, { passkey, used }: NewPasskey, context: WriteContext): Promise<void> {
  const { sql } = on;
  const { id, person, name, credential, key, transports, counter, createdAt, lastUsedAt, counterBackAt } = passkey;
  if (!(await useUp(sql, used, context.nowSeconds))) throw challengeUsed();
  if (await sql.row("SELECT 1 FROM passkey WHERE credential = ?1", credential)) throw passkeyTaken();
  if ((await countPasskeysOf(sql, person)) >= maxPasskeys) throw problem("too_many_passkeys", { limit: maxPasskeys });
  const values = [
    id,
    person,
    name,
    credential,
    key,
    transports.join(","),
    counter,
    createdAt,
    lastUsedAt,
    counterBackAt,
  ];
  await sql.run(insertOf(passkeyRule).text, ...values);
  await appendAbout(on, "passkey.create", id, context);
}

async function createPasskey(on: Writing, added: NewPasskey, context: WriteContext): Promise<Passkey> {
  const { passkey } = added;
  const person = await on.sql.row("SELECT 1 FROM person WHERE id = ?1 AND state = 'active'", passkey.person);
  if (!person) throw problem("person_not_found", { id: passkey.person });
  await insertPasskey(on, added, context);
  return passkey;
}

/** No event: the session that starts has one. */
async function usePasskey(
  { sql }: Writing,
  id: string,
  counter: number,
  used: UsedChallenge,
  nowSeconds: number,
): Promise<void> {
  const row = await sql.row(
    `SELECT ${columns} FROM passkey JOIN person ON person.id = passkey.person
     WHERE passkey.id = ?1 AND person.state = 'active'`,
    id,
  );
  if (!row || !(await useUp(sql, used, nowSeconds))) throw problem("sign_in_failed");
  const after = afterUse(toPasskey(row), counter, nowSeconds);
  await sql.run(
    "UPDATE passkey SET counter = ?1, last_used_at = ?2, counter_back_at = ?3 WHERE id = ?4",
    after.counter,
    after.lastUsedAt,
    after.counterBackAt,
    id,
  );
}

async function deletePasskey(on: Writing, id: string, person: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  const row = await sql.row(
    `SELECT person.password FROM passkey JOIN person ON person.id = passkey.person
     WHERE passkey.id = ?1 AND passkey.person = ?2`,
    id,
    person,
  );
  if (!row) throw problem("passkey_not_found", { id });
  refuseLastCredential({ password: row[0] as string | null }, (await countPasskeysOf(sql, person)) - 1);
  await sql.run("DELETE FROM passkey WHERE id = ?1", id);
  await appendAbout(on, "passkey.delete", id, context);
}
