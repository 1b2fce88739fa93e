import { type Access, accessAt, seesPublic } from "../core/access/access.ts";
import { type Path, parentOf, rootPath, type Slug } from "../core/path.ts";
import type { Sql } from "../core/sql/sql.ts";
import { listing } from "../entry/listing-rows.ts";
import type { StoredEntry } from "../entry/rows.ts";
import { problem } from "./problems.ts";
import type { EntryNames } from "./translation.ts";

/** The names of entries in a locale, of which their paths there are made. Contract §24, Paths. */

/** SQL for the entries below the parent ?3 with this explicit name: by the name, since a parent may have many below it. */
const namedBelow = `FROM translation {join_in_order} entry ON entry.uuid = translation.uuid AND entry.translated = 1
  {join_in_order} parent ON parent.id = entry.parent
  WHERE translation.locale = ?1 AND translation.name = ?2 AND parent.path = ?3`;

/** SQL for 1 where the public may know the name: that of a draft or of what is hidden never comes out. */
const isPublicSql = ({ nowSeconds }: Access): string =>
  `CASE WHEN translation.listing IN (${listing.listed}, ${listing.scheduled}) AND translation.published_at <= ${nowSeconds}
     AND entry.visibility <> 'draft' AND entry.published_at <= ${nowSeconds} THEN 1 ELSE 0 END`;

const isKnown = (access: Access, slug: Path, isPublic: number): boolean =>
  isPublic === 1 || !seesPublic(accessAt(access, slug));

type Named = Pick<StoredEntry, "uuid" | "slug" | "locale">;

/** The neighbour that has the name in its locale; undefined where it is free. */
export async function holderOfName(
  sql: Pick<Sql, "row">,
  { uuid, slug, locale }: Named,
  name: string,
): Promise<Slug | undefined> {
  const found = await sql.row(
    `SELECT entry.slug ${namedBelow} AND entry.uuid <> ?4 LIMIT 1`,
    locale ?? "",
    name,
    parentOf(slug),
    uuid,
  );
  return found?.[0] as Slug | undefined;
}

/** Throws name_taken. */
export async function refuseTakenName(
  sql: Pick<Sql, "row">,
  entry: Named,
  name: string,
  argument = "name",
): Promise<void> {
  const id = await holderOfName(sql, entry, name);
  if (id !== undefined) throw problem("name_taken", { argument, name, locale: entry.locale ?? "", id });
}

/**
 * The id of the entry at a path in the locale of the access: each segment is an explicit name, of the first locale of the
 * chain that has it, or a slug. Undefined where there is no such entry.
 */
export async function resolvePath(sql: Sql, path: string, access: Access): Promise<Slug | undefined> {
  let at: Path = rootPath;
  for (const segment of path.split("/")) at = (await namedChild(sql, at, segment, access)) ?? childPath(at, segment);
  return at === rootPath ? undefined : at;
}

const childPath = (parent: Path, segment: string): Path =>
  (parent === rootPath ? segment : `${parent}/${segment}`) as Path;

async function namedChild(sql: Sql, parent: Path, segment: string, access: Access): Promise<Path | undefined> {
  for (const locale of access.locale?.chain ?? []) {
    const row = await sql.row(`SELECT entry.slug, ${isPublicSql(access)} ${namedBelow}`, locale, segment, parent);
    const [slug, isPublic] = (row ?? []) as [Path?, number?];
    if (slug !== undefined && isKnown(access, slug, isPublic ?? 0)) return slug;
  }
  return undefined;
}

const namesText = (access: Access): string => `SELECT entry.slug, translation.locale, translation.name,
    ${isPublicSql(access)}
  FROM entry JOIN translation ON translation.uuid = entry.uuid
  WHERE entry.slug = ?1 AND entry.translated = 1 AND translation.name IS NOT NULL`;

const publicText = `SELECT translation.locale FROM entry JOIN translation ON translation.uuid = entry.uuid
  WHERE entry.slug = ?1 AND entry.translated = 1 AND translation.visibility = 'visible' AND translation.published_at <= ?2`;

/** As TranslationStore.names. */
export async function namesOf(sql: Sql, slugs: readonly Slug[], access: Access): Promise<EntryNames[]> {
  const paths = new Set<Path>();
  for (const slug of slugs) for (let at: Path = slug; at !== rootPath; at = parentOf(at)) paths.add(at);
  const rows = await sql.rowsAll(
    namesText(access),
    [...paths].map((path) => [path]),
    ["text"],
  );
  const names = new Map<Path, Map<string, string>>();
  for (const [slug, locale, name, isPublic] of rows.flat() as [Path, string, string, number][])
    if (isKnown(access, slug, isPublic)) names.set(slug, (names.get(slug) ?? new Map()).set(locale, name));
  const found = await sql.rowsAll(
    publicText,
    slugs.map((slug) => [slug, access.nowSeconds]),
    ["text", "integer"],
  );
  return found.map((locales) => ({ names, locales: locales.map(([locale]) => locale as string) }));
}
