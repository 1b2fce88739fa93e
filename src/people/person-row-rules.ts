import { formatTokenPaths, readTokenPaths, type TokenResource } from "../core/access/token.ts";
import {
  added,
  type BackupRow,
  fields,
  flag,
  id,
  matching,
  oneOf,
  orNull,
  refused,
  secret,
  text,
  time,
} from "../core/row-column.ts";
import { isLocales, readLocales } from "../translation/locale.ts";
import { isSubject } from "./identity.ts";
import { isPasswordHash } from "./password.ts";
import { deletedState, emailKey, maxPreferencesBytes, parseEmail, parseName, personStates } from "./person.ts";
import { isRoleId, newRole, type RoleWrites, roleWrites } from "./role.ts";

/** The rules of the rows of people and roles: see core/row.ts. */

const roleId = matching(isRoleId, "the id of a role");

export const roleRule = {
  noun: "role",
  columns: {
    id: roleId,
    title: text,
    resources: text,
    paths: text,
    writes: oneOf(roleWrites),
    locales: added(matching(isLocales, "language tags with commas, each once"), () => ""),
  },
  whole: checkRole,
  key: ({ id }: BackupRow) => id,
};

/** Throws as newRole does. */
function checkRole(row: BackupRow): void {
  const resources = String(row.resources).split(",").filter(Boolean) as TokenResource[];
  const paths = readTokenPaths(String(row.paths));
  const role = newRole({
    id: String(row.id),
    title: String(row.title),
    writes: row.writes as RoleWrites,
    resources,
    paths,
    locales: readLocales(String(row.locales)),
  });
  if (role.resources.join() !== row.resources)
    throw refused("resources", row.resources, "names with commas, each once");
  if (formatTokenPaths(role.paths) !== row.paths) throw refused("paths", row.paths, "paths, each once");
}

export const personRule = {
  noun: "person",
  columns: {
    id,
    name: text,
    email: text,
    email_key: orNull(text),
    role: roleId,
    state: oneOf([...personStates, deletedState]),
    password: orNull(secret(isPasswordHash, "an argon2id hash as PHC text")),
    created_at: time,
    last_seen_at: orNull(time),
    issuer: added(orNull(text), () => null),
    subject: added(orNull(matching(isSubject, "the subject of an issuer")), () => null),
    role_claimed: added(flag, () => 0),
    preferences: added(fields(new Set(), maxPreferencesBytes), () => "{}"),
  },
  whole: checkPerson,
  key: ({ id }: BackupRow) => id,
};

/** Throws argument_invalid. */
function checkPerson({ name, email, email_key, state, password, issuer, subject, role_claimed }: BackupRow): void {
  const read = (argument: string, value: unknown, parse: (argument: string, text: string) => string) => {
    if (parse(argument, String(value)) !== value) throw refused(argument, value, "its stored form");
  };
  if (name !== "") read("name", name, parseName);
  if ((issuer === null) !== (subject === null)) throw refused("subject", subject, "a subject with its issuer");
  if (issuer === null && role_claimed !== 0) throw refused("role_claimed", role_claimed, "0 without an issuer");
  if (state === deletedState) {
    if (email !== "" || email_key !== null || password !== null || issuer !== null)
      throw refused("state", state, "no address, no password and no subject for who is deleted");
    return;
  }
  read("email", email, parseEmail);
  if (email_key !== emailKey(String(email))) throw refused("email_key", email_key, "the address without case");
  if (state === "invited" && password !== null) throw refused("state", state, "active, with a password");
  if (state === "invited" && issuer !== null) throw refused("state", state, "active, with a subject");
}
