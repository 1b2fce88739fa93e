import { type Access, accessAt, reaches, seesPublic } from "../core/access/access.ts";
import type { Entry } from "./entry.ts";

/** Which entries an access may see. Contract §4. */

/** True when a delivery token may fetch the entry by its id. Not inherited from the parent. Contract §4. */
export function isPublic(entry: Pick<Entry, "visibility" | "publishedAt">, nowSeconds: number): boolean {
  return entry.visibility !== "draft" && entry.publishedAt <= nowSeconds;
}

/** True when a collection for this access may list the entry: `hidden` is readable by id but never listed. */
export function isListed(entry: Entry, access: Access): boolean {
  if (!reaches(access, entry.slug)) return false;
  if (seesPublic(accessAt(access, entry.slug)))
    return entry.visibility === "visible" && entry.publishedAt <= access.nowSeconds;
  return isReadable(entry, access);
}

/** True when this access may fetch the entry by its id. */
export function isReadable(entry: Entry, access: Access): boolean {
  if (!reaches(access, entry.slug)) return false;
  if (seesPublic(accessAt(access, entry.slug))) return isPublic(entry, access.nowSeconds);
  return access.reads !== "nothing";
}
