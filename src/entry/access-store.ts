import { type Access, seesPublic } from "../core/access/access.ts";

/**
 * The rules of entry/visibility.ts as SQL. `now` is SQL for the time of the access; it is in the text for every access, so
 * that all texts have the same parameters.
 */

/** SQL for isListed, of entries without a working copy that the access lays over. */
export function isListedSql(access: Access, now: string): string {
  const { reads } = access;
  if (seesPublic(access)) return `visibility = 'visible' AND published_at <= ${now}`;
  return reads === "nothing" ? `${now} IS NULL` : `${now} IS NOT NULL`;
}

/** SQL for isPublic at the time in the parameter. */
function isPublicSql(parameter: string): string {
  return `visibility <> 'draft' AND published_at <= ${parameter}`;
}

/** SQL for isReadable, of the same. */
export const isReadableSql = (access: Access, now: string): string =>
  seesPublic(access) ? isPublicSql(now) : isListedSql(access, now);
