import { type Access, seesPublic } from "../core/access/access.ts";
import { isWithinSql } from "../core/sql/sql.ts";
import { sourceLocale } from "../translation/locale.ts";

/**
 * The rules of entry/visibility.ts as SQL. `now` is SQL for the time of the access; it is in the text for every access, so
 * that all texts have the same parameters.
 */

/** SQL for what is public in the locale of the access. Tags of languages need no escapes. */
export const isInLocaleSql = ({ locale }: Pick<Access, "locale">): string =>
  `(only_locales IS NULL OR only_locales LIKE '%"${locale?.own ?? sourceLocale}"%')`;

/** SQL for isOpenAt of an entry; `parameter` makes a value one of the statement. */
export const isOpenSql = ({ unpublished }: Access, parameter: (path: string) => string): string =>
  unpublished ? `(${unpublished.map((path) => isWithinSql("entry.slug", parameter(path))).join(" OR ")})` : "1 = 1";

/** SQL for isListed, of entries without a working copy that the access lays over. `isOpen`: that of isOpenSql, where it is needed. */
export function isListedSql(access: Access, now: string, isOpen: () => string): string {
  const { reads, unpublished } = access;
  const isPublic = `visibility = 'visible' AND published_at <= ${now} AND ${isInLocaleSql(access)}`;
  if (seesPublic(access)) return isPublic;
  if (unpublished) return `(${isOpen()} OR (${isPublic}))`;
  return reads === "nothing" ? `${now} IS NULL` : `${now} IS NOT NULL`;
}

/** SQL for isReadable, of the same. */
export function isReadableSql(access: Access, now: string, isOpen: () => string): string {
  const isPublic = `visibility <> 'draft' AND published_at <= ${now} AND ${isInLocaleSql(access)}`;
  if (seesPublic(access)) return isPublic;
  return access.unpublished ? `(${isOpen()} OR (${isPublic}))` : isListedSql(access, now, isOpen);
}
