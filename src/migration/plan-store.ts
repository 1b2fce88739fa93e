import { setImmediate } from "node:timers/promises";
import { pagesBy } from "../core/lib/in-groups.ts";
import { parseJson } from "../core/lib/json.ts";
import type { Slug } from "../core/path.ts";
import { type ReadSql, type Row, withinAny } from "../core/sql/sql.ts";
import { entryColumns, type StoredEntry, toEntry } from "../entry/rows.ts";
import { allTranslations, blankTranslation } from "../translation/rows.ts";
import { Types } from "../type/check.ts";
import { throwInUse } from "../type/model.ts";
import { refuseNames } from "../type/name.ts";
import { findSchema, typeRows } from "../type/rows.ts";
import { findType, users } from "../type/store.ts";
import { existingType, parseSchema, type StoredType } from "../type/type.ts";
import type { WorkingCopy } from "../working-copy/staged.ts";
import { copyColumns, copyRowsOf, toCopy } from "../working-copy/staged-rows.ts";
import { migratedSchema } from "./schema.ts";
import type { Step } from "./step.ts";

/** What a plan is about: the types as they are and will be, and their entries with working copies. */

/** What the checks of all entries of one plan may take together; some ten thousand a second is usual. */
const maxChecksMs = 120_000;

export type Plan = {
  readonly steps: readonly Step[];
  /** Which entries each type has. */
  readonly rows: Awaited<ReturnType<typeof typeRows>>;
  /** The types whose schema changes, as they will be. */
  readonly changed: ReadonlyMap<string, StoredType>;
  /** The types whose entries are looked at: those of the steps, and those that refer to a schema that changes. */
  readonly affected: ReadonlySet<string>;
  /** Those whose schema changes by itself, or by what it refers to. */
  readonly rechecked: ReadonlySet<string>;
  readonly before: Types;
  readonly after: Types;
};

/** Throws type_not_found, schema_invalid, data_too_large (the schema), type_in_use. */
export async function planOf(sql: ReadSql, steps: readonly Step[]): Promise<Plan> {
  const changed = new Map<string, StoredType>();
  const affected = new Set<string>();
  const rechecked = new Set<string>();
  for (const id of new Set(steps.map(({ type }) => type))) {
    const type = existingType(await findType(sql, id), id);
    const others = await users(sql, id);
    const schema = migratedSchema(type.schema, stepsOf(steps, id), others.length > 0);
    affected.add(id);
    if (schema === type.schema) continue;
    // A default may be large, and a copy of a part.
    changed.set(id, { ...type, schema: parseSchema(parseJson(schema)) });
    for (const one of [id, ...others]) rechecked.add(one);
  }
  for (const id of rechecked) affected.add(id);
  const rows = await typeRows(sql);
  const schemaOf = async (id: string) => changed.get(id)?.schema ?? (await findSchema(sql, id));
  const before = new Types(rows, { schemaOf: (id) => findSchema(sql, id) }).together(maxChecksMs);
  const after = new Types(rows, { schemaOf }).together(maxChecksMs);
  for (const id of affected) await refuseUncompiled(after, id, changed);
  return { steps, rows, changed, affected, rechecked, before, after };
}

export const stepsOf = (steps: readonly Step[], id: string): Step[] => steps.filter(({ type }) => type === id);

async function refuseUncompiled(after: Types, id: string, changed: Plan["changed"]): Promise<void> {
  try {
    const compiled = await after.compile(id);
    if (changed.has(id)) refuseNames(compiled);
  } catch (error) {
    const [first] = changed.keys();
    if (changed.has(id) || first === undefined) throw error;
    throwInUse(error, first, id);
  }
}

/** An entry, its working copy, and the row of that. */
export type Member = {
  readonly entry: StoredEntry;
  readonly copy: WorkingCopy | undefined;
  readonly row: Row | undefined;
  /** What the entry says in other locales, live or staged. */
  readonly translations?: readonly Member[];
};

/** Entries may be large: this many are read at a time. */
const pageEntries = 100;

/** The entries that may be of the affected types, live or once their working copies are published; others may be among them. */
export async function* candidates(sql: ReadSql, { rows, affected }: Plan): AsyncGenerator<Member> {
  const tops = rows.filter(({ id }) => affected.has(id)).flatMap(({ paths }) => paths.map(literalOf));
  const within = withinAny("slug", tops.includes("" as Slug) ? null : tops, 2);
  const text = `SELECT ${entryColumns} FROM entry
    WHERE slug > ?1 AND (${within.sql} OR data LIKE '%"fieldset"%' OR staged_revision IS NOT NULL)
    ORDER BY slug LIMIT ${pageEntries}`;
  const read = async (last?: StoredEntry) => (await sql.rows(text, last?.slug ?? "", ...within.values)).map(toEntry);
  for await (const entries of pagesBy(pageEntries, read)) {
    yield* await withCopies(sql, entries);
    // On PostgreSQL this is on the thread of requests.
    await setImmediate();
  }
}

/** The part of a pattern before its first wildcard. */
function literalOf(pattern: string): Slug {
  const segments = pattern.split("/");
  const wild = segments.findIndex((segment) => segment === "*" || segment === "**");
  return segments.slice(0, wild < 0 ? segments.length : wild).join("/") as Slug;
}

const findBySlug = `SELECT ${entryColumns} FROM entry WHERE slug = ?1`;

/** These entries, in their order. */
export async function* membersOf(sql: ReadSql, slugs: readonly Slug[]): AsyncGenerator<Member> {
  for (let at = 0; at < slugs.length; at += pageEntries) {
    const keys = slugs.slice(at, at + pageEntries).map((slug) => [slug]);
    yield* await withCopies(sql, (await sql.rowsAll(findBySlug, keys, ["text"])).flat().map(toEntry));
  }
}

async function withCopies(sql: ReadSql, entries: readonly StoredEntry[]): Promise<Member[]> {
  const rows = await copyRowsOf(sql, entries);
  const translations = await translationsOf(sql, entries);
  return entries.map((entry) => ({
    ...memberOf(entry, rows.get(entry.uuid)),
    translations: translations.get(entry.uuid) ?? [],
  }));
}

const memberOf = (entry: StoredEntry, row: Row | undefined): Member => ({ entry, row, copy: row && toCopy(row) });

const copiesText = `SELECT ${copyColumns} FROM working_copy WHERE published_revision = 0 AND uuid = ?1 AND locale <> ''`;

/** By uuid; a staged translation may have no live one. */
async function translationsOf(sql: ReadSql, entries: readonly StoredEntry[]): Promise<ReadonlyMap<string, Member[]>> {
  const translated = entries.filter((entry) => entry.translated);
  if (translated.length === 0) return new Map();
  const keys = translated.map(({ uuid }) => [uuid]);
  const copies = await sql.rowsAll(copiesText, keys, ["text"]);
  const members = translated.map(async (entry, i): Promise<[string, Member[]]> => {
    const live = new Map((await allTranslations(sql, entry)).map((state) => [state.locale, state]));
    const rows = new Map((copies[i] ?? []).map((row) => [toCopy(row).locale, row]));
    const locales = [...new Set([...live.keys(), ...rows.keys()])];
    const stateOf = (locale: string) => {
      const member = memberOf(live.get(locale) ?? blankTranslation(entry, locale, 0), rows.get(locale));
      return { ...member, entry: { ...member.entry, stagedRevision: member.copy?.revision ?? null } };
    };
    return [entry.uuid, locales.map(stateOf)];
  });
  return new Map(await Promise.all(members));
}
