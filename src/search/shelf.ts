import { type Access, seesPublic } from "../core/access/access.ts";

/**
 * Documents stand on shelves, by who sees them and in which locale they are read. A reader looks at his shelves alone, so
 * that what he must not see costs him no time.
 */

/** Who sees a document: all; who sees drafts; who does not, where it reads otherwise for those who do. */
type Audience = "all" | "drafts" | "public";

/** Documents that read the same in each locale have this one. */
export const anyLocale = "*";

export const shelfOf = (audience: Audience, locale: string): string => `${audience}:${locale}`;
export const audienceOf = (shelf: string): Audience => shelf.slice(0, shelf.indexOf(":")) as Audience;

/** The shelves of a reader of a locale. */
export function shelvesOf(access: Access, locale: string): string[] {
  const shelves = [shelfOf("all", anyLocale), shelfOf("all", locale)];
  if (!seesPublic(access)) shelves.push(shelfOf("drafts", anyLocale), shelfOf("drafts", locale));
  if (seesPublic(access) || access.unpublished) shelves.push(shelfOf("public", locale));
  return shelves;
}
