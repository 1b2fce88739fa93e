import { Problem } from "../../domain/problem.ts";
import { allSettled } from "../../lib/all-settled.ts";
import { memo } from "../../lib/memo.ts";
import { type Call, type Reply, toReply } from "./call.ts";
import { isDamage } from "./damage.ts";
import { indexedKeys } from "./index/field.ts";
import type { FieldIndex } from "./index/field-row.ts";
import { parentNumbers } from "./index/parent.ts";
import { appendEvents } from "./noun/event.ts";
import type { RemoveBytes, Writing } from "./noun.ts";
import { type NounWrites, nounWrites, pathsAlone, writesBeside } from "./nouns.ts";
import { RunLog } from "./run-log.ts";
import { type TransactionSql, unawaited, type WriteSql } from "./sql.ts";
import { TypeCache } from "./type-cache.ts";

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
  private readonly types: TypeCache;
  private readonly on: Pick<Writing, "sql" | "index" | "removeBytes" | "keepsHistory">;

  constructor(sql: WriteSql, indexKeys: string[], removeBytes: RemoveBytes, keepsHistory = true) {
    this.sql = sql;
    this.index = { sql, isIndexed: indexedKeys(indexKeys), keyIds: new Map() };
    this.types = new TypeCache(sql);
    this.on = { sql, index: this.index, removeBytes, keepsHistory };
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
    let failure: unknown;
    try {
      const runs = [...runsOf(group)];
      await sql.begin(pathsOf(runs));
      const replies: Reply[] = [];
      for (const run of runs) replies.push(...(await this.inRun(run)));
      await sql.commit();
      return replies;
    } catch (error) {
      failure = error;
      this.forget();
      await sql.rollback();
    }
    // Nothing more is written to a damaged database, for any call of the group.
    if (isDamage(failure)) return this.refuse(group, failure);
    const remedy = sql.remedy(failure);
    if (remedy === "divide" && group.length > 1) return undefined;
    if (remedy !== "repeat" || attempt >= maxAttempts) return this.refuse(group, failure);
    await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** attempt * Math.random()));
    return this.together(group, attempt + 1);
  }

  /** Drops what was read or made in a transaction that is rolled back. */
  private forget(): void {
    this.index.keyIds.clear();
    this.types.clear();
  }

  private refuse(calls: readonly Call[], error: unknown): Reply[] {
    return calls.map(({ id }) => toReply(id, this.sql.translate(error)));
  }

  /** Replies to calls that do not affect each other. */
  private async inRun(run: Run): Promise<Reply[]> {
    if ("call" in run) return [await this.inSavepoint(run.call)];
    const calls = [...run.byPath.values()];
    // Waits for all, also when one fails: no statement may be in progress when the transaction is rolled back.
    return this.toTheEnd(calls.length, (on, log) =>
      allSettled(calls.map((call) => this.alone(on, call).finally(() => log.end()))),
    );
  }

  /** Does the work in the context of a run of some writes, then one after another what they left for its end. */
  private async toTheEnd<T>(writes: number, work: (on: Writing, log: RunLog) => Promise<T>): Promise<T> {
    const { sql } = this;
    const log = new RunLog(sql, writes);
    const left: (() => Promise<unknown>)[] = [];
    const on: Writing = {
      ...this.on,
      parentNumber: parentNumbers(sql),
      entryNumber: numbersOf(sql, "entry", writes),
      append: (event) => log.append(event),
      appendAll: (events) => appendEvents(sql, events),
      types: memo(() => this.types.read()),
      atEnd: (task) => left.push(task),
    };
    const value = await work(on, log);
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
    unawaited(sql.run("SAVEPOINT one"));
    try {
      const value = await this.toTheEnd(1, async (on) => nounWrites[name]?.(on, ...args));
      unawaited(sql.run("RELEASE SAVEPOINT one"));
      return { id, value };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.forget();
      await sql.run("ROLLBACK TO SAVEPOINT one");
      await sql.run("RELEASE SAVEPOINT one");
      return toReply(id, error);
    }
  }
}

/** Calls that do not affect each other: writes of one path each, by path, or one call without such a path. */
type Run = { byPath: ReadonlyMap<string, Call> } | { call: Call };

/** Splits calls, in order, into runs. */
function* runsOf(calls: readonly Call[]): Generator<Run> {
  let byPath = new Map<string, Call>();
  for (const call of calls) {
    const path = pathsAlone[call.name]?.(...call.args);
    if (byPath.size > 0 && (path === undefined || byPath.has(path))) {
      yield { byPath };
      byPath = new Map();
    }
    if (path === undefined) yield { call };
    else byPath.set(path, call);
  }
  if (byPath.size > 0) yield { byPath };
}

/** The paths that a transaction of these runs locks; undefined when it locks everything. */
function pathsOf([first, second]: readonly Run[]): string[] | undefined {
  if (!first || second) return undefined;
  if ("byPath" in first) return [...first.byPath.keys()];
  return writesBeside.has(first.call.name) ? [] : undefined;
}

/** Numbers for new rows of the table, which are asked for at once when the first is needed. */
function numbersOf(sql: TransactionSql, table: string, count: number): () => Promise<number> {
  let asked: Promise<number[]> | undefined;
  let given = 0;
  return async () => {
    const at = given++;
    asked ??= Promise.resolve(sql.numbers(table, count));
    return (await asked)[at] as number;
  };
}
