import type { EntryChange, WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups } from "../core/lib/in-groups.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { parseJson } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import type { Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { noun, type Scanning, type Writing } from "../core/sql/noun.ts";
import { firstColumn, insertInto, type ReadSql } from "../core/sql/sql.ts";
import type { Entry, UnsavedEntry } from "../entry/entry.ts";
import { serviceFields } from "../entry/field.ts";
import { changeOf, keptChange } from "../entry/listing-rows.ts";
import type { StoredEntry } from "../entry/rows.ts";
import { savedAtOnce, saveEntry } from "../entry/save-store.ts";
import { putType } from "../type/store.ts";
import type { UnsavedCopy, WorkingCopy } from "../working-copy/staged.ts";
import { baseOf, type KeyBase, outdatedKeys, type StagedBase } from "../working-copy/staged-base.ts";
import { saveCopy } from "../working-copy/staged-rows.ts";
import { removeCopy } from "../working-copy/staged-store.ts";
import type { MigratedPatch } from "./copy.ts";
import { formatCopyRow, insertItems, itemValues, type KeptItem, thingOf } from "./kept-rows.ts";
import { Failing, type Migrated, migrated, partsOf } from "./member-store.ts";
import {
  type DonePlan,
  type FailingEntry,
  type MigrationStore,
  maxFirst,
  type PlanFindings,
  type StepCount,
} from "./migration.ts";
import { candidates, type Member, membersOf, type Plan, planOf } from "./plan-store.ts";
import { problem } from "./problems.ts";
import { formatSteps, parseSteps, type Step } from "./step.ts";
import { allTables, type Followed, putTable, Tables } from "./table-store.ts";
import { appendUpdates, eventsAtOnce, forgetMigration, undoMigration } from "./undo-store.ts";

/**
 * Does plans. All entries are looked at before anything is written; each is read again when it is written, since together they
 * may be too large for the memory.
 */

export const migrationNoun = noun({
  writes: { migrateTypes, undoMigration, forgetMigration },
  scans: { tryMigration },
  apart: ["tryMigration"],
  port: ({ sql, writes, scansFor }): MigrationStore => ({
    try: (steps, most, asker) => scansFor(asker).tryMigration(formatSteps(steps), most),
    run: (steps, most, context) => writes.migrateTypes(formatSteps(steps), most, context),
    undo: writes.undoMigration,
    forget: async (beforeSeconds) => {
      const old = firstColumn<number>(await sql.rows("SELECT id FROM migration WHERE at < ?1", beforeSeconds));
      for (const id of old) await writes.forgetMigration(id);
      return old.length;
    },
  }),
});

/** What a look at all entries found: the findings, and what is to be written. */
type Look = {
  findings: PlanFindings;
  slugs: Slug[];
  changes: { slug: Slug; locale: string | undefined; change: EntryChange }[];
  views: Followed[];
};

async function tryMigration({ sql, isStopped }: Scanning, text: string, most: number): Promise<PlanFindings> {
  const plan = await planOf(sql, parseSteps(parseJson(text)));
  return (await look(sql, plan, most, { actor: "octavo", nowSeconds: 0 }, isStopped)).findings;
}

/** Throws plan_too_large, type_too_costly, and busy once nobody waits for the answer. */
async function look(
  sql: ReadSql,
  plan: Plan,
  most: number,
  context: WriteContext,
  isStopped: () => boolean = () => false,
): Promise<Look> {
  const tally = new Tally(plan);
  const tables = new Tables(await allTables(sql), plan);
  const slugs: Slug[] = [];
  const changes: Look["changes"] = [];
  for await (const member of candidates(sql, plan)) {
    if (isStopped()) throw problem("busy", { reason: "its client has left" });
    const { entry } = member;
    const found = await migrated(plan, member).catch((error: unknown) => tally.fail(error));
    tables.note(entry.slug, plan.before.typeOf(entry.slug, found?.live.before.get("fieldset")));
    if (!found) continue;
    const parts = partsOf(member, found);
    for (const part of parts) tally.count(part.found);
    if (tally.entries + tally.copies > most) throw problem("plan_too_large", { limit: most });
    slugs.push(entry.slug);
    for (const { entry } of parts.filter(({ found }) => found.text !== undefined).map(({ member }) => member))
      changes.push({ slug: entry.slug, locale: entry.locale, change: changeOf(entry, entry, context) });
  }
  const views = await tables.followed();
  return { findings: { ...tally.findings(), views: views.length }, slugs, changes, views };
}

/** Counts what a plan changes, and keeps the first that it cannot be done with. */
class Tally {
  entries = 0;
  copies = 0;
  private readonly plan: Plan;
  private readonly steps: { entries: number; copies: number; failing: number }[];
  private readonly first: FailingEntry[] = [];
  private failing = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.steps = plan.steps.map(() => ({ entries: 0, copies: 0, failing: 0 }));
  }

  count({ live, text, patch, laid }: Migrated): void {
    if (text !== undefined) this.entries++;
    if (patch) this.copies++;
    for (const step of live.steps) this.of(step).entries++;
    for (const step of patch ? (laid?.steps ?? []) : []) this.of(step).copies++;
  }

  /** Rethrows what is no failure of an entry. */
  fail(error: unknown): undefined {
    if (!(error instanceof Failing)) throw error;
    const { entry } = error;
    this.failing++;
    const step = entry.step === undefined ? undefined : this.steps[entry.step];
    if (step) step.failing++;
    if (this.first.length < maxFirst) this.first.push(entry);
    return undefined;
  }

  private of(step: Step): { entries: number; copies: number } {
    return this.steps[this.plan.steps.indexOf(step)] as (typeof this.steps)[number];
  }

  findings(): Omit<PlanFindings, "views"> {
    const { entries, copies, failing, first } = this;
    return { entries, copies, types: [...this.plan.changed.keys()], steps: this.steps as StepCount[], failing, first };
  }
}

// ---------------------------------------------------------------------------------------------- the write

async function migrateTypes(on: Writing, text: string, most: number, given: WriteContext): Promise<DonePlan> {
  const plan = await planOf(on.sql, parseSteps(parseJson(text)));
  const context: WriteContext = { ...given, ifMatch: undefined };
  const { findings, slugs, changes, views } = await look(on.sql, plan, most, context);
  refuseFailing(findings);
  const group = new Group(on);
  for (const [id, type] of plan.changed) await group.putType(id, type, context);
  for (const followed of views) await group.putTable(followed, context);
  const revisions = await group.appendUpdates(changes, context);
  let at = 0;
  for await (const some of inGroups(membersOf(on.sql, slugs), sizeOf, savedAtOnce)) {
    const found = await Promise.all(some.map((member) => migrated(plan, member, false)));
    const items = some.flatMap((member, i) => partsOf(member, found[i] as Migrated));
    const saved = await allSettled(
      items.map(async ({ member, found }) => {
        const revision = found.text === undefined ? undefined : revisions[at++];
        return revision === undefined ? member.entry : group.saveEntry(member, found, revision, context);
      }),
    );
    for (const [i, { member, found }] of items.entries())
      await group.saveCopy(member, found, saved[i] as StoredEntry, context);
  }
  return { ...findings, group: await group.close(text, context) };
}

const sizeOf = ({ entry, copy, translations = [] }: Member): number =>
  translations.reduce((sum, one) => sum + sizeOf(one), entry.data.length + (copy?.data.length ?? 0));

/** Throws migration_invalid. */
function refuseFailing({ failing, first }: PlanFindings): void {
  if (failing === 0) return;
  const entries = first.map(({ id, isStaged, message }) => ({
    id,
    detail: isStaged ? `its working copy: ${message}` : message,
  }));
  throw problem("migration_invalid", { count: failing, entries });
}

/** The writes of one migration, with what was there before. */
class Group {
  private readonly on: Writing;
  private readonly items: KeptItem[] = [];
  private first: number | undefined;

  constructor(on: Writing) {
    const noting = <T extends number | number[]>(sequences: T): T => {
      this.first ??= [sequences].flat()[0];
      return sequences;
    };
    this.on = {
      ...on,
      append: async (event) => noting(await on.append(event)),
      appendAll: async (events) => noting(await on.appendAll(events)),
    };
  }

  async putType(id: string, type: Parameters<typeof putType>[2], context: WriteContext): Promise<void> {
    const [before] = firstColumn<string>(await this.on.sql.rows("SELECT schema FROM type WHERE id = ?1", id));
    const { revision } = await putType(this.on, id, type, context);
    this.keep({ noun: "type", thing: id, name: id, revision, before: before ?? null, after: type.schema });
  }

  async putTable(followed: Followed, context: WriteContext): Promise<void> {
    const kept = await putTable(this.on, followed, context);
    if (kept) this.keep(kept);
  }

  private keep(item: Pick<KeptItem, "noun" | "thing" | "name" | "revision"> & Partial<KeptItem>): void {
    this.items.push({ stagedRevision: null, isChanged: true, before: null, after: null, ...item });
  }

  appendUpdates(changes: Look["changes"], context: WriteContext): Promise<number[]> {
    return appendUpdates(this.on, changes, context);
  }

  /** The entry as it is then, with its row. */
  async saveEntry(
    { entry }: Member,
    { live, text, sources }: Migrated,
    revision: number,
    context: WriteContext,
  ): Promise<StoredEntry> {
    const { revision: _, contentRevision: __, ...unchanged } = entry;
    const next: UnsavedEntry = {
      ...unchanged,
      data: text as string,
      ...(entry.locale !== undefined && { sources }),
      modifiedAt: Math.max(context.nowSeconds, entry.modifiedAt),
    };
    const saved: Entry = await saveEntry(
      this.on,
      entry,
      { entry: next, before: live.before, data: live.after },
      context,
      async () => revision,
    );
    return { ...entry, ...saved };
  }

  /** Writes the copy, if it changes, and keeps what there was before of entry and copy. */
  async saveCopy(
    { entry, copy, row }: Member,
    { text, patch, stagedSources }: Migrated,
    saved: StoredEntry,
    context: WriteContext,
  ): Promise<void> {
    let { stagedRevision } = saved;
    if (copy && patch)
      stagedRevision = await this.replaceCopy(entry, saved, { ...copy, sources: stagedSources }, patch, context);
    const { uuid, locale, slug: name, contentRevision: revision } = saved;
    const before = row && patch ? formatCopyRow(row) : null;
    const thing = thingOf(uuid, locale);
    this.keep({ noun: "entry", thing, name, revision, stagedRevision, isChanged: text !== undefined, before });
    if (this.items.length >= eventsAtOnce) this.flush();
  }

  private async replaceCopy(
    entry: StoredEntry,
    saved: StoredEntry,
    copy: WorkingCopy,
    patch: MigratedPatch,
    context: WriteContext,
  ): Promise<number | null> {
    if (isNothing(entry, copy, patch)) {
      const { slug, locale } = saved;
      await appendWrite(this.on, "entry.discard", slug, null, 1, { ...context, locale }, keptChange(saved, context));
      await removeCopy(this.on, saved);
      return null;
    }
    const next = await migratedCopy(entry, saved, copy, patch);
    return (await saveCopy(this.on, "entry.stage", saved, next, context)).entry.stagedRevision;
  }

  private flush(): void {
    const group = this.first as number;
    this.on.sql.later(
      insertItems,
      this.items.splice(0).map((item) => itemValues(group, item)),
    );
  }

  /** The group, null where nothing was written. */
  async close(steps: string, { nowSeconds }: WriteContext): Promise<number | null> {
    const { first: group } = this;
    if (group === undefined) return null;
    this.flush();
    await this.on.sql.run(insertInto("migration", ["id", "at", "steps"]), group, nowSeconds, steps);
    return group;
  }
}

/** True for a copy of which nothing is left, and which nobody waits for. */
const isNothing = (
  entry: Entry,
  copy: WorkingCopy,
  { data, removed }: { data: JsonObject; removed: readonly string[] },
): boolean =>
  data.size + removed.length + Object.keys(copy.fields).length === 0 &&
  entry.visibility !== "draft" &&
  copy.publishAtSeconds === null &&
  copy.release === null;

/** The copy with its keys under their new names: who changed them, and what they were, go along. */
async function migratedCopy(entry: Entry, saved: Entry, copy: WorkingCopy, patch: MigratedPatch): Promise<UnsavedCopy> {
  const outdated = new Set(await outdatedKeys(entry, copy));
  const now = await baseOf(saved, [...patch.sources.keys()]);
  const isLeft = (key: string) => patch.data.has(key) || patch.removed.includes(key) || serviceFields.has(key);
  const base = new Map<string, KeyBase>([...copy.base].filter(([key]) => isLeft(key)));
  const authors = new Map([...copy.authors].filter(([key]) => isLeft(key)));
  for (const [key, sources] of patch.sources) {
    const old = sources.find((source) => outdated.has(source)) ?? sources.find((source) => copy.base.has(source));
    const known = old === undefined || !outdated.has(old) ? now.get(key) : copy.base.get(old);
    // Of what was staged before bases were kept nobody knows what it was.
    if (known && (old !== undefined || sources.length === 0)) base.set(key, known);
    else base.delete(key);
    const author = sources.map((source) => copy.authors.get(source)).find((one) => one !== undefined);
    if (author !== undefined) authors.set(key, author);
    else authors.delete(key);
  }
  return {
    ...copy,
    data: await formatJsonLater(patch.data),
    removed: patch.removed,
    base: base as StagedBase,
    authors,
  };
}
