import type { WriteContext } from "../core/event.ts";
import type { Asker } from "../core/list/query.ts";
import type { Step } from "./step.ts";

/** Migrations: changes of fields of a type with all its entries and working copies. Contract, part four, §30. */

/** What a step changes, or would. */
export type StepCount = { readonly entries: number; readonly copies: number; readonly failing: number };

/** An entry that a plan cannot be done with: the number of the step, absent where the result does not fit the type. */
export type FailingEntry = {
  readonly id: string;
  /** Its working copy is what fails. */
  readonly isStaged: boolean;
  readonly step: number | undefined;
  readonly message: string;
};

/** What a plan changes, or would. */
export type PlanFindings = {
  /** The entries that change, and the working copies. */
  readonly entries: number;
  readonly copies: number;
  /** The types whose schema changes. */
  readonly types: readonly string[];
  /** The saved tables whose columns change. */
  readonly views: number;
  /** In the order of the steps. */
  readonly steps: readonly StepCount[];
  /** How many entries it cannot be done with, and the first of them by id. */
  readonly failing: number;
  readonly first: readonly FailingEntry[];
};

/** What was done: `group` is the sequence of its first event; null where nothing was to be done. */
export type DonePlan = PlanFindings & { readonly group: number | null };

/** What an undo changed back. */
export type UndonePlan = Pick<PlanFindings, "entries" | "copies" | "types" | "views"> & { readonly group: number };

/** The entries that a dry run and a refusal name. */
export const maxFirst = 10;
/** How long a migration can be undone. */
export const keepDays = 30;

/** Where migrations are done. Each is one transaction, whose events are one group. */
export interface MigrationStore {
  /**
   * What the plan would do; writes nothing. Throws type_not_found, schema_invalid, type_in_use, type_too_costly,
   * plan_too_large (more than `most` would change).
   */
  try(steps: readonly Step[], most: number, asker?: Asker): Promise<PlanFindings>;
  /** Does the plan, all of it or nothing; the same again does nothing. Throws as `try` does, and migration_invalid. */
  run(steps: readonly Step[], most: number, context: WriteContext): Promise<DonePlan>;
  /**
   * Gives entries, working copies, schemas and columns what they had before the migration that begins with this event. Throws
   * migration_not_found, migration_changed (something changed since), revision_not_found (the history of an entry does not
   * reach back).
   */
  undo(group: number, context: WriteContext): Promise<UndonePlan>;
  /** Forgets what was before migrations of an earlier time: they cannot be undone any more. Answers how many. */
  forget(beforeSeconds: number): Promise<number>;
}
