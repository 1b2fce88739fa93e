import { type Access, accessAt, reaches, seesPublic } from "../core/access/access.ts";
import type { Slug } from "../core/path.ts";
import type { Visibility } from "./field.ts";

/** Which entries an access may see. Contract §4. */

type Shown = { readonly visibility: Visibility; readonly publishedAt: number };
type ShownEntry = Shown & { readonly slug: Slug };

/** True when a delivery token may fetch the entry by its id. Not inherited from the parent. Contract §4. */
export function isPublic(entry: Shown, nowSeconds: number): boolean {
  return entry.visibility !== "draft" && entry.publishedAt <= nowSeconds;
}

/** True for a draft that no client has dated: its first publish does. Contract §11, Working copies. */
export const isUndated = ({ visibility, publishedAt, createdAt }: Shown & { readonly createdAt: number }): boolean =>
  visibility === "draft" && publishedAt === createdAt;

/** True when a collection for this access may list the entry: `hidden` is readable by id but never listed. */
export function isListed(entry: ShownEntry, access: Access): boolean {
  if (!reaches(access, entry.slug)) return false;
  if (seesPublic(accessAt(access, entry.slug)))
    return entry.visibility === "visible" && entry.publishedAt <= access.nowSeconds;
  return isReadable(entry, access);
}

/** True when this access may fetch the entry by its id. */
export function isReadable(entry: ShownEntry, access: Access): boolean {
  if (!reaches(access, entry.slug)) return false;
  if (seesPublic(accessAt(access, entry.slug))) return isPublic(entry, access.nowSeconds);
  return access.reads !== "nothing";
}
