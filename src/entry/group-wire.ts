import { type Access, readerOf } from "../core/access/access.ts";
import { type GroupHeaders, groupsFor } from "../core/http/cache-group.ts";
import type { Call } from "../core/http/call.ts";
import type { PageGroups } from "../core/http/collection-page.ts";
import {
  ancestorsOf,
  entryGroup,
  entryListGroups,
  localizedGroups,
  parentGroup,
  typeGroup,
} from "../core/list/cache-group.ts";
import { type Path, parentOf, rootPath } from "../core/path.ts";
import type { Locales } from "../translation/locale.ts";
import type { Entry, EntryStore } from "./entry.ts";
import { isPublic, isReadable } from "./visibility.ts";

/** The cache groups of reads of entries. Contract, part three, §12; in a locale §24, Reads in a locale. */

type Entries = Pick<EntryStore, "find" | "findAll">;

/** The cache groups with those of the chain. */
export const inChain = (groups: readonly string[], { locale }: Access): string[] =>
  localizedGroups(groups, locale?.chain);

/** Those of a reply that was asked for by a path: which entries have the names in it. */
export const byPath = (call: Call, id: Path): string[] =>
  call.query.has("path") ? ancestorsOf(id).map(parentGroup) : [];

/** Those of the names in the path of what is at an id: of what is public there and above it, or would be found there. */
export async function namedAbove(entries: Pick<EntryStore, "findAll">, id: Path, access: Access): Promise<string[]> {
  const paths = [id, ...ancestorsOf(id)].filter((path) => path !== rootPath);
  const found = await entries.findAll(paths, readerOf(access));
  return paths.map((path, i) => {
    const entry = found[i];
    return entry && isPublic(entry, access.nowSeconds) ? entryGroup(entry.uuid) : parentGroup(parentOf(path));
  });
}

/** True for what may be read at its id, whatever it says in the locale. */
const isThere = (entry: Entry, { locale, ...access }: Access): boolean =>
  isReadable(entry, { ...access, locale: locale && { ...locale, isStrict: false } });

/** Those of a list; undefined where its reply has none. `hasPaths`: it says the paths of its entries in all locales. */
export function pageGroups(
  entries: Entries,
  { groups, locales }: { groups: GroupHeaders | undefined; locales: Locales | undefined },
  access: Access,
  { isHtml, hasPaths, included }: { isHtml: boolean; hasPaths: boolean; included: () => readonly string[] },
): PageGroups | undefined {
  const headers = groupsFor(access, groups);
  if (!headers) return undefined;
  // What is at the path is there in every locale: see existsSql.
  const findOwn = async (path: Path) => {
    const entry = await entries.find(path, readerOf(access));
    return entry && isThere(entry, access) ? entry : undefined;
  };
  const pathGroups = async (path: Path) => [
    ...localizedGroups([parentGroup(path)], locales?.all.slice(1)),
    ...(await namedAbove(entries, path, access)),
  ];
  return {
    headers,
    of: async (query, isEmpty) => [
      ...inChain([...(await entryListGroups(query, isEmpty, findOwn)), ...included()], access),
      ...(isHtml ? [typeGroup] : []),
      ...(hasPaths ? await pathGroups(query.path) : []),
    ],
  };
}
