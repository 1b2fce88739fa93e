import type { Access } from "../../../domain/access/access.ts";

/**
 * The rules of domain/access/visibility.ts as SQL. `now` is SQL for the time of the access; it is in the text for every access, so
 * that all texts have the same parameters.
 */

/** SQL for isListed. */
export function isListedSql({ reads }: Access, now: string): string {
  if (reads === "public") return `visibility = 'visible' AND published_at <= ${now}`;
  return reads === "nothing" ? `${now} IS NULL` : `${now} IS NOT NULL`;
}

/** SQL for isPublic at the time in the parameter. */
function isPublicSql(parameter: string): string {
  return `visibility <> 'draft' AND published_at <= ${parameter}`;
}

/** SQL for isReadable. */
export const isReadableSql = (access: Access, now: string): string =>
  access.reads === "public" ? isPublicSql(now) : isListedSql(access, now);
