import type { CollectionItem } from "../core/list/candidate.ts";
import { type Entry, formatEntry } from "./entry.ts";
import { serviceFields } from "./field.ts";

/** An entry as an item of the collection's rules: one item for each entry object, so that a cached entry is parsed once. */
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
