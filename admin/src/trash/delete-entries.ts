import { type Entry, titleOf } from "../api/entry.ts";
import { ancestorsOf } from "../api/path.ts";
import { rereadAll } from "../query/entry.ts";
import { queries } from "../ui/query.ts";
import { moveToTrash } from "./delete.ts";

const keyOf = (slug: string): string => `entry:${slug}`;

/** Whether an entry is being deleted, itself or with an ancestor. */
export const isHidden = (hidden: ReadonlySet<string>, slug: string): boolean =>
  hidden.size > 0 && [slug, ...ancestorsOf(slug)].some((path) => hidden.has(keyOf(path)));

/** Removes descendants of other entries of the list: an action on an entry includes its descendants. */
export function topmost<T extends { slug: string }>(entries: readonly T[]): T[] {
  const slugs = new Set(entries.map(({ slug }) => slug));
  return entries.filter(({ slug }) => !ancestorsOf(slug).some((above) => slugs.has(above)));
}

/** Moves entries with their descendants to the trash, with one undo for all. Resolves to false if the user keeps them. */
export function deleteEntries(entries: readonly Entry[]): Promise<boolean> {
  const chosen = topmost(entries);
  const things = chosen.map((entry) => ({
    noun: "entry" as const,
    path: entry.slug,
    key: keyOf(entry.slug),
    name: titleOf(entry),
  }));
  return moveToTrash(things, () => {
    // Shown again, they would appear as before the deletion. An open editor keeps what was typed into it.
    const isGone = ({ queryKey: [noun, slug] }: { queryKey: readonly unknown[] }): boolean =>
      noun === "entry" && chosen.some((entry) => slug === entry.slug || String(slug).startsWith(`${entry.slug}/`));
    queries.removeQueries({ predicate: isGone, type: "inactive" });
    return rereadAll();
  });
}
