import type { WriteContext } from "../core/event.ts";
import type { Slug } from "../core/path.ts";
import { type Fault, Problem } from "../core/problem.ts";
import { appendWrite } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { isTwice, rowTable } from "../core/sql/rows.ts";
import { firstColumn, numberOf, repeatWhile } from "../core/sql/sql.ts";
import { type Entry, type EntryInput, existingEntry } from "../entry/entry.ts";
import { keptChange } from "../entry/listing-rows.ts";
import { dataOf, laidOver, mergedSources, nextVersion, type Patch } from "../entry/next.ts";
import { checkNext } from "../entry/next-store.ts";
import { entryNames, findEntry, type StoredEntry, toEntry } from "../entry/rows.ts";
import { refuseSharedChange, saveEntry } from "../entry/save-store.ts";
import { createEntry } from "../entry/store.ts";
import { isBlank, type StoredTranslation, stateIn } from "../translation/rows.ts";
import { hashesOf, refuseSharedFields } from "../translation/translation.ts";
import { typesOf } from "../type/cache-store.ts";
import { refuseFaults, refuseShared, type State } from "../type/check.ts";
import { freshFor } from "../version/version-store.ts";
import {
  type EntryAndCopy,
  findAllLaidOver,
  findOutdated,
  findStaged,
  joinedCopy,
  joinedEntry,
  listStaged,
  withCopy,
} from "./copy-store.ts";
import { problem } from "./problems.ts";
import { maxReleaseEntries, refuseFixed } from "./release.ts";
import { releaseNow } from "./release-rows.ts";
import { copiesOfTranslations, entriesInRelease, seenEntries, seenItems, stagedCopies } from "./seen-store.ts";
import {
  changedCopy,
  copyWithout,
  type DiscardedPart,
  emptyCopy,
  maxCopies,
  type Publishing,
  refuseForeign,
  refuseInRelease,
  refuseNothingStaged,
  refuseOtherStates,
  refuseOutdated,
  refuseScheduled,
  type StagedEntry,
  type StagedStore,
  type Staging,
  type WorkingCopy,
} from "./staged.ts";
import { outdatedKeys } from "./staged-base.ts";
import { workingCopyRule } from "./staged-row-rules.ts";
import { fromStaged, isStagedOf, joinStaged, saveCopy, toCopy, viewOf } from "./staged-rows.ts";

export const stagedNoun = noun({
  links: { seenEntries, seenItems, stagedCopies, copiesOfTranslations, entriesInRelease },
  writes: { stageEntry, createDraft, discardStaged, publishEntry, schedulePublish, publishDue },
  rows: [
    rowTable(workingCopyRule, "uuid, locale, published_revision", {
      refusals: [
        [
          isTwice,
          "SELECT 1 FROM working_copy WHERE published_revision = ?1 AND uuid = ?2 AND locale = ?3",
          "published_revision",
          "uuid",
          "locale",
        ],
      ],
    }),
  ],
  relations: [
    {
      query: `SELECT entry.slug FROM entry LEFT JOIN ${joinStaged}
        WHERE entry.staged_revision IS NOT NULL AND (staged.revision IS NULL OR staged.revision <> entry.staged_revision)`,
      says: (slug) => `The entry ${slug} names a working copy that does not exist`,
    },
    {
      query: `SELECT uuid FROM working_copy WHERE published_revision = 0
        AND uuid NOT IN (SELECT uuid FROM entry WHERE staged_revision IS NOT NULL OR translated = 1)
        AND uuid NOT IN (SELECT uuid FROM trash_entry)`,
      says: (uuid) => `The working copy of ${uuid} belongs to no entry`,
    },
  ],
  port: ({ sql, writes }): StagedStore => ({
    find: (slug, reader, locale) => findStaged(sql, slug, reader, locale),
    findAll: (slugs, reader) => findAllLaidOver(sql, slugs, reader),
    list: (query) => listStaged(sql, query),
    outdated: (slug, locale) => findOutdated(sql, slug, locale),
    stage: writes.stageEntry,
    createDraft: writes.createDraft,
    discard: writes.discardStaged,
    publish: writes.publishEntry,
    schedule: writes.schedulePublish,
    publishDue: (nowSeconds) =>
      repeatWhile(sql, [`SELECT 1 FROM ${dueSql} LIMIT 1`, nowSeconds], () => writes.publishDue(nowSeconds)),
    nextDue: async () => {
      const [at] = firstColumn<number | null>(await sql.rows(`SELECT min(staged.publish_at) FROM ${scheduledSql}`));
      return at ?? undefined;
    },
  }),
});

/** What is in a release is published with that. */
const scheduledSql = `${fromStaged} AND staged.publish_at IS NOT NULL AND staged.release IS NULL`;
const dueSql = `${scheduledSql} AND staged.publish_at <= ?1`;

/** The entry and its copy, in the states that the caller names; in the locale of the write its translation. */
async function existing(
  { sql }: Writing,
  slug: Slug,
  { ifMatch, locale = "", nowSeconds }: WriteContext,
): Promise<EntryAndCopy> {
  const entry = existingEntry(await findEntry(sql, slug), slug, undefined) as StoredEntry;
  const found = await withCopy(sql, await stateIn(sql, entry, locale, nowSeconds));
  refuseOtherStates(ifMatch, found.entry);
  return found;
}

export async function removeCopy({ sql }: Writing, entry: StoredEntry): Promise<void> {
  await sql.run(`DELETE FROM working_copy WHERE ${isStagedOf}`, entry.uuid, entry.locale ?? "");
  if (entry.locale === undefined) await sql.run("UPDATE entry SET staged_revision = NULL WHERE id = ?1", entry.id);
}

export async function refuseTooMany({ sql }: Writing, more = 1): Promise<void> {
  const count = await numberOf(sql, "SELECT count(*) FROM working_copy WHERE published_revision = 0");
  if (count + more > maxCopies) throw problem("too_many_copies", { limit: maxCopies });
}

async function stageEntry(
  on: Writing,
  slug: Slug,
  { release, onlyOwn, ...input }: Staging,
  context: WriteContext,
): Promise<StagedEntry> {
  const { entry, copy } = await existing(on, slug, context);
  refuseScheduled(slug, copy);
  const isMoved = release !== undefined && input.data === "{}" && Object.keys(input.fields).length === 0;
  if (isMoved && !copy && (release === null || entry.visibility !== "draft" || isBlank(entry)))
    throw problem("nothing_staged", { id: slug });
  if (!copy) await refuseTooMany(on);
  else if (release === null && copy.release !== null) await refuseForeign(copy, { onlyOwn }, context.actor);
  const after = await releaseAfter(on, slug, copy?.release ?? null, release);
  const changed = {
    ...(await changedCopy(entry, copy, input, context)),
    release: after,
    ...(await writtenAgainst(entry, copy, input)),
  };
  await refuseSharedCopy(on, entry, [copy, changed], context);
  const faults = await refuseStagedFaults(on, entry, copy, { ...changed, revision: 0 });
  return { ...(await saveCopy(on, "entry.stage", entry, changed, context)), faults };
}

/** Of a translation: what the keys of its copy were written against. Throws field_invalid. */
async function writtenAgainst(state: StoredEntry, copy: WorkingCopy | undefined, { data, fields }: EntryInput) {
  if (state.locale === undefined) return {};
  refuseSharedFields(fields);
  const keys = (await dataOf({ data })).keys();
  return {
    sources: mergedSources(copy?.sources, JSON.stringify(await hashesOf((state as StoredTranslation).of, keys))),
  };
}

/** The release that a copy is in after a write. Throws release_not_found, release_published, publish_scheduled, in_release, release_full. */
async function releaseAfter(
  { sql, maxReleaseEntries: most = maxReleaseEntries }: Writing,
  slug: Slug,
  before: string | null,
  asked: string | null | undefined,
): Promise<string | null> {
  if (asked === undefined || asked === null || asked === before) return asked === null ? null : before;
  refuseFixed(await releaseNow(sql, asked, "release"), "release");
  if (before !== null) throw problem("in_release", { argument: "id", id: slug, release: before });
  // Those in the trash come back.
  if ((await numberOf(sql, "SELECT count(*) FROM working_copy WHERE release = ?1", asked)) >= most)
    throw problem("release_full", { release: asked, limit: most });
  return asked;
}

/** Two events: the draft is created, and then staged without a change. */
async function createDraft(
  on: Writing,
  slug: Slug,
  input: EntryInput,
  release: string,
  context: WriteContext,
): Promise<Entry> {
  const { id: _, ...created } = await createEntry(on, slug, input, context);
  const staged = await stageEntry(on, slug, { ...noChange, release }, { ...context, ifMatch: undefined });
  return { ...created, stagedRevision: staged.entry.stagedRevision };
}

const noChange: EntryInput = { data: "{}", isMergePatch: false, fields: {} };

/** What is missing may still come: a working copy is checked as a draft is. */
async function refuseStagedFaults(
  on: Writing,
  entry: StoredEntry,
  copy: WorkingCopy | undefined,
  changed: WorkingCopy,
): Promise<readonly Fault[]> {
  const types = await typesOf(on);
  if (!types) return [];
  if (entry.locale !== undefined) {
    const view = { ...(await laidOver(entry, changed)), visibility: "draft" as const };
    const before = await dataOf(await laidOver(entry, copy));
    return on.links.refuseTranslationFaults(types, entry, { entry: view, data: await dataOf(view), before });
  }
  const draftOf = async (each: WorkingCopy | undefined): Promise<State> => ({
    ...(await stateOf(entry, each)),
    visibility: "draft",
  });
  return refuseFaults(types, await draftOf(changed), await draftOf(copy), freshFor(on.sql, entry));
}

/** The entry with the copy laid over, its data parsed. */
async function stateOf(entry: Entry, copy: Patch | undefined): Promise<State> {
  const view = await laidOver(entry, copy);
  return { ...view, data: await dataOf(view) };
}

/** Refuses a change of a copy in what all locales have to who writes in some. Throws scope_missing. */
async function refuseSharedCopy(
  on: Writing,
  entry: StoredEntry,
  [before, after]: readonly (Patch | undefined)[],
  { isLocal }: WriteContext,
): Promise<void> {
  if (!isLocal || entry.locale !== undefined) return;
  await refuseShared(await typesOf(on), await stateOf(entry, before), await stateOf(entry, after));
}

async function discardStaged(on: Writing, slug: Slug, part: DiscardedPart, context: WriteContext): Promise<void> {
  const { entry, copy } = await existing(on, slug, context);
  if (!copy) throw problem("nothing_staged", { id: slug });
  await refuseForeign(copy, part, context.actor);
  refuseScheduled(slug, copy);
  const left = part.keys && (await copyWithout(copy, part.keys));
  await refuseSharedCopy(on, entry, [copy, left], context);
  if (left) {
    await saveCopy(on, "entry.stage", entry, left, context);
    return;
  }
  await appendWrite(on, "entry.discard", slug, null, 1, context, keptChange(entry, context));
  await removeCopy(on, entry);
  await on.links.forgetUntranslated(on, entry);
}

async function publishEntry(on: Writing, slug: Slug, how: Publishing, context: WriteContext): Promise<Entry> {
  const { entry, copy } = await existing(on, slug, context);
  refuseInRelease(slug, copy);
  refuseScheduled(slug, copy);
  return publishNow(on, entry, copy, how, context);
}

async function publishNow(
  on: Writing,
  entry: StoredEntry,
  copy: WorkingCopy | undefined,
  { atSeconds, ...how }: Publishing & { atSeconds?: number },
  context: WriteContext,
): Promise<Entry> {
  refuseNothingStaged(entry, copy);
  const outdated = await outdatedKeys(entry, copy);
  refuseOutdated(entry.slug, how, outdated);
  const { written, change } = await checkNext(on, await typesOf(on), entry, { patch: copy, atSeconds }, context);
  const saved = await saveEntry(on, entry, written, context, () =>
    appendWrite(on, "entry.publish", entry.slug, null, 1, context, { ...change, outdated }),
  );
  if (copy) await removeCopy(on, entry);
  return saved;
}

async function schedulePublish(
  on: Writing,
  slug: Slug,
  { atSeconds, ...how }: Publishing & { atSeconds: number | null },
  context: WriteContext,
): Promise<StagedEntry> {
  const { entry, copy } = await existing(on, slug, context);
  refuseNothingStaged(entry, copy);
  refuseInRelease(slug, copy);
  if (atSeconds !== null) {
    refuseScheduled(slug, copy);
    refuseOutdated(slug, how, await outdatedKeys(entry, copy));
    // Nobody is asked again when the time has come.
    if (context.isLocal)
      await refuseSharedChange(on, entry, await nextVersion(entry, { patch: copy }, atSeconds), context);
  }
  // There is no time to take back.
  else if ((copy?.publishAtSeconds ?? null) === null) return viewOf(entry, copy);
  if (!copy) await refuseTooMany(on);
  const scheduled = {
    ...(copy ?? emptyCopy(entry, context)),
    publishAtSeconds: atSeconds,
    scheduledBy: atSeconds === null ? null : context.actor,
  };
  return saveCopy(on, "entry.schedule", entry, scheduled, context);
}

/** Publishes one copy whose time has come, as who scheduled it; answers how many. */
async function publishDue(on: Writing, nowSeconds: number): Promise<number> {
  const { sql } = on;
  const row = await sql.row(
    `SELECT ${joinedEntry}, ${joinedCopy} FROM ${dueSql}
     ORDER BY staged.publish_at, staged.uuid, staged.locale LIMIT 1`,
    nowSeconds,
  );
  if (!row) return 0;
  const copy = toCopy(row.slice(entryNames.length));
  const { locale } = copy;
  const entry = await stateIn(sql, toEntry(row), locale, nowSeconds);
  const context = { actor: copy.scheduledBy ?? "octavo", nowSeconds, locale: locale || undefined };
  try {
    await publishNow(on, entry, copy, { atSeconds: copy.publishAtSeconds ?? nowSeconds }, context);
    return 1;
  } catch (error) {
    // What is refused has changed nothing. It must not be tried again and again, nor hold up the others.
    if (!(error instanceof Problem)) throw error;
    const unscheduled = { ...copy, publishAtSeconds: null, scheduledBy: null };
    await saveCopy(on, "entry.publish_failed", entry, unscheduled, context);
    return 0;
  }
}
