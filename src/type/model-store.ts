import { setImmediate } from "node:timers/promises";
import type { NewEvent, WriteContext } from "../core/event.ts";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import type { Slug } from "../core/path.ts";
import { type Fault, isProblem } from "../core/problem.ts";
import { eventBounds } from "../core/sql/event.ts";
import type { Remote, Scanning, Writing } from "../core/sql/noun.ts";
import type { Sql } from "../core/sql/sql.ts";
import { maxDataDepth } from "../entry/entry.ts";
import type { Visibility } from "../entry/field.ts";
import { isLenient, Types } from "./check.ts";
import { newFaults } from "./known-fault.ts";
import {
  type Model,
  type ModelChange,
  type ModelOptions,
  type ModelPlan,
  planOf,
  type RefusedEntries,
  throwInUse,
  withUsers,
} from "./model.ts";
import { refuseNames } from "./name.ts";
import { problem } from "./problems.ts";
import { allTypes, replaceTypes, typeState } from "./rows.ts";
import { type ContentType, maxNamedEntries, maxTypes } from "./type.ts";

/**
 * How a model is applied. A scan checks all entries by it, however long that takes; then one transaction looks only at those
 * that were written since, and writes the types, or nothing where other types came between.
 */

/** Where a scan stood: the state of the types and the newest event. */
type Tried = { state: string; newest: number };
/** How far a scan came: `last` is the entry that it looked at last when its time ended. */
type ModelScan = Tried & { change: ModelChange; found: RefusedEntries; last?: Slug };

/** Checks the model and the entries behind `after`, as long as a scan may take. Throws what a write of it is refused with. */
export async function tryModel(
  { sql, isStopped, options }: Scanning,
  model: Model,
  after = "" as Slug,
): Promise<ModelScan> {
  const endMs = performance.now() + options.scanBudgetMs.management;
  const state = String(await sql.row(typeState));
  const { newest } = await eventBounds(sql);
  const check = await ModelCheck.of(sql, model, options.maxCheckMs);
  if (after === "") await check.refuseSchemas();
  const isOver = () => isStopped() || performance.now() > endMs;
  const last = await check.entries({ after, since: 0 }, isOver);
  return { state, newest, change: check.change, found: check.found, ...(last !== undefined && { last }) };
}

/** Answers null, with nothing done, where the types are others than those that were tried. */
export async function applyModel(
  on: Writing,
  model: Model,
  { state, newest }: Tried,
  context: WriteContext,
): Promise<ModelChange | null> {
  if (String(await on.sql.row(typeState)) !== state) return null;
  // Of this state the scan has accepted the schemas.
  const check = await ModelCheck.of(on.sql, model);
  await check.entries({ after: "" as Slug, since: newest }, () => false);
  refuseEntries(check.found);
  await write(on, check.plan, context);
  return check.change;
}

/** How often a model is tried again where other types came between. */
const maxAttempts = 3;

/** Tries the model, then applies it. */
export async function applyTried(
  model: Model,
  { isDryRun, asker }: ModelOptions,
  context: WriteContext,
  scans: Remote<{ tryModel: typeof tryModel }>,
  writes: Remote<{ applyModel: typeof applyModel }>,
): Promise<ModelChange> {
  if (context.unit?.isReplay) return (await writes.applyModel(model, { state: "", newest: 0 }, context)) as ModelChange;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { change, ...tried } = await tryAll(model, scans, asker?.signal);
    if (isDryRun || change.changes.length === 0) return change;
    const applied = await writes.applyModel(model, tried, context);
    if (applied) return applied;
  }
  throw problem("busy", { reason: "other types are written all the time" });
}

/** Scans until all entries were looked at. What was written meanwhile is newer than where the first scan stood. */
async function tryAll(
  model: Model,
  scans: Remote<{ tryModel: typeof tryModel }>,
  signal: AbortSignal | undefined,
): Promise<Tried & { change: ModelChange }> {
  const { change, state, newest, found, last: first } = await scans.tryModel(model);
  for (let last = first; last !== undefined; ) {
    if (signal?.aborted) throw problem("busy", { reason: "its client has left" });
    const more = await scans.tryModel(model, last);
    found.checked += more.found.checked;
    found.failing += more.found.failing;
    found.first.push(...more.found.first);
    last = more.last;
  }
  refuseEntries(found);
  return { change, state, newest };
}

/** Throws types_refused. */
function refuseEntries({ failing, first }: RefusedEntries): void {
  if (failing > 0) throw problem("types_refused", { failing, entries: first.slice(0, maxNamedEntries) });
}

/** The rows and their events, in one group. */
async function write({ sql, appendAll }: Writing, plan: ModelPlan, context: WriteContext): Promise<void> {
  const { actor, nowSeconds, origin = {} } = context;
  const about = { atSeconds: nowSeconds, target: null, count: 1, actor, origin };
  const events: NewEvent[] = [
    ...plan.puts.map(({ id }) => ({ ...about, kind: "type.put" as const, subject: id })),
    ...plan.removed.map((id) => ({ ...about, kind: "type.delete" as const, subject: id })),
  ];
  const revisions = await appendAll(events);
  await replaceTypes(
    sql,
    [...plan.puts.map(({ id }) => id), ...plan.removed],
    plan.puts.map((type, i) => ({ ...type, revision: revisions[i] as number })),
  );
}

// ---------------------------------------------------------------------------------------------- checks

/** What compiling the types that change, and those that refer to them, may take together: a thousand take some seconds. */
const maxCompileMs = 30_000;
/** Entries are checked this many at a time; between two, on PostgreSQL, requests are answered. */
const pageEntries = 50;
/** Of each entry that is named. */
const maxNamedFaults = 10;

/** Entries behind an id whose newest event is past another one. */
type EntryRange = { after: Slug; since: number };

/** The check of a model against one state of the store. */
class ModelCheck {
  readonly plan: ModelPlan;
  readonly found: RefusedEntries = { checked: 0, failing: 0, first: [] };
  private readonly sql: Sql;
  private readonly present: ReadonlyMap<string, ContentType>;
  private readonly before: Types;
  private readonly after: Types;
  /** The types whose schema another one replaces, also by way of a type that they refer to. */
  private readonly affected: ReadonlySet<string>;

  static async of(sql: Sql, model: Model, maxCheckMs?: number): Promise<ModelCheck> {
    return new ModelCheck(sql, await allTypes(sql), model, maxCheckMs);
  }

  private constructor(sql: Sql, present: ReadonlyMap<string, ContentType>, model: Model, maxCheckMs?: number) {
    this.sql = sql;
    this.present = present;
    this.plan = planOf(present, model);
    const { after } = this.plan;
    this.before = new Types([...present.values()], { schemaOf: (id) => present.get(id)?.schema }, maxCheckMs);
    this.after = new Types([...after.values()], { schemaOf: (id) => after.get(id)?.schema }, maxCheckMs);
    const other = [...after.values()].filter(({ id, schema }) => present.get(id)?.schema !== schema);
    this.affected = withUsers([...other.map(({ id }) => id), ...this.plan.removed], after);
  }

  get change(): ModelChange {
    const { changes, unchanged } = this.plan;
    return { changes, unchanged };
  }

  /** Throws schema_invalid, type_in_use, too_many_types, type_too_costly. */
  async refuseSchemas(): Promise<void> {
    const { after, puts } = this.plan;
    if (after.size > maxTypes && after.size > this.present.size) throw problem("too_many_types", { limit: maxTypes });
    const endMs = performance.now() + maxCompileMs;
    const written = new Set(puts.map(({ id }) => id));
    for (const id of new Set([...written, ...this.affected])) {
      if (!after.has(id)) continue;
      if (performance.now() > endMs) throw problem("type_too_costly", { type: id });
      // On PostgreSQL this runs on the thread of requests.
      await setImmediate();
      await this.compile(id, written.has(id));
    }
  }

  /** A type that is not written itself is refused for what is taken from it. */
  private async compile(id: string, isWritten: boolean): Promise<void> {
    try {
      const compiled = await this.after.compile(id);
      if (isWritten) refuseNames(compiled);
    } catch (error) {
      if (!isWritten || !isProblem(error, "schema_invalid")) throwInUse(error, this.usedBy(id), id);
      const { pointer, rule } = error.params as { pointer: string; rule: string };
      throw problem("schema_invalid", { pointer, rule, type: id });
    }
  }

  /** The type that changes and that this one refers to. */
  private usedBy(user: string): string {
    const others = [...this.plan.puts.map(({ id }) => id), ...this.plan.removed];
    return others.find((id) => withUsers([id], this.plan.after).has(user)) ?? user;
  }

  /** Looks at the entries in the range until it is over; answers where it ended before the last one. */
  async entries({ after, since }: EntryRange, isOver: () => boolean): Promise<Slug | undefined> {
    if (this.plan.changes.length === 0) return undefined;
    const text = `SELECT slug, data, visibility FROM entry WHERE slug > ?1 AND revision > ?2 ORDER BY slug LIMIT ${pageEntries}`;
    for (let last = after; ; ) {
      const rows = await this.sql.rows(text, last, since);
      for (const row of rows) {
        const [slug, data, visibility] = row as [Slug, string, Visibility];
        await this.entry(slug, data, visibility);
        last = slug;
        if (isOver()) return last;
      }
      if (rows.length < pageEntries) return undefined;
      await setImmediate();
    }
  }

  /** Notes the entry when it would have a fault that it has not now. */
  private async entry(slug: Slug, text: string, visibility: Visibility): Promise<void> {
    const mayName = text.includes('"fieldset"');
    if (!mayName && !this.isAffected(slug, noData)) return;
    const data = parseJson(text, maxDataDepth) as JsonObject;
    const type = this.isAffected(slug, data);
    if (!type) return;
    this.found.checked++;
    const found = await faultsOf(this.after, type, data, visibility);
    if (found.length === 0) return;
    const known = this.before.enforced(slug, data) === type ? await faultsOf(this.before, type, data, visibility) : [];
    const faults = newFaults({ faults: found, data }, { faults: known, data });
    if (faults.length > 0) this.note(slug, type, faults);
  }

  private note(slug: Slug, type: string, faults: readonly Fault[]): void {
    this.found.failing++;
    if (this.found.first.length >= maxNamedEntries) return;
    const named = problem("data_invalid", {
      id: slug,
      type,
      count: faults.length,
      faults: faults.slice(0, maxNamedFaults),
    });
    const { code, detail } = named;
    this.found.first.push({ id: slug, code, detail, faults: faults.slice(0, maxNamedFaults) });
  }

  /** The type that checks the entry where that is another one than now, or has another schema. */
  private isAffected(slug: Slug, data: JsonObject): string | undefined {
    const type = this.after.enforced(slug, data);
    if (type === undefined) return undefined;
    return this.affected.has(type) || this.before.enforced(slug, data) !== type ? type : undefined;
  }
}

const noData: JsonObject = new Map();

/** An entry that takes too long to check would be refused, so it fails. */
async function faultsOf(
  types: Types,
  type: string,
  data: JsonObject,
  visibility: Visibility,
): Promise<readonly Fault[]> {
  try {
    return await types.faultsOf(type, data, isLenient({ visibility }));
  } catch (error) {
    if (!isProblem(error, "type_too_costly")) throw error;
    return [{ pointer: "", rule: "cost", message: error.detail, accepted: "data with fewer alternatives to try" }];
  }
}
