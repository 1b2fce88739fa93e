import {
  checkScope,
  checkTokenText,
  parseTokenPaths,
  type Token,
  type TokenResource,
  tokenResources,
} from "../core/access/token.ts";
import type { WriteContext } from "../core/event.ts";
import { problem } from "./problems.ts";

/** What a role lets its people do: the rights of a management token. Contract, part three, §19. */
export type Role = Readonly<
  { id: string; title: string } & Pick<Token, "resources" | "paths" | "locales"> & { writes: RoleWrites }
>;

/** `none`: reads only; `staged`: its writes never change what is live. */
export const roleWrites = ["none", "staged", "all"] as const;
export type RoleWrites = (typeof roleWrites)[number];

/** What a role that is not built in may have. */
export const roleResources: readonly TokenResource[] = tokenResources.filter((resource) => resource !== "admin");

const content: readonly TokenResource[] = ["entries", "files", "folders"];

/** The role that makes people and roles. */
export const ownerRole = "owner";

/** The role of who is deleted: another one may go. */
export const leastRole = "viewer";

/** The roles of every store, which cannot be changed. */
export const builtInRoles: readonly Role[] = [
  { id: ownerRole, title: "Owner", resources: tokenResources, paths: null, writes: "all" },
  { id: "editor", title: "Editor", resources: content, paths: null, writes: "all" },
  { id: "author", title: "Author", resources: ["entries", "files"], paths: null, writes: "staged" },
  { id: leastRole, title: "Viewer", resources: content, paths: null, writes: "none" },
];

export const findBuiltIn = (id: string): Role | undefined => builtInRoles.find((role) => role.id === id);

/** The rights of somebody whose role is not there: none. */
export const noRole = (id: string): Role => ({ id, title: "", resources: [], paths: null, writes: "none" });

/** Where roles that are not built in are stored. Each write is one event; it is in force from the next request on. */
export interface RoleStore {
  /** In the order of their ids. */
  list(): Promise<Role[]>;
  /** Creates or replaces the role. Throws too_many_roles. */
  put(role: Role, context: WriteContext): Promise<Role>;
  /** Throws role_not_found, role_in_use. */
  delete(id: string, context: WriteContext): Promise<void>;
}

export const maxRoles = 100;

const idPattern = /^[a-z0-9_-]{1,64}$/;
export const isRoleId = (text: string): boolean => idPattern.test(text);

/** Throws argument_invalid. */
export function parseRoleId(argument: string, text: string): string {
  if (isRoleId(text)) return text;
  const accepted = 'an id of 1 to 64 small letters, digits, "_" and "-"';
  throw problem("argument_invalid", { argument, received: text, accepted });
}

/** Throws role_built_in for a role that cannot be changed. */
export function refuseBuiltIn(id: string): void {
  if (findBuiltIn(id)) throw problem("role_built_in", { id });
}

/** A role as it is sent. */
export type RoleInput = {
  id: string;
  title?: string | undefined;
  resources: readonly TokenResource[];
  paths?: readonly string[] | null | undefined;
  writes: RoleWrites;
  locales?: readonly string[] | null | undefined;
};

/** Validates a role. Throws role_built_in, argument_invalid, path_invalid, text_invalid. */
export function newRole({ id, title = "", resources, paths, writes, locales = null }: RoleInput): Role {
  refuseBuiltIn(id);
  checkTokenText("title", title);
  const foreign = resources.find((resource) => !roleResources.includes(resource));
  if (foreign !== undefined || resources.length === 0) {
    const accepted = `one or more of ${roleResources.join(", ")}`;
    throw problem("argument_invalid", { argument: "resources", received: foreign ?? "an empty list", accepted });
  }
  const role = { id, title, resources: [...new Set(resources)], paths: parseTokenPaths(paths), writes, locales };
  checkScope({ kind: "management", ...role });
  return role;
}

/** A role under the names of the wire. */
export const roleFields = ({ id, title, resources, paths, writes, locales = null }: Role) => ({
  id,
  title,
  resources,
  paths,
  writes,
  locales,
  built_in: findBuiltIn(id) !== undefined,
});
