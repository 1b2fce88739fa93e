import type { Role } from "../../../client/src/client.ts";
import type { Resource } from "../api/token.ts";

/** What roles allow, in words. */

type Rights = Pick<Role, "resources" | "paths" | "writes" | "locales">;

const resourceNames: Record<Resource, string> = {
  entries: "entries",
  files: "files",
  folders: "folders",
  registry: "the registry",
  admin: "people, roles and tokens",
};

const list = new Intl.ListFormat("en");
export const listed = (words: readonly string[]): string => list.format(words);

/** What its people do, wherever it is. */
function doingOf({ resources, writes }: Rights): string {
  if (resources.includes("admin")) return "Does everything, and manages people, roles and tokens";
  const things = listed(resources.map((resource) => resourceNames[resource]));
  if (writes === "all") return `Reads and changes ${things}; what is changed is live at once`;
  const [hasEntries, hasFiles] = [resources.includes("entries"), resources.includes("files")];
  const staged = [
    hasEntries && "writes drafts and working copies of entries, which others publish",
    hasFiles && "uploads new files",
  ].filter((part) => part !== false);
  if (writes === "staged" && staged.length > 0) return [`Reads ${things}`, ...staged].join("; ");
  return `Reads ${things}${hasEntries ? ", with drafts" : ""}; changes nothing`;
}

/** What the people of a role may do. */
export const meaningOf = (role: Rights): string =>
  `${doingOf(role)}.${role.paths ? ` Only at and below ${listed(role.paths)}.` : ""}${
    role.locales ? ` Only in ${listed(role.locales)}.` : ""
  }`;
