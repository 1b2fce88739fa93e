import { localeRefusals, locales, paths } from "../access/token-routes.ts";
import { manages, writes } from "../core/http/auth.ts";
import { data, noContent, tagged } from "../core/http/reply.ts";
import { argument, type Route, route, textReader, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { type Locales, parseLocales } from "../translation/locale.ts";
import { roleObject } from "./person-wire.ts";
import {
  builtInRoles,
  newRole,
  parseRoleId,
  type Role,
  type RoleInput,
  type RoleStore,
  refuseBuiltIn,
  roleFields,
  roleResources,
  roleWrites,
} from "./role.ts";

const id = argument(
  Type.String({ description: 'The role: 1 to 64 small letters, digits, "_" and "-".' }),
  textReader((name, text) => parseRoleId(name, text), "the id of a role"),
);

/** /api/roles: what people may do, for owners and management tokens with `admin`. Contract, part three, §19. */
export function roleRoutes(store: RoleStore, known: Locales | undefined): Route[] {
  const url = "/api/roles";
  return [
    route({
      method: "GET",
      url,
      summary: "List the roles",
      need: manages("admin"),
      arguments: {},
      reply: Type.Array(roleObject, { description: "Those that are built in, then the others by id." }),
      problems: [],
      handle: async () => tagged(JSON.stringify([...builtInRoles, ...(await store.list())].map(roleFields))),
    }),
    route({
      method: "PUT",
      url,
      summary: "Create or replace a role",
      need: writes("admin"),
      arguments: {
        id,
        title: Type.Optional(
          Type.String({ maxLength: 200, description: "A line of at most 200 characters. Defaults to none." }),
        ),
        resources: Type.Array(oneOf(roleResources, "A resource."), {
          description: `A list of ${roleResources.join(", ")}.`,
        }),
        paths,
        writes: oneOf(roleWrites, "Whether its people change nothing, working copies alone, or what is live."),
        locales,
      },
      reply: roleObject,
      problems: ["role_built_in", "too_many_roles", "path_invalid", ...localeRefusals],
      handle: async (call, args) => {
        const input = { ...args, locales: parseLocales(known, args.locales) } as RoleInput;
        const role: Role = await store.put(newRole(input), writerOf(call));
        return data(JSON.stringify(roleFields(role)));
      },
    }),
    route({
      method: "DELETE",
      url,
      summary: "Delete a role that nobody has",
      need: writes("admin"),
      arguments: { id },
      problems: ["role_not_found", "role_built_in", "role_in_use"],
      handle: async (call, { id }) => {
        refuseBuiltIn(id);
        await store.delete(id, writerOf(call));
        return noContent;
      },
    }),
  ];
}
