import { type Access, reachedBelow } from "../core/access/access.ts";
import { childOn, compareText, type Path, rootPath, type Slug } from "../core/path.ts";
import type { EntryChild, EntryStore } from "./entry.ts";

/**
 * The children of a path, as far as the access reaches, in id order, at most `limit`, after `after`; undefined when
 * there is nothing at the path. The way to a path of the access is shown as names without an entry. Contract, part two,
 * §11, Paths.
 */
export async function childrenOf(
  store: EntryStore,
  access: Access,
  id: Path,
  after: Slug | undefined,
  limit: number,
): Promise<EntryChild[] | undefined> {
  const some = reachedBelow(access, id);
  const found = some ? await childrenTo(store, id, some) : await store.children(id, after, limit);
  if (found.length === 0 && !(id === rootPath || (!some && (await isThere(store, id))))) return undefined;
  return some ? found.filter(({ slug }) => !after || compareText(slug, after) > 0).slice(0, limit) : found;
}

/** The children of a path that lead to these paths below it. */
async function childrenTo(store: EntryStore, id: Path, paths: readonly Path[]): Promise<EntryChild[]> {
  const seen = new Map<Slug, EntryChild>();
  for (const path of paths) {
    const slug = childOn(id, path);
    const known = seen.get(slug);
    if (known?.entry || !(await isThere(store, path))) continue;
    const entry = slug === path ? await store.find(path) : undefined;
    const hasChildren = slug !== path || (await store.children(path, undefined, 1)).length > 0;
    seen.set(slug, { slug, entry, hasChildren: hasChildren || known !== undefined });
  }
  return [...seen.values()].sort((a, b) => compareText(a.slug, b.slug));
}

const isThere = async (store: EntryStore, path: Slug): Promise<boolean> =>
  (await store.find(path)) !== undefined || (await store.children(path, undefined, 1)).length > 0;
