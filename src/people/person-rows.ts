import { readTokenPaths, type TokenResource } from "../core/access/token.ts";
import { namesOf } from "../core/sql/rows.ts";
import { columnsOf, type Row } from "../core/sql/sql.ts";
import { readLocales } from "../translation/locale.ts";
import type { Member, Person, PersonState } from "./person.ts";
import { personRule, roleRule } from "./person-row-rules.ts";
import { findBuiltIn, noRole, type Role, type RoleWrites } from "./role.ts";

/** The rows of people and roles. */

/** Not read with each request. */
const apart = ["email_key", "preferences"];
const personNames = namesOf(personRule).filter((column) => !apart.includes(column));
export const personColumns = columnsOf("person", personNames);
export const roleColumns = columnsOf("role", namesOf(roleRule));

/** A person with the role's row, whose columns are null for a role that is built in. */
export const memberColumns = `${personColumns}, ${roleColumns}`;
export const findMemberSql = `SELECT ${memberColumns} FROM person LEFT JOIN role ON role.id = person.role WHERE person.id = ?1`;

type PersonRow = readonly [
  id: string,
  name: string,
  email: string,
  role: string,
  state: PersonState,
  password: string | null,
  createdAt: number,
  lastSeenAt: number | null,
  issuer: string | null,
  subject: string | null,
  isRoleClaimed: number,
];

export function toPerson(row: Row): Person {
  const [id, name, email, role, state, password, createdAt, lastSeenAt, issuer, subject, isRoleClaimed] =
    row as unknown as PersonRow;
  const identity =
    issuer === null || subject === null ? null : { issuer, subject, isRoleClaimed: Number(isRoleClaimed) === 1 };
  return { id, name, email, role, state, password, identity, createdAt, lastSeenAt };
}

type RoleRow = readonly [
  id: string,
  title: string,
  resources: string,
  paths: string,
  writes: RoleWrites,
  locales: string,
];

export function toRole(row: Row): Role {
  const [id, title, resources, paths, writes, locales] = row as unknown as RoleRow;
  return {
    id,
    title,
    writes,
    locales: readLocales(locales),
    resources: resources.split(",").filter(Boolean) as TokenResource[],
    paths: readTokenPaths(paths),
  };
}

/** Undefined for a row without a person, as an outer join has it. */
export function toMember(row: Row): Member | undefined {
  if (row[0] === null) return undefined;
  const person = toPerson(row);
  const own = row.slice(personNames.length);
  return { person, role: findBuiltIn(person.role) ?? (own[0] === null ? noRole(person.role) : toRole(own)) };
}
