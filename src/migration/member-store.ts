import { isSameJson, type JsonObject } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import { Problem } from "../core/problem.ts";
import { refuseTooLarge } from "../entry/entry.ts";
import type { Visibility } from "../entry/field.ts";
import { dataOf, laidOverData } from "../entry/next.ts";
import { isLenient, type Types } from "../type/check.ts";
import { objectOf } from "../working-copy/staged-base.ts";
import { type Change, type MigratedPatch, migratedPatch } from "./copy.ts";
import { doneSteps, Undoable } from "./data.ts";
import { freshFaults } from "./fault.ts";
import type { FailingEntry } from "./migration.ts";
import { type Member, type Plan, stepsOf } from "./plan-store.ts";
import type { Step } from "./step.ts";

/** What a plan makes of one entry and its working copy. */

/** Data that steps change, or do not. */
type Done = Change & { readonly steps: readonly Step[]; readonly type: string | undefined };

/** What is written of an entry; undefined for what stays. */
export type Migrated = {
  readonly live: Done;
  /** The live data afterwards as text. */
  readonly text: string | undefined;
  readonly patch: MigratedPatch | undefined;
  readonly laid: Done | undefined;
};

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
export async function migrated(plan: Plan, { entry, copy }: Member, checks = true): Promise<Migrated | undefined> {
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
  if (text === undefined && !isChanged) return undefined;
  return { live, text, patch: isChanged ? patch : undefined, laid };
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((key) => other.includes(key));

async function done(plan: Plan, slug: Member["entry"]["slug"], before: JsonObject): Promise<Done> {
  const type = plan.before.typeOf(slug, before.get("fieldset"));
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
function failing(plan: Plan, id: string) {
  return async <T>(isStaged: boolean, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Undoable)
        throw new Failing({ id, isStaged, step: error.step && plan.steps.indexOf(error.step), message: error.message });
      if (error instanceof Problem && error.code === "data_too_large")
        throw new Failing({ id, isStaged, step: undefined, message: error.detail });
      throw error;
    }
  };
}
