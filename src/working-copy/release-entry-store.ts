import { type Reach, reaches } from "../core/access/access.ts";
import type { EntryChange, EventKind, NewEvent, WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups } from "../core/lib/in-groups.ts";
import type { Slug } from "../core/path.ts";
import { isProblem, type NamedEntry } from "../core/problem.ts";
import type { Writing } from "../core/sql/noun.ts";
import { columnsOf, type Row, type Sql, updateRows, type Value, type ValueType } from "../core/sql/sql.ts";
import { checkNext, saveNext } from "../entry/next-store.ts";
import { entryNames, type StoredEntry, toEntry } from "../entry/rows.ts";
import { savedAtOnce } from "../entry/save-store.ts";
import { stateIn } from "../translation/rows.ts";
import { typesTogether } from "../type/cache-store.ts";
import type { Version } from "../version/version.ts";
import { toVersion, versionColumns } from "../version/version-store.ts";
import { withCopy } from "./copy-store.ts";
import { problem } from "./problems.ts";
import { type Release, type ReleasePublishing, unseen } from "./release.ts";
import { isPublishedBy } from "./release-rows.ts";
import type { WorkingCopy } from "./staged.ts";
import { outdatedKeys } from "./staged-base.ts";
import { copyNames, fromStaged, isStagedOf, toCopy } from "./staged-rows.ts";
import { refuseTooMany } from "./staged-store.ts";

/**
 * What a release does to its entries. Each write looks at all of them first, and refuses before it changes anything; it reads
 * them twice, since together they may be too large for the memory.
 */

/** Entries may be large: this many are read at a time. */
const pageEntries = 100;

/** The row that a statement has for each of these keys. */
async function* rowsOf(
  sql: Sql,
  text: string,
  keys: readonly Value[][],
  types: readonly ValueType[],
): AsyncGenerator<Row> {
  for (let at = 0; at < keys.length; at += pageEntries) {
    for (const [row] of await sql.rowsAll(text, keys.slice(at, at + pageEntries), types)) if (row) yield row;
  }
}

/** Says which staged copies entries have: none, or what is laid back. */
const markEntries = updateRows("entry", "staged_revision = ?2", "id = ?1", ["integer", "integer"]);

/** A change of an entry as the log keeps it. */
type Change = { slug: Slug; locale: string | undefined; change: EntryChange };

/** The events of a release and its entries, the first of which says that they belong together; answers those of the entries. */
async function appendTogether(
  { appendAll }: Writing,
  [ofRelease, ofEntry]: readonly [EventKind, EventKind],
  { id }: Release,
  changes: readonly Change[],
  { actor, nowSeconds, origin = {} }: WriteContext,
): Promise<number[]> {
  const shared = { atSeconds: nowSeconds, target: null, actor, origin };
  const events: NewEvent[] = [
    { ...shared, kind: ofRelease, subject: id, count: changes.length },
    ...changes.map(({ slug, locale, change }) => ({
      ...shared,
      kind: ofEntry,
      subject: slug,
      count: 1,
      entry: change,
      locale,
    })),
  ];
  return (await appendAll(events)).slice(1);
}

// ---------------------------------------------------------------------------------------------- publish

/** When a release that is published was to be; undefined for now. */
const timeOf = ({ atSeconds }: Release): number | undefined => atSeconds ?? undefined;

type Member = { entry: StoredEntry; copy: WorkingCopy };

const memberText = `SELECT ${columnsOf("entry", entryNames)}, ${columnsOf("staged", copyNames)}
  FROM entry JOIN working_copy AS staged
    ON staged.published_revision = 0 AND staged.uuid = entry.uuid AND staged.locale = ?2 WHERE entry.slug = ?1`;

/** Those of a release by slug. All slugs first: to find a page of them takes a look at each copy. */
async function* membersOf(sql: Sql, { id }: Release, nowSeconds: number): AsyncGenerator<Member> {
  const places = await sql.rows(
    `SELECT entry.slug, staged.locale FROM ${fromStaged} AND staged.release = ?1 ORDER BY entry.slug, staged.locale`,
    id,
  );
  for await (const row of rowsOf(sql, memberText, places as Value[][], ["text", "text"])) {
    const copy = toCopy(row.slice(entryNames.length));
    yield { entry: await stateIn(sql, toEntry(row), copy.locale, nowSeconds), copy };
  }
}

/** What the publish will change. Throws nothing_staged, staged_outdated, release_invalid, type_too_costly. */
export async function checkMembers(
  on: Writing,
  release: Release,
  { current = false }: Pick<ReleasePublishing, "current">,
  context: WriteContext,
): Promise<Change[]> {
  const types = await typesTogether(on);
  const changes: Change[] = [];
  const faults = new Faults();
  const outdatedOnes: (NamedEntry & { keys: readonly string[] })[] = [];
  for await (const { entry, copy } of membersOf(on.sql, release, context.nowSeconds)) {
    const { slug } = entry;
    const outdated = await outdatedKeys(entry, copy);
    if (outdated.length > 0) outdatedOnes.push({ id: slug, keys: outdated });
    await faults.collect(slug, async () => {
      const source = { patch: copy, atSeconds: timeOf(release) };
      const { change } = await checkNext(on, types, entry, source, context);
      changes.push({ slug, locale: entry.locale, change: { ...change, outdated } });
    });
  }
  const { id } = release;
  faults.refuse(id);
  if (changes.length === 0) throw problem("nothing_staged", { id, isRelease: true });
  if (current && outdatedOnes.length > 0) {
    const keys = outdatedOnes
      .slice(0, maxListed)
      .map((each) => `${each.id}: ${each.keys.slice(0, maxListed).join(", ")}`);
    const more = outdatedOnes.length > maxListed ? "; …" : "";
    throw problem("staged_outdated", { id, keys: keys.join("; ") + more, entries: outdatedOnes });
  }
  return changes;
}

const maxListed = 10;
/** The faults that are named of one entry, and of all. */
const [maxFaults, maxFaultsTogether] = [20, 1000];

/** What is wrong with the entries of a release. */
class Faults {
  private readonly entries: NamedEntry[] = [];
  private left = maxFaultsTogether;

  /** Does the work for an entry; notes what it is refused for. */
  async collect(id: Slug, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isProblem(error, "data_invalid") && !isProblem(error, "data_too_large")) throw error;
      const { code, detail } = error;
      const faults = error.faults?.slice(0, Math.min(this.left, maxFaults));
      this.left -= faults?.length ?? 0;
      this.entries.push({ id, code, detail, ...(faults && { faults }) });
    }
  }

  /** Throws release_invalid. */
  refuse(id: string): void {
    if (this.entries.length > 0) throw problem("release_invalid", { id, entries: this.entries });
  }
}

/** A staged copy becomes a published one. */
const publishCopies = updateRows(
  "working_copy",
  "published_revision = ?3, slug = ?4, publish_at = NULL, scheduled_by = NULL",
  isStagedOf,
  ["text", "text", "integer", "text"],
);

/** Publishes the copies as it was checked; answers how many. */
export async function publishMembers(
  on: Writing,
  release: Release,
  changes: readonly Change[],
  context: WriteContext,
): Promise<number> {
  const { sql } = on;
  const { id } = release;
  const revisions = await appendTogether(on, ["release.publish", "entry.publish"], release, changes, context);
  let at = 0;
  for await (const group of inGroups(
    membersOf(sql, release, context.nowSeconds),
    ({ entry }) => entry.data.length,
    savedAtOnce,
  )) {
    const first = at;
    const revisionOf = (i: number) => revisions[first + i] as number;
    const atSeconds = timeOf(release);
    await eachEntry(group, ({ entry, copy }, i) =>
      saveNext(on, entry, { patch: copy, atSeconds }, revisionOf(i), context),
    );
    sql.later(
      publishCopies,
      group.map(({ entry }, i) => [entry.uuid, entry.locale ?? "", revisionOf(i), entry.slug]),
    );
    sql.later(
      markEntries,
      group.filter(({ entry }) => entry.locale === undefined).map(({ entry }) => [entry.id, null]),
    );
    at += group.length;
  }
  // It went without what is in the trash.
  await sql.run(
    `UPDATE working_copy SET release = NULL, publish_at = NULL, scheduled_by = NULL
     WHERE release = ?1 AND published_revision = 0`,
    id,
  );
  return changes.length;
}

// ---------------------------------------------------------------------------------------------- undo

/** A published copy, by its key, with where its entry was; the entry, and the version that it gets back. */
type Published = {
  slug: Slug;
  locale: string;
  published: number;
  uuid: string;
  entry: StoredEntry | undefined;
  isSame: boolean;
  version: Version | undefined;
};

/** Where the columns of the entry begin in a row. */
const entryAt = 8;

/** Where the entry of a published copy was. */
const isThere = "entry.slug = working_copy.slug AND entry.uuid = working_copy.uuid";

const placesText = `SELECT working_copy.published_revision, working_copy.uuid, working_copy.locale, entry.slug
  FROM working_copy LEFT JOIN entry ON ${isThere} WHERE ${isPublishedBy("?1")} ORDER BY working_copy.slug, working_copy.locale`;

/** The entries of a release that moved since. No index finds an entry by its uuid: this looks at each of the store. */
const movedText = `SELECT uuid, slug FROM entry WHERE uuid IN (
  SELECT working_copy.uuid FROM working_copy LEFT JOIN entry ON ${isThere}
  WHERE ${isPublishedBy("?1")} AND entry.id IS NULL)`;

const publishedText = `SELECT working_copy.slug, working_copy.locale, working_copy.published_revision, working_copy.uuid, ${versionColumns},
    ${columnsOf("entry", entryNames)}
  FROM working_copy LEFT JOIN entry ON entry.slug = ?4 AND entry.uuid = working_copy.uuid
    LEFT JOIN version ON version.noun = 'entry' AND version.thing = working_copy.uuid
      AND version.locale = working_copy.locale AND version.next_revision = working_copy.published_revision
  WHERE working_copy.published_revision = ?1 AND working_copy.uuid = ?2 AND working_copy.locale = ?3`;

async function* publishedOf(sql: Sql, { id }: Release): AsyncGenerator<Published> {
  const places = (await sql.rows(placesText, id)) as (readonly [number, string, string, Slug | null])[];
  const isMoved = places.some(([, , , slug]) => slug === null);
  const moved = new Map(isMoved ? ((await sql.rows(movedText, id)) as (readonly [string, Slug])[]) : []);
  const keys = places.map(([published, uuid, locale, slug]) => [
    published,
    uuid,
    locale,
    slug ?? moved.get(uuid) ?? "",
  ]);
  for await (const row of rowsOf(sql, publishedText, keys, ["integer", "text", "text", "text"])) {
    const [slug, locale, published, uuid, revision] = row as unknown as readonly [
      Slug,
      string,
      number,
      string,
      number | null,
    ];
    const version = revision === null ? undefined : toVersion(row.slice(4));
    const found = row[entryAt] === null ? undefined : toEntry(row.slice(entryAt));
    const { entry, copy } = found ? await withCopy(sql, await stateIn(sql, found, locale, 0)) : {};
    const isSame = entry?.contentRevision === published && !copy;
    yield { slug, locale, published, uuid, entry, isSame, version };
  }
}

/**
 * Gives the entries back what they had, and lays the copies back. Throws release_changed, revision_not_found, release_invalid,
 * type_too_costly, too_many_copies.
 */
export async function undoMembers(on: Writing, release: Release, reach: Reach, context: WriteContext): Promise<void> {
  const { sql } = on;
  const { atSeconds } = release;
  const changes = await checkUndo(on, release, reach, context);
  await refuseTooMany(on, changes.length);
  const revisions = await appendTogether(on, ["release.undo", "entry.update"], release, changes, context);
  let at = 0;
  for await (const group of inGroups(publishedOf(sql, release), sizeOf, savedAtOnce)) {
    const first = at;
    const revisionOf = (i: number) => revisions[first + i] as number;
    await eachEntry(group, async ({ slug, entry, version }, i) => {
      if (!entry || !version) throw problem("revision_not_found", { id: slug, at: atSeconds ?? 0 });
      await saveNext(on, entry, { version, parts: "data and state" }, revisionOf(i), context);
    });
    sql.later(
      layBack,
      group.map(({ uuid, locale, published }, i) => [uuid, published, revisionOf(i), locale]),
    );
    sql.later(
      markEntries,
      group.flatMap(({ entry }, i) => (entry && entry.locale === undefined ? [[entry.id, revisionOf(i)]] : [])),
    );
    at += group.length;
  }
}

/** Does the work of all at once, but that of one entry and its translations one after another: they share index rows. */
async function eachEntry<T extends { entry: StoredEntry | undefined }>(
  group: readonly T[],
  work: (each: T, i: number) => Promise<unknown>,
): Promise<void> {
  const before = new Map<string, Promise<unknown>>();
  await allSettled(
    group.map((each, i) => {
      const uuid = each.entry?.uuid ?? "";
      const done = (before.get(uuid) ?? Promise.resolve()).then(() => work(each, i));
      before.set(uuid, done);
      return done;
    }),
  );
}

const sizeOf = ({ entry, version }: Published): number => (entry?.data.length ?? 0) + (version?.data.length ?? 0);

/** A published copy becomes a staged one. */
const layBack = updateRows(
  "working_copy",
  "published_revision = 0, slug = '', revision = ?3",
  "uuid = ?1 AND published_revision = ?2 AND locale = ?4",
  ["text", "integer", "integer", "text"],
);

async function checkUndo(on: Writing, release: Release, reach: Reach, context: WriteContext): Promise<Change[]> {
  const types = await typesTogether(on);
  const { id, atSeconds } = release;
  const changes: Change[] = [];
  const changed: NamedEntry[] = [];
  const faults = new Faults();
  let lost: Slug | undefined;
  for await (const { slug, entry, isSame, version } of publishedOf(on.sql, release)) {
    // It may have moved.
    if (entry && !reaches(reach, entry.slug)) throw unseen();
    if (!entry || !isSame) changed.push({ id: slug });
    else if (!version) lost ??= slug;
    else
      await faults.collect(slug, async () => {
        const { change } = await checkNext(on, types, entry, { version, parts: "data and state" }, context);
        changes.push({ slug: entry.slug, locale: entry.locale, change });
      });
  }
  if (changed.length > 0) throw problem("release_changed", { id, entries: changed });
  if (lost !== undefined) throw problem("revision_not_found", { id: lost, at: atSeconds ?? 0 });
  faults.refuse(id);
  return changes;
}
