import { type Access, accessAt, reaches, seesPublic } from "../core/access/access.ts";
import { sourceLocale } from "../translation/locale.ts";
import type { Entry } from "./entry.ts";

/** Which entries an access may see. Contract §4. */

/** True when a delivery token may fetch the entry by its id. Not inherited from the parent. Contract §4. */
export function isPublic(entry: Pick<Entry, "visibility" | "publishedAt">, nowSeconds: number): boolean {
  return entry.visibility !== "draft" && entry.publishedAt <= nowSeconds;
}

/** True where the entry is public in the locale of the access at all. Contract §24, Writes. */
const isInLocale = ({ onlyLocales }: Pick<Entry, "onlyLocales">, { locale }: Access): boolean =>
  !onlyLocales || onlyLocales.includes(JSON.stringify(locale?.own ?? sourceLocale));

/** False for a read of nothing but a locale in which the entry has no translation that the reader may see. */
const isThere = (entry: Entry, { locale }: Access): boolean =>
  !locale?.isStrict || entry.layers?.[0]?.locale === locale.own;

/** True when a collection for this access may list the entry: `hidden` is readable by id but never listed. */
export function isListed(entry: Entry, access: Access): boolean {
  if (!reaches(access, entry.slug) || !isThere(entry, access)) return false;
  if (seesPublic(accessAt(access, entry.slug)))
    return isInLocale(entry, access) && entry.visibility === "visible" && entry.publishedAt <= access.nowSeconds;
  return isReadable(entry, access);
}

/** True when this access may fetch the entry by its id. */
export function isReadable(entry: Entry, access: Access): boolean {
  if (!reaches(access, entry.slug) || !isThere(entry, access)) return false;
  if (seesPublic(accessAt(access, entry.slug))) return isInLocale(entry, access) && isPublic(entry, access.nowSeconds);
  return access.reads !== "nothing";
}
