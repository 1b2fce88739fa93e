import { Problem } from "../../domain/problem.ts";
import { allSettled } from "../../lib/all-settled.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { type Call, type Reply, toReply } from "./call.ts";
import { isDamage } from "./damage.ts";
import { indexedKeys } from "./index/field.ts";
import type { FieldIndex } from "./index/field-row.ts";
import { parentNumbers } from "./index/parent.ts";
import type { RemoveBytes, Writing } from "./noun.ts";
import { type NounWrites, nounWrites, pathsAlone } from "./nouns.ts";
import type { WriteSql } from "./sql.ts";

/** Every write, by name. */
export type Writes = NounWrites;

/** The number of retries of a transaction after a transient failure, with increasing pauses. */
const maxAttempts = 5;
const firstPauseMs = 40;

/**
 * Runs calls in one transaction, each in a savepoint unless it needs none (see `Noun.alone`); no caller receives a reply
 * before the COMMIT.
 */
export class Writer {
  private readonly sql: WriteSql;
  private readonly index: FieldIndex;
  private readonly on: Pick<Writing, "sql" | "index" | "removeBytes">;

  constructor(sql: WriteSql, indexKeys: string[], removeBytes: RemoveBytes) {
    this.sql = sql;
    this.index = { isIndexed: indexedKeys(indexKeys), keyIds: new Map() };
    this.on = { sql, index: this.index, removeBytes };
  }

  /** One reply for each call, in order. A refused call does not affect the others. */
  async run(calls: readonly Call[]): Promise<Reply[]> {
    const together = await this.together(calls, 1);
    if (together) return together;
    // An unexpected failure rolled back the whole group: run alone, the other calls still succeed and the failing one
    // is identified.
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await this.run([call])));
    return replies;
  }

  /** Undefined when any one of several calls may be the cause. */
  private async together(group: readonly Call[], attempt: number): Promise<Reply[] | undefined> {
    const { sql } = this;
    let hasBegun = false;
    let failure: unknown;
    try {
      await sql.begin();
      hasBegun = true;
      const replies: Reply[] = [];
      for (const calls of runsOf(group)) replies.push(...(await this.inRun(calls)));
      await sql.commit();
      return replies;
    } catch (error) {
      failure = error;
      this.index.keyIds.clear();
      await sql.rollback();
    }
    // Nothing more is written to a damaged database, for any call of the group.
    if (isDamage(failure)) return this.refuse(group, failure);
    if (!sql.mayRepeat(failure)) return hasBegun && group.length > 1 ? undefined : this.refuse(group, failure);
    if (attempt >= maxAttempts) return this.refuse(group, failure);
    await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** attempt * Math.random()));
    return this.together(group, attempt + 1);
  }

  private refuse(calls: readonly Call[], error: unknown): Reply[] {
    return calls.map(({ id }) => toReply(id, this.sql.translate(error)));
  }

  /** Replies to calls that do not affect each other. */
  private async inRun(run: readonly Call[]): Promise<Reply[]> {
    const [first] = run;
    if (first && !pathsAlone[first.name]) return [await this.inSavepoint(first)];
    // Waits for all, also when one fails: no statement may be in progress when the transaction is rolled back.
    return this.toTheEnd((on) => allSettled(run.map((call) => this.alone(on, call))));
  }

  /** Does the work in a context of its own, then one after another what it left for its end. */
  private async toTheEnd<T>(work: (on: Writing) => Promise<T>): Promise<T> {
    const left: (() => Promise<unknown>)[] = [];
    const value = await work({
      ...this.on,
      parentNumber: parentNumbers(this.sql),
      atEnd: (task) => left.push(task),
    });
    for (const task of left) await task();
    return value;
  }

  /** A write that needs no savepoint: what it refuses has changed nothing. */
  private async alone(on: Writing, { id, name, args }: Call): Promise<Reply> {
    try {
      return { id, value: await nounWrites[name]?.(on, ...args) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return toReply(id, error);
    }
  }

  private async inSavepoint({ id, name, args }: Call): Promise<Reply> {
    const { sql } = this;
    // Neither is awaited: the next statement on the connection fails when they do, at the latest the COMMIT.
    unheard(sql.run("SAVEPOINT one"));
    try {
      const value = await this.toTheEnd(async (on) => nounWrites[name]?.(on, ...args));
      unheard(sql.run("RELEASE SAVEPOINT one"));
      return { id, value };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.index.keyIds.clear();
      await sql.run("ROLLBACK TO SAVEPOINT one");
      await sql.run("RELEASE SAVEPOINT one");
      return toReply(id, error);
    }
  }
}

/** Splits calls, in order, into runs whose calls do not affect each other: writes of different paths, or one call. */
function* runsOf(calls: readonly Call[]): Generator<Call[]> {
  let run: Call[] = [];
  const paths = new Set<string>();
  for (const call of calls) {
    const path = pathsAlone[call.name]?.(...call.args);
    if (run.length > 0 && (path === undefined || paths.size === 0 || paths.has(path))) {
      yield run;
      run = [];
      paths.clear();
    }
    run.push(call);
    if (path !== undefined) paths.add(path);
  }
  if (run.length > 0) yield run;
}

/** Ignores the failure of a statement after which the next one fails, too. */
function unheard(statement: MaybePromise<unknown>): void {
  if (statement instanceof Promise) statement.catch(() => undefined);
}

/** The maximum number of calls in one transaction: bounds how long the first one waits for the last. */
export const maxGroup = 256;
