import { type Reach, reaches } from "../core/access/access.ts";
import type { EntryChange, EventKind, NewEvent, WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups } from "../core/lib/in-groups.ts";
import type { Slug } from "../core/path.ts";
import { isProblem, type NamedEntry } from "../core/problem.ts";
import type { Writing } from "../core/sql/noun.ts";
import { insertOf } from "../core/sql/rows.ts";
import { columnsOf, type Row, type Sql, type Value } from "../core/sql/sql.ts";
import type { Entry } from "../entry/entry.ts";
import { changeOf } from "../entry/listing-rows.ts";
import { entryNames, type StoredEntry, toEntry } from "../entry/rows.ts";
import { dataOf, savedAtOnce, saveEntry } from "../entry/save-store.ts";
import { typesTogether } from "../type/cache-store.ts";
import { refuseWrittenFaults, type Types } from "../type/check.ts";
import { restoredEntry, type State } from "../version/history.ts";
import { freshFor } from "../version/history-store.ts";
import { problem } from "./problems.ts";
import { type Release, type ReleasePublishing, unseen } from "./release.ts";
import { releaseEntryRule } from "./release-row-rules.ts";
import { memberSql } from "./release-rows.ts";
import { formatAuthors, formatRemoved, formatStagedFields, publishedEntry, type WorkingCopy } from "./staged.ts";
import { formatBase, outdatedKeys } from "./staged-base.ts";
import { copyNames, insertCopies, toCopy } from "./staged-rows.ts";
import { refuseTooMany } from "./staged-store.ts";

/**
 * What a release does to its entries. Each write looks at all of them first, and refuses before it changes anything; it reads
 * them twice, since together they may be too large for the memory.
 */

/** Entries may be large: this many are read at a time. */
const pageEntries = 100;

/** The rows of a statement with a release, the last slug and a limit as parameters. */
async function* rowsOf(sql: Sql, text: string, id: string, slugAt: number): AsyncGenerator<Row> {
  for (let last = ""; ; ) {
    const rows = await sql.rows(text, id, last, pageEntries);
    yield* rows;
    if (rows.length < pageEntries) return;
    last = rows.at(-1)?.[slugAt] as string;
  }
}

/** A change of an entry as the log keeps it. */
type Change = { slug: Slug; change: EntryChange };

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
    ...changes.map(({ slug, change }) => ({ ...shared, kind: ofEntry, subject: slug, count: 1, entry: change })),
  ];
  return (await appendAll(events)).slice(1);
}

// ---------------------------------------------------------------------------------------------- publish

type Member = { entry: StoredEntry; copy: WorkingCopy };

async function* membersOf(sql: Sql, { id }: Release): AsyncGenerator<Member> {
  const text = `SELECT ${columnsOf("entry", entryNames)}, ${columnsOf("staged", copyNames)} FROM ${memberSql}
    WHERE staged.release = ?1 AND entry.slug > ?2 ORDER BY entry.slug LIMIT ?3`;
  for await (const row of rowsOf(sql, text, id, entryNames.indexOf("slug")))
    yield { entry: toEntry(row), copy: toCopy(row.slice(entryNames.length)) };
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
  for await (const { entry, copy } of membersOf(on.sql, release)) {
    const { slug } = entry;
    const outdated = await outdatedKeys(entry, copy);
    if (outdated.length > 0) outdatedOnes.push({ id: slug, keys: outdated });
    await faults.collect(slug, async () => {
      const published = await publishedEntry(entry, copy, context.nowSeconds);
      // What was a draft was never checked whole.
      await refuseWrittenFaults(types, published, entry.visibility === "draft" ? undefined : entry);
      changes.push({ slug, change: { ...changeOf(entry, published.entry, context), outdated } });
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

const insertKept = insertOf(releaseEntryRule);

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
  for await (const group of inGroups(membersOf(sql, release), ({ entry }) => entry.data.length, savedAtOnce)) {
    const kept: Value[][] = [];
    await allSettled(
      group.map(async ({ entry, copy }, i) => {
        const revision = revisions[at + i] as number;
        const published = await publishedEntry(entry, copy, context.nowSeconds);
        await saveEntry(on, entry, published, context, async () => revision);
        kept.push([id, entry.slug, revision, ...keptValues(copy)]);
      }),
    );
    sql.later(insertKept, kept);
    at += group.length;
  }
  const own = "SELECT uuid FROM release_entry WHERE release = ?1";
  await sql.run(`UPDATE entry SET staged_revision = NULL WHERE uuid IN (${own})`, id);
  await sql.run(`DELETE FROM staged WHERE uuid IN (${own})`, id);
  // It went without what is in the trash.
  await sql.run("UPDATE staged SET release = NULL, publish_at = NULL, scheduled_by = NULL WHERE release = ?1", id);
  return changes.length;
}

const keptValues = (copy: WorkingCopy): Value[] => [
  copy.uuid,
  copy.revision,
  copy.data,
  formatRemoved(copy.removed),
  formatStagedFields(copy.fields),
  copy.stagedAtSeconds,
  copy.stagedBy,
  formatAuthors(copy.authors),
  formatBase(copy.base),
];

/** The columns of the copy in a row of what was published, as in those of copies: it has no time any more. */
export const keptCopy = copyNames
  .map((name) => (["publish_at", "scheduled_by"].includes(name) ? "NULL" : `release_entry.${name}`))
  .join(", ");

// ---------------------------------------------------------------------------------------------- undo

/** An entry, the state that it gets back, and its copy. */
type Published = {
  slug: Slug;
  entry: StoredEntry | undefined;
  isSame: boolean;
  state: State | undefined;
  copy: WorkingCopy;
};

const publishedText = `SELECT release_entry.slug, release_entry.content_revision, ${keptCopy},
    history.revision, history.fields, history.data, ${columnsOf("entry", entryNames)}
  FROM release_entry LEFT JOIN entry ON entry.uuid = release_entry.uuid
    LEFT JOIN history ON history.noun = 'entry' AND history.thing = release_entry.uuid
      AND history.next_revision = release_entry.content_revision
  WHERE release_entry.release = ?1 AND release_entry.slug > ?2 ORDER BY release_entry.slug LIMIT ?3`;

async function* publishedOf(sql: Sql, { id }: Release): AsyncGenerator<Published> {
  for await (const row of rowsOf(sql, publishedText, id, 0)) {
    const [slug, published] = row as unknown as readonly [Slug, number];
    const rest = row.slice(2 + copyNames.length);
    const [revision, fields, data] = rest as unknown as readonly [number | null, string, string];
    const entry = rest[3] === null ? undefined : toEntry(rest.slice(3));
    const isSame = entry?.contentRevision === published && entry.stagedRevision === null;
    const state = revision === null ? undefined : { revision, fields, data, blob: null };
    yield { slug, entry, isSame, state, copy: toCopy(row.slice(2)) };
  }
}

/** The entry as it was before. Rejects with data_invalid, type_too_costly. */
async function undone(
  sql: Sql,
  types: Types | undefined,
  current: StoredEntry,
  state: State,
  { nowSeconds }: WriteContext,
) {
  const entry: Entry = restoredEntry(current, state, "data and state", nowSeconds);
  const written = { entry, before: await dataOf(current), data: await dataOf(entry) };
  await refuseWrittenFaults(types, written, current, freshFor(sql, current));
  return written;
}

/**
 * Gives the entries back what they had, and lays the copies back. Throws release_changed, revision_not_found, release_invalid,
 * type_too_costly, too_many_copies.
 */
export async function undoMembers(on: Writing, release: Release, reach: Reach, context: WriteContext): Promise<void> {
  const { sql } = on;
  const { id, atSeconds } = release;
  const changes = await checkUndo(on, release, reach, context);
  await refuseTooMany(on, changes.length);
  const revisions = await appendTogether(on, ["release.undo", "entry.update"], release, changes, context);
  let at = 0;
  for await (const group of inGroups(publishedOf(sql, release), sizeOf, savedAtOnce)) {
    const copies: WorkingCopy[] = [];
    await allSettled(
      group.map(async ({ slug, entry, state, copy }, i) => {
        if (!entry || !state) throw problem("revision_not_found", { id: slug, at: atSeconds ?? 0 });
        const revision = revisions[at + i] as number;
        // Its faults are known.
        await saveEntry(on, entry, await undone(sql, undefined, entry, state, context), context, async () => revision);
        copies.push({ ...copy, revision });
      }),
    );
    insertCopies(sql, copies);
    at += group.length;
  }
  await sql.run(
    `UPDATE entry SET staged_revision = (SELECT revision FROM staged WHERE staged.uuid = entry.uuid)
     WHERE uuid IN (SELECT uuid FROM staged WHERE release = ?1)`,
    id,
  );
  await sql.run("DELETE FROM release_entry WHERE release = ?1", id);
}

const sizeOf = ({ entry, state }: Published): number => (entry?.data.length ?? 0) + (state?.data.length ?? 0);

async function checkUndo(on: Writing, release: Release, reach: Reach, context: WriteContext): Promise<Change[]> {
  const types = await typesTogether(on);
  const { id, atSeconds } = release;
  const changes: Change[] = [];
  const changed: NamedEntry[] = [];
  const faults = new Faults();
  let lost: Slug | undefined;
  for await (const { slug, entry, isSame, state } of publishedOf(on.sql, release)) {
    // It may have moved.
    if (entry && !reaches(reach, entry.slug)) throw unseen();
    if (!entry || !isSame) changed.push({ id: slug });
    else if (!state) lost ??= slug;
    else
      await faults.collect(slug, async () => {
        const written = await undone(on.sql, types, entry, state, context);
        changes.push({ slug: entry.slug, change: changeOf(entry, written.entry, context) });
      });
  }
  if (changed.length > 0) throw problem("release_changed", { id, entries: changed });
  if (lost !== undefined) throw problem("revision_not_found", { id: lost, at: atSeconds ?? 0 });
  faults.refuse(id);
  return changes;
}
