import type { Reach } from "../core/access/access.ts";
import type { EventKind, WriteContext } from "../core/event.ts";
import { Problem } from "../core/problem.ts";
import { appendAbout } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { insertOf, rowTable } from "../core/sql/rows.ts";
import { findNumber, numberOf, repeatWhile, type Sql, withinAny } from "../core/sql/sql.ts";
import { titleOf } from "../entry/next.ts";
import { findEntry } from "../entry/rows.ts";
import { listStaged } from "./copy-store.ts";
import { problem } from "./problems.ts";
import {
  maxReleases,
  type NewRelease,
  type Release,
  type ReleasePublishing,
  type ReleaseQuery,
  type ReleaseStore,
  refuseFixed,
  refusePublished,
  unseen,
} from "./release.ts";
import { checkMembers, publishMembers, undoMembers } from "./release-entry-store.ts";
import { releaseRule } from "./release-row-rules.ts";
import { getRelease, isPublishedBy, selectRelease, toRelease } from "./release-rows.ts";
import type { StagedQuery, StagedRow } from "./staged.ts";
import { copyColumns, toCopy } from "./staged-rows.ts";

/** Releases: see working-copy/release.ts. What they do to entries is in release-entry-store.ts. */

export const releaseNoun = noun({
  writes: { createRelease, renameRelease, deleteRelease, publishRelease, undoRelease, publishDueRelease },
  rows: [rowTable(releaseRule, "id")],
  relations: [
    {
      query: `SELECT id, sequence FROM release WHERE sequence > (SELECT coalesce(max(sequence), 0) FROM event)`,
      says: (id, sequence) => `The release ${id} was made by the event ${sequence}, which is above the newest one`,
    },
    {
      query: `SELECT copy.uuid, copy.release FROM working_copy AS copy LEFT JOIN release ON release.id = copy.release
        WHERE copy.release IS NOT NULL AND CASE copy.published_revision WHEN 0
          THEN coalesce(release.state, 'published') = 'published' ELSE coalesce(release.state, '') <> 'published' END`,
      says: (uuid, id) => `The working copy of ${uuid} is in the release ${id}, which has none such`,
    },
    {
      query: `SELECT staged.uuid, release.id FROM working_copy AS staged JOIN release ON release.id = staged.release
        WHERE staged.published_revision = 0 AND coalesce(staged.publish_at, 0) <> CASE release.state WHEN 'scheduled' THEN release.at ELSE 0 END`,
      says: (uuid, id) => `The working copy of ${uuid} is published at another time than its release ${id}`,
    },
    {
      query: `SELECT release.id FROM release WHERE release.count <>
        (SELECT count(*) FROM working_copy WHERE ${isPublishedBy("release.id")})`,
      says: (id) => `The release ${id} has published another number of entries than it says`,
    },
  ],
  port: ({ sql, writes }): ReleaseStore => ({
    list: (query) => listReleases(sql, query),
    get: (id, reach) => getRelease(sql, id, reach),
    entries: (id, query) => listEntries(sql, id, query),
    create: writes.createRelease,
    rename: writes.renameRelease,
    delete: writes.deleteRelease,
    publish: writes.publishRelease,
    undo: writes.undoRelease,
    publishDue: (nowSeconds) =>
      repeatWhile(sql, [`SELECT 1 FROM release WHERE ${dueSql} LIMIT 1`, nowSeconds], () =>
        writes.publishDueRelease(nowSeconds),
      ),
    nextDue: () => findNumber(sql, "SELECT min(at) FROM release WHERE state = 'scheduled' HAVING min(at) IS NOT NULL"),
  }),
});

const dueSql = "state = 'scheduled' AND at <= ?1";

async function listReleases(
  sql: Sql,
  { paths, before = Number.MAX_SAFE_INTEGER, limit }: ReleaseQuery,
): Promise<Release[]> {
  const { text, values } = selectRelease({ paths }, 3);
  const page = "WHERE release.sequence < ?1 ORDER BY release.sequence DESC LIMIT ?2";
  const rows = await sql.rows(`${text} ${page}`, before, limit, ...values);
  return rows.map(toRelease);
}

async function listEntries(sql: Sql, id: string, query: StagedQuery): Promise<StagedRow[]> {
  const { state } = await getRelease(sql, id);
  return state === "published" ? listPublished(sql, id, query) : listStaged(sql, query, id);
}

async function listPublished(sql: Sql, id: string, { paths, after, limit, locale }: StagedQuery): Promise<StagedRow[]> {
  const within = withinAny("slug", paths, 6);
  const rows = await sql.rows(
    `SELECT slug, ${copyColumns} FROM working_copy WHERE ${isPublishedBy("?1")} AND (slug, locale) > (?2, ?3) AND ${within.sql}
       AND coalesce(?5, locale) = locale ORDER BY slug, locale LIMIT ?4`,
    id,
    after?.slug ?? "",
    after?.locale ?? "",
    limit,
    locale ?? null,
    ...within.values,
  );
  const listed: StagedRow[] = [];
  for (const [slug, ...row] of rows) {
    const named = { slug: slug as StagedRow["slug"], copy: toCopy(row), outdated: [] };
    // It may be elsewhere now, where the asker reads nothing.
    const entry = await findEntry(sql, named.slug);
    listed.push({ ...named, title: entry?.uuid === named.copy.uuid ? await titleOf(entry) : "" });
  }
  return listed;
}

/** The release, all of whose entries the caller reaches. Throws release_not_found, scope_missing. */
async function reached(sql: Sql, id: string, reach: Reach): Promise<Release> {
  const release = await getRelease(sql, id);
  if (reach.paths !== null && (await getRelease(sql, id, reach)).count < release.count) throw unseen();
  return release;
}

async function createRelease(on: Writing, release: NewRelease, context: WriteContext): Promise<Release> {
  const { sql } = on;
  if ((await numberOf(sql, "SELECT count(*) FROM release")) >= maxReleases)
    throw problem("too_many_releases", { limit: maxReleases });
  const { id, title, state, createdAtSeconds, createdBy } = release;
  const sequence = await appendAbout(on, "release.create", id, context);
  await sql.run(insertOf(releaseRule).text, id, title, state, null, null, 0, createdAtSeconds, createdBy, sequence);
  return { ...release, sequence };
}

async function renameRelease(
  on: Writing,
  id: string,
  title: string,
  reach: Reach,
  context: WriteContext,
): Promise<Release> {
  const { sql } = on;
  const release = await getRelease(sql, id, reach);
  refusePublished(release);
  await sql.run("UPDATE release SET title = ?1 WHERE id = ?2", title, id);
  await appendAbout(on, "release.update", id, context);
  return { ...release, title };
}

/** An event is about one thing at least. */
const append = (on: Writing, kind: EventKind, { id, count }: Release, context: WriteContext) =>
  appendAbout(on, kind, id, context, Math.max(count, 1));

async function deleteRelease(on: Writing, id: string, reach: Reach, context: WriteContext): Promise<void> {
  const { sql } = on;
  const release = await reached(sql, id, reach);
  if (release.state !== "published") refuseFixed(release);
  await append(on, "release.delete", release, context);
  // Also of what is in the trash.
  await sql.run("UPDATE working_copy SET release = NULL WHERE release = ?1 AND published_revision = 0", id);
  await sql.run(`DELETE FROM working_copy WHERE ${isPublishedBy("?1")}`, id);
  await sql.run("DELETE FROM release WHERE id = ?1", id);
}

async function publishRelease(
  on: Writing,
  id: string,
  how: ReleasePublishing,
  context: WriteContext,
): Promise<Release> {
  const release = await reached(on.sql, id, how);
  const { atSeconds, isDryRun = false } = how;
  if (atSeconds === null) {
    refusePublished(release);
    // There may be no time to take back.
    if (release.state !== "scheduled" || isDryRun) return release;
    return setTime(on, release, null, context);
  }
  refuseFixed(release);
  const changes = await checkMembers(on, release, how, context);
  if (isDryRun) return release;
  if (atSeconds !== undefined) return setTime(on, release, atSeconds, context);
  return publishChecked(on, release, changes, context);
}

/** Publishes what was checked. */
async function publishChecked(
  on: Writing,
  release: Release,
  changes: Awaited<ReturnType<typeof checkMembers>>,
  context: WriteContext,
): Promise<Release> {
  const count = await publishMembers(on, release, changes, context);
  return setState(on, { ...release, state: "published", atSeconds: context.nowSeconds, scheduledBy: null, count });
}

/** What changes of a release. What was published says how many it has. */
async function setState({ sql }: Writing, release: Release): Promise<Release> {
  const { id, state, atSeconds, scheduledBy } = release;
  const published = state === "published" ? release.count : 0;
  await sql.run(
    "UPDATE release SET state = ?2, at = ?3, scheduled_by = ?4, count = ?5 WHERE id = ?1",
    id,
    state,
    atSeconds,
    scheduledBy,
    published,
  );
  return release;
}

/** Its copies are frozen until that time, also those that come back from the trash. */
async function setTime(
  on: Writing,
  release: Release,
  atSeconds: number | null,
  context: WriteContext,
  { state, kind }: { state: Release["state"]; kind: EventKind } = { state: "open", kind: "release.schedule" },
): Promise<Release> {
  const scheduledBy = atSeconds === null ? null : context.actor;
  await on.sql.run(
    "UPDATE working_copy SET publish_at = ?2, scheduled_by = ?3 WHERE release = ?1 AND published_revision = 0",
    release.id,
    atSeconds,
    scheduledBy,
  );
  await append(on, kind, release, context);
  return setState(on, { ...release, state: atSeconds === null ? state : "scheduled", atSeconds, scheduledBy });
}

async function undoRelease(on: Writing, id: string, reach: Reach, context: WriteContext): Promise<Release> {
  const release = await reached(on.sql, id, reach);
  if (release.state !== "published") throw problem("release_not_published", { id });
  await undoMembers(on, release, reach, context);
  return setState(on, { ...release, state: "open", atSeconds: null, scheduledBy: null });
}

/** Publishes one whose time has come, as who scheduled it; answers how many. */
async function publishDueRelease(on: Writing, nowSeconds: number): Promise<number> {
  const row = await on.sql.row(
    `${selectRelease({ paths: null }, 2).text} WHERE ${dueSql} ORDER BY at, release.id LIMIT 1`,
    nowSeconds,
  );
  if (!row) return 0;
  const release = toRelease(row);
  const context = { actor: release.scheduledBy ?? "octavo", nowSeconds };
  const due: Release = { ...release, state: "open" };
  try {
    await publishChecked(on, due, await checkMembers(on, due, {}, context), context);
    return 1;
  } catch (error) {
    // What is refused has changed nothing. It must not be tried again and again, nor hold up the others.
    if (!(error instanceof Problem)) throw error;
    await setTime(on, due, null, context, { state: "failed", kind: "release.publish_failed" });
    return 0;
  }
}
