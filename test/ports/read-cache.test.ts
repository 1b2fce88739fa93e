import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event, EventKind } from "../../src/core/event.ts";
import { ReadCache } from "../../src/core/sql/read-cache.ts";
import type { RowCache } from "../../src/core/sql/row-cache.ts";
import type { StoredEntry } from "../../src/entry/rows.ts";
import type { StoredFile } from "../../src/file/rows.ts";
import { allNouns } from "../../src/nouns.ts";

const slugs = ["a", "a/b", "a/b/c", "a-b", "z"];
type Caches = { entries: RowCache<StoredEntry>; files: RowCache<StoredFile> };
const paths = ["a", "a/b.txt", "a/b/c.txt", "a-b.txt", "z.txt"];

/** Fills a cache with these entries and files; returns those left after the event. */
function left(kind: EventKind, subject: string, target: string | null, count: number) {
  const cache = new ReadCache(allNouns, 1e6);
  const of = cache.of as Caches;
  for (const [id, slug] of slugs.entries()) of.entries.put({ id, slug, data: "{}" } as unknown as StoredEntry);
  for (const [id, path] of paths.entries()) {
    of.files.put({ id, path, meta: "", description: "" } as unknown as StoredFile);
  }
  cache.apply({ kind, subject, target, count } as Event);
  return {
    entries: slugs.filter((slug) => of.entries.get(slug)),
    files: paths.filter((path) => of.files.get(path)),
  };
}

test("a deleted or moved subtree is evicted with everything at or below either path", () => {
  assert.deepEqual(left("entry.delete", "a", null, 3), { entries: ["a-b", "z"], files: paths });
  assert.deepEqual(left("entry.move", "z", "a", 2), { entries: ["a-b"], files: paths });
  const files = ["a-b.txt", "z.txt"];
  assert.deepEqual(left("folder.delete", "a", null, 4), { entries: slugs, files });
  assert.deepEqual(left("folder.move", "a", "elsewhere", 4), { entries: slugs, files });
  assert.deepEqual(left("folder.move", "elsewhere", "a", 4), { entries: slugs, files });
});

test("an event of a newer version evicts what it names", () => {
  assert.deepEqual(left("entry.live" as EventKind, "a", null, 1), { entries: slugs.slice(1), files: paths });
});

test("an entry read at its new path is not cached at the old one", () => {
  const cache = new ReadCache(allNouns, 1e6).of as Caches;
  const at = (slug: string) => ({ id: 7, slug, data: "{}" }) as unknown as StoredEntry;
  cache.entries.put(at("old"));
  cache.entries.put(at("new"));
  assert.equal(cache.entries.get("old"), undefined);
  assert.equal(cache.entries.get("new"), cache.entries.getById(7));
  cache.entries.forget("new");
  assert.equal(cache.entries.getById(7), undefined);
});

test("an event of one entry evicts only that entry", () => {
  assert.deepEqual(left("entry.delete", "a", null, 1), { entries: slugs.slice(1), files: paths });
  assert.deepEqual(left("entry.move", "z", "a", 1), { entries: ["a/b", "a/b/c", "a-b"], files: paths });
  assert.deepEqual(left("folder.delete", "a/empty", null, 1), { entries: slugs, files: paths });
  assert.deepEqual(left("file.move", "a/b.txt", "z.txt", 1), {
    entries: slugs,
    files: ["a", "a/b/c.txt", "a-b.txt"],
  });
});
