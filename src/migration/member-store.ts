import { isSameJson, type JsonObject } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import { Problem } from "../core/problem.ts";
import { quote } from "../core/problem-row.ts";
import { refuseTooLarge } from "../entry/entry.ts";
import type { Visibility } from "../entry/field.ts";
import { dataOf, laidOverData } from "../entry/next.ts";
import { isLenient, type Types } from "../type/check.ts";
import { hashOf, objectOf } from "../working-copy/staged-base.ts";
import { type Change, type MigratedPatch, migratedPatch } from "./copy.ts";
import { doneSteps, Undoable } from "./data.ts";
import { freshFaults } from "./fault.ts";
import type { FailingEntry } from "./migration.ts";
import { type Member, type Plan, stepsOf } from "./plan-store.ts";
import type { Step } from "./step.ts";

/** What a plan makes of one entry, its translations and their working copies. */

/** Data that steps change, or do not. */
type Done = Change & { readonly steps: readonly Step[]; readonly type: string | undefined };

/** What is written of an entry; undefined for what stays. */
export type Migrated = {
  readonly live: Done;
  /** The live data afterwards as text. */
  readonly text: string | undefined;
  readonly patch: MigratedPatch | undefined;
  readonly laid: Done | undefined;
  /** Of a translation: what its keys, and those of its copy, were written against. */
  readonly sources?: string | undefined;
  readonly stagedSources?: string | undefined;
  /** Those that change. */
  readonly translations?: readonly Part[];
};

/** An entry or a translation that changes. */
type Part = { readonly member: Member; readonly found: Migrated };

/** What is written of an entry: itself, if it changes, then its translations. */
export const partsOf = (member: Member, found: Migrated): readonly Part[] => [
  ...(found.text !== undefined || found.patch ? [{ member, found }] : []),
  ...(found.translations ?? []),
];

/** Why a plan cannot be done with an entry. */
export class Failing extends Error {
  readonly entry: FailingEntry;
  constructor(entry: FailingEntry) {
    super(entry.message);
    this.entry = entry;
  }
}

/**
 * Undefined for an entry that the plan is not about, or does not change. Without
 * `checks` it is not compared with its type once more. Rejects with Failing, type_too_costly.
 */
export async function migrated(plan: Plan, member: Member, checks = true): Promise<Migrated | undefined> {
  const { entry, copy } = member;
  const fail = failing(plan, entry.slug);
  const before = await dataOf(entry);
  const live = await fail(false, () => done(plan, entry.slug, before));
  const text = live.after === before ? undefined : await formatJsonLater(live.after);
  await fail(false, async () => {
    if (text !== undefined) refuseTooLarge(text);
    if (checks) await refuseFaults(plan, live, entry.visibility);
  });
  const own = copy && { data: await objectOf(copy.data), removed: copy.removed };
  const laid = own && (await fail(true, async () => done(plan, entry.slug, await laidOverData(before, copy))));
  const patch = laid && migratedPatch(own, live, laid, laid.steps);
  const isChanged = patch && !(isSameJson(patch.data, own.data) && isSame(patch.removed, own.removed));
  if (checks && laid && (isChanged || laid.type !== live.type))
    await fail(true, () => refuseFaults(plan, laid, "draft"));
  const translations: Part[] = [];
  for (const one of member.translations ?? []) {
    const found = await migratedTranslation(plan, live, one, checks);
    if (found) translations.push({ member: one, found });
  }
  if (text === undefined && !isChanged && translations.length === 0) return undefined;
  return { live, text, patch: isChanged ? patch : undefined, laid, translations };
}

// ---------------------------------------------------------------------------------------------- translations

/** A translation lies over what the source says, as a working copy lies over what is live. */
async function migratedTranslation(
  plan: Plan,
  source: Done,
  { entry, copy }: Member,
  checks: boolean,
): Promise<Migrated | undefined> {
  const fail = failing(plan, entry.slug, `in ${entry.locale}: `);
  const own = await objectOf(entry.data);
  const live = await fail(false, () => doneOver(plan, entry.slug, source, own, checks));
  const sources = await movedSources(source, entry.sources, live);
  const isLive = live.after !== own || sources !== (entry.sources ?? "{}");
  const text = isLive ? await formatJsonLater(live.after) : undefined;
  await fail(false, async () => refuseTooLarge(text ?? ""));
  const staged = copy && { data: await objectOf(copy.data), removed: copy.removed };
  const over = copy && (await laidOverData(own, copy, true));
  const laid = over && (await fail(true, () => doneOver(plan, entry.slug, source, over, checks)));
  const patch = staged && laid && migratedPatch(staged, live, laid, laid.steps);
  const stagedSources =
    patch && (await movedSources(source, copy?.sources, { after: patch.data, origins: patch.sources }));
  const isSamePatch = patch && isSameJson(patch.data, staged.data) && isSame(patch.removed, staged.removed);
  const isStaged = patch && !(isSamePatch && stagedSources === (copy?.sources ?? "{}"));
  if (text === undefined && !isStaged) return undefined;
  return { live, text, patch: isStaged ? patch : undefined, laid, sources, stagedSources };
}

/** The keys of a translation afterwards; `origins`: of those that changed, there or in the source, which they were made of. */
type DoneOver = Done & { readonly origins: ReadonlyMap<string, readonly string[]> };

/** Throws Undoable. */
async function doneOver(
  plan: Plan,
  slug: Member["entry"]["slug"],
  source: Done,
  own: JsonObject,
  checks: boolean,
): Promise<DoneOver> {
  const { type } = source;
  const laid = await done(plan, slug, new Map([...source.before, ...own]), type);
  const patch = migratedPatch({ data: own, removed: [] }, source, laid, laid.steps);
  const origins = patch?.sources ?? new Map<string, string[]>();
  const isChanged = patch !== undefined && !isSameJson(patch.data, own);
  if (checks && type !== undefined && own.size > 0) await refuseFaults(plan, laid, "draft");
  if (!isChanged || type === undefined) return { before: own, after: own, steps: [], type, origins };
  const { keys } = await plan.after.localizedKeys(type);
  const foreign = [...origins.keys()].find((key) => patch.data.has(key) && !keys.has(key));
  if (foreign !== undefined)
    throw new Undoable(
      `${quote(`/${foreign}`)} would be the same in all locales; expected a key that can be translated`,
    );
  return { before: own, after: patch.data, steps: laid.steps, type, origins };
}

/** What keys were written against: what fitted the source fits it still, what was outdated is. */
async function movedSources(
  { before, after }: Change,
  text = "{}",
  { after: data, origins }: { after: JsonObject; origins: ReadonlyMap<string, readonly string[]> },
): Promise<string> {
  const sources = JSON.parse(text) as Record<string, string>;
  const moved = { ...sources };
  for (const [key, from] of origins) {
    const outdated: string[] = [];
    for (const old of from) {
      const hash = sources[old];
      if (hash !== undefined && hash !== (await hashOf(before.get(old)))) outdated.push(hash);
    }
    moved[key] = outdated[0] ?? (await hashOf(after.get(key)));
  }
  return JSON.stringify(Object.fromEntries(Object.entries(moved).filter(([key]) => data.has(key))));
}

// ---------------------------------------------------------------------------------------------- steps and checks

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((key) => other.includes(key));

async function done(
  plan: Plan,
  slug: Member["entry"]["slug"],
  before: JsonObject,
  type = plan.before.typeOf(slug, before.get("fieldset")),
): Promise<Done> {
  if (type === undefined || !plan.affected.has(type)) return { before, after: before, steps: [], type: undefined };
  const steps = stepsOf(plan.steps, type);
  const { names } = await plan.before.compile(type);
  const { data, steps: own } = doneSteps(before, steps, names.has("content"));
  return { before, after: data, steps: own, type };
}

/** Throws Undoable for faults that the data did not have. */
async function refuseFaults(plan: Plan, data: Done, visibility: Visibility): Promise<void> {
  const { type } = data;
  if (type === undefined || (data.after === data.before && !plan.rechecked.has(type))) return;
  const { before, after } = plan;
  const lenient = isLenient({ visibility });
  const found = await faultsOf(after, type, data.after, lenient);
  if (found.length === 0) return;
  const [fresh] = freshFaults(found, await faultsOf(before, type, data.before, lenient), stepsOf(plan.steps, type));
  if (fresh) throw new Undoable(`it would not fit the type ${type}: ${fresh.message}`);
}

const faultsOf = async (types: Types, type: string, data: JsonObject, lenient: boolean) =>
  types.modeOf(type) === "enforce" ? types.faultsOf(type, data, lenient) : [];

/** Does the work; what is refused of this entry alone becomes Failing. */
function failing(plan: Plan, id: string, where = "") {
  return async <T>(isStaged: boolean, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Undoable)
        throw new Failing({
          id,
          isStaged,
          step: error.step && plan.steps.indexOf(error.step),
          message: where + error.message,
        });
      if (error instanceof Problem && error.code === "data_too_large")
        throw new Failing({ id, isStaged, step: undefined, message: where + error.detail });
      throw error;
    }
  };
}
