import { formatTokenPaths } from "../core/access/token.ts";
import type { WriteContext } from "../core/event.ts";
import { appendAbout } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, rowTable } from "../core/sql/rows.ts";
import { numberOf, type Sql } from "../core/sql/sql.ts";
import { formatLocales } from "../translation/locale.ts";
import { roleRule } from "./person-row-rules.ts";
import { roleColumns, toRole } from "./person-rows.ts";
import { problem } from "./problems.ts";
import { builtInRoles, findBuiltIn, maxRoles, type Role, type RoleStore } from "./role.ts";

export const roleNoun = noun({
  writes: { putRole, deleteRole },
  rows: [rowTable(roleRule, "id")],
  relations: [
    {
      query: `SELECT person.role, person.id FROM person LEFT JOIN role ON role.id = person.role
        WHERE role.id IS NULL AND person.role NOT IN (${builtInRoles.map(({ id }) => `'${id}'`).join(", ")})`,
      says: (role, person) => `The person ${person} has the role ${role}, which does not exist`,
    },
  ],
  port: ({ sql, writes }): RoleStore => ({
    list: async () => (await sql.rows(`SELECT ${roleColumns} FROM role ORDER BY id`)).map(toRole),
    put: writes.putRole,
    delete: writes.deleteRole,
  }),
});

/** Throws role_not_found. */
export async function refuseUnknownRole(sql: Sql, id: string): Promise<void> {
  if (findBuiltIn(id) || (await hasRole(sql, id))) return;
  throw problem("role_not_found", { argument: "role", role: id });
}

const hasRole = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.row("SELECT 1 FROM role WHERE id = ?1", id)) !== undefined;

async function putRole(on: Writing, role: Role, context: WriteContext): Promise<Role> {
  const { sql } = on;
  const { id, title, resources, paths, writes, locales } = role;
  if (await hasRole(sql, id)) await sql.run("DELETE FROM role WHERE id = ?1", id);
  else if ((await numberOf(sql, "SELECT count(*) FROM role")) >= maxRoles)
    throw problem("too_many_roles", { limit: maxRoles });
  const texts = [resources.join(","), formatTokenPaths(paths), writes, formatLocales(locales)];
  await sql.run(insertOf(roleRule).text, id, title, ...texts);
  await appendAbout(on, "role.put", id, context);
  return role;
}

async function deleteRole(on: Writing, id: string, context: WriteContext): Promise<void> {
  const { sql } = on;
  if (!(await hasRole(sql, id))) throw problem("role_not_found", { argument: "id", role: id });
  const holder = await sql.row("SELECT 1 FROM person WHERE role = ?1 AND state <> 'deleted'", id);
  if (holder) throw problem("role_in_use", { id });
  await sql.run("DELETE FROM role WHERE id = ?1", id);
  await appendAbout(on, "role.delete", id, context);
}
