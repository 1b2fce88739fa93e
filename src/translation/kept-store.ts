import type { WriteContext } from "../core/event.ts";
import { pagesBy } from "../core/lib/in-groups.ts";
import { type Path, parentOf, rebase, type Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import { columnsOf, isWithinSql, type Row, type Sql } from "../core/sql/sql.ts";
import { changeOf, listingOf } from "../entry/listing-rows.ts";
import { entryNames, findEntry, type StoredEntry, toEntry } from "../entry/rows.ts";
import { entryIn, entryVersion } from "../version/version.ts";
import { keepDeleted, toVersion, versionColumns } from "../version/version-store.ts";
import { holderOfName, refuseTakenName } from "./name-store.ts";
import { problem } from "./problems.ts";
import { indexCopy, reindexed } from "./reindex-store.ts";
import {
  blankTranslation,
  insertTranslations,
  isBlank,
  type StoredTranslation,
  stateIn,
  toTranslation,
  translationColumnsOf,
} from "./rows.ts";

/** Translations as their entries move, are copied, deleted, and come back. */

const pageRows = 100;

/** The translations of the entries at and below a path, with these, some at a time. */
function translationsWithin(sql: Sql, path: Path): AsyncGenerator<StoredTranslation[]> {
  const text = `SELECT ${columnsOf("entry", entryNames)}, ${translationColumnsOf("translation")}
    FROM entry JOIN translation ON translation.uuid = entry.uuid
    WHERE ${isWithinSql("entry.slug", "?1")} AND entry.translated = 1 AND (entry.slug, translation.locale) > (?2, ?3)
    ORDER BY entry.slug, translation.locale LIMIT ${pageRows}`;
  return pagesBy(pageRows, async (last?: StoredTranslation) => {
    const rows = await sql.rows(text, path, last?.slug ?? "", last?.locale ?? "");
    return rows.map((row) => toTranslation(toEntry(row), row.slice(entryNames.length)));
  });
}

/** Keeps the translations of all that an event, the item of the trash, is about to delete, and deletes them. */
export async function trashTranslations(
  { sql }: Pick<Writing, "sql">,
  path: Path,
  item: number,
  context: WriteContext,
): Promise<void> {
  for await (const some of translationsWithin(sql, path)) {
    for (const each of some)
      keepDeleted(sql, { noun: "entry", thing: each.uuid, locale: each.locale }, entryVersion(each), item, context);
  }
  await sql.run(
    `DELETE FROM translation WHERE uuid IN (SELECT uuid FROM entry WHERE ${isWithinSql("slug", "?1")} AND translated = 1)`,
    path,
  );
}

/** The entries of an item, by page, each with the versions of its translations. */
async function* keptTranslations(sql: Sql, item: number): AsyncGenerator<[slug: Slug, uuid: string, kept: Row[]][]> {
  const text = `SELECT slug, uuid FROM trash_entry WHERE item = ?1 AND slug > ?2 ORDER BY slug LIMIT ${pageRows}`;
  for await (const places of pagesBy(pageRows, (last?: Row) => sql.rows(text, item, last?.[0] ?? ""))) {
    // One by one, as versionsBefore does.
    const kept = await sql.rowsAll(
      `SELECT locale, ${versionColumns} FROM version
       WHERE noun = 'entry' AND thing = ?1 AND next_revision = ?2 AND locale <> '' ORDER BY locale`,
      places.map(([, uuid]) => [uuid as string, item]),
      ["text", "integer"],
    );
    yield places.map(([slug, uuid], i) => [slug as Slug, uuid as string, kept[i] ?? []]);
  }
}

/** What a version of a translation says. */
function translationIn(entry: StoredEntry, locale: string, version: Row, nowSeconds: number): StoredTranslation {
  const state = toVersion(version);
  const { name, created_at: createdAt, modified_by: modifiedBy } = JSON.parse(state.fields);
  const blank = { ...blankTranslation(entry, locale, nowSeconds), createdAt };
  const translation = { ...blank, ...entryIn(blank, state), name, modifiedBy, revision: state.revision };
  return { ...translation, listing: listingOf(translation, nowSeconds) };
}

/**
 * Brings back the translations of the entries of an item, which are there again. Throws name_taken, unless names that are taken
 * are to be dropped.
 */
export async function returnTranslations(
  { sql }: Writing,
  item: { id: number; path: Path },
  top: Path,
  { dropNames }: { dropNames: boolean },
  { nowSeconds }: WriteContext,
): Promise<void> {
  for await (const page of keptTranslations(sql, item.id)) {
    for (const [slug, , kept] of page.filter(([, , kept]) => kept.length > 0)) {
      const entry = (await findEntry(sql, rebase(slug, item.path, top))) as StoredEntry;
      for (const [locale, ...version] of kept as [string, ...Row][]) {
        const translation = translationIn(entry, locale, version, nowSeconds);
        insertTranslations(sql, [{ ...translation, name: await freeName(sql, translation, dropNames) }]);
      }
    }
  }
  await sql.run(
    `UPDATE entry SET translated = 1 WHERE ${isWithinSql("slug", "?1")} AND (uuid IN (SELECT uuid FROM translation)
       OR uuid IN (SELECT uuid FROM working_copy WHERE published_revision = 0 AND locale <> ''))`,
    top,
  );
}

/** The name, unless another has it: then none, or name_taken. */
async function freeName(sql: Sql, translation: StoredTranslation, drops: boolean): Promise<string | null> {
  const { name } = translation;
  if (name === null) return null;
  if (drops) return (await holderOfName(sql, translation, name)) === undefined ? name : null;
  await refuseTakenName(sql, translation, name, "drop_names");
  return name;
}

/** Brings back a translation that was deleted alone. Throws entry_not_found, translation_exists, name_taken. */
export async function returnTranslation(
  on: Writing,
  item: { id: number; path: Path; locale?: string },
  { dropNames }: { dropNames: boolean },
  context: WriteContext,
): Promise<{ path: Path; revision: number }> {
  const { sql } = on;
  const { id, path, locale = "" } = item;
  const { value } = await keptTranslations(sql, id).next();
  const [[, uuid = "", [[, ...version] = []] = []] = []] = (value ?? []) as [Slug, string, Row[]][];
  const found = await sql.row("SELECT slug FROM entry WHERE uuid = ?1", uuid);
  const entry = found && (await findEntry(sql, found[0] as Slug));
  if (!entry) throw problem("entry_not_found", { id: path });
  if (!isBlank(await stateIn(sql, entry, locale, context.nowSeconds)))
    throw problem("translation_exists", { argument: "id", id: entry.slug, locale });
  const translation = translationIn(entry, locale, version, context.nowSeconds);
  const name = await freeName(sql, translation, dropNames);
  const change = changeOf(undefined, translation, context);
  const revision = await appendWrite(on, "entry.undelete", entry.slug, null, 1, { ...context, locale }, change);
  await reindexed(on, entry, async () => {
    insertTranslations(sql, [{ ...translation, name }]);
    await sql.run("UPDATE entry SET translated = 1 WHERE id = ?1", entry.id);
  });
  return { path: entry.slug, revision };
}

const ownNames = async (sql: Sql, { uuid }: StoredEntry): Promise<[locale: string, name: string][]> =>
  (await sql.rows("SELECT locale, name FROM translation WHERE uuid = ?1 AND name IS NOT NULL", uuid)) as [
    string,
    string,
  ][];

/** Refuses a move that would give two entries below one parent one name. Throws name_taken. */
export async function refuseMovedNames({ sql }: Writing, entry: StoredEntry, newSlug: Slug): Promise<void> {
  if (!entry.translated || parentOf(entry.slug) === parentOf(newSlug)) return;
  for (const [locale, name] of await ownNames(sql, entry))
    await refuseTakenName(sql, { uuid: entry.uuid, slug: newSlug, locale }, name, "new_id");
}

/** Gives the copies of a subtree the translations of its entries; the top leaves out a name that is taken. */
export async function copyTranslations(
  on: Writing,
  { slug, translated = false }: StoredEntry,
  newSlug: Slug,
  { isOne, revision }: { isOne: boolean; revision: number },
  { actor, nowSeconds }: WriteContext,
): Promise<void> {
  if (isOne && !translated) return;
  const { sql } = on;
  const copied = await sql.run(
    `INSERT INTO translation (uuid, locale, name, visibility, published_at, listing, was_public, created_at, modified_at,
         modified_by, revision, sources, data)
     SELECT copy.uuid, translation.locale, translation.name, translation.visibility, translation.published_at,
       translation.listing, 0, ?3, ?3, ?4, ?5, translation.sources, translation.data
     FROM entry AS original JOIN translation ON translation.uuid = original.uuid
       JOIN entry AS copy ON copy.slug = ?2 || substr(original.slug, length(?1) + 1)
     WHERE ${isWithinSql("original.slug", "?1")} AND original.translated = 1`,
    slug,
    newSlug,
    nowSeconds,
    actor,
    revision,
  );
  if (copied === 0) return;
  const top = (await findEntry(sql, newSlug)) as StoredEntry;
  await indexCopy(on, top);
  for (const [locale, name] of await ownNames(sql, top))
    if ((await holderOfName(sql, { ...top, locale }, name)) !== undefined)
      await sql.run("UPDATE translation SET name = NULL WHERE uuid = ?1 AND locale = ?2", top.uuid, locale);
}
