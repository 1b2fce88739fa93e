import type { Access } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import { parsePathBelowRoot, type Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { noun, type PortParts, type Writing } from "../core/sql/noun.ts";
import { isTwice, rowTable } from "../core/sql/rows.ts";
import {
  type ChangedEntry,
  type Entry,
  type EntryInput,
  existingEntry,
  type FaultyEntry,
  inOrderOf,
  updatedEntry,
  withFaults,
} from "../entry/entry.ts";
import { changeOf } from "../entry/listing-rows.ts";
import { findEntries, findEntry, type StoredEntry } from "../entry/rows.ts";
import { typesOf } from "../type/cache-store.ts";
import { keysByLocale } from "../working-copy/staged.ts";
import {
  copyTranslations,
  refuseMovedNames,
  returnTranslation,
  returnTranslations,
  trashTranslations,
} from "./kept-store.ts";
import { namesOf, refuseTakenName, resolvePath } from "./name-store.ts";
import { problem } from "./problems.ts";
import { reindexed } from "./reindex-store.ts";
import { restrictEntry } from "./restrict-store.ts";
import { translationRule } from "./row-rules.ts";
import { allTranslations, isBlank, type StoredTranslation, stateIn } from "./rows.ts";
import { deleteTranslations, forgetUntranslated, refuseTranslationFaults, saveTranslation } from "./save-store.ts";
import { inLocale } from "./seen-store.ts";
import { knownSource, setSource } from "./source-store.ts";
import {
  changedSources,
  refuseSharedFields,
  type TranslatedEntry,
  type TranslationInput,
  type TranslationStore,
} from "./translation.ts";

export const translationNoun = noun({
  links: {
    saveTranslation,
    refuseTranslationFaults,
    forgetUntranslated,
    inLocale,
    stateIn,
    trashTranslations,
    returnTranslations,
    returnTranslation,
    refuseMovedNames,
    copyTranslations,
  },
  writes: { putTranslation, deleteTranslation, restrictEntry, setSource },
  rows: [
    rowTable(translationRule, "uuid, locale", {
      refusals: [[isTwice, "SELECT 1 FROM translation WHERE uuid = ?1 AND locale = ?2", "uuid", "locale"]],
    }),
  ],
  relations: [
    {
      query: `SELECT translation.uuid, translation.locale FROM translation
        LEFT JOIN entry ON entry.uuid = translation.uuid AND entry.translated = 1 WHERE entry.id IS NULL`,
      says: (uuid, locale) => `The translation of ${uuid} in ${locale} belongs to no entry`,
    },
  ],
  port: ({ sql, links, writes }): TranslationStore => ({
    findAll: (slugs, access, byId) => findAll({ sql, links }, slugs, access, byId),
    find: (slug) => findTranslated({ sql, links }, slug),
    resolve: (path, access) => resolvePath(sql, path, access),
    names: (slugs, access) => namesOf(sql, slugs, access),
    put: writes.putTranslation,
    delete: writes.deleteTranslation,
    restrict: writes.restrictEntry,
    source: () => knownSource(sql),
    setSource: writes.setSource,
  }),
});

async function findAll(
  { sql, links }: Looking,
  slugs: readonly Slug[],
  access: Access,
  byId?: boolean,
): Promise<(Entry | undefined)[]> {
  const entries = await findEntries(sql, slugs);
  const found = await inLocale({ sql, links }, await links.seenEntries(sql, entries, access), access, byId);
  return inOrderOf(slugs, found);
}

type Looking = Pick<PortParts<never, never, never>, "sql" | "links">;

async function findTranslated({ sql, links }: Looking, slug: Slug): Promise<TranslatedEntry | undefined> {
  const entry = await findEntry(sql, slug);
  if (!entry) return undefined;
  const translations = await allTranslations(sql, entry);
  const copies = entry.translated ? await links.copiesOfTranslations(sql, entry.uuid) : [];
  return { entry, translations, staged: await keysByLocale(copies) };
}

/** The translation as it is, which may be blank. Throws entry_not_found. */
async function existing({ sql }: Writing, slug: Slug, locale: string, nowSeconds: number): Promise<StoredTranslation> {
  const entry = existingEntry(await findEntry(sql, slug), slug, undefined) as StoredEntry;
  return (await stateIn(sql, entry, locale, nowSeconds)) as StoredTranslation;
}

async function putTranslation(
  on: Writing,
  slug: Slug,
  locale: string,
  { input = noInput, name, checked = [] }: TranslationInput,
  context: WriteContext,
): Promise<FaultyEntry> {
  refuseSharedFields(input.fields);
  const present = await existing(on, slug, locale, context.nowSeconds);
  const fields = isBlank(present) ? { visibility: "visible" as const, ...input.fields } : input.fields;
  const { entry, before, data } = await updatedEntry(present, slug, { ...input, fields }, context.ifMatch, context);
  const sources = await changedSources(present, present.of, { data, sent: input, checked });
  if (typeof name === "string") await refuseTakenName(on.sql, present, parseName(name));
  const named = { ...entry, sources, name: name === undefined ? present.name : name };
  const written: ChangedEntry = { entry: named, before, data };
  const faults = await refuseTranslationFaults(await typesOf(on), present, written);
  const change = changeOf(isBlank(present) ? undefined : present, named, context);
  const saved = await saveTranslation(on, present, written, context, () =>
    appendWrite(on, "entry.update", slug, null, 1, { ...context, locale }, change),
  );
  return withFaults(saved, faults);
}

const noInput: EntryInput = { data: "{}", isMergePatch: false, fields: {} };

/** A segment of a path. Throws path_invalid, argument_invalid. */
function parseName(name: string): string {
  const parsed = parsePathBelowRoot("name", name);
  if (!parsed.includes("/")) return parsed;
  throw problem("argument_invalid", { argument: "name", received: name, accepted: "one segment of a path" });
}

async function deleteTranslation(on: Writing, slug: Slug, locale: string, context: WriteContext): Promise<void> {
  const present = await existing(on, slug, locale, context.nowSeconds);
  if (isBlank(present)) throw problem("translation_not_found", { id: slug, locale });
  existingEntry(present, slug, context.ifMatch);
  const change = changeOf(present, undefined, context);
  const id = await appendWrite(on, "entry.delete", slug, null, 1, { ...context, locale }, change);
  await on.links.trashTranslation(
    on.sql,
    { noun: "entry", id, path: slug, count: 1, to: "trash", locale },
    present,
    context,
  );
  await reindexed(on, present.of, async () => {
    await on.sql.runAll(deleteTranslations, [[present.uuid, locale]]);
    await forgetUntranslated(on, present);
  });
}
