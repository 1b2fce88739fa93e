import type { Access } from "../../../domain/access.ts";
import type { CollectionItem, CollectionQuery } from "../../../domain/collection.ts";
import { type Entry, formatEntry, isListed, serviceFields } from "../../../domain/entry.ts";
import { isWithin } from "../../../domain/path.ts";
import type { StoredEntry } from "./entry-row.ts";

/** Those of the entries that a collection for this access may have, as items. */
export async function* toItems(
  batches: AsyncGenerator<StoredEntry[]>,
  query: CollectionQuery,
  access: Access,
): AsyncGenerator<CollectionItem[]> {
  for await (const entries of batches) {
    yield entries.filter((entry) => mayHave(query, access, entry)).map(entryItem);
  }
}

/** True for an entry that a collection for this access may have. */
export const mayHave = ({ path }: CollectionQuery, access: Access, entry: Entry): boolean =>
  isWithin(entry.slug, path) && isListed(entry, access);

/**
 * An entry as an item of the collection's rules: one item for each entry object, so that a cached entry is parsed once.
 */
export function entryItem(entry: Entry): CollectionItem {
  let item = items.get(entry);
  if (!item) {
    item = {
      path: entry.slug,
      json: formatEntry(entry),
      modifiedAt: entry.modifiedAt,
      createdAt: entry.createdAt,
      size: Buffer.byteLength(entry.data),
      serviceKeys: serviceFields,
    };
    items.set(entry, item);
  }
  return item;
}

const items = new WeakMap<Entry, CollectionItem>();
