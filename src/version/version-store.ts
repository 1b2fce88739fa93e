import type { WriteContext } from "../core/event.ts";
import { formatJson, type Json } from "../core/lib/json.ts";
import type { Path } from "../core/path.ts";
import { unreferenceBlobs } from "../core/sql/blob.ts";
import { eventBounds } from "../core/sql/event.ts";
import { noun, type Scanning, type Writing } from "../core/sql/noun.ts";
import { insertOf, isTwice, namesOf, rowTable } from "../core/sql/rows.ts";
import { deleteRows, findNumber, type Row, type Sql, type TransactionSql } from "../core/sql/sql.ts";
import type { Entry } from "../entry/entry.ts";
import { type FreshFaults, firstKey } from "../type/check.ts";
import { objectOf } from "../working-copy/staged-base.ts";
import { problem } from "./problems.ts";
import {
  bytesOfVersion,
  type CurrentVersion,
  type HistoryBounds,
  type HistoryRow,
  keepsHistory,
  timeOfVersion,
  type Version,
  type VersionedThing,
  type VersionStore,
  versionFields,
} from "./version.ts";
import { versionRule } from "./version-row-rules.ts";

const insert = insertOf(versionRule);

export const versionNoun = noun({
  writes: { trimOldHistory, trimThings },
  scans: { listOverBounds },
  rows: [
    rowTable(versionRule, "next_revision, noun, thing, locale", {
      refusals: [
        ["there are no such bytes", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM blob WHERE hash = ?1)", "blob"],
        [
          isTwice,
          "SELECT 1 FROM version WHERE noun = ?1 AND thing = ?2 AND locale = ?3 AND next_revision = ?4",
          "noun",
          "thing",
          "locale",
          "next_revision",
        ],
      ],
    }),
  ],
  relations: [
    {
      query: `SELECT noun, thing FROM version
        WHERE revision >= next_revision OR next_revision > (SELECT coalesce(max(sequence), 0) FROM event)`,
      says: (noun, thing) => `A version of the ${noun} ${thing} names an event that does not follow`,
    },
  ],
  port: ({ sql, writes, scans }): VersionStore => ({
    list: (thing, before, limit) => listHistory(sql, thing, before, limit),
    find: (thing, revision, current) => findVersion(sql, thing, revision, current),
    trim: async (bounds, nowSeconds) => {
      const keeps = keepsHistory(bounds);
      let trimmed = 0;
      const before = keeps ? nowSeconds - bounds.seconds : Number.MAX_SAFE_INTEGER;
      // A history without old rows is not written to.
      const oldest = await findNumber(sql, oldestReplaced);
      if (oldest === undefined) return 0;
      if (oldest < before || oldest > nowSeconds)
        for (let count = trimGroup; count === trimGroup; trimmed += count)
          count = await writes.trimOldHistory(before, nowSeconds);
      const things = keeps ? await scans.listOverBounds(bounds) : [];
      // Together: most have one row too many.
      for (let at = 0; at < things.length; at += thingGroup) {
        const group = things.slice(at, at + thingGroup);
        for (let count = trimGroup; count === trimGroup; trimmed += count)
          count = await writes.trimThings(group, bounds, nowSeconds);
      }
      return trimmed;
    },
    totals: async () => {
      const row = await sql.row("SELECT count(*), coalesce(sum(bytes), 0) FROM version WHERE is_deleted = 0");
      const [rows, bytes] = row as readonly [number, number];
      return { rows, bytes };
    },
  }),
});

/**
 * Keeps the version that a write replaces, whose event is `nextRevision`; `size` is that of a file's bytes. Does nothing
 * where the store keeps no history.
 */
export function noteVersion(
  { sql, keepsHistory }: Pick<Writing, "sql" | "keepsHistory">,
  thing: VersionedThing,
  version: Version,
  nextRevision: number,
  context: WriteContext,
  size = 0,
): void {
  if (keepsHistory) insertVersion(sql, thing, version, { nextRevision, isDeleted: 0, size }, context);
}

/** The same of what the event `item` is about to delete; the trash has it whether there is a history or not. */
export const keepDeleted = (
  sql: TransactionSql,
  thing: VersionedThing,
  version: Version,
  item: number,
  context: WriteContext,
  size = 0,
): void => insertVersion(sql, thing, version, { nextRevision: item, isDeleted: 1, size }, context);

function insertVersion(
  sql: TransactionSql,
  { noun, thing, locale = "" }: VersionedThing,
  version: Version,
  { nextRevision, isDeleted, size }: { nextRevision: number; isDeleted: 0 | 1; size: number },
  { nowSeconds, actor }: WriteContext,
): void {
  const { revision, fields, data, blob } = version;
  const bytes = bytesOfVersion(version) + size;
  const events = [revision, nextRevision, isDeleted, nowSeconds, actor];
  sql.later(insert, [[noun, thing, locale, ...events, fields, data, blob, bytes]]);
}

/** Of a column, SQL for its value as JSON.stringify writes it. */
const jsonOf = {
  number: (column: string) => column,
  text: (column: string) => `{json_text ${column}}`,
  flag: (column: string) => `CASE ${column} WHEN 1 THEN 'true' ELSE 'false' END`,
};
const jsonKinds: Readonly<Record<string, keyof typeof jsonOf>> = { flag: "flag", text: "text", visibility: "text" };
const objectSql = (members: readonly (readonly [name: string, kind: keyof typeof jsonOf])[]): string =>
  `'{' || ${members.map(([name, kind]) => `'"${name}":' || ${jsonOf[kind](name)}`).join(" || ',' || ")} || '}'`;

/** What entryVersion and fileVersion of version.ts make of an entry and a file, as queries. */
const liveVersions = {
  entry: `SELECT slug AS place, uuid, content_revision, NULL AS blob, 0 AS size, data,
      ${objectSql(versionFields.map(({ name, kind }) => [name, jsonKinds[kind] ?? "number"] as const))} AS fields
    FROM entry`,
  file: `SELECT folder.path AS place, uuid, content_revision, blob, size, meta AS data,
      '{"title":' || ${jsonOf.text("title")} || ',"description":' || ${jsonOf.text("description")} ||
      ',"type":' || ${jsonOf.text("type")} || ',"size":' || size || ',"uploaded_at":' || uploaded_at ||
      CASE WHEN width IS NULL THEN '' ELSE ',"image":' ||
        ${objectSql([
          ["width", "number"],
          ["height", "number"],
          ["is_color", "flag"],
        ])} END ||
      ',"modified_at":' || file.modified_at || '}' AS fields
    FROM file JOIN folder ON folder.id = file.folder`,
};

/** The same of all entries or files for which `where` holds, a condition on the path `?2`. */
export async function keepAllDeleted(
  sql: Sql,
  noun: keyof typeof liveVersions,
  where: string,
  path: Path,
  item: number,
  { nowSeconds, actor }: WriteContext,
): Promise<void> {
  await sql.run(
    `INSERT INTO version (${namesOf(versionRule).join(", ")})
     SELECT '${noun}', uuid, '', content_revision, ?1, 1, ?3, ?4, fields, data, blob,
       size + octet_length(fields) + octet_length(data)
     FROM (${liveVersions[noun]} WHERE ${where}) AS gone ORDER BY place`,
    item,
    path,
    nowSeconds,
    actor,
  );
}

export const versionColumns = ["revision", "fields", "data", "blob"].map((column) => `version.${column}`).join(", ");

/**
 * The versions of these things, of their source, that an event replaced or deleted: `versionColumns`, none for a thing without.
 * Each is looked up by itself. A join leaves the order to the planner: without statistics, as after a first large deletion,
 * PostgreSQL read all versions of the event for each thing, and a restore of some thousand entries took longer than it may.
 */
export async function versionsBefore(
  sql: Pick<Sql, "rowsAll">,
  noun: VersionedThing["noun"],
  things: readonly string[],
  event: number,
): Promise<(Row | undefined)[]> {
  const found = await sql.rowsAll(
    `SELECT ${versionColumns} FROM version WHERE noun = '${noun}' AND thing = ?1 AND locale = '' AND next_revision = ?2`,
    things.map((thing) => [thing, event]),
    ["text", "integer"],
  );
  return found.map(([version]) => version);
}

export function toVersion(row: Row): Version {
  const [revision, fields, data, blob] = row as readonly [number, fields: string, data: string, blob: string | null];
  return { revision, fields, data, blob };
}

/** The versions of a thing in the locale ?3. Of what lives only a translation may have some that were deleted. */
const ofThing = "noun = ?1 AND thing = ?2 AND locale = ?3";

/** As VersionStore.find. */
export async function findVersion(
  sql: Pick<Sql, "row">,
  kept: VersionedThing,
  revision: number,
  { id, since }: CurrentVersion,
): Promise<Version | undefined> {
  if (since === revision) return undefined;
  const state = await findReplaced(sql, kept, revision);
  if (state) return state;
  // Of an event that is still to come nobody knows what will be in force then.
  if (since !== undefined && since < revision && revision <= (await eventBounds(sql)).newest) return undefined;
  throw problem("revision_not_found", { id, revision });
}

/**
 * The state before the present one that was in force at this revision, or that it made: a translation from the trash has its
 * revision again, among later ones. Undefined when it is not kept.
 */
export async function findReplaced(
  sql: Pick<Sql, "row">,
  { noun, thing, locale = "" }: VersionedThing,
  revision: number,
): Promise<Version | undefined> {
  const row = await sql.row(
    `SELECT ${versionColumns} FROM version
     WHERE ${ofThing} AND next_revision > ?4 AND revision <= ?4 AND (?3 = '' OR revision > 0)
     ORDER BY revision <> ?4, next_revision LIMIT 1`,
    noun,
    thing,
    locale,
    revision,
  );
  return row && toVersion(row);
}

/** The earlier contents that are looked at for the faults of a draft. */
const maxEarlier = 100;

/** Of faults those in keys whose value neither the live content of the entry nor an earlier one has; one of the whole is in all keys. */
export const freshFor =
  (sql: Pick<Sql, "row">, { uuid, data: live }: Pick<Entry, "uuid" | "data">): FreshFaults =>
  async (faults, data) => {
    const texts = [...data].map(([key, value]) => [key, formatJson(value)] as const);
    let fresh = faults;
    let [before, text] = [Number.MAX_SAFE_INTEGER, live];
    for (let count = 0; fresh.length > 0; count++) {
      const had = await objectOf(text);
      const isSame = (key: string, value: string) => had.has(key) && formatJson(had.get(key) as Json) === value;
      const changed = new Set(texts.flatMap(([key, value]) => (isSame(key, value) ? [] : [key])));
      fresh = fresh.filter(({ pointer }) => (pointer === "" ? changed.size > 0 : changed.has(firstKey(pointer))));
      const row = count < maxEarlier ? await sql.row(earlierSql, uuid, before) : undefined;
      if (!row) break;
      [before, text] = row as readonly [number, string];
    }
    return fresh;
  };

const earlierSql = `SELECT next_revision, data FROM version
  WHERE noun = 'entry' AND thing = ?1 AND locale = '' AND next_revision < ?2 ORDER BY next_revision DESC LIMIT 1`;

/** Who made a state is who replaced the one before, or what the log says. */
async function listHistory(
  sql: Sql,
  { noun, thing, locale = "" }: VersionedThing,
  before = Number.MAX_SAFE_INTEGER,
  limit: number,
): Promise<HistoryRow[]> {
  const rows = await sql.rows(
    `SELECT revision, next_revision, replaced_at, replaced_by, fields, bytes,
       coalesce(
         (SELECT older.replaced_by FROM version AS older
          WHERE older.noun = ?1 AND older.thing = ?2 AND older.locale = ?3 AND older.next_revision = version.revision),
         (SELECT actor FROM event WHERE sequence = version.revision))
     FROM version WHERE ${ofThing} AND next_revision < ?4 AND (?3 = '' OR revision > 0) ORDER BY next_revision DESC LIMIT ?5`,
    noun,
    thing,
    locale,
    before,
    limit,
  );
  return rows.map(toHistoryRow);
}

type ReplacedRow = readonly [
  revision: number,
  nextRevision: number,
  replacedAt: number,
  replacedBy: string,
  fields: string,
  bytes: number,
  actor: string | null,
];

function toHistoryRow(row: Row): HistoryRow {
  const [revision, nextRevision, replacedAtSeconds, replacedBy, fields, bytes, actor] = row as ReplacedRow;
  return { revision, nextRevision, atSeconds: timeOfVersion(fields), actor, replacedAtSeconds, replacedBy, bytes };
}

/** This many rows are removed in one transaction, so that other writes wait little. Contract, part two, §11. */
const trimGroup = 500;
const thingGroup = 50;

/** Removes rows by number and hash of the bytes, and starts the grace period of these bytes. Answers how many. */
export async function removeVersions(sql: Sql, rows: readonly Row[], nowSeconds: number): Promise<number> {
  const kept = rows as readonly (readonly [id: number, blob: string | null])[];
  const hashes = kept.flatMap(([, blob]) => blob ?? []);
  await unreferenceBlobs(sql, hashes, nowSeconds);
  const ids = kept.map(([id]) => [id]);
  await sql.runAll(deleteRows("version", "id = ?1", ["integer"]), ids);
  return rows.length;
}

/** When the oldest row was replaced. The oldest are first, but where a clock was ahead. */
const oldestReplaced = "SELECT replaced_at FROM version WHERE is_deleted = 0 ORDER BY id LIMIT 1";

/**
 * Removes some rows that were replaced before this time: the oldest ones are first. Rows that a clock that was ahead
 * dated after `nowSeconds` go with those that followed them.
 */
async function trimOldHistory({ sql }: Writing, beforeSeconds: number, nowSeconds: number): Promise<number> {
  const oldest = await sql.rows(
    `SELECT id, replaced_at FROM version WHERE is_deleted = 0 AND replaced_at <= ?1 ORDER BY id LIMIT ${trimGroup}`,
    Math.max(beforeSeconds, nowSeconds),
  );
  const firstKept = (oldest as [number, number][]).findIndex(([, replacedAt]) => replacedAt >= beforeSeconds);
  const last = (firstKept < 0 ? oldest : oldest.slice(0, firstKept)).at(-1);
  if (!last) return 0;
  const rows = await sql.rows(
    `SELECT id, blob FROM version WHERE is_deleted = 0 AND id <= ?1 ORDER BY id LIMIT ${trimGroup}`,
    last[0] ?? 0,
  );
  return removeVersions(sql, rows, nowSeconds);
}

/** Things with more history than the bounds say. */
async function listOverBounds({ sql }: Scanning, { rows, bytes }: HistoryBounds): Promise<VersionedThing[]> {
  const found = await sql.rows(
    `SELECT noun, thing, locale FROM version WHERE is_deleted = 0 GROUP BY noun, thing, locale
     HAVING count(*) > ?1 OR (sum(bytes) > ?2 AND count(*) > 1)`,
    rows,
    bytes,
  );
  return found.map(([noun, thing, locale]) => ({ noun, thing, locale }) as VersionedThing);
}

/** Of a thing, the first row that stays; reads no more rows than stay by their number. The newest row stays. */
const firstKept = `(SELECT min(next_revision) FROM (
    SELECT next_revision, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM (
      SELECT next_revision, bytes FROM version WHERE ${ofThing} AND is_deleted = 0 ORDER BY next_revision DESC LIMIT ?4
    ) AS latest WINDOW newest AS (ORDER BY next_revision DESC)
  ) AS sized WHERE place = 1 OR total <= ?5)`;

/** Removes some rows of these things that the bounds leave out: the oldest ones. */
async function trimThings(
  { sql }: Writing,
  things: readonly VersionedThing[],
  bounds: HistoryBounds,
  nowSeconds: number,
): Promise<number> {
  const over = await sql.rowsAll(
    `SELECT id, blob FROM version WHERE ${ofThing} AND is_deleted = 0 AND next_revision < ${firstKept}
     ORDER BY next_revision LIMIT ${trimGroup}`,
    things.map(({ noun, thing, locale = "" }) => [noun, thing, locale, bounds.rows, bounds.bytes]),
    ["text", "text", "text", "integer", "integer"],
  );
  return removeVersions(sql, over.flat().slice(0, trimGroup), nowSeconds);
}
