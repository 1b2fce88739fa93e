import { useQuery } from "@tanstack/react-query";
import { type Entry, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { ancestorsOf } from "../api/path.ts";
import { plural } from "../ui/format.ts";
import { queries } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";
import { entryKey, rereadEntries } from "./query.ts";

const keyOf = (slug: string): string => `entry:${slug}`;

/** Whether an entry is being deleted, itself or with an ancestor. */
export const isHidden = (hidden: ReadonlySet<string>, slug: string): boolean =>
  hidden.size > 0 && [slug, ...ancestorsOf(slug)].some((path) => hidden.has(keyOf(path)));

/** Removes descendants of other entries of the list: an action on an entry includes its descendants. */
export function topmost<T extends { slug: string }>(entries: readonly T[]): T[] {
  const slugs = new Set(entries.map(({ slug }) => slug));
  return entries.filter(({ slug }) => !ancestorsOf(slug).some((above) => slugs.has(above)));
}

/** Deletes entries with their descendants, with one undo for all. */
export function deleteEntries(entries: readonly Entry[]): void {
  const chosen = topmost(entries);
  const deletions = chosen.map((entry) => ({
    key: keyOf(entry.slug),
    name: titleOf(entry),
    more: <Below slug={entry.slug} />,
    send: (keepalive: boolean) => octavo.entries.delete(entry.slug, { keepalive }),
  }));
  deleteWithUndo(deletions, () => {
    for (const { slug } of chosen) queries.removeQueries({ queryKey: entryKey(slug) });
    return rereadEntries();
  });
}

/** The number of entries that are deleted together with an entry. */
function Below({ slug }: { slug: string }) {
  const { data = 0 } = useQuery({
    queryKey: ["collection", slug, "below"],
    queryFn: () => octavo.entries.count(slug, { depth: "*" }),
  });
  return data > 0 && `and ${plural(data, "entry", "entries")} below it`;
}
