import type { Role } from "../../../client/src/client.ts";
import type { Resource } from "../api/token.ts";
import { language } from "../language/language.ts";
import { say } from "../language/say.ts";

/** What roles allow, in words. */

type Rights = Pick<Role, "resources" | "paths" | "writes" | "locales">;

const resourceNames: Record<Resource, string> = {
  entries: say("entries"),
  files: say("files"),
  folders: say("folders"),
  registry: say("the registry"),
  admin: say("people, roles and tokens"),
};

const list = new Intl.ListFormat(language);
export const listed = (words: readonly string[]): string => list.format(words);

/** What its people do, wherever it is. */
function doingOf({ resources, writes }: Rights): string {
  if (resources.includes("admin")) return say("Does everything, and manages people, roles and tokens");
  const things = listed(resources.map((resource) => resourceNames[resource]));
  if (writes === "all") return say("Reads and changes {things}; what is changed is live at once", { things });
  const [hasEntries, hasFiles] = [resources.includes("entries"), resources.includes("files")];
  const staged = [
    hasEntries && say("writes drafts and working copies of entries, which others publish"),
    hasFiles && say("uploads new files"),
  ].filter((part) => part !== false);
  if (writes === "staged" && staged.length > 0) return [say("Reads {things}", { things }), ...staged].join("; ");
  return hasEntries
    ? say("Reads {things}, with drafts; changes nothing", { things })
    : say("Reads {things}; changes nothing", { things });
}

/** What the people of a role may do. */
export const meaningOf = (role: Rights): string =>
  [
    `${doingOf(role)}.`,
    ...(role.paths ? [say("Only at and below {paths}.", { paths: listed(role.paths) })] : []),
    ...(role.locales ? [say("Only in {locales}.", { locales: listed(role.locales) })] : []),
  ].join(" ");
