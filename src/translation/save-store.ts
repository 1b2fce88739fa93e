import type { WriteContext } from "../core/event.ts";
import type { JsonObject } from "../core/lib/json.ts";
import type { Fault } from "../core/problem.ts";
import type { Writing } from "../core/sql/noun.ts";
import { deleteRows } from "../core/sql/sql.ts";
import type { ChangedEntry, Entry } from "../entry/entry.ts";
import { listingOf } from "../entry/listing-rows.ts";
import type { StoredEntry } from "../entry/rows.ts";
import { isPublic } from "../entry/visibility.ts";
import { refuseFaults, type Types } from "../type/check.ts";
import { problem } from "../type/problems.ts";
import { localizedKeyword, segmentOf } from "../type/walk.ts";
import { entryVersion } from "../version/version.ts";
import { noteVersion } from "../version/version-store.ts";
import { objectOf } from "../working-copy/staged-base.ts";
import { reindexed } from "./reindex-store.ts";
import { insertTranslations, isBlank, type StoredTranslation } from "./rows.ts";
import { localizedOf } from "./shared.ts";

/** How one translation is checked and written, with its history. */

export const deleteTranslations = deleteRows("translation", "uuid = ?1 AND locale = ?2", ["text", "text"]);

/** Gives the translation new content, as saveEntry does that of an entry. Asks for the revision last. */
export async function saveTranslation(
  on: Writing,
  current: StoredEntry,
  { entry, data }: ChangedEntry,
  context: WriteContext,
  revisionOf: () => Promise<number>,
): Promise<Entry> {
  const { sql } = on;
  const present = current as StoredTranslation;
  const { uuid, locale, of } = present;
  const { of: _, ...next } = { ...present, ...entry };
  const sources = keptSources(next.sources, data);
  const revision = await revisionOf();
  // A blank one, too: by it the first write is undone.
  noteVersion(on, { noun: "entry", thing: uuid, locale }, entryVersion(present), revision, context);
  const wasPublic = present.wasPublic === true || (!isBlank(present) && isPublic(present, context.nowSeconds));
  const listing = listingOf(next, context.nowSeconds);
  const written = {
    ...next,
    sources,
    wasPublic,
    listing,
    revision,
    contentRevision: revision,
    modifiedBy: context.actor,
  };
  return reindexed(on, of, async () => {
    sql.later(deleteTranslations, [[uuid, locale]]);
    // An undo lays its working copy back: the entry stays translated.
    if (isUnmade(entry) && !isBlank(present)) return written;
    insertTranslations(sql, [written]);
    await markTranslated(on, of.id);
    return written;
  });
}

/** True for what was not there before its first write. */
const isUnmade = (entry: ChangedEntry["entry"]): boolean => (entry as Partial<Entry>).contentRevision === 0;

/** An entry of which no translation, and no copy of one, is left is not translated any more. */
export async function forgetUntranslated({ sql }: Writing, { id, uuid, locale }: StoredEntry): Promise<void> {
  if (locale === undefined) return;
  await sql.run(
    `UPDATE entry SET translated = 0 WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM translation WHERE uuid = ?2)
       AND NOT EXISTS (SELECT 1 FROM working_copy WHERE uuid = ?2 AND published_revision = 0 AND locale <> '')`,
    id,
    uuid,
  );
}

const markTranslated = async ({ sql }: Writing, id: number): Promise<void> => {
  await sql.run("UPDATE entry SET translated = 1 WHERE id = ?1 AND translated = 0", id);
};

/** Those of keys that there are. */
function keptSources(sources: string, data: JsonObject): string {
  const kept = Object.entries(JSON.parse(sources) as Record<string, string>).filter(([key]) => data.has(key));
  return JSON.stringify(Object.fromEntries(kept));
}

/**
 * Refuses a translation for what it says: keys that its type does not let be translated, values that do not fit, and where
 * it is public required keys that it lacks. Throws data_invalid, type_too_costly.
 */
export async function refuseTranslationFaults(
  types: Types | undefined,
  present: StoredEntry,
  { entry, data, before }: Pick<ChangedEntry, "entry" | "data" | "before">,
): Promise<readonly Fault[]> {
  const { of } = present as StoredTranslation;
  const localized = await localizedOf(types, of);
  if (!types || !localized) return [];
  const missing = entry.visibility === "draft" ? [] : [...localized.required].filter((key) => !data.has(key));
  const foreign = [...data.keys()].filter((key) => !localized.keys.has(key) && !before.has(key));
  const faults = [
    ...foreign.map((key) => faultOf(key, "is the same in all locales", "a key that the type marks x-octavo-localized")),
    ...missing.map((key) => faultOf(key, "is missing", "each key that the type marks x-octavo-localized: required")),
  ];
  const type = types.typeOf(of.slug, (await objectOf(of.data)).get("fieldset")) as string;
  if (faults.length > 0) throw problem("data_invalid", { id: of.slug, type, count: faults.length, faults });
  const source = await objectOf(of.data);
  const stateOf = (own: JsonObject) => ({
    slug: of.slug,
    data: new Map([...source, ...own]),
    visibility: "draft" as const,
  });
  return refuseFaults(types, stateOf(data), stateOf(before));
}

const faultOf = (key: string, message: string, accepted: string): Fault => ({
  pointer: segmentOf(key),
  rule: localizedKeyword,
  message,
  accepted,
});
