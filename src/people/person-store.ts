import { isDeepStrictEqual } from "node:util";
import { personActor, personIdOf } from "../core/access/actor.ts";
import type { WriteContext } from "../core/event.ts";
import { after } from "../core/lib/maybe-promise.ts";
import { appendAbout } from "../core/sql/event.ts";
import { KeyCache } from "../core/sql/key-cache.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, isTwice, rowTable } from "../core/sql/rows.ts";
import { numberOf, type Row, type Sql } from "../core/sql/sql.ts";
import { removeViewsOf } from "../view/store.ts";
import { admittedBy } from "./identity.ts";
import type { NewPasskey } from "./passkey.ts";
import { countPasskeysOf, insertPasskey, removePasskeysOf } from "./passkey-store.ts";
import {
  type Asserted,
  deletedState,
  emailKey,
  type Identity,
  type Joining,
  type Member,
  mergedPreferences,
  type Person,
  type PersonChange,
  type PersonCursor,
  type PersonLink,
  type PersonStore,
  refuseLastOwner,
  stateAfter,
} from "./person.ts";
import { personRule } from "./person-row-rules.ts";
import { findMemberSql, personColumns, toMember, toPerson } from "./person-rows.ts";
import { problem } from "./problems.ts";
import { findBuiltIn, leastRole, ownerRole } from "./role.ts";
import { refuseUnknownRole } from "./role-store.ts";
import { endSessionsOf } from "./session-store.ts";

/** Bounds the cache. */
const maxMembers = 10_000;

const selectPerson = `SELECT ${personColumns} FROM person`;
const isOwner = `role = '${ownerRole}' AND state = 'active'`;

export const personNoun = noun({
  writes: { createPerson, updatePerson, deletePerson, linkPerson, joinPerson, enterPerson, rehashPassword },
  point: {
    text: findMemberSql,
    toValue: (row: Row) => toMember(row) as Member,
    cache: () => new KeyCache<Member>({ changedBy: "person", clearedBy: ["role"], max: maxMembers }),
  },
  rows: [
    rowTable(personRule, "id", {
      refusals: [
        [isTwice, "SELECT 1 FROM person WHERE id = ?1", "id"],
        ["another person has the address", "SELECT 1 FROM person WHERE email_key = ?1", "email_key"],
        [
          "another person has the subject",
          "SELECT 1 FROM person WHERE issuer = ?1 AND subject = ?2",
          "issuer",
          "subject",
        ],
      ],
    }),
  ],
  port: ({ sql, point, writes }): PersonStore => ({
    findMember: (id) => point.cached(id),
    namesOf: (actors) => {
      const ids = [...new Set(actors)].flatMap((actor) => personIdOf(actor) ?? []);
      if (ids.length === 0) return new Map();
      const found = point.all(ids, "delivery");
      return after(found, (members) => new Map(members.flatMap((member) => (member ? [nameOf(member)] : []))));
    },
    list: (limit, from) => listPeople(sql, limit, from),
    get: (id) => getPerson(sql, id),
    preferencesOf: (id) => preferencesOf(sql, id),
    findByEmail: async (email) => {
      const row = await sql.row(`${selectPerson} WHERE email_key = ?1`, emailKey(email));
      return row && toPerson(row);
    },
    hasOwner: async () => (await sql.row(`SELECT 1 FROM person WHERE ${isOwner} LIMIT 1`)) !== undefined,
    create: writes.createPerson,
    update: writes.updatePerson,
    delete: writes.deletePerson,
    link: writes.linkPerson,
    findByLink: (hash, nowSeconds) => findByLink(sql, hash, nowSeconds),
    join: writes.joinPerson,
    enter: writes.enterPerson,
    rehash: writes.rehashPassword,
  }),
});

/** Who never gave a name is known by the address. */
const nameOf = ({ person: { id, name, email } }: Member): [actor: string, name: string] => [
  personActor(id),
  name || email,
];

async function listPeople(sql: Sql, limit: number, from?: PersonCursor): Promise<Person[]> {
  const rows = await sql.rows(
    `${selectPerson} WHERE state <> '${deletedState}' AND (created_at > ?1 OR (created_at = ?1 AND id > ?2))
     ORDER BY created_at, id LIMIT ?3`,
    from?.createdAt ?? -1,
    from?.id ?? "",
    limit,
  );
  return rows.map(toPerson);
}

async function getPerson(sql: Sql, id: string): Promise<Person> {
  const row = await sql.row(`${selectPerson} WHERE id = ?1 AND state <> '${deletedState}'`, id);
  if (!row) throw problem("person_not_found", { id });
  return toPerson(row);
}

async function findByLink(sql: Sql, hash: string, nowSeconds: number): Promise<Person | undefined> {
  const row = await sql.row(
    `${selectPerson} JOIN person_link ON person_link.person = person.id
     WHERE person_link.hash = ?1 AND person_link.expires_at > ?2 AND person.state IN ('invited', 'active')`,
    hash,
    nowSeconds,
  );
  return row && toPerson(row);
}

/** Throws person_exists. */
async function refuseTakenEmail(sql: Sql, email: string, id: string): Promise<void> {
  const row = await sql.row("SELECT 1 FROM person WHERE email_key = ?1 AND id <> ?2", emailKey(email), id);
  if (row) throw problem("person_exists", { email });
}

async function createPerson(
  on: Writing,
  person: Person,
  key: PersonLink | NewPasskey | undefined,
  context: WriteContext,
): Promise<Person> {
  const { sql } = on;
  const { id, name, email, role, state, password, identity, createdAt, lastSeenAt } = person;
  await refuseTakenEmail(sql, email, id);
  await refuseUnknownRole(sql, role);
  const values = [
    id,
    name,
    email,
    emailKey(email),
    role,
    state,
    password,
    createdAt,
    lastSeenAt,
    ...identityValues(identity),
    "{}",
  ];
  await sql.run(insertOf(personRule).text, ...values);
  if (key && "hash" in key) await replaceLink(sql, id, key);
  await appendAbout(on, "person.create", id, context);
  if (key && "passkey" in key) await insertPasskey(on, key, context);
  return person;
}

async function updatePerson(on: Writing, id: string, change: PersonChange, context: WriteContext): Promise<Person> {
  const { sql } = on;
  const before = await getPerson(sql, id);
  const { name = before.name, email = before.email, role = before.role } = change;
  const password = change.password?.to ?? before.password;
  const identity = identityAfter(before, change);
  const changed = { ...before, name, email, role, password, identity };
  changed.state = stateAfter(changed, change.state ?? stateBy(before, change), await countPasskeysOf(sql, id));
  if (email !== before.email) await refuseTakenEmail(sql, email, id);
  if (role !== before.role) await refuseUnknownRole(sql, role);
  if (change.identity) await refuseOthersIdentity(sql, change.identity, id);
  if (change.password && change.password.from !== before.password) throw problem("sign_in_failed");
  refuseLastOwner(before, changed, await otherOwners(sql, id));
  await sql.run(
    `UPDATE person SET name = ?1, email = ?2, email_key = ?3, role = ?4, state = ?5, password = ?6, issuer = ?7, subject = ?8,
     role_claimed = ?9 WHERE id = ?10`,
    name,
    email,
    emailKey(email),
    role,
    changed.state,
    changed.password,
    ...identityValues(changed.identity),
    id,
  );
  if (change.preferences !== undefined) await mergePreferences(sql, id, change.preferences);
  const isOther = identity !== before.identity;
  // Of another subject's person they may be.
  if (changed.state === "disabled" || (isOther && before.identity)) await endAccess(sql, id);
  else if (change.password) await endAccess(sql, id, change.password.session);
  // It was sent to the address before, or is not needed any more.
  else if (isOther || emailKey(email) !== emailKey(before.email)) await endLink(sql, id);
  await appendAbout(on, "person.update", id, context);
  return changed;
}

/** The same subject again keeps its role where the issuer gave it. */
function identityAfter({ identity }: Person, { identity: asked }: PersonChange): Identity | null {
  if (asked === null) return null;
  const isSame = identity?.issuer === asked?.issuer && identity?.subject === asked?.subject;
  return asked && !isSame ? { ...asked, isRoleClaimed: false } : identity;
}

/** Who is bound can sign in; who is bound no more can with another credential. */
const stateBy = ({ state }: Person, { identity }: PersonChange): "active" | undefined =>
  (identity && state === "invited") || (identity === null && state === "active") ? "active" : undefined;

async function refuseOthersIdentity(sql: Sql, { issuer, subject }: Pick<Identity, "issuer" | "subject">, id: string) {
  const other = await sql.row(
    "SELECT id FROM person WHERE issuer = ?1 AND subject = ?2 AND id <> ?3",
    issuer,
    subject,
    id,
  );
  if (other) throw problem("subject_taken", { subject });
}

async function preferencesOf(sql: Sql, id: string): Promise<string> {
  const row = await sql.row("SELECT preferences FROM person WHERE id = ?1", id);
  return String(row?.[0] ?? "{}");
}

/** The columns of tables that people chose for themselves, as the admin page keeps them: `columns:` and a path. */
export async function columnsOfPeople(
  sql: Pick<Sql, "rows">,
): Promise<{ id: string; key: string; columns: string[] }[]> {
  const rows = await sql.rows(`SELECT id, preferences FROM person WHERE preferences LIKE '%"columns:%' ORDER BY id`);
  return rows.flatMap(([id, text]) =>
    Object.entries(JSON.parse(String(text)) as Record<string, unknown>)
      .filter(([key, value]) => key.startsWith("columns:") && isTexts(value))
      .map(([key, value]) => ({ id: String(id), key, columns: value as string[] })),
  );
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");

/** Merges by key; throws data_too_large. */
export async function mergePreferences(sql: Writing["sql"], id: string, patch: string): Promise<void> {
  const merged = mergedPreferences(await preferencesOf(sql, id), patch);
  await sql.run("UPDATE person SET preferences = ?1 WHERE id = ?2", merged, id);
}

async function deletePerson(on: Writing, id: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  const before = await getPerson(sql, id);
  refuseLastOwner(before, { ...before, state: deletedState }, await otherOwners(sql, id));
  await sql.run(
    `UPDATE person SET name = ?1, email = '', email_key = NULL, password = NULL, role = ?2, state = '${deletedState}',
       issuer = NULL, subject = NULL, role_claimed = 0, preferences = '{}'
     WHERE id = ?3`,
    before.name || before.email,
    leastRole,
    id,
  );
  await endAccess(sql, id);
  await removePasskeysOf(sql, id);
  await removeViewsOf(sql, id);
  await appendAbout(on, "person.delete", id, context);
}

const otherOwners = (sql: Sql, id: string): Promise<number> =>
  numberOf(sql, `SELECT count(*) FROM person WHERE ${isOwner} AND id <> ?1`, id);

/** Ends the sessions of a person, and the link. */
async function endAccess(sql: Sql, id: string, exceptSession = ""): Promise<void> {
  await endSessionsOf(sql, personActor(id), exceptSession);
  await endLink(sql, id);
}

const endLink = (sql: Sql, id: string) => sql.run("DELETE FROM person_link WHERE person = ?1", id);

async function linkPerson(on: Writing, id: string, link: PersonLink, context: WriteContext): Promise<Person> {
  const { sql } = on;
  const person = await getPerson(sql, id);
  if (person.state === "disabled") throw problem("person_disabled", { id });
  await replaceLink(sql, id, link);
  await appendAbout(on, "person.link", id, context);
  return person;
}

async function replaceLink(sql: Writing["sql"], id: string, { hash, expiresAt }: PersonLink): Promise<void> {
  await endLink(sql, id);
  await sql.run("INSERT INTO person_link (hash, person, expires_at) VALUES (?1, ?2, ?3)", hash, id, expiresAt);
}

async function joinPerson(on: Writing, hash: string, joining: Joining, context: WriteContext): Promise<Person> {
  const { sql } = on;
  const person = await findByLink(sql, hash, context.nowSeconds);
  if (!person) throw problem("sign_in_link_invalid");
  const { name = person.name, password, passkey } = joining;
  const by = { ...context, actor: personActor(person.id) };
  const update = "UPDATE person SET name = ?1, password = ?2, state = 'active' WHERE id = ?3";
  await sql.run(update, name, password, person.id);
  await endAccess(sql, person.id);
  await appendAbout(on, "person.join", person.id, by);
  if (passkey) await insertPasskey(on, passkey, by);
  return { ...person, name, password, state: "active" };
}

async function enterPerson(on: Writing, asserted: Asserted, context: WriteContext): Promise<Person> {
  const { sql } = on;
  const { issuer, subject } = asserted.identity;
  const bound = await sql.row(`${selectPerson} WHERE issuer = ?1 AND subject = ?2`, issuer, subject);
  const before = bound && toPerson(bound);
  const linked = before ? undefined : await findLinked(sql, asserted.emailKey, context.nowSeconds);
  const roles = new Set((await sql.rows("SELECT id FROM role")).map(([id]) => id));
  const isRole = (id: string) => findBuiltIn(id) !== undefined || roles.has(id);
  const person = admittedBy(asserted, { bound: before, linked, isRole });
  if (before && isDeepStrictEqual(before, person)) return before;
  if (before) refuseLastOwner(before, person, await otherOwners(sql, before.id));
  await sql.run(
    `UPDATE person SET name = ?1, role = ?2, state = ?3, issuer = ?4, subject = ?5, role_claimed = ?6 WHERE id = ?7`,
    person.name,
    person.role,
    person.state,
    ...identityValues(person.identity),
    person.id,
  );
  if (!before) await endAccess(sql, person.id);
  await appendAbout(on, before ? "person.update" : "person.join", person.id, {
    ...context,
    actor: personActor(person.id),
  });
  return person;
}

async function findLinked(sql: Sql, key: string | undefined, nowSeconds: number): Promise<Person | undefined> {
  if (key === undefined) return undefined;
  const row = await sql.row(
    `${selectPerson} JOIN person_link ON person_link.person = person.id
     WHERE person.email_key = ?1 AND person_link.expires_at > ?2`,
    key,
    nowSeconds,
  );
  return row && toPerson(row);
}

const identityValues = (identity: Identity | null): [issuer: string | null, subject: string | null, number] =>
  identity ? [identity.issuer, identity.subject, Number(identity.isRoleClaimed)] : [null, null, 0];

/** No event: nothing that a person sees changes, and a cache needs no new hash. */
async function rehashPassword({ sql }: Writing, id: string, { from, to }: { from: string; to: string }): Promise<void> {
  await sql.run("UPDATE person SET password = ?1 WHERE id = ?2 AND password = ?3", to, id, from);
}
