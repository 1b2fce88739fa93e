import type { ContentType } from "../../../../client/src/client.ts";
import type { Entry, Visibility } from "../../api/entry.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import { ownOf } from "../form/pointer.ts";
import type { Types } from "../types.ts";

/** An entry to choose, or a path that leads to some. */
export type EntryRow = {
  slug: string;
  /** Undefined for a path without an entry. */
  entry: { title: string; visibility: Visibility; publishedAt: number } | undefined;
  /** The title of its type. */
  type?: string | undefined;
  hasChildren?: boolean;
  /** The path of its picture. */
  picture?: string | undefined;
};

/** Entries as rows, each once; those of these types alone, when there are any. */
export function entryRowsOf(
  entries: readonly Entry[],
  types: Types | undefined,
  narrowed: readonly string[],
): EntryRow[] {
  const rows = new Map<string, EntryRow>();
  for (const each of entries) {
    const { slug, title, visibility, published_at: publishedAt, fieldset } = each;
    const type = types?.typeOf(slug, fieldset);
    if (narrowed.length > 0 && !(type && narrowed.includes(type.id))) continue;
    const entry = { title: typeof title === "string" ? title : "", visibility, publishedAt };
    rows.set(slug, { slug, entry, type: type && (type.title || type.id), picture: pictureOf(each, type) });
  }
  return [...rows.values()];
}

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** The first picture among the files that an entry refers to by its type. */
export const pictureOf = (entry: Entry, type: ContentType | undefined): string | undefined =>
  type && pictureIn(entry, type.schema as Json);

/** Also in an object, such as a picture with its words. */
function pictureIn(data: JsonObject, schema: Json): string | undefined {
  const properties = isObject(schema) ? ownOf(schema, "properties") : undefined;
  if (!isObject(properties)) return undefined;
  for (const [name, field] of Object.entries(properties)) {
    const value = ownOf(data, name);
    const isFile = isObject(field) && ownOf(field, "format") === "file";
    if (isFile && typeof value === "string" && picture.test(value) && !value.includes("://")) return value;
    const inside = isObject(field) && isObject(value) ? pictureIn(value, field) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}
